//! The arrivals of a flow at one of its senders, as they go on.

use sojourn_core::{Duration, Stream, Time};
use sojourn_engine::arrivals::Process;
use sojourn_engine::sample;

use super::{Arrivals, TraceRow};

/// State of the arrivals at one sender.
#[derive(Clone, Debug)]
pub struct Pace(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Process(Process),
    Heartbeat {
        max: Duration,
        min: Duration,
        change: Option<Duration>,
        change_at: Time,
        /// When the last message was due; before that, the first.
        last: Time,
    },
    Poll {
        interval: Duration,
        cycle: Duration,
        /// The receiver that is asked next, by its place.
        point: u32,
        /// When the round is due.
        round: Time,
        /// When the first request of a round began that is not complete; never where none is open.
        begun: Time,
        last: Time,
    },
    /// Rows of this sender: instant and bytes.
    Trace {
        rows: Vec<(Time, u16)>,
        next: usize,
    },
}

impl Pace {
    /// The beginning: `together` where all senders of the flow begin at the same instant. Of a trace the rows that are `mine`.
    pub fn new(arrivals: &Arrivals, together: bool, mine: impl Fn(&TraceRow) -> bool) -> Pace {
        Pace(match arrivals {
            Arrivals::Process(process) if together => Kind::Process(process.start_at_once()),
            Arrivals::Process(process) => Kind::Process(process.start()),
            Arrivals::Heartbeat { max_interval, min_interval, change_interval } => Kind::Heartbeat {
                max: *max_interval,
                min: *min_interval,
                change: *change_interval,
                change_at: Time::NEVER,
                last: Time::ZERO,
            },
            Arrivals::Poll { interval, cycle } => Kind::Poll {
                interval: *interval,
                cycle: *cycle,
                point: 0,
                round: Time::ZERO,
                begun: Time::NEVER,
                last: Time::ZERO,
            },
            Arrivals::Trace(rows) => {
                let mine = rows.iter().filter(|row| mine(row));
                Kind::Trace { rows: mine.map(|row| (row.at, row.size)).collect(), next: 0 }
            }
        })
    }

    /// Whether the next message is sent when the last is complete (closed loop).
    pub fn is_closed_loop(&self) -> bool {
        match &self.0 {
            Kind::Process(process) => process.arrivals().is_closed(),
            Kind::Poll { .. } => true,
            Kind::Heartbeat { .. } | Kind::Trace { .. } => false,
        }
    }

    /// The receiver of a poll over `points` of them that is asked now, by its place.
    pub fn point(&mut self, now: Time, points: usize) -> usize {
        let Kind::Poll { point, begun, .. } = &mut self.0 else { return 0 };
        let asked = *point;
        if asked == 0 {
            *begun = now;
        }
        *point = (asked + 1) % points as u32;
        asked as usize
    }

    /// When the round of a poll began that is not complete.
    pub fn round(&self) -> Option<Time> {
        match self.0 {
            Kind::Poll { begun, .. } => Some(begun).filter(|begun| *begun != Time::NEVER),
            _ => None,
        }
    }

    /// A message is complete, and this many are open: when the round of a poll began that is complete with it.
    pub fn end_round(&mut self, open: u32) -> Option<Time> {
        match &mut self.0 {
            Kind::Poll { point: 0, begun, .. } if open == 0 => {
                Some(std::mem::replace(begun, Time::NEVER)).filter(|begun| *begun != Time::NEVER)
            }
            _ => None,
        }
    }

    /// Bytes of the message that is due, where a trace has recorded them.
    pub fn size(&self) -> Option<u16> {
        match &self.0 {
            Kind::Trace { rows, next } => Some(rows[*next].1),
            _ => None,
        }
    }

    /// When the first message is due of a flow that begins anew at `from`, or of an application that does, whose timers
    /// then start (heartbeats, polls, periods).
    pub fn restart(
        &mut self,
        arrivals: &Arrivals,
        from: Time,
        [together, timers_start]: [bool; 2],
        stream: &mut Stream,
    ) -> Option<Time> {
        match (&mut self.0, arrivals) {
            (Kind::Process(process), Arrivals::Process(arrivals)) => {
                let has_timer = matches!(arrivals, sojourn_engine::arrivals::Arrivals::Periodic { .. });
                *process =
                    if together || has_timer && timers_start { arrivals.start_at_once() } else { arrivals.start() };
            }
            (Kind::Poll { point, begun, .. }, _) => (*point, *begun) = (0, Time::NEVER),
            (Kind::Trace { rows, next }, _) => *next = rows.partition_point(|row| row.0 < from),
            _ => {}
        }
        self.begin(from, together || timers_start, stream)
    }

    /// When the first message is due of a flow that begins at `delay`.
    pub fn begin(&mut self, delay: Time, together: bool, stream: &mut Stream) -> Option<Time> {
        let within = |stream: &mut Stream, span: Duration| {
            if together { Duration::ZERO } else { sample::uniform(stream, span) }
        };
        match &mut self.0 {
            Kind::Process(process) => process.next(delay, stream),
            Kind::Heartbeat { max, change, change_at, last, .. } => {
                let first = delay + within(stream, *max);
                *last = first;
                *change_at = change.map_or(Time::NEVER, |mean| first + sample::exponential(stream, mean));
                Some(first)
            }
            Kind::Poll { interval, round, last, .. } => {
                let first = delay + within(stream, *interval);
                (*round, *last) = (first, first);
                Some(first)
            }
            Kind::Trace { rows, next } => rows.get(*next).map(|row| row.0),
        }
    }

    /// When the next message is due: after one at `now`, or in a closed loop after the completion at `now` of the last.
    #[inline]
    pub fn next(&mut self, now: Time, stream: &mut Stream) -> Option<Time> {
        match &mut self.0 {
            Kind::Process(process) => process.next(now, stream),
            Kind::Heartbeat { max, min, change, change_at, last } => {
                while *change_at <= now {
                    *change_at += sample::exponential(stream, change.expect("a value that changes"));
                }
                *last = now;
                Some(heartbeat(now, *change_at, *max, *min))
            }
            Kind::Poll { interval, cycle, point, round, last, .. } => {
                let mut next = (*last + *interval).max(now);
                if *point == 0 {
                    next = next.max(*round + *cycle);
                    *round = next;
                }
                *last = next;
                Some(next)
            }
            Kind::Trace { rows, next } => {
                *next += 1;
                rows.get(*next).map(|row| row.0)
            }
        }
    }

    /// Draws again what has no memory of when the next message, due at `due`, is sent; returns when it is due now.
    pub fn redraw(&mut self, now: Time, due: Time, stream: &mut Stream) -> Time {
        match &mut self.0 {
            Kind::Process(process) => process.redraw(now, due, stream),
            // a value that has not changed by now
            Kind::Heartbeat { max, min, change: Some(mean), change_at, last } if *last <= now && *change_at > now => {
                *change_at = now + sample::exponential(stream, *mean);
                heartbeat(*last, *change_at, *max, *min)
            }
            Kind::Heartbeat { .. } | Kind::Poll { .. } | Kind::Trace { .. } => due,
        }
    }
}

/// When the next message of a heartbeat is due after one at `last`, whose value changes at `change_at`.
fn heartbeat(last: Time, change_at: Time, max: Duration, min: Duration) -> Time {
    (last + max).min(change_at.max(last + min))
}

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;

    /// Messages of a heartbeat over 100 000 s, whose value changes every 10 s on average; what has no memory is drawn again at
    /// every multiple of `every`.
    fn messages(every: Option<Duration>) -> f64 {
        let secs = Duration::from_secs;
        let arrivals =
            Arrivals::Heartbeat { max_interval: secs(15), min_interval: secs(5), change_interval: Some(secs(10)) };
        let mut stream = Streams::new(1, 0).stream("arrivals");
        let mut pace = Pace::new(&arrivals, false, |_| false);
        let (mut due, mut sent) = (pace.begin(Time::ZERO, false, &mut stream).unwrap(), 0u32);
        let end = Time::ZERO + secs(100_000);
        let mut redraw = every.map_or(Time::NEVER, |every| Time::ZERO + every);
        while due < end {
            if redraw < due {
                due = pace.redraw(redraw, due, &mut stream);
                redraw += every.expect("an interval");
            } else {
                sent += 1;
                due = pace.next(due, &mut stream).unwrap();
            }
        }
        f64::from(sent)
    }

    #[test]
    fn drawing_a_change_again_leaves_the_rate_of_a_heartbeat_as_it_is() {
        // a gap is 5 s, or until the value changes, or 15 s; the change has no memory of what was before the 5 s
        let (plain, redrawn) = (messages(None), messages(Some(Duration::from_millis(700))));
        assert!((redrawn / plain - 1.0).abs() < 0.03, "{redrawn}, not {plain}");
        assert!(redrawn != plain, "it is drawn again");
    }
}
