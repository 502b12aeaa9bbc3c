//! Where customers come from, as it runs.

use sojourn_core::{Stream, Streams, Time, clone_fields, rekey_fields};
use sojourn_engine::Queue;
use sojourn_engine::arrivals::Process;

use super::event::Event;
use super::scenario::{FlowSettings, Source};

/// A flow's source with its random numbers.
pub(super) struct Running {
    /// The arrivals from outside; none of a closed flow.
    pub process: Option<Process>,
    /// Of the arrivals, or of the think times of a closed flow.
    pub stream: Stream,
    sends: bool,
    /// When the next customer arrives from outside; never where none is expected.
    due: Time,
}

// copies of a world reuse the memory of those that have ended
clone_fields!([] Running { process, stream, sends, due });
rekey_fields!(Running { stream });

impl Running {
    /// A source before its first customer.
    pub fn new(flow: &FlowSettings, streams: &Streams) -> Running {
        let (process, draws) = match &flow.source {
            Source::Open { process, .. } => (Some(process.clone()), "arrivals"),
            Source::Closed { .. } => (None, "think"),
        };
        let stream = streams.stream(&format!("flow/{}/{draws}", flow.name));
        Running { process, stream, sends: !flow.silent, due: Time::NEVER }
    }

    /// Schedules the first arrival from outside after `begin`, unless the flow is silent.
    pub fn begin(&mut self, begin: Time, flow: u32, queue: &mut Queue<Event>) {
        if self.sends {
            self.schedule(begin, flow, queue);
        }
    }

    /// Customers arrive from `now` on, as if for the first time, or no more.
    pub fn send(&mut self, sends: bool, now: Time, flow: u32, queue: &mut Queue<Event>) {
        if std::mem::replace(&mut self.sends, sends) == sends {
            return;
        }
        self.due = Time::NEVER;
        if sends {
            self.process = self.process.as_ref().map(Process::begun_anew);
            self.schedule(now, flow, queue);
        }
    }

    /// A customer arrives at `now`, and the next one is scheduled; whether it was expected.
    #[inline]
    pub fn arrive(&mut self, now: Time, flow: u32, queue: &mut Queue<Event>) -> bool {
        let is_expected = self.due == now;
        if is_expected {
            self.schedule(now, flow, queue);
        }
        is_expected
    }

    #[inline]
    fn schedule(&mut self, last: Time, flow: u32, queue: &mut Queue<Event>) {
        let next = self.process.as_mut().and_then(|process| process.next(last, &mut self.stream));
        self.due = next.unwrap_or(Time::NEVER);
        if let Some(next) = next {
            queue.at(next, Event::Arrival { flow });
        }
    }

    /// Draws the next arrival again, where its gap has no memory; when it is due.
    pub fn redraw(&mut self, now: Time, due: Time) -> Time {
        self.due = self.process.as_mut().map_or(due, |process| process.redraw(now, due, &mut self.stream));
        self.due
    }
}
