//! A voice channel as its listener has it, by packet time, for its rating.

use sojourn_core::{Duration, Time};
use sojourn_metrics::codec::Codec;
use sojourn_metrics::jitter_buffer::JitterBuffer;
use sojourn_metrics::jitter_buffer::talkspurts::Slot;

use crate::common::voice::Direction;

/// A channel that is rated.
#[derive(Clone, Debug)]
pub struct Channel {
    codec: Codec,
    buffer: JitterBuffer,
    /// When its first packet is complete.
    first: Time,
    slots: Vec<Slot>,
}

impl Channel {
    /// A channel whose first packet is complete at `first`.
    pub fn new(codec: Codec, buffer: JitterBuffer, first: Time) -> Self {
        Channel { codec, buffer, first, slots: Vec::new() }
    }

    /// The packet that was complete at `complete` is delivered. Samples that a converter lost delay those after them, by
    /// less than a packet time each.
    pub fn delivered(&mut self, now: Time, complete: Time) {
        let slot = complete.since(self.first).whole(self.buffer.packet_time) as usize;
        self.extend(slot + 1);
        self.slots[slot] = Slot::Arrived(now);
    }

    /// What is heard until `end`.
    pub fn direction(&mut self, end: Time) -> Direction {
        if end >= self.first {
            self.extend(end.since(self.first).whole(self.buffer.packet_time) as usize + 1);
        }
        let heard = self.buffer.listen(self.first, &self.slots, end, false);
        Direction::new(self.codec, self.packet_time(), heard)
    }

    fn packet_time(&self) -> Duration {
        self.buffer.packet_time
    }

    fn extend(&mut self, slots: usize) {
        self.slots.resize(self.slots.len().max(slots), Slot::InFlight);
    }
}
