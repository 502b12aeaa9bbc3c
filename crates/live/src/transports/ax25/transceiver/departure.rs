//! Determines when the last burst on the air ends: reported by the TNC, or computed.
//!
//! A TNC that reports its transmit queue (Dire Wolf does) is polled until the queue is empty: then the last frame is on
//! the air, and its duration is known. Any other TNC is assumed to key at once.

use sojourn_core::{Duration, Time};

/// Polling interval.
const INTERVAL: Duration = Duration::from_millis(100);
/// Timeout of a response, after which the TNC counts as one without queue reports.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether the TNC reports its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Teller {
    /// It has not been polled.
    Unasked,
    /// It was polled and has not responded yet.
    Asked(Time),
    /// It reports its queue.
    Telling { asked: Option<Time> },
    /// It does not, or cannot be polled.
    Silent,
}

/// A burst that was passed to the TNC.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    /// Its end if the TNC keyed at once.
    reckoned: Time,
    /// Duration of the last frame and TXTAIL, from the time that the queue is empty.
    last: Duration,
    /// Its end, once known.
    known: Option<Time>,
    next_question: Time,
}

/// Tracks the last burst.
#[derive(Clone, Debug)]
pub struct Departure {
    teller: Teller,
    leaving: Option<Leaving>,
}

/// An action at a wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Poll the TNC's queue.
    Ask,
    /// The burst has ended.
    Left,
    /// The TNC does not report its queue: ends of bursts are computed from here on.
    Untold,
}

impl Departure {
    /// No burst yet; `asks` if the TNC may be polled.
    pub fn new(asks: bool) -> Departure {
        Departure { teller: if asks { Teller::Unasked } else { Teller::Silent }, leaving: None }
    }

    /// Whether a burst may be sent: none is pending, and whether the TNC reports its queue is known.
    pub fn is_free(&self) -> bool {
        self.leaving.is_none() && !matches!(self.teller, Teller::Unasked | Teller::Asked(_))
    }

    /// Whether no burst is pending.
    pub fn is_over(&self) -> bool {
        self.leaving.is_none()
    }

    /// A burst was passed to the TNC, with this duration, of which `last` is the last frame and TXTAIL.
    pub fn begin(&mut self, now: Time, burst: Duration, last: Duration) {
        let known = matches!(self.teller, Teller::Silent).then_some(now + burst);
        self.leaving = Some(Leaving { reckoned: now + burst, last, known, next_question: now });
    }

    /// The TNC reports its queue.
    pub fn indicate(&mut self, now: Time, octets: u64) {
        self.teller = Teller::Telling { asked: None };
        if let Some(leaving) = &mut self.leaving
            && octets == 0
            && leaving.known.is_none()
        {
            leaving.known = Some(now + leaving.last);
        }
    }

    /// The connection to the TNC is lost, and with it its queue.
    pub fn forget(&mut self) {
        self.leaving = None;
        if self.teller != Teller::Silent {
            self.teller = Teller::Unasked;
        }
    }

    /// The action due at `now`; call until `None`.
    pub fn step(&mut self, now: Time) -> Option<Step> {
        let due = self.next() <= now;
        match self.teller {
            _ if !due => None,
            Teller::Unasked => {
                self.teller = Teller::Asked(now);
                Some(Step::Ask)
            }
            Teller::Asked(_) => Some(self.fall_silent(now)),
            Teller::Telling { asked: Some(since) } if since + FLUSH_TIMEOUT <= now => Some(self.fall_silent(now)),
            _ => match &mut self.leaving {
                Some(Leaving { known: Some(_), .. }) => {
                    self.leaving = None;
                    Some(Step::Left)
                }
                Some(leaving) => {
                    leaving.next_question = now + INTERVAL;
                    let since = if let Teller::Telling { asked: Some(since) } = self.teller { since } else { now };
                    self.teller = Teller::Telling { asked: Some(since) };
                    Some(Step::Ask)
                }
                None => None,
            },
        }
    }

    /// When the next step is due.
    pub fn next(&self) -> Time {
        let of_burst = self.leaving.map_or(Time::NEVER, |leaving| leaving.known.unwrap_or(leaving.next_question));
        match self.teller {
            Teller::Unasked => Time::ZERO,
            Teller::Asked(since) => since + FLUSH_TIMEOUT,
            Teller::Telling { asked: Some(since) } => of_burst.min(since + FLUSH_TIMEOUT),
            Teller::Telling { asked: None } | Teller::Silent => of_burst,
        }
    }

    fn fall_silent(&mut self, now: Time) -> Step {
        self.teller = Teller::Silent;
        if let Some(leaving) = &mut self.leaving {
            leaving.known.get_or_insert(leaving.reckoned.max(now));
        }
        Step::Untold
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    const BURST: Duration = Duration::from_millis(900);
    const LAST: Duration = Duration::from_millis(200);

    #[test]
    fn a_tnc_with_queue_reports_is_polled_until_its_queue_is_empty_and_the_last_frame_ends() {
        let mut departure = Departure::new(true);
        assert_eq!(departure.step(at(0)), Some(Step::Ask));
        assert!(!departure.is_free(), "first it must be known whether the TNC reports its queue");
        departure.indicate(at(5), 0);
        assert!(departure.is_free());

        departure.begin(at(10), BURST, LAST);
        assert_eq!(departure.step(at(10)), Some(Step::Ask));
        departure.indicate(at(12), 400);
        assert_eq!(departure.step(at(100)), None);
        assert_eq!(departure.step(at(110)), Some(Step::Ask));
        departure.indicate(at(5000), 0);
        assert_eq!(departure.next(), at(5200), "the channel was busy for as long as it was");
        assert_eq!(departure.step(at(5200)), Some(Step::Left));
        assert!(departure.is_free());
    }

    #[test]
    fn without_queue_reports_the_end_of_a_burst_is_computed() {
        let mut departure = Departure::new(true);
        departure.step(at(0));
        assert_eq!(departure.step(at(2000)), Some(Step::Untold));
        departure.begin(at(3000), BURST, LAST);
        assert_eq!(departure.step(at(3899)), None);
        assert_eq!(departure.step(at(3900)), Some(Step::Left));
    }

    #[test]
    fn a_tnc_that_stops_responding_does_not_block_bursts() {
        let mut departure = Departure::new(true);
        departure.step(at(0));
        departure.indicate(at(1), 0);
        departure.begin(at(10), BURST, LAST);
        let mut now = 10;
        while departure.step(at(now)) != Some(Step::Untold) {
            now += 10;
            assert!(now < 3000, "the wait times out");
        }
        assert_eq!(departure.step(at(now)), Some(Step::Left));
    }
}
