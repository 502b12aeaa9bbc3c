//! From the ring to the control stage: FIFO, ring memory controller, parser, packet memory; and what becomes of a frame
//! when its data are with the host.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};
use sojourn_engine::Server;
use sojourn_metrics::level::TimeWeighted;

use super::bus::cycles;
use super::context::Context;
use super::deliver::{Delivering, stage_ahead};
use super::descriptors::Descriptors;
use super::event::Event;
use super::fifo::{BURST, Fifo};
use super::frame::Received;
use super::interface::{ENTRY_WRITE_CYCLES, WRITE_CYCLES};
use super::latency_budget::{Component, LatencyBudget};
use super::meter::{Busy, Pool, level};
use super::metrics::Place;
use super::ring::PEER;
use super::settings::{DropAt, Pace, Settings, StageSelection};
use super::source::{FrameType, Source};

/// The bytes that the parser looks at.
const HEADER: u32 = 64;

/// The receive side.
#[derive(Clone, Debug)]
pub struct Receiving {
    source: Source,
    incoming: Option<Incoming>,
    /// Towards packet memory.
    pub fifo: Fifo,
    /// Packet memory for received frames.
    pub pool: Pool,
    /// The parser.
    pub parser: Server,
    /// Frames in packet memory, before the control stage.
    queue: VecDeque<Received>,
    /// Their number, over time.
    pub waiting: TimeWeighted,
    /// The instant at which the head of the queue will be ready, where an event says so.
    wake: Time,
    /// Entries of the host's receive ring.
    pub descriptors: Descriptors,
    /// The data stage.
    pub delivering: Delivering,
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

/// What a burst of an incoming frame brings about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The frame goes on, or was refused before.
    Part,
    /// It was the last one, and the frame goes to packet memory.
    Whole,
    /// It found no room: the frame is refused.
    Refused,
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
            parser: Server::new(warm_up),
            queue: VecDeque::new(),
            waiting: level(warm_up),
            wake: Time::NEVER,
            descriptors: Descriptors::new(settings),
            delivering: Delivering::new(writing),
        }
    }

    /// Frames that have come in, in part or whole, and are neither delivered nor dropped.
    pub fn inside(&self) -> u64 {
        let incoming = usize::from(self.incoming.is_some_and(|frame| !frame.refused));
        (incoming + self.queue.len() + self.delivering.frames()) as u64
    }

    /// The first frames come.
    pub fn start(&mut self, context: &mut Context<'_, '_>) {
        if context.passes(StageSelection::HostInterface) {
            return self.feed_interface(context);
        }
        if context.passes(StageSelection::Adapter) {
            self.descriptors.fetch(true, context);
        }
        context.events.at(context.now + self.source.first(), Event::FrameDue);
        if context.ring.has_token() && self.source.pace == Pace::Saturating {
            context.events.at(context.now, Event::FrameDue);
        }
    }

    /// The source has a frame at `now`, which may lie ahead.
    pub fn frame_due(&mut self, now: Time, context: &mut Context<'_, '_>) {
        let size = self.source.size();
        if context.ring.has_token() {
            context.offer(now, PEER, size);
            if matches!(self.source.pace, Pace::Gaps(_)) {
                self.after_frame(now + context.ring.lasts(size), context);
            }
            return;
        }
        let begin = context.ring.reserve(now, size);
        self.frame_begins(begin, size, context);
    }

    /// A frame's first bit comes at `begin`.
    pub fn frame_begins(&mut self, begin: Time, size: u32, context: &mut Context<'_, '_>) {
        let frame_type = self.source.frame_type();
        context.metrics.to_host.tally.offer();
        self.incoming = Some(Incoming { size, begin, frame_type, bytes: 0, buffers: 0, refused: false });
        context.events.at(begin + context.ring.lasts(size.min(BURST)), Event::Burst);
    }

    /// Another burst of the incoming frame is in the FIFO, or its end.
    pub fn burst(&mut self, context: &mut Context<'_, '_>) -> Arrival {
        let mut frame = self.incoming.expect("bursts belong to a frame");
        let first_byte = frame.bytes;
        frame.bytes = (first_byte + BURST).min(frame.size);
        let arrival = if frame.refused {
            Arrival::Part
        } else if let Err(place) = self.admit(&mut frame, first_byte, context) {
            frame.refused = true;
            self.pool.give(context.now, frame.buffers);
            context.metrics.drop_received(place);
            Arrival::Refused
        } else {
            self.store(&frame, context)
        };
        self.incoming = Some(frame);
        arrival
    }

    /// The next burst of the incoming frame follows, or the next frame.
    pub fn next_burst(&mut self, context: &mut Context<'_, '_>) {
        let frame = self.incoming.expect("bursts belong to a frame");
        if frame.bytes < frame.size {
            let bytes = (frame.bytes + BURST).min(frame.size);
            return context.events.at(frame.begin + context.ring.lasts(bytes), Event::Burst);
        }
        self.incoming = None;
        if !context.ring.has_token() {
            self.after_frame(context.now, context);
        }
    }

    /// The source goes on to the next frame at `now`, which may lie ahead.
    fn after_frame(&mut self, now: Time, context: &mut Context<'_, '_>) {
        let Some(gap) = self.source.gap() else { return };
        if gap == Duration::ZERO && !context.settings.traffic.transmit {
            return self.frame_due(now, context);
        }
        context.events.at(now + gap, Event::FrameDue);
    }

    /// The next single frame follows when the one before is through.
    pub fn after_single(&mut self, context: &mut Context<'_, '_>) {
        if let Some(next) = self.source.after_single(context.now) {
            context.events.at(next, Event::FrameDue);
        }
    }

    /// Finds room for a burst: in the FIFO, and in packet memory where it begins a buffer.
    fn admit(&mut self, frame: &mut Incoming, first_byte: u32, context: &Context<'_, '_>) -> Result<(), Place> {
        let stages = &context.settings.stages;
        if first_byte == 0 {
            self.admit_frame(frame, context.settings)?;
        }
        self.fifo.drain(context.now);
        if !self.fifo.has_room() {
            return Err(Place::ReceiveFifo);
        }
        if frame.bytes > frame.buffers * stages.buffer {
            if !self.pool.has(1) {
                return Err(Place::PacketBuffers);
            }
            self.pool.take(context.now, 1);
            frame.buffers += 1;
        }
        Ok(())
    }

    /// What is asked of a frame's first burst.
    fn admit_frame(&self, frame: &Incoming, settings: &Settings) -> Result<(), Place> {
        let stages = &settings.stages;
        if self.queue.len() >= stages.control_queue {
            return Err(Place::ControlQueue);
        }
        if stages.drop_at == DropAt::Fifo {
            if !self.pool.has(frame.size.div_ceil(stages.buffer)) {
                return Err(Place::PacketBuffers);
            }
            if !self.descriptors.cover(self.queue.len() as u32 + 1) {
                return Err(Place::HostBuffers);
            }
        }
        Ok(())
    }

    /// A burst goes to packet memory; with the last one the frame is there.
    fn store(&mut self, frame: &Incoming, context: &mut Context<'_, '_>) -> Arrival {
        let (now, stages) = (context.now, &context.settings.stages);
        let last = frame.bytes == frame.size;
        let work = stages.burst_time + if last { stages.descriptor_time } else { Duration::ZERO };
        let through = context.ring_memory.serve(now, work);
        self.fifo.push(now, through);
        if !last {
            return Arrival::Part;
        }
        let stored = through.max(now + stages.ring_memory_latency);
        let rest = self.parse(frame, context).since(now);
        // frames leave in the order in which they came
        let before = self.queue.back().map_or(Time::ZERO, |frame| frame.parsed);
        let parsed = (stored + rest).max(before);
        let &Incoming { size, buffers, .. } = frame;
        self.queue.push_back(Received { size, buffers, last_bit: now, stored, parsed, ..Received::default() });
        self.waiting.set(now, self.queue.len() as f64);
        Arrival::Whole
    }

    /// When the parser is through with a frame; it begins when the header is there.
    fn parse(&mut self, frame: &Incoming, context: &Context<'_, '_>) -> Time {
        let parser = &context.settings.stages.parser;
        let header = frame.size.min(HEADER);
        let more = match frame.frame_type {
            FrameType::Snap => parser.snap,
            FrameType::Plain => Duration::ZERO,
            FrameType::Management => parser.management,
        };
        let work = parser.frame + more + parser.per_byte.times(u64::from(header));
        self.parser.serve(frame.begin + context.ring.lasts(header), work)
    }

    /// Whether the head of the queue can be taken up now; if it is not ready yet, an event will say so.
    pub fn is_due(&mut self, context: &mut Context<'_, '_>) -> bool {
        let Some(head) = self.queue.front() else { return false };
        if head.parsed > context.now {
            if self.wake != head.parsed {
                self.wake = head.parsed;
                context.events.at(head.parsed, Event::Parsed);
            }
            return false;
        }
        let asks_for_none = context.passes(StageSelection::RingMemoryController);
        if asks_for_none || self.descriptors.are_at_hand() || context.settings.stages.drop_at == DropAt::Host {
            return true;
        }
        self.descriptors.fetch(true, context);
        false
    }

    fn take(&mut self, now: Time) -> Received {
        let frame = self.queue.pop_front().expect("a frame is due");
        self.waiting.set(now, self.queue.len() as f64);
        frame
    }

    /// The control stage takes up the head of the queue.
    pub fn take_up(&mut self, context: &mut Context<'_, '_>) -> Received {
        let mut frame = self.take(context.now);
        frame.taken_up = context.now;
        frame.has_host_buffer = self.descriptors.take();
        self.descriptors.fetch(false, context);
        frame.staged = stage_ahead(frame.size, context);
        frame
    }

    /// Without a control stage, a frame that is ready is through.
    pub fn pass_on(&mut self, context: &mut Context<'_, '_>) {
        debug_assert!(context.passes(StageSelection::RingMemoryController));
        let now = context.now;
        while self.is_due(context) {
            let frame = Received { taken_up: now, moved: now, handed_over: now, ..self.take(now) };
            self.received(&frame, context);
            self.after_single(context);
        }
    }

    /// A frame is delivered to the host.
    pub fn received(&mut self, frame: &Received, context: &mut Context<'_, '_>) {
        let latency = spent(frame, context);
        context.metrics.deliver_received(context.now, frame.size, frame.last_bit, &latency);
        if context.passes(StageSelection::HostInterface) {
            return self.feed_interface(context);
        }
        self.pool.give(context.now, frame.buffers);
        if context.passes(StageSelection::Adapter) {
            self.descriptors.post();
            self.descriptors.fetch(false, context);
        }
    }

    /// The host has no buffer for a frame that the control stage has finished.
    pub fn drop_at_host(&mut self, frame: &Received, context: &mut Context<'_, '_>) {
        self.pool.give(context.now, frame.buffers);
        context.metrics.drop_received(Place::HostBuffers);
        self.descriptors.fetch(true, context);
        self.after_single(context);
    }

    /// The host interface alone always has two frames to move.
    fn feed_interface(&mut self, context: &mut Context<'_, '_>) {
        let [last_bit, stored, parsed, taken_up, moved, handed_over] = [context.now; 6];
        let frame = Received { last_bit, stored, parsed, taken_up, moved, handed_over, ..Received::default() };
        while self.delivering.frames() < 2 {
            let size = self.source.size();
            context.metrics.to_host.tally.offer();
            let staged = stage_ahead(size, context);
            self.delivering.hand_over(Received { size, staged, ..frame }, context);
        }
    }
}

/// The latency budget of a frame that is delivered now.
fn spent(frame: &Received, context: &Context<'_, '_>) -> LatencyBudget {
    let entry = frame.handed_over.since(frame.moved).min(cycles(ENTRY_WRITE_CYCLES));
    let hexawords = u64::from(context.settings.host.hexawords(frame.size));
    let data = (context.now - frame.handed_over).min(cycles(WRITE_CYCLES + 5 * (hexawords - 1)));
    let mut latency = LatencyBudget::new(frame.last_bit);
    latency.account(Component::Storing, frame.stored);
    latency.account(Component::Parsing, frame.parsed);
    latency.account(Component::WaitingForControl, frame.taken_up);
    latency.account(Component::Control, frame.moved);
    latency.account(Component::BusAndMemory, frame.moved + entry + data);
    latency.account(Component::WaitingForBus, context.now);
    latency
}
