//! Whether the burst handed over last has left the air: by the TNC's own word, or by reckoning.
//!
//! A TNC that tells how many octets wait in its transmit queue (Dire Wolf does) is asked until none do: then the last
//! frame is on the air, and its length is known. Any other TNC is taken to key at once.

use sojourn_core::{Duration, Time};

/// Between two questions.
const INTERVAL: Duration = Duration::from_millis(100);
/// How long an answer is waited for before the TNC counts as one that gives none.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// What is known of the TNC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Teller {
    /// It has not been asked.
    Unasked,
    /// It was asked and has not answered yet.
    Asked(Time),
    /// It tells.
    Telling { asked: Option<Time> },
    /// It does not tell, or cannot be asked.
    Silent,
}

/// A burst on its way.
#[derive(Clone, Copy, Debug)]
struct Leaving {
    /// When it has left, if the TNC keyed at once.
    reckoned: Time,
    /// From the moment that nothing waits: the last frame and TXTAIL.
    last: Duration,
    /// When it has left, once that is known.
    known: Option<Time>,
    next_question: Time,
}

/// The burst handed over last, and whom to ask about it.
#[derive(Clone, Debug)]
pub struct Departure {
    teller: Teller,
    leaving: Option<Leaving>,
}

/// What is to be done at a wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Ask the TNC for its queue.
    Ask,
    /// The burst has left.
    Left,
    /// The TNC does not tell: from here on departures are reckoned.
    Untold,
}

impl Departure {
    /// Nothing was handed over yet; `asks` if the TNC may be asked.
    pub fn new(asks: bool) -> Departure {
        Departure { teller: if asks { Teller::Unasked } else { Teller::Silent }, leaving: None }
    }

    /// Whether a burst may be handed over: none is on its way, and whether the TNC tells is known.
    pub fn is_free(&self) -> bool {
        self.leaving.is_none() && !matches!(self.teller, Teller::Unasked | Teller::Asked(_))
    }

    /// Whether nothing is on its way.
    pub fn is_over(&self) -> bool {
        self.leaving.is_none()
    }

    /// A burst was handed over: all of it lasts `burst`, the last frame and TXTAIL `last`.
    pub fn begin(&mut self, now: Time, burst: Duration, last: Duration) {
        let known = matches!(self.teller, Teller::Silent).then_some(now + burst);
        self.leaving = Some(Leaving { reckoned: now + burst, last, known, next_question: now });
    }

    /// The TNC says how much waits.
    pub fn indicate(&mut self, now: Time, octets: u64) {
        self.teller = Teller::Telling { asked: None };
        if let Some(leaving) = &mut self.leaving
            && octets == 0
            && leaving.known.is_none()
        {
            leaving.known = Some(now + leaving.last);
        }
    }

    /// The way to the TNC is gone, and with it what it had to send.
    pub fn forget(&mut self) {
        self.leaving = None;
        if self.teller != Teller::Silent {
            self.teller = Teller::Unasked;
        }
    }

    /// What is due at `now`; asked until there is nothing.
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
    fn a_tnc_that_tells_is_asked_until_nothing_waits_and_the_last_frame_is_waited_for() {
        let mut departure = Departure::new(true);
        assert_eq!(departure.step(at(0)), Some(Step::Ask));
        assert!(!departure.is_free(), "first it must be known whether the TNC tells");
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
    fn a_tnc_that_does_not_answer_is_reckoned_with() {
        let mut departure = Departure::new(true);
        departure.step(at(0));
        assert_eq!(departure.step(at(2000)), Some(Step::Untold));
        departure.begin(at(3000), BURST, LAST);
        assert_eq!(departure.step(at(3899)), None);
        assert_eq!(departure.step(at(3900)), Some(Step::Left));
    }

    #[test]
    fn a_tnc_that_falls_silent_does_not_hold_a_burst_for_ever() {
        let mut departure = Departure::new(true);
        departure.step(at(0));
        departure.indicate(at(1), 0);
        departure.begin(at(10), BURST, LAST);
        let mut now = 10;
        while departure.step(at(now)) != Some(Step::Untold) {
            now += 10;
            assert!(now < 3000, "patience ends");
        }
        assert_eq!(departure.step(at(now)), Some(Step::Left));
    }
}
