//! A voice channel as its listener hears it, packet time by packet time, for its rating.

use sojourn_core::{Duration, Time};
use sojourn_metrics::codec::Codec;
use sojourn_metrics::jitter_buffer::JitterBuffer;
use sojourn_metrics::jitter_buffer::talkspurts::{Playout, Slot};

use sojourn_model::voice::Direction;

/// A channel that is rated.
#[derive(Clone, Debug)]
pub struct Channel {
    codec: Codec,
    buffer: JitterBuffer,
    /// How the delay of the buffer changes.
    playout: Playout,
    /// When its first packet is complete.
    first: Time,
    slots: Vec<Slot>,
    /// Since when nothing is spoken, and what becomes of packets then.
    silent: Option<(Time, Slot)>,
}

impl Channel {
    /// A channel whose first packet is complete at `first`.
    pub fn new(codec: Codec, buffer: JitterBuffer, playout: Playout, first: Time) -> Self {
        Channel { codec, buffer, playout, first, slots: Vec::new(), silent: None }
    }

    /// The packet that was complete at `complete` is delivered. Samples that a converter lost delay those after them, by
    /// less than a packet time each.
    pub fn delivered(&mut self, now: Time, complete: Time) {
        let slot = complete.since(self.first).whole(self.buffer.packet_time) as usize;
        self.extend(slot + 1);
        self.slots[slot] = Slot::Arrived(now);
    }

    /// Nothing is spoken from `now` on: the call pauses, or is interrupted.
    pub fn fall_silent(&mut self, now: Time, slot: Slot) {
        self.resume(now);
        self.silent = Some((now, slot));
    }

    /// It is spoken again.
    pub fn resume(&mut self, now: Time) {
        let Some((since, slot)) = self.silent.take() else { return };
        let [from, to] = [since, now].map(|at| self.begun(at));
        self.extend(to);
        self.slots[from..to].iter_mut().filter(|found| **found == Slot::InFlight).for_each(|found| *found = slot);
    }

    /// Packets that were complete before `at`.
    fn begun(&self, at: Time) -> usize {
        if at < self.first { 0 } else { at.since(self.first).whole(self.buffer.packet_time) as usize + 1 }
    }

    /// What is heard until `end`.
    pub fn direction(&mut self, end: Time) -> Direction {
        if let Some((_, slot)) = self.silent {
            self.resume(end);
            self.silent = Some((end, slot));
        }
        if end >= self.first {
            self.extend(end.since(self.first).whole(self.buffer.packet_time) as usize + 1);
        }
        let heard = self.buffer.listen(self.first, &self.slots, end, self.playout);
        Direction::new(self.codec, self.packet_time(), self.playout, heard)
    }

    fn packet_time(&self) -> Duration {
        self.buffer.packet_time
    }

    fn extend(&mut self, slots: usize) {
        self.slots.resize(self.slots.len().max(slots), Slot::InFlight);
    }
}
