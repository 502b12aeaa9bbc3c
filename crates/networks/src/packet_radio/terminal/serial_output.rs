//! From the TNC to the PC: characters over the serial line.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};
use sojourn_protocols::UserData;

use crate::packet_radio::information::Payload;

/// What the TNC has for the PC.
#[derive(Debug)]
pub struct Output {
    character: Duration,
    /// Each with the instant at which its last character is through.
    queue: VecDeque<(Time, Payload)>,
    waiting: u32,
}

impl Output {
    /// A silent line, with the time of a character.
    pub fn new(character: Duration) -> Self {
        Output { character, queue: VecDeque::new(), waiting: 0 }
    }

    /// Hands over what a link has delivered.
    pub fn push(&mut self, now: Time, payload: Payload) {
        let begin = self.queue.back().map_or(now, |(last, _)| *last);
        let through = begin + self.character.times(payload.length() as u64);
        self.waiting += payload.length() as u32;
        self.queue.push_back((through, payload));
    }

    /// Characters of all that is not through.
    pub fn waiting(&self) -> u32 {
        self.waiting
    }

    /// When the next payload is through.
    pub fn next_event(&self) -> Time {
        self.queue.front().map_or(Time::NEVER, |(through, _)| *through)
    }

    /// The payload that is through `now`, if one is.
    pub fn take(&mut self, now: Time) -> Option<Payload> {
        if self.next_event() > now {
            return None;
        }
        let (_, payload) = self.queue.pop_front()?;
        self.waiting -= payload.length() as u32;
        Some(payload)
    }
}
