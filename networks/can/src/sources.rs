//! Sources: when each sender of a flow sends.

use std::collections::VecDeque;

use sojourn_core::{Duration, Stream, Time, clone_fields, rekey_fields};
use sojourn_engine::arrivals::Process;
use sojourn_engine::sample;

use crate::sessions::Session;
use crate::site::Pace;

/// A sender of a flow as it runs.
#[derive(Debug)]
pub struct Source {
    /// Index of the flow.
    pub flow: u32,
    /// Which of its senders.
    pub place: u32,
    /// The station.
    pub station: u32,
    /// Frames so far.
    pub number: u32,
    /// Messages that wait for the session to be over.
    pub waiting: VecDeque<u32>,
    /// The session of services with several frames.
    pub session: Option<Box<Session>>,
    /// When the next message is due; an event for another instant is void.
    pub due: Time,
    /// Why it sends nothing: 0, or reasons of `timed`.
    pub silent: u8,
    pace: Running,
    stream: Stream,
    /// Stuff bits of its frames.
    pub payload: Stream,
}

clone_fields!([] Source { flow, place, station, number, waiting, session, due, silent, pace, stream, payload });
rekey_fields!(Source { stream, payload });

/// State of its arrivals.
#[derive(Clone, Debug)]
enum Running {
    Process(Process),
    Heartbeat { most: Duration, least: Duration, change: Option<Duration>, change_at: Time, last: Time },
}

impl Source {
    /// A source before its first message.
    pub fn new(
        [flow, place, station]: [u32; 3],
        pace: &Pace,
        session: Option<Box<Session>>,
        [stream, payload]: [Stream; 2],
    ) -> Self {
        let pace = match pace {
            Pace::Process(process, _) => Running::Process(process.clone()),
            Pace::Heartbeat { most, least, change, .. } => Running::Heartbeat {
                most: *most,
                least: *least,
                change: *change,
                change_at: Time::NEVER,
                last: Time::ZERO,
            },
        };
        Source {
            flow,
            place,
            station,
            number: 0,
            waiting: VecDeque::new(),
            session,
            due: Time::NEVER,
            silent: 0,
            pace,
            stream,
            payload,
        }
    }

    /// Whether the next message is sent when the last is settled.
    pub fn is_closed_loop(&self) -> bool {
        matches!(&self.pace, Running::Process(process) if process.arrivals().is_closed())
    }

    /// When the first message is due.
    pub fn first(&mut self, pace: &Pace) -> Option<Time> {
        match pace {
            Pace::Process(_, delay) => self.begin(Time::ZERO + *delay, false),
            Pace::Heartbeat { delay, at_once, .. } => self.begin(Time::ZERO + *delay, *at_once),
        }
    }

    /// When the first message is due of a source that begins anew at `from`; with timers that start then, as after a power failure.
    pub fn restart(&mut self, pace: &Pace, from: Time, timers_start: bool) -> Option<Time> {
        if let (Running::Process(process), Pace::Process(declared, _)) = (&mut self.pace, pace) {
            let arrivals = declared.arrivals();
            let has_timer = matches!(arrivals, sojourn_engine::arrivals::Arrivals::Periodic { .. });
            *process = if has_timer && timers_start { arrivals.start_at_once() } else { declared.begun_anew() };
        }
        let at_once = matches!(pace, Pace::Heartbeat { at_once: true, .. });
        self.begin(from, at_once || timers_start)
    }

    fn begin(&mut self, from: Time, at_once: bool) -> Option<Time> {
        let Source { pace, stream, .. } = self;
        match pace {
            Running::Process(process) => process.next(from, stream),
            Running::Heartbeat { most, change, change_at, last, .. } => {
                let first = from + if at_once { Duration::ZERO } else { sample::uniform(stream, *most) };
                *last = first;
                *change_at = change.map_or(Time::NEVER, |mean| first + sample::exponential(stream, mean));
                Some(first)
            }
        }
    }

    /// When the message after the one at `now` is due; in a closed loop after the one that was settled then.
    #[inline]
    pub fn next(&mut self, now: Time) -> Option<Time> {
        let Source { pace, stream, .. } = self;
        match pace {
            Running::Process(process) => process.next(now, stream),
            Running::Heartbeat { most, least, change, change_at, last } => {
                if let Some(mean) = change {
                    while *change_at <= now {
                        *change_at += sample::exponential(stream, *mean);
                    }
                }
                *last = now;
                Some((now + *most).min((*change_at).max(now + *least)))
            }
        }
    }

    /// Draws again what has no memory of when the next message, due at `due`, is sent; when it is due now.
    pub fn redraw(&mut self, now: Time, due: Time) -> Time {
        if due != self.due {
            return due;
        }
        let Source { pace, stream, .. } = self;
        self.due = match pace {
            Running::Process(process) => process.redraw(now, due, stream),
            Running::Heartbeat { most, least, change: Some(mean), change_at, last }
                if *last <= now && *change_at > now =>
            {
                *change_at = now + sample::exponential(stream, *mean);
                (*last + *most).min((*change_at).max(*last + *least)).max(now)
            }
            Running::Heartbeat { .. } => due,
        };
        self.due
    }
}
