//! Sources: when the messages of each sender come.

use std::collections::VecDeque;

use sojourn_core::{Duration, Stream, Time, clone_fields, rekey_fields};
use sojourn_engine::arrivals::Process;
use sojourn_engine::sample;

use super::site::{Arrivals, Flow};

/// One sender of a flow.
#[derive(Debug)]
pub struct Source {
    /// Index of the flow in the site.
    pub flow: u16,
    /// The sending station.
    pub station: u32,
    /// Its place among the senders of the flow.
    pub place: u32,
    /// Requests without a reply.
    pub open: u32,
    /// Requests that wait in the client: since when, and of how many octets.
    pub waiting: VecDeque<(Time, u16)>,
    pace: Pace,
    stream: Stream,
}

clone_fields!([] Source { flow, station, place, open, waiting, pace, stream });
rekey_fields!(Source { stream });

/// State of a source's arrivals.
#[derive(Clone, Debug)]
enum Pace {
    Process(Process),
    Heartbeat {
        max: Duration,
        min: Duration,
        change: Option<Duration>,
        change_at: Time,
        last: Time,
    },
    Poll {
        interval: Duration,
        cycle: Duration,
        /// The receiver asked next, and of how many.
        point: u32,
        points: u32,
        /// When the round is due.
        round: Time,
        /// When the first request of the round began that is not complete; never where none is open.
        begun: Time,
        last: Time,
    },
    /// Rows of this source: instant and octets.
    Trace {
        rows: Vec<(Time, u16)>,
        next: usize,
    },
}

impl Source {
    /// The source of the `place`-th sender of flow `number`.
    pub fn new(number: u16, flow: &Flow, place: usize, stream: Stream) -> Self {
        let station = flow.from[place];
        let pace = pace(flow, place);
        Source { flow: number, station, place: place as u32, open: 0, waiting: VecDeque::new(), pace, stream }
    }

    /// Whether the next message is sent when the last is complete.
    pub fn is_closed_loop(&self) -> bool {
        match &self.pace {
            Pace::Process(process) => process.arrivals().is_closed(),
            Pace::Poll { .. } => true,
            Pace::Heartbeat { .. } | Pace::Trace { .. } => false,
        }
    }

    /// The receiver of a poll that is asked now, by its place.
    pub fn point(&mut self, now: Time) -> usize {
        let Pace::Poll { point, points, begun, .. } = &mut self.pace else { return 0 };
        let asked = *point;
        if asked == 0 {
            *begun = now;
        }
        *point = (asked + 1) % *points;
        asked as usize
    }

    /// When the round of a poll began that is not complete.
    pub fn round(&self) -> Option<Time> {
        match self.pace {
            Pace::Poll { begun, .. } => Some(begun).filter(|begun| *begun != Time::NEVER),
            _ => None,
        }
    }

    /// A request is complete: when the round of a poll began that is complete with it.
    pub fn end_round(&mut self) -> Option<Time> {
        match &mut self.pace {
            Pace::Poll { point: 0, begun, .. } if self.open == 0 => {
                Some(std::mem::replace(begun, Time::NEVER)).filter(|begun| *begun != Time::NEVER)
            }
            _ => None,
        }
    }

    /// Octets of the message that is due.
    pub fn size(&self, flow: &Flow) -> u16 {
        match &self.pace {
            Pace::Trace { rows, next } => rows[*next].1,
            _ => flow.data,
        }
    }

    /// When the first message is due.
    pub fn first(&mut self, flow: &Flow) -> Option<Time> {
        self.begin(Time::ZERO + flow.delay, flow.together)
    }

    /// When the first message is due of a flow that begins anew at `from`, or of a station whose timers then start.
    pub fn restart(&mut self, flow: &Flow, from: Time, timers_start: bool) -> Option<Time> {
        match (&mut self.pace, &flow.arrivals) {
            (Pace::Process(process), Arrivals::Process(arrivals)) => {
                let has_timer = matches!(arrivals, sojourn_engine::arrivals::Arrivals::Periodic { .. });
                let at_once = flow.together || has_timer && timers_start;
                *process = if at_once { arrivals.start_at_once() } else { arrivals.start() };
            }
            (Pace::Poll { point, begun, .. }, _) => (*point, *begun) = (0, Time::NEVER),
            (Pace::Trace { rows, next }, _) => *next = rows.partition_point(|row| row.0 < from),
            _ => {}
        }
        self.begin(from, flow.together || timers_start)
    }

    fn begin(&mut self, delay: Time, together: bool) -> Option<Time> {
        let Source { pace, stream, .. } = self;
        let within = |stream: &mut Stream, span: Duration| {
            if together { Duration::ZERO } else { sample::uniform(stream, span) }
        };
        match pace {
            Pace::Process(process) => process.next(delay, stream),
            Pace::Heartbeat { max, change, change_at, last, .. } => {
                let first = delay + within(stream, *max);
                *last = first;
                *change_at = change.map_or(Time::NEVER, |mean| first + sample::exponential(stream, mean));
                Some(first)
            }
            Pace::Poll { interval, round, last, .. } => {
                let first = delay + within(stream, *interval);
                (*round, *last) = (first, first);
                Some(first)
            }
            Pace::Trace { rows, next } => rows.get(*next).map(|row| row.0),
        }
    }

    /// When the next message is due: after one at `now`, or in a closed loop after the completion at `now` of the last.
    pub fn next(&mut self, now: Time) -> Option<Time> {
        let Source { pace, stream, .. } = self;
        match pace {
            Pace::Process(process) => process.next(now, stream),
            Pace::Heartbeat { max, min, change, change_at, last } => {
                while *change_at <= now {
                    *change_at += sample::exponential(stream, change.expect("a value that changes"));
                }
                *last = now;
                Some(heartbeat(now, *change_at, *max, *min))
            }
            Pace::Poll { interval, cycle, point, round, last, .. } => {
                let mut next = (*last + *interval).max(now);
                if *point == 0 {
                    next = next.max(*round + *cycle);
                    *round = next;
                }
                *last = next;
                Some(next)
            }
            Pace::Trace { rows, next } => {
                *next += 1;
                rows.get(*next).map(|row| row.0)
            }
        }
    }

    /// Draws again what has no memory of when the next message, due at `due`, is sent; returns when it is due now.
    pub fn redraw(&mut self, now: Time, due: Time) -> Time {
        let Source { pace, stream, .. } = self;
        match pace {
            Pace::Process(process) => process.redraw(now, due, stream),
            // a value that has not changed by now
            Pace::Heartbeat { max, min, change: Some(mean), change_at, last } if *last <= now && *change_at > now => {
                *change_at = now + sample::exponential(stream, *mean);
                heartbeat(*last, *change_at, *max, *min)
            }
            Pace::Heartbeat { .. } | Pace::Poll { .. } | Pace::Trace { .. } => due,
        }
    }
}

/// When the next message of a heartbeat is due after one at `last`, whose value changes at `change_at`.
fn heartbeat(last: Time, change_at: Time, max: Duration, min: Duration) -> Time {
    (last + max).min(change_at.max(last + min))
}

fn pace(flow: &Flow, place: usize) -> Pace {
    match &flow.arrivals {
        Arrivals::Process(process) if flow.together => Pace::Process(process.start_at_once()),
        Arrivals::Process(process) => Pace::Process(process.start()),
        Arrivals::Heartbeat { max_interval, min_interval, change_interval } => Pace::Heartbeat {
            max: *max_interval,
            min: *min_interval,
            change: *change_interval,
            change_at: Time::NEVER,
            last: Time::ZERO,
        },
        Arrivals::Poll { interval, cycle } => Pace::Poll {
            interval: *interval,
            cycle: *cycle,
            point: 0,
            points: flow.to[place].len() as u32,
            round: Time::ZERO,
            begun: Time::NEVER,
            last: Time::ZERO,
        },
        Arrivals::Trace(rows) => {
            let (station, to) = (flow.from[place], &flow.to[place]);
            let mine = rows.iter().filter(|row| row.from == station && to.contains(&row.to));
            Pace::Trace { rows: mine.map(|row| (row.at, row.size)).collect(), next: 0 }
        }
    }
}
