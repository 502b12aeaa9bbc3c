//! Sources: when each sender of a flow sends.

use std::collections::VecDeque;

use sojourn_core::{Duration, Stream, Time, clone_fields, rekey_fields};
use sojourn_model::traffic::Pace;

use crate::session::Session;
use crate::site::FlowSettings;

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
    /// Messages that are not settled.
    pub open: u32,
    /// Messages that wait for the session to be over.
    pub waiting: VecDeque<u32>,
    /// The session of services with several frames.
    pub session: Option<Box<Session>>,
    /// When its messages begin, after the node has.
    offset: Duration,
    /// Whether that is when it begins, and not a random instant.
    is_at_once: bool,
    pace: Pace,
    stream: Stream,
    /// Stuff bits of its frames.
    pub payload: Stream,
}

clone_fields!([] Source {
    flow, place, station, number, open, waiting, session, offset, is_at_once, pace, stream, payload
});
rekey_fields!(Source { stream, payload });

impl Source {
    /// The source of the `place`-th sender of flow `number`, before its first message.
    pub fn new(number: u32, flow: &FlowSettings, place: u32, [stream, payload]: [Stream; 2]) -> Self {
        let sender = &flow.senders[place as usize];
        let is_at_once = flow.together || sender.offset.is_some();
        Source {
            flow: number,
            place,
            station: sender.station,
            number: 0,
            open: 0,
            waiting: VecDeque::new(),
            session: Session::of(flow, flow.receivers(sender)).map(Box::new),
            // of a trace the rows from it to its receivers
            offset: sender.offset.map_or(Duration::ZERO, |offset| offset.offset),
            is_at_once,
            pace: Pace::new(&flow.arrivals, is_at_once, |row| {
                row.from == sender.station as usize && sender.receivers.contains(&(row.to as u32))
            }),
            stream,
            payload,
        }
    }

    /// Whether the next message is sent when the last is settled.
    #[inline]
    pub fn is_closed_loop(&self) -> bool {
        self.pace.is_closed_loop()
    }

    /// The receiver of a poll that is asked now, by its place.
    pub fn point(&mut self, now: Time, flow: &FlowSettings) -> usize {
        self.pace.point(now, flow.senders[self.place as usize].receivers.len())
    }

    /// When the round of a poll began that is not complete.
    pub fn round(&self) -> Option<Time> {
        self.pace.round()
    }

    /// A message is settled: when the round of a poll began that is complete with it.
    #[inline]
    pub fn end_round(&mut self) -> Option<Time> {
        self.pace.end_round(self.open)
    }

    /// Bytes of the message that is due.
    #[inline]
    pub fn size(&self, flow: &FlowSettings) -> u16 {
        self.pace.size().unwrap_or(flow.data)
    }

    /// When the first message is due, of a node that begins after this time.
    pub fn first(&mut self, flow: &FlowSettings, phase: Duration) -> Option<Time> {
        self.pace.begin(Time::ZERO + flow.delay + phase + self.offset, self.is_at_once, &mut self.stream)
    }

    /// When the first message is due of a source that begins anew at `from`; with timers that start then, as after a power failure.
    pub fn restart(&mut self, flow: &FlowSettings, from: Time, timers_start: bool) -> Option<Time> {
        self.pace.restart(&flow.arrivals, from + self.offset, [self.is_at_once, timers_start], &mut self.stream)
    }

    /// When the message after the one at `now` is due; in a closed loop after the one that was settled then.
    #[inline]
    pub fn next(&mut self, now: Time) -> Option<Time> {
        self.pace.next(now, &mut self.stream)
    }

    /// Draws again what has no memory of when the next message, due at `due`, is sent; when it is due now.
    pub fn redraw(&mut self, now: Time, due: Time) -> Time {
        self.pace.redraw(now, due, &mut self.stream)
    }
}
