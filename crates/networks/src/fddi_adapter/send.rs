//! From packet memory to the ring: the ring memory controller fills the transmit FIFO, the ring empties it.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use super::bus::cycles;
use super::event::{Event, Events};
use super::fifo::Fifo;
use super::frame::Sent;
use super::interface::read_cycles;
use super::metrics::Component;
use super::receive::BURST;
use super::ring::ADAPTER;
use super::settings::StageSelection;
use super::world::Adapter;

/// The ring side of the transmit direction.
#[derive(Clone, Debug)]
pub struct Sending {
    pub fifo: Fifo,
    /// Frames on the ring's side, in order; the first may be on the fibre.
    queue: VecDeque<Sent>,
    /// Which of them is being loaded, and how many of its bytes are.
    loading: usize,
    loaded: u32,
    line: Line,
    /// Frames with a lower number have been handed on from the host's side.
    pub handed_on: u64,
}

/// What the fibre does with the first frame.
#[derive(Clone, Copy, Debug)]
enum Line {
    /// It waits for its first burst.
    Idle,
    /// Its first bit leaves when the adapter and the ring are ready.
    Waiting,
    /// In transmission since `begin`.
    Sending { begin: Time, bytes: u32, damaged: bool },
}

impl Sending {
    /// Nothing to send.
    pub fn new(bursts: usize, warm_up: Time) -> Self {
        let fifo = Fifo::new(bursts, warm_up);
        Sending { fifo, queue: VecDeque::new(), loading: 0, loaded: 0, line: Line::Idle, handed_on: 0 }
    }

    /// Frames on the ring's side that have not left.
    pub fn inside(&self) -> usize {
        self.queue.len()
    }
}

impl Adapter<'_> {
    /// A frame has been moved to the ring's side.
    pub(super) fn moved(&mut self, now: Time, frame: Sent, events: &mut Events) {
        self.transmit.sending.queue.push_back(frame);
        self.load(now, events);
    }

    /// Loads bursts into the FIFO, as far as there is room and data.
    pub(super) fn load(&mut self, now: Time, events: &mut Events) {
        loop {
            let sending = &self.transmit.sending;
            let Some(frame) = sending.queue.get(sending.loading).copied() else { return };
            let last = sending.loaded + BURST >= frame.size;
            let needed = if last { frame.size } else { sending.loaded + BURST };
            if !sending.fifo.has_room() || self.transmit.present(&frame) < needed {
                return;
            }
            let first = sending.loaded == 0;
            let stages = &self.settings.stages;
            let work = stages.burst_time + if first { stages.descriptor_time } else { Duration::ZERO };
            let through = self.ring_memory.serve(now, work);
            let sending = &mut self.transmit.sending;
            sending.fifo.push(now, through);
            if first {
                let there = through.max(now + stages.ring_memory_latency);
                sending.queue[sending.loading].earliest = there + stages.chip_set_latency;
            }
            (sending.loading, sending.loaded) = if last { (sending.loading + 1, 0) } else { (sending.loading, needed) };
            if first {
                self.first_bit_next(now, events);
            }
        }
    }

    /// Waits for the first frame's first bit, if it is loaded and nothing is on the fibre.
    fn first_bit_next(&mut self, now: Time, events: &mut Events) {
        let sending = &mut self.transmit.sending;
        let has_begun = sending.loading > 0 || sending.loaded > 0;
        if !matches!(sending.line, Line::Idle) || !has_begun {
            return;
        }
        sending.line = Line::Waiting;
        let earliest = sending.queue[0].earliest.max(now);
        events.at(earliest, Event::ReadyToSend);
    }

    /// The first frame may leave as soon as the ring takes it.
    pub(super) fn ready_to_send(&mut self, now: Time, events: &mut Events) {
        let size = self.transmit.sending.queue[0].size;
        if self.ring.has_token() {
            self.ring.offer(now, ADAPTER, size);
            return self.schedule_ring(events);
        }
        let begin = self.ring.reserve(now, size);
        if begin == now {
            return self.first_bit(now, events);
        }
        events.at(begin, Event::FirstBit);
    }

    /// The first frame's first bit leaves.
    pub(super) fn first_bit(&mut self, now: Time, events: &mut Events) {
        self.transmit.sending.line = Line::Sending { begin: now, bytes: 0, damaged: false };
        let frame = self.transmit.sending.queue[0];
        let parts = self.spent_sending(now, &frame);
        self.measures.first_bit(now, now - frame.begun, parts);
        self.transmit.statuses += u32::from(self.settings.traffic.stages == StageSelection::Adapter);
        events.at(now + self.ring.lasts(0), Event::Leaves);
        self.start_control(now, events);
    }

    /// The fibre takes the next burst, or the frame has left.
    pub(super) fn leaves(&mut self, now: Time, events: &mut Events) {
        let frame = self.transmit.sending.queue[0];
        let Line::Sending { begin, bytes, damaged } = &mut self.transmit.sending.line else {
            unreachable!("bursts leave of a frame that is on the fibre")
        };
        if *bytes == frame.size {
            let damaged = *damaged;
            return self.has_left(now, frame, damaged, events);
        }
        match self.transmit.sending.fifo.oldest() {
            Some(through) if through <= now => {
                *bytes = (*bytes + BURST).min(frame.size);
                let next = (*begin + self.ring.lasts(*bytes)).max(now);
                self.transmit.sending.fifo.pop(now);
                events.at(next, Event::Leaves);
                self.load(now, events);
            }
            // underflow: the frame is spoilt, its rest leaves when it comes
            late => {
                *damaged = true;
                events.at(late.unwrap_or(now + self.ring.lasts(BURST)), Event::Leaves);
            }
        }
    }

    fn has_left(&mut self, now: Time, frame: Sent, damaged: bool, events: &mut Events) {
        let sending = &mut self.transmit.sending;
        sending.queue.pop_front();
        sending.loading -= 1;
        sending.line = Line::Idle;
        if damaged {
            self.measures.drop_sent(now);
        } else {
            self.measures.count_sent(now, frame.size);
        }
        if self.settings.traffic.stages == StageSelection::RingMemoryController {
            self.feed_fifo(now, events);
        } else {
            self.transmit.pool.give(now, frame.buffers);
        }
        self.first_bit_next(now, events);
        self.start_control(now, events);
        if let Some(next) = self.transmit.source.after_single(now) {
            events.at(next, Event::Request);
        }
    }

    /// A frame of the host interface alone is in packet memory: it is through.
    pub(super) fn sent(&mut self, now: Time, frame: Sent) {
        let data = now - frame.entered;
        let parts = Component { bus_and_memory: data.min(self.unloaded_reads(frame.size)), ..Component::default() };
        let parts = Component { waiting_for_bus: data - parts.bus_and_memory, ..parts };
        self.measures.first_bit(now, data, parts);
        self.measures.count_sent(now, frame.size);
    }

    /// The ring memory controller alone always has two frames in packet memory to send.
    pub(super) fn feed_fifo(&mut self, now: Time, events: &mut Events) {
        while self.transmit.sending.queue.len() < 2 {
            let size = self.transmit.source.size();
            let frame = self.begin_sending(now, size, 0);
            self.moved(now, frame, events);
        }
    }

    /// Time of a frame's data reads one after the other on an idle bus.
    fn unloaded_reads(&self, size: u32) -> Duration {
        cycles(u64::from(self.settings.host.hexawords(size)) * read_cycles(self.settings.bus.access))
    }

    /// Where the time went of a frame whose first bit leaves now.
    fn spent_sending(&self, now: Time, frame: &Sent) -> Component {
        let entries = cycles(u64::from(self.settings.host.segments) * read_cycles(self.settings.bus.access));
        let entry = (frame.entered - frame.begun).min(entries);
        let data = (frame.fetched - frame.entered).min(self.unloaded_reads(frame.size));
        let stages = &self.settings.stages;
        let out = (stages.ring_memory_latency + stages.chip_set_latency).min(now - frame.moved);
        Component {
            bus_and_memory: entry + data,
            waiting_for_bus: (frame.fetched - frame.begun) - entry - data,
            waiting_for_control: frame.taken_up - frame.fetched,
            control: frame.moved - frame.taken_up,
            ring_memory: out,
            waiting_for_ring: (now - frame.moved) - out,
            ..Component::default()
        }
    }
}
