//! Forwarded copies of unacknowledged messages. These carry no transaction number, so a copy is recognized as the
//! same data on another channel a moment later.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use sojourn_core::{Duration, Time};

use super::open::Place;
use crate::FlowId;

/// Messages remembered.
const LENGTH: usize = 32;
/// Routers forward a packet within this time, unless they are overloaded.
const FORWARDED_WITHIN: Duration = Duration::from_millis(250);

/// The last messages of all nodes.
#[derive(Debug, Default)]
pub(super) struct Recent {
    messages: [Option<Message>; LENGTH],
    next: usize,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    at: Time,
    place: Place,
    flow: FlowId,
    data: u64,
}

impl Recent {
    /// Whether a message is a copy of one captured elsewhere a moment ago; remembers it if it is not.
    pub fn is_copy(&mut self, now: Time, place: Place, flow: FlowId, data: &[u8]) -> bool {
        let data = FixedState::default().hash_one(data);
        let known = self.messages.iter().flatten().any(|known| {
            known.flow == flow && known.data == data && known.place != place && now.since(known.at) <= FORWARDED_WITHIN
        });
        if !known {
            self.messages[self.next] = Some(Message { at: now, place, flow, data });
            self.next = (self.next + 1) % LENGTH;
        }
        known
    }
}
