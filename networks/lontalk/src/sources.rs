//! Sources: the arrivals of messages at their senders.

use smallvec::SmallVec;
use sojourn_core::{Duration, Stream, Time, rekey_fields};
use sojourn_engine::arrivals::Process;
use sojourn_engine::sample;
use sojourn_protocols::lontalk::machine::Recipient;

use super::site::{Arrivals, FlowSettings, Start, Target};

/// That no message is queued: none is as long.
const NONE_QUEUED: u16 = u16::MAX;

/// One sender of a flow, in two cache lines.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Source {
    /// Index of the flow in the site.
    pub flow: u16,
    /// Index of the sending station.
    pub station: u32,
    /// Recipients: one, or all points of a poll.
    pub recipients: SmallVec<[Recipient; 1]>,
    /// Messages sent that are not complete.
    pub open: u32,
    /// Bytes of the message that is queued behind those, or [`NONE_QUEUED`]: an option would take a third cache line.
    queued: u16,
    /// Messages sent.
    pub number: u32,
    pace: Pace,
    stream: Stream,
}

/// State of a source's arrivals.
#[derive(Clone, Debug)]
enum Pace {
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
        point: u32,
        /// When the round is due.
        round: Time,
        /// When the first poll of a round began that is not complete; never where none is open.
        begun: Time,
        last: Time,
    },
    /// Rows of the trace of this source: instant and bytes.
    Trace {
        rows: Vec<(Time, u16)>,
        next: usize,
    },
}

impl Source {
    /// The source of the `place`-th sender of flow `number`.
    pub fn new(
        number: u16,
        flow: &FlowSettings,
        place: usize,
        recipients: SmallVec<[Recipient; 1]>,
        stream: Stream,
    ) -> Self {
        let station = flow.from[place];
        let pace = pace(flow, station, place);
        Source {
            flow: number,
            station: station as u32,
            recipients,
            open: 0,
            queued: NONE_QUEUED,
            number: 0,
            pace,
            stream,
        }
    }

    /// Whether the next message is sent when the last is complete (closed loop).
    pub fn is_closed_loop(&self, flow: &FlowSettings) -> bool {
        match &flow.arrivals {
            Arrivals::Process(process) => process.is_closed(),
            Arrivals::Poll { .. } => true,
            _ => false,
        }
    }

    /// The next point of a poll, which is asked now.
    pub fn point(&mut self, now: Time) -> u32 {
        match &mut self.pace {
            Pace::Poll { point, begun, .. } => {
                let asked = *point;
                if asked == 0 {
                    *begun = now;
                }
                *point = (asked + 1) % self.recipients.len() as u32;
                asked
            }
            _ => 0,
        }
    }

    /// A message of this many bytes is queued behind those that are open, in place of the one queued before.
    pub fn queue(&mut self, bytes: u16) {
        self.queued = bytes;
    }

    /// Takes the message that is queued: its bytes.
    pub fn take_queued(&mut self) -> Option<u16> {
        Some(std::mem::replace(&mut self.queued, NONE_QUEUED)).filter(|bytes| *bytes != NONE_QUEUED)
    }

    /// When the round of a poll began that is not complete.
    pub fn round(&self) -> Option<Time> {
        match self.pace {
            Pace::Poll { begun, .. } => Some(begun).filter(|begun| *begun != Time::NEVER),
            _ => None,
        }
    }

    /// A message is complete: when the round of a poll began that is complete with it.
    pub fn end_round(&mut self) -> Option<Time> {
        match &mut self.pace {
            Pace::Poll { point: 0, begun, .. } if self.open == 0 => {
                Some(std::mem::replace(begun, Time::NEVER)).filter(|begun| *begun != Time::NEVER)
            }
            _ => None,
        }
    }

    /// Bytes of the message that is due.
    pub fn size(&self, flow: &FlowSettings) -> u16 {
        match &self.pace {
            Pace::Trace { rows, next } => rows[*next].1,
            _ => flow.data,
        }
    }

    /// When the first message is due.
    pub fn first(&mut self, flow: &FlowSettings) -> Option<Time> {
        self.begin(Time::ZERO + flow.delay, flow.start == Start::Together)
    }

    /// When the first message is due of a flow that begins anew at `from`, or of an application that does, whose timers
    /// then start (heartbeats, polls, periods).
    pub fn restart(&mut self, flow: &FlowSettings, from: Time, timers_start: bool) -> Option<Time> {
        let together = flow.start == Start::Together;
        match (&mut self.pace, &flow.arrivals) {
            (Pace::Process(process), Arrivals::Process(arrivals)) => {
                let has_timer = matches!(arrivals, sojourn_engine::arrivals::Arrivals::Periodic { .. });
                *process =
                    if together || has_timer && timers_start { arrivals.start_at_once() } else { arrivals.start() };
            }
            (Pace::Poll { point, begun, .. }, _) => (*point, *begun) = (0, Time::NEVER),
            (Pace::Trace { rows, next }, _) => *next = rows.partition_point(|row| row.0 < from),
            _ => {}
        }
        self.begin(from, together || timers_start)
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
                let row = rows.get(*next)?;
                Some(row.0)
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

fn pace(flow: &FlowSettings, station: usize, place: usize) -> Pace {
    match &flow.arrivals {
        Arrivals::Process(process) if flow.start == Start::Together => Pace::Process(process.start_at_once()),
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
            round: Time::ZERO,
            begun: Time::NEVER,
            last: Time::ZERO,
        },
        Arrivals::Trace(rows) => {
            let to = match &flow.to {
                Target::Each(to) => to.get(place).copied(),
                Target::Station(to) => Some(*to),
                _ => None,
            };
            let mine = rows.iter().filter(|row| row.from == station && to.is_none_or(|to| to == row.to));
            Pace::Trace { rows: mine.map(|row| (row.at, row.size)).collect(), next: 0 }
        }
    }
}

rekey_fields!(Source { stream });

#[cfg(test)]
mod tests {
    use sojourn_core::Streams;

    use super::*;

    /// Messages of a heartbeat over 100 000 s, whose value changes every 10 s on average; what has no memory is drawn again at
    /// every multiple of `every`.
    fn messages(every: Option<Duration>) -> f64 {
        let secs = Duration::from_secs;
        let pace = Pace::Heartbeat {
            max: secs(15),
            min: secs(5),
            change: Some(secs(10)),
            change_at: Time::NEVER,
            last: Time::ZERO,
        };
        let stream = Streams::new(1, 0).stream("arrivals");
        let (flow, station, recipients) = (0, 0, SmallVec::new());
        let mut source = Source { flow, station, recipients, open: 0, queued: NONE_QUEUED, number: 0, pace, stream };
        let (mut due, mut sent, end) = (source.begin(Time::ZERO, false).unwrap(), 0u32, Time::ZERO + secs(100_000));
        let mut redraw = every.map_or(Time::NEVER, |every| Time::ZERO + every);
        while due < end {
            if redraw < due {
                due = source.redraw(redraw, due);
                redraw += every.expect("an interval");
            } else {
                sent += 1;
                due = source.next(due).unwrap();
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
