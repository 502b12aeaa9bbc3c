//! Sources: when the messages of each sender come.

use std::collections::VecDeque;

use sojourn_core::{Stream, Time, clone_fields, rekey_fields};
use sojourn_model::traffic::Pace;

use super::site::Flow;

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

impl Source {
    /// The source of the `place`-th sender of flow `number`.
    pub fn new(number: u16, flow: &Flow, place: usize, stream: Stream) -> Self {
        let station = flow.from[place];
        let pace = pace(flow, place);
        Source { flow: number, station, place: place as u32, open: 0, waiting: VecDeque::new(), pace, stream }
    }

    /// Whether the next message is sent when the last is complete.
    pub fn is_closed_loop(&self) -> bool {
        self.pace.is_closed_loop()
    }

    /// The receiver of a poll that is asked now, by its place.
    pub fn point(&mut self, now: Time, flow: &Flow) -> usize {
        self.pace.point(now, flow.to[self.place as usize].len())
    }

    /// When the round of a poll began that is not complete.
    pub fn round(&self) -> Option<Time> {
        self.pace.round()
    }

    /// A request is complete: when the round of a poll began that is complete with it.
    pub fn end_round(&mut self) -> Option<Time> {
        self.pace.end_round(self.open)
    }

    /// Octets of the message that is due.
    pub fn size(&self, flow: &Flow) -> u16 {
        self.pace.size().unwrap_or(flow.data)
    }

    /// When the first message is due.
    pub fn first(&mut self, flow: &Flow) -> Option<Time> {
        self.pace.begin(Time::ZERO + flow.delay, flow.together, &mut self.stream)
    }

    /// When the first message is due of a flow that begins anew at `from`, or of a station whose timers then start.
    pub fn restart(&mut self, flow: &Flow, from: Time, timers_start: bool) -> Option<Time> {
        self.pace.restart(&flow.arrivals, from, [flow.together, timers_start], &mut self.stream)
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

/// The arrivals at a sender; of a trace the rows from it to its receivers.
fn pace(flow: &Flow, place: usize) -> Pace {
    let (station, to) = (flow.from[place] as usize, &flow.to[place]);
    Pace::new(&flow.arrivals, flow.together, |row| row.from == station && to.contains(&(row.to as u32)))
}
