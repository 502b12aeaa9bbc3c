//! The receive side: the source of its frames, the receive descriptors, and the transfer of frames from packet memory
//! to the host.

use sojourn_core::{Duration, Time, rekey_fields};

use super::bus::cycles;
use super::context::Context;
use super::deliver::{Delivering, stage_ahead};
use super::descriptors::Descriptors;
use super::event::Event;
use super::frame::Received;
use super::interface::{ENTRY_WRITE_CYCLES, WRITE_CYCLES};
use super::latency_budget::{Component, LatencyBudget};
use super::meter::Busy;
use super::metrics::Place;
use super::ring::PEER;
use super::settings::{DropAt, Pace, Settings, StageSelection};
use super::source::Source;
use super::store::{Arrival, Storing};

/// The receive side: frames from the ring to the host.
#[derive(Clone, Debug)]
pub struct Receiving {
    /// Frames on the ring for the adapter.
    pub source: Source,
    /// Where frames from the ring are lost now, as events decide.
    pub lost_at: Option<Place>,
    /// Whether frames come by events of their own, and the source goes on whatever becomes of them.
    decoupled: bool,
    /// From the ring to packet memory.
    pub storing: Storing,
    /// The instant at which the head of the queue will be ready, where an event says so.
    wake: Time,
    /// Entries of the host's receive ring.
    pub descriptors: Descriptors,
    /// From packet memory to the host.
    pub delivering: Delivering,
}

impl Receiving {
    /// A receive side without frames.
    pub fn new(settings: &Settings, source: Source, writing: Busy) -> Self {
        Receiving {
            source,
            lost_at: None,
            decoupled: false,
            storing: Storing::new(&settings.stages, writing.from()),
            wake: Time::NEVER,
            descriptors: Descriptors::new(settings),
            delivering: Delivering::new(writing),
        }
    }

    /// Frames that have come in, in part or whole, and are neither delivered nor dropped.
    pub fn inside(&self) -> u64 {
        (self.storing.frames() + self.delivering.frames()) as u64
    }

    /// The first frames come.
    pub fn start(&mut self, context: &mut Context<'_, '_>) {
        if context.passes(StageSelection::HostInterface) {
            return self.feed_interface(context);
        }
        if context.passes(StageSelection::Adapter) {
            self.descriptors.fetch(true, context);
        }
        self.come(context);
    }

    /// The first frames come, or the first again.
    fn come(&mut self, context: &mut Context<'_, '_>) {
        context.events.at(context.now + self.source.first(), Event::FrameDue);
        if context.shared.ring.has_token() && self.source.pace == Pace::Saturating {
            context.events.at(context.now, Event::FrameDue);
        }
    }

    /// Frames come by events of their own.
    pub fn decouple(&mut self) {
        self.decoupled = true;
    }

    /// No more frames come, but for those on the ring.
    pub fn silence(&mut self) {
        self.source.stopped = true;
    }

    /// Frames come again, if they did not. A source of single frames goes on by itself where one is there.
    pub fn sound(&mut self, is_one_there: bool, context: &mut Context<'_, '_>) {
        let goes_on = self.source.pace == Pace::Single && is_one_there;
        if std::mem::replace(&mut self.source.stopped, false) && !goes_on {
            self.come(context);
        }
    }

    /// A frame beside those of the source comes as soon as the ring has room.
    pub fn one_more(&mut self, context: &mut Context<'_, '_>) {
        let (now, size) = (context.now, self.source.size());
        match context.shared.ring.has_token() {
            true => context.offer(now, PEER, size),
            false => context.events.at(context.shared.ring.reserve(now, size), Event::FrameComes(size)),
        }
    }

    /// Loses all frames, one that the control stage had included: when the last bit of each had come, if it had.
    pub fn reset(&mut self, settings: &Settings, now: Time, held: Option<Received>) -> Vec<Option<Time>> {
        let mut lost = self.storing.clear(now);
        lost.extend(held.map(|frame| Some(frame.last_bit)));
        lost.extend(self.delivering.clear(now).map(Some));
        self.wake = Time::NEVER;
        self.descriptors = Descriptors::new(settings);
        lost
    }

    /// The source has a frame at `now`, which may lie ahead.
    pub fn frame_due(&mut self, now: Time, context: &mut Context<'_, '_>) {
        let size = self.source.size();
        if context.shared.ring.has_token() {
            context.offer(now, PEER, size);
            if matches!(self.source.pace, Pace::Gaps(_)) {
                self.after_frame(now + context.shared.ring.lasts(size), context);
            }
            return;
        }
        let begin = context.shared.ring.reserve(now, size);
        // a source that goes on by itself sends the same frames after an outage as without one
        if self.decoupled {
            context.events.at(begin, Event::FrameComes(size));
            return self.after_frame(begin + context.shared.ring.lasts(size), context);
        }
        self.frame_begins(begin, size, context);
    }

    /// A frame's first bit comes at `begin`.
    pub fn frame_begins(&mut self, begin: Time, size: u32, context: &mut Context<'_, '_>) {
        context.shared.metrics.to_host.tally.offer();
        if let Some(place) = self.lost_at {
            context.shared.metrics.drop_received(begin, place, None);
            return self.after_single(context);
        }
        self.storing.begin(begin, size, self.source.frame_type(), context);
    }

    /// Another burst of the incoming frame is in the FIFO, or its end.
    #[inline]
    pub fn burst(&mut self, context: &mut Context<'_, '_>) -> Arrival {
        self.storing.burst(&self.descriptors, context)
    }

    /// The next burst of the incoming frame follows, or the next frame.
    #[inline]
    pub fn next_burst(&mut self, context: &mut Context<'_, '_>) {
        if !self.storing.next_burst(context) && !context.shared.ring.has_token() && !self.decoupled {
            self.after_frame(context.now, context);
        }
    }

    /// The source goes on to the next frame at `now`, which may lie ahead.
    fn after_frame(&mut self, now: Time, context: &mut Context<'_, '_>) {
        let Some(gap) = self.source.gap() else { return };
        if gap == Duration::ZERO && !context.settings.traffic.transmit && !self.decoupled {
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

    /// Whether the head of the queue can be taken up now; if it is not ready yet, an event will say so.
    pub fn is_due(&mut self, context: &mut Context<'_, '_>) -> bool {
        let Some(head) = self.storing.queue.front() else { return false };
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

    /// The control stage takes up the head of the queue.
    pub fn take_up(&mut self, context: &mut Context<'_, '_>) -> Received {
        let mut frame = self.storing.take(context.now);
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
            let frame = Received { taken_up: now, moved: now, handed_over: now, ..self.storing.take(now) };
            self.received(&frame, context);
            self.after_single(context);
        }
    }

    /// A frame is delivered to the host.
    pub fn received(&mut self, frame: &Received, context: &mut Context<'_, '_>) {
        let latency = spent(frame, context);
        context.shared.metrics.deliver_received(context.now, frame.size, frame.last_bit, &latency);
        if context.passes(StageSelection::HostInterface) {
            return self.feed_interface(context);
        }
        self.storing.pool.give(context.now, frame.buffers);
        if context.passes(StageSelection::Adapter) {
            self.descriptors.post();
            self.descriptors.fetch(false, context);
        }
    }

    /// The host has no buffer for a frame that the control stage has finished.
    pub fn drop_at_host(&mut self, frame: &Received, context: &mut Context<'_, '_>) {
        self.storing.pool.give(context.now, frame.buffers);
        context.shared.metrics.drop_received(context.now, Place::HostBuffers, Some(frame.last_bit));
        self.descriptors.fetch(true, context);
        self.after_single(context);
    }

    /// The host interface alone always has two frames to move.
    fn feed_interface(&mut self, context: &mut Context<'_, '_>) {
        let [last_bit, stored, parsed, taken_up, moved, handed_over] = [context.now; 6];
        let frame = Received { last_bit, stored, parsed, taken_up, moved, handed_over, ..Received::default() };
        while self.delivering.frames() < 2 {
            let size = self.source.size();
            context.shared.metrics.to_host.tally.offer();
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

rekey_fields!(Receiving { source });
