//! Serial output, from the TNC to the PC: characters over the serial line.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};
use sojourn_protocols::UserData;

use crate::information::Payload;

/// Data queued in the TNC for the PC.
#[derive(Clone, Debug)]
pub struct Output {
    character: Duration,
    /// Each with the instant at which its last character arrives.
    queue: VecDeque<(Time, Payload)>,
    waiting: u32,
}

impl Output {
    /// An idle line with the transmission time of a character.
    pub fn new(character: Duration) -> Self {
        Output { character, queue: VecDeque::new(), waiting: 0 }
    }

    /// Queues data that a link has delivered.
    pub fn push(&mut self, now: Time, payload: Payload) {
        let begin = self.queue.back().map_or(now, |(last, _)| *last);
        let arrival = begin + self.character.times(payload.length() as u64);
        self.waiting += payload.length() as u32;
        self.queue.push_back((arrival, payload));
    }

    /// Characters queued.
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// When the next payload has arrived.
    pub fn next_event(&self) -> Time {
        self.queue.front().map_or(Time::NEVER, |(arrival, _)| *arrival)
    }

    /// The payload that has arrived by `now`, if one has.
    pub fn take(&mut self, now: Time) -> Option<Payload> {
        if self.next_event() > now {
            return None;
        }
        let (_, payload) = self.queue.pop_front()?;
        self.waiting -= payload.length() as u32;
        Some(payload)
    }
}
