//! From the ring to the control stage: FIFO, ring memory controller, parser, packet memory.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};
use sojourn_metrics::level::TimeWeighted;

use super::deliver::Delivery;
use super::descriptors::Descriptors;
use super::event::{Event, Events};
use super::fifo::Fifo;
use super::frame::Received;
use super::meter::{Busy, Pool, level};
use super::metrics::Place;
use super::ring::PEER;
use super::settings::{DropAt, Pace, Settings, StageSelection};
use super::source::{FrameType, Source};
use super::world::Adapter;

/// Bytes of a burst, and of a hexaword.
pub const BURST: u32 = 32;
/// The bytes that the parser looks at.
const HEADER: u32 = 64;

/// The receive side's state.
#[derive(Clone, Debug)]
pub struct Receiving {
    /// Where frames come from.
    pub source: Source,
    incoming: Option<Incoming>,
    pub fifo: Fifo,
    pub pool: Pool,
    /// Frames in packet memory, before the control stage.
    pub queue: VecDeque<Received>,
    pub waiting: TimeWeighted,
    /// The instant at which the head of the queue will be ready, where an event says so.
    wake: Time,
    /// Frames that the data stage writes, the first of them now.
    pub deliveries: VecDeque<Delivery>,
    /// When hexawords of a frame are being written.
    pub writing: Busy,
    pub descriptors: Descriptors,
}

/// A frame that is coming in.
#[derive(Clone, Copy, Debug)]
struct Incoming {
    size: u32,
    begin: Time,
    frame_type: FrameType,
    /// Bytes that have come.
    bytes: u32,
    /// Buffers of packet memory it holds.
    buffers: u32,
    refused: bool,
}

impl Receiving {
    /// Nothing has come.
    pub fn new(settings: &Settings, source: Source, writing: Busy) -> Self {
        let (stages, warm_up) = (&settings.stages, writing.from());
        Receiving {
            source,
            incoming: None,
            fifo: Fifo::new(stages.fifo_bursts, warm_up),
            pool: Pool::new(stages.receive_buffers, warm_up),
            queue: VecDeque::new(),
            waiting: level(warm_up),
            wake: Time::NEVER,
            deliveries: VecDeque::new(),
            writing,
            descriptors: Descriptors::new(settings),
        }
    }

    /// Frames that have come in, in part or whole, and are neither delivered nor dropped.
    pub fn inside(&self) -> u64 {
        let incoming = usize::from(self.incoming.is_some_and(|frame| !frame.refused));
        (incoming + self.queue.len() + self.deliveries.len()) as u64
    }
}

impl Adapter<'_> {
    /// The source has a frame at `now`.
    pub(super) fn frame_due(&mut self, now: Time, events: &mut Events) {
        let size = self.receive.source.size();
        if self.ring.has_token() {
            self.ring.offer(now, PEER, size);
            self.schedule_ring(events);
            if matches!(self.receive.source.pace, Pace::Gaps(_)) {
                self.after_frame(now + self.ring.lasts(size), events);
            }
            return;
        }
        let begin = self.ring.reserve(now, size);
        self.frame_begins(begin, size, events);
    }

    /// A frame's first bit comes at `begin`.
    pub(super) fn frame_begins(&mut self, begin: Time, size: u32, events: &mut Events) {
        let frame_type = self.receive.source.frame_type();
        self.measures.received += 1;
        self.receive.incoming = Some(Incoming { size, begin, frame_type, bytes: 0, buffers: 0, refused: false });
        events.at(begin + self.ring.lasts(size.min(BURST)), Event::Burst);
    }

    /// Another burst of the incoming frame is in the FIFO, or its end.
    pub(super) fn burst(&mut self, now: Time, events: &mut Events) {
        let mut frame = self.receive.incoming.take().expect("bursts belong to a frame");
        let first_byte = frame.bytes;
        frame.bytes = (first_byte + BURST).min(frame.size);
        let last = frame.bytes == frame.size;
        if !frame.refused {
            match self.admit(now, &mut frame, first_byte) {
                Ok(()) => self.store(now, &frame, last, events),
                Err(place) => self.refuse(now, &mut frame, place, events),
            }
        }
        if !last {
            self.receive.incoming = Some(frame);
            events.at(frame.begin + self.ring.lasts((frame.bytes + BURST).min(frame.size)), Event::Burst);
        } else if !self.ring.has_token() {
            self.after_frame(now, events);
        }
    }

    /// The black box goes on to the next frame.
    fn after_frame(&mut self, now: Time, events: &mut Events) {
        let Some(gap) = self.receive.source.gap() else { return };
        if gap.picoseconds() == 0 && !self.settings.traffic.transmit {
            return self.frame_due(now, events);
        }
        events.at(now + gap, Event::FrameDue);
    }

    /// Finds room for a burst: in the FIFO, and in packet memory where it begins a buffer.
    fn admit(&mut self, now: Time, frame: &mut Incoming, first_byte: u32) -> Result<(), Place> {
        let stages = &self.settings.stages;
        if first_byte == 0 {
            self.admit_frame(frame)?;
        }
        self.receive.fifo.drain(now);
        if !self.receive.fifo.has_room() {
            return Err(Place::ReceiveFifo);
        }
        if frame.bytes > frame.buffers * stages.buffer {
            if !self.receive.pool.has(1) {
                return Err(Place::PacketBuffers);
            }
            self.receive.pool.take(now, 1);
            frame.buffers += 1;
        }
        Ok(())
    }

    /// What is asked of a frame's first burst.
    fn admit_frame(&self, frame: &Incoming) -> Result<(), Place> {
        let stages = &self.settings.stages;
        if self.receive.queue.len() >= stages.control_queue {
            return Err(Place::ControlQueue);
        }
        if stages.drop_at == DropAt::Fifo {
            if !self.receive.pool.has(frame.size.div_ceil(stages.buffer)) {
                return Err(Place::PacketBuffers);
            }
            if !self.receive.descriptors.cover(self.receive.queue.len() as u32 + 1) {
                return Err(Place::HostBuffers);
            }
        }
        Ok(())
    }

    /// A burst goes to packet memory; with the last one the frame is there.
    fn store(&mut self, now: Time, frame: &Incoming, last: bool, events: &mut Events) {
        let stages = &self.settings.stages;
        if !last {
            let through = self.ring_memory.serve(now, stages.burst_time);
            return self.receive.fifo.push(now, through);
        }
        let work = stages.burst_time + stages.descriptor_time;
        let through = self.ring_memory.serve(now, work);
        self.receive.fifo.push(now, through);
        let stored = through.max(now + stages.ring_memory_latency);
        let rest = self.parse(frame).since(now);
        // frames leave in the order in which they came
        let before = self.receive.queue.back().map_or(Time::ZERO, |frame| frame.parsed);
        let parsed = (stored + rest).max(before);
        self.receive.queue.push_back(Received {
            size: frame.size,
            buffers: frame.buffers,
            last_bit: now,
            stored,
            parsed,
            taken_up: parsed,
            has_host_buffer: false,
            moved: parsed,
            staged: parsed,
            handed_over: parsed,
        });
        self.receive.waiting.set(now, self.receive.queue.len() as f64);
        self.start_control(now, events);
    }

    /// When the parser is through with a frame; it begins when the header is there.
    fn parse(&mut self, frame: &Incoming) -> Time {
        let parser = &self.settings.stages.parser;
        let header = frame.size.min(HEADER);
        let more = match frame.frame_type {
            FrameType::Snap => parser.snap,
            FrameType::Plain => Duration::ZERO,
            FrameType::Management => parser.management,
        };
        let work = parser.frame + more + parser.per_byte.times(u64::from(header));
        self.parser.serve(frame.begin + self.ring.lasts(header), work)
    }

    /// A frame finds no room: it gives back what it has, and the control stage takes note.
    fn refuse(&mut self, now: Time, frame: &mut Incoming, place: Place, events: &mut Events) {
        frame.refused = true;
        self.receive.pool.give(now, frame.buffers);
        self.measures.drop_received(now, place);
        self.control.refusals += 1;
        self.start_control(now, events);
        self.after_single_received(now, events);
    }

    /// Whether the head of the queue can be taken up now; if it is not ready yet, an event will say so.
    pub(super) fn is_receive_due(&mut self, now: Time, events: &mut Events) -> bool {
        let Some(head) = self.receive.queue.front() else { return false };
        if head.parsed > now {
            if self.receive.wake != head.parsed {
                self.receive.wake = head.parsed;
                events.at(head.parsed, Event::Parsed);
            }
            return false;
        }
        let asks_for_none = self.settings.traffic.stages == StageSelection::RingMemoryController;
        if asks_for_none || self.receive.descriptors.are_at_hand() || self.settings.stages.drop_at == DropAt::Host {
            return true;
        }
        self.fetch_descriptors(now, true, events);
        false
    }

    /// Takes the head of the queue.
    pub(super) fn take_received(&mut self, now: Time) -> Received {
        let frame = self.receive.queue.pop_front().expect("a frame is due");
        self.receive.waiting.set(now, self.receive.queue.len() as f64);
        frame
    }

    /// Without a control stage, a frame that is ready is through.
    pub(super) fn pass_on(&mut self, now: Time, events: &mut Events) {
        debug_assert_eq!(self.settings.traffic.stages, StageSelection::RingMemoryController);
        while self.is_receive_due(now, events) {
            let mut frame = self.take_received(now);
            (frame.taken_up, frame.moved, frame.handed_over) = (now, now, now);
            self.received(now, frame, events);
        }
    }

    /// The next single frame follows when the one before is through.
    pub(super) fn after_single_received(&mut self, now: Time, events: &mut Events) {
        if let Some(next) = self.receive.source.after_single(now) {
            events.at(next, Event::FrameDue);
        }
    }
}
