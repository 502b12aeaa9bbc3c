//! Sources: the arrivals of messages at their senders.

use smallvec::SmallVec;
use sojourn_core::{Stream, Time, rekey_fields};
use sojourn_model::traffic::Pace;
use sojourn_protocols::lontalk::machine::Recipient;

use super::site::{FlowSettings, Start, Target};

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
    pub fn is_closed_loop(&self) -> bool {
        self.pace.is_closed_loop()
    }

    /// The next point of a poll, which is asked now.
    pub fn point(&mut self, now: Time) -> u32 {
        self.pace.point(now, self.recipients.len()) as u32
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
        self.pace.round()
    }

    /// A message is complete: when the round of a poll began that is complete with it.
    pub fn end_round(&mut self) -> Option<Time> {
        self.pace.end_round(self.open)
    }

    /// Bytes of the message that is due.
    pub fn size(&self, flow: &FlowSettings) -> u16 {
        self.pace.size().unwrap_or(flow.data)
    }

    /// When the first message is due.
    pub fn first(&mut self, flow: &FlowSettings) -> Option<Time> {
        self.pace.begin(Time::ZERO + flow.delay, flow.start == Start::Together, &mut self.stream)
    }

    /// When the first message is due of a flow that begins anew at `from`, or of an application that does, whose timers
    /// then start (heartbeats, polls, periods).
    pub fn restart(&mut self, flow: &FlowSettings, from: Time, timers_start: bool) -> Option<Time> {
        let together = flow.start == Start::Together;
        self.pace.restart(&flow.arrivals, from, [together, timers_start], &mut self.stream)
    }

    /// When the next message is due: after one at `now`, or in a closed loop after the completion at `now` of the last.
    pub fn next(&mut self, now: Time) -> Option<Time> {
        self.pace.next(now, &mut self.stream)
    }

    /// Draws again what has no memory of when the next message, due at `due`, is sent; returns when it is due now.
    pub fn redraw(&mut self, now: Time, due: Time) -> Time {
        self.pace.redraw(now, due, &mut self.stream)
    }
}

/// The arrivals at a sender; of a trace the rows from it to its receiver.
fn pace(flow: &FlowSettings, station: usize, place: usize) -> Pace {
    let to = match &flow.to {
        Target::Each(to) => to.get(place).copied(),
        Target::Station(to) => Some(*to),
        _ => None,
    };
    Pace::new(&flow.arrivals, flow.start == Start::Together, |row| {
        row.from == station && to.is_none_or(|to| to == row.to)
    })
}

rekey_fields!(Source { stream });
