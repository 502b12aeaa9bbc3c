//! A program that sends datagrams and expects no answer.

use sojourn_core::{Stream, Time, rekey_fields};

use crate::site::{self, Activity};

/// A source of datagrams.
#[derive(Clone, Debug)]
pub struct Source {
    /// Under which flow it is reported.
    pub flow: u32,
    /// The connection to its receiver.
    pub connection: u32,
    /// What it sends, and when.
    pub stream: site::Stream,
    /// Whether it sends.
    pub sends: bool,
    random: Stream,
    number: u32,
}

impl Source {
    /// A source that has sent nothing.
    pub fn new(activity: &Activity, stream: &site::Stream, random: Stream) -> Self {
        Source {
            flow: activity.flow,
            connection: activity.connection,
            stream: stream.clone(),
            sends: !activity.silent,
            random,
            number: 0,
        }
    }

    /// When the first datagram leaves of a source that begins at `start`.
    pub fn begin(&mut self, start: Time) -> Option<Time> {
        let (process, delay) = &mut self.stream.arrivals;
        process.next(start + *delay, &mut self.random)
    }

    /// A datagram leaves: its number, and when the next one does.
    pub fn emit(&mut self, now: Time) -> (u32, Option<Time>) {
        self.number = self.number.wrapping_add(1);
        (self.number, self.stream.arrivals.0.next(now, &mut self.random))
    }

    /// Draws again what has no memory of when the next datagram, due at `due`, leaves; returns when it leaves now.
    pub fn redraw(&mut self, now: Time, due: Time) -> Time {
        self.stream.arrivals.0.redraw(now, due, &mut self.random)
    }
}

rekey_fields!(Source { random });
