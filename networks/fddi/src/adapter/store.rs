//! The store stage, from the ring to packet memory: FIFO, ring memory controller, parser.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};
use sojourn_engine::Server;
use sojourn_metrics::level::TimeWeighted;

use super::context::Context;
use super::descriptors::Descriptors;
use super::event::Event;
use super::fifo::{BURST, Fifo};
use super::frame::Received;
use super::meter::{Pool, level};
use super::metrics::Place;
use super::settings::{DropAt, Stages};
use super::source::FrameType;

/// The bytes that the parser looks at.
const HEADER: u32 = 64;

/// The stages that a frame passes at the ring's rate, and the frames in packet memory.
#[derive(Clone, Debug)]
pub struct Storing {
    incoming: Option<Incoming>,
    /// Bursts between the ring and packet memory.
    pub fifo: Fifo,
    /// Packet memory for received frames.
    pub pool: Pool,
    /// Reads the header of each frame.
    pub parser: Server,
    /// Frames in packet memory, before the control stage.
    pub queue: VecDeque<Received>,
    /// Their number, over time.
    pub waiting: TimeWeighted,
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

/// What the burst of an incoming frame leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// The frame goes on, or was refused before.
    Part,
    /// It was the last one, and the frame goes to packet memory.
    Whole,
    /// It found no room: the frame is refused.
    Refused,
}

impl Storing {
    /// Empty stages; means begin at the end of the warm-up.
    pub fn new(stages: &Stages, warm_up: Time) -> Self {
        Storing {
            incoming: None,
            fifo: Fifo::new(stages.fifo_bursts, warm_up),
            pool: Pool::new(stages.receive_buffers, warm_up),
            parser: Server::new(warm_up),
            queue: VecDeque::new(),
            waiting: level(warm_up),
        }
    }

    /// Frames that have come in, in part or whole, and were neither refused nor taken.
    pub fn frames(&self) -> usize {
        usize::from(self.incoming.is_some_and(|frame| !frame.refused)) + self.queue.len()
    }

    /// Loses all frames: when the last bit of each had come, if it had.
    pub fn clear(&mut self, now: Time) -> Vec<Option<Time>> {
        let incoming = self.incoming.take().filter(|frame| !frame.refused).map(|_| None);
        let lost = incoming.into_iter().chain(self.queue.drain(..).map(|frame| Some(frame.last_bit))).collect();
        self.fifo.clear(now);
        self.pool.clear(now);
        self.parser.clear(now);
        self.waiting.set(now, 0.0);
        lost
    }

    /// The frame that is coming in is cut off, if there is one.
    pub fn cut(&mut self, context: &mut Context<'_, '_>) -> bool {
        let is_coming = self.incoming.is_some_and(|frame| !frame.refused);
        if is_coming {
            self.refuse(Place::Ring, context);
        }
        self.incoming = None;
        is_coming
    }

    /// A frame's first bit comes at `begin`.
    #[inline]
    pub fn begin(&mut self, begin: Time, size: u32, frame_type: FrameType, context: &mut Context<'_, '_>) {
        self.incoming = Some(Incoming { size, begin, frame_type, bytes: 0, buffers: 0, refused: false });
        context.events.at(begin + context.shared.ring.lasts(size.min(BURST)), Event::Burst);
    }

    /// Another burst of the incoming frame is in the FIFO, or its end: finds room for it there, and in packet memory where
    /// it begins a buffer.
    #[inline]
    pub fn burst(&mut self, descriptors: &Descriptors, context: &mut Context<'_, '_>) -> Arrival {
        let (now, stages) = (context.now, &context.settings.stages);
        let frame = self.incoming.as_mut().expect("bursts belong to a frame");
        let is_first = frame.bytes == 0;
        frame.bytes = (frame.bytes + BURST).min(frame.size);
        if frame.refused {
            return Arrival::Part;
        }
        if is_first && let Err(place) = admit(frame.size, &self.queue, &self.pool, descriptors, stages) {
            return self.refuse(place, context);
        }
        self.fifo.drain(now);
        if !self.fifo.has_room() {
            return self.refuse(Place::ReceiveFifo, context);
        }
        if frame.bytes > frame.buffers * stages.buffer {
            if !self.pool.has(1) {
                return self.refuse(Place::PacketBuffers, context);
            }
            self.pool.take(now, 1);
            frame.buffers += 1;
        }
        let is_last = frame.bytes == frame.size;
        let work = stages.burst_time + if is_last { stages.descriptor_time } else { Duration::ZERO };
        let through = context.shared.ring_memory.serve(now, work);
        self.fifo.push(now, through);
        if is_last {
            let frame = *frame;
            context.shared.metrics.arrived(now);
            self.store(&frame, through, context);
            return Arrival::Whole;
        }
        Arrival::Part
    }

    /// The incoming frame finds no room and gives back what it has.
    #[cold]
    fn refuse(&mut self, place: Place, context: &mut Context<'_, '_>) -> Arrival {
        let frame = self.incoming.as_mut().expect("bursts belong to a frame");
        frame.refused = true;
        self.pool.give(context.now, frame.buffers);
        context.shared.metrics.drop_received(context.now, place, None);
        Arrival::Refused
    }

    /// Schedules the next burst of the incoming frame; false if it was the last.
    #[inline]
    pub fn next_burst(&mut self, context: &mut Context<'_, '_>) -> bool {
        let frame = self.incoming.as_ref().expect("bursts belong to a frame");
        let follows = frame.bytes < frame.size;
        if follows {
            let bytes = (frame.bytes + BURST).min(frame.size);
            context.events.at(frame.begin + context.shared.ring.lasts(bytes), Event::Burst);
        } else {
            self.incoming = None;
        }
        follows
    }

    /// The last burst of a frame leaves the ring memory controller at `through`; then the frame is in packet memory.
    fn store(&mut self, frame: &Incoming, through: Time, context: &Context<'_, '_>) {
        let now = context.now;
        let stored = through.max(now + context.settings.stages.ring_memory_latency);
        let rest = self.parse(frame, context).since(now);
        // frames leave in the order in which they came
        let before = self.queue.back().map_or(Time::ZERO, |frame| frame.parsed);
        let parsed = (stored + rest).max(before);
        let &Incoming { size, buffers, .. } = frame;
        self.queue.push_back(Received { size, buffers, last_bit: now, stored, parsed, ..Received::default() });
        self.waiting.set(now, self.queue.len() as f64);
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
        self.parser.serve(frame.begin + context.shared.ring.lasts(header), work)
    }

    /// The head of the queue leaves it.
    #[inline]
    pub fn take(&mut self, now: Time) -> Received {
        let frame = self.queue.pop_front().expect("a frame is due");
        self.waiting.set(now, self.queue.len() as f64);
        frame
    }
}

/// What is asked of the first burst of a frame, while others are queued in packet memory.
fn admit(
    size: u32,
    queue: &VecDeque<Received>,
    pool: &Pool,
    descriptors: &Descriptors,
    stages: &Stages,
) -> Result<(), Place> {
    if queue.len() >= stages.control_queue {
        return Err(Place::ControlQueue);
    }
    if stages.drop_at == DropAt::Fifo {
        if !pool.has(size.div_ceil(stages.buffer)) {
            return Err(Place::PacketBuffers);
        }
        if !descriptors.cover(queue.len() as u32 + 1) {
            return Err(Place::HostBuffers);
        }
    }
    Ok(())
}
