//! The transmit side: the driver's requests, frames between the host and the ring, and the entries that frames hold.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time, rekey_fields};

use super::bus::cycles;
use super::context::Context;
use super::event::Event;
use super::fetch::Fetching;
use super::frame::Sent;
use super::interface::read_cycles;
use super::latency_budget::{Component, LatencyBudget};
use super::meter::{Busy, Pool};
use super::send::Sending;
use super::settings::{Pace, Settings, StageSelection};
use super::source::Source;

/// Frames that may wait for their data, beside the one whose data are being read.
// With one, the control stage idles between pairs, and no control time in whole bus cycles meets both published rates.
const AWAITING_DATA: usize = 2;

/// The transmit side: frames from the host to the ring.
#[derive(Clone, Debug)]
pub struct Transmitting {
    /// What the driver has to send.
    pub source: Source,
    /// Lengths of the frames that the driver has and the control stage has not begun.
    backlog: VecDeque<u32>,
    /// Entries of the host's ring that are taken.
    entries: u32,
    /// Packet memory for frames to send.
    pub pool: Pool,
    next_number: u64,
    /// From the host to packet memory.
    pub fetching: Fetching,
    /// Frames that wait for the control stage to move them.
    to_move: VecDeque<Sent>,
    /// Frames with a lower number have been handed on from the host's side.
    handed_on: u64,
    /// From packet memory to the ring.
    pub sending: Sending,
    /// Sent frames to notify the host of.
    statuses: u32,
}

impl Transmitting {
    /// Nothing is to be sent.
    pub fn new(settings: &Settings, source: Source, fetching: Busy) -> Self {
        let warm_up = fetching.from();
        Transmitting {
            source,
            backlog: VecDeque::new(),
            entries: 0,
            pool: Pool::new(settings.stages.transmit_buffers, warm_up),
            next_number: 0,
            fetching: Fetching::new(fetching),
            to_move: VecDeque::new(),
            handed_on: 0,
            sending: Sending::new(settings.stages.fifo_bursts, warm_up),
            statuses: 0,
        }
    }

    /// Frames begun and not yet sent, that which the control stage holds not counted.
    pub fn inside(&self) -> u64 {
        // a frame below its threshold's end may be both being fetched and being sent
        let fetched_only = self.fetching.frames_from(self.handed_on);
        (fetched_only + self.to_move.len() + self.sending.frames()) as u64
    }

    /// The first frames come.
    pub fn start(&mut self, context: &mut Context<'_, '_>) {
        match context.settings.traffic.stages {
            StageSelection::Adapter => context.events.at(context.now + self.source.first(), Event::Request),
            StageSelection::RingMemoryController => self.feed_fifo(context),
            StageSelection::HostInterface => self.feed_reads(context),
        }
    }

    /// The driver begins to send, or goes on.
    pub fn begin_anew(&mut self, context: &mut Context<'_, '_>) {
        if !self.source.stopped {
            context.events.at(context.now + self.source.first(), Event::Request);
        }
    }

    /// The driver has nothing more to send, but for what it has.
    pub fn silence(&mut self) {
        self.source.stopped = true;
    }

    /// The driver has frames again, if it had none. One that sends single frames goes on by itself where one is there.
    pub fn sound(&mut self, is_one_there: bool, is_off: bool, context: &mut Context<'_, '_>) {
        let goes_on = self.source.pace == Pace::Single && (is_one_there || !self.backlog.is_empty());
        if std::mem::replace(&mut self.source.stopped, false) && !is_off && !goes_on {
            self.begin_anew(context);
        }
    }

    /// The driver has this many frames more.
    pub fn many_more(&mut self, count: u32) {
        self.backlog.extend((0..count).map(|_| self.source.size()));
    }

    /// Loses all frames, those of the driver and one that the control stage had included: when the adapter had begun with
    /// each, if its first bit had not left.
    pub fn reset(&mut self, now: Time, held: Option<Sent>) -> Vec<Option<Time>> {
        let fetched = self.fetching.clear(now, self.handed_on).chain(held).map(|frame| Some(frame.begun));
        let waiting = self.to_move.drain(..).map(|frame| Some(frame.begun));
        let sending = self.sending.clear(now).into_iter().map(|(frame, left)| (!left).then_some(frame.begun));
        let lost = fetched.chain(waiting).chain(sending).collect();
        self.backlog.clear();
        self.pool.clear(now);
        (self.entries, self.statuses, self.handed_on) = (0, 0, self.next_number);
        lost
    }

    /// The driver has another frame to send; one that saturates the adapter always has.
    pub fn request(&mut self, context: &mut Context<'_, '_>) {
        if self.source.pace != Pace::Saturating {
            let size = self.source.size();
            self.backlog.push_back(size);
            if let Some(gap) = self.source.gap() {
                context.events.at(context.now + context.shared.ring.lasts(size) + gap, Event::Request);
            }
        }
    }

    /// A sent frame that the host is to be notified of; true if there was one.
    pub fn take_status(&mut self) -> bool {
        let any = self.statuses > 0;
        self.statuses -= u32::from(any);
        any
    }

    /// The next frame to move to the ring's side.
    pub fn take_fetched(&mut self) -> Option<Sent> {
        self.to_move.pop_front()
    }

    /// The frame whose entry is to be read next: if there is one, and room for it everywhere.
    pub fn next_entry(&mut self, context: &mut Context<'_, '_>) -> Option<Sent> {
        let settings = context.settings;
        if self.fetching.frames() > AWAITING_DATA || !settings.traffic.transmit {
            return None;
        }
        if self.entries + settings.host.segments > settings.host.ring_entries {
            return None;
        }
        if self.backlog.is_empty() && self.source.pace == Pace::Saturating && !self.source.stopped {
            let size = self.source.size();
            self.backlog.push_back(size);
        }
        let size = *self.backlog.front()?;
        let buffers = size.div_ceil(settings.stages.buffer);
        if !self.pool.has(buffers) {
            return None;
        }
        self.backlog.pop_front();
        self.pool.take(context.now, buffers);
        self.entries += settings.host.segments;
        Some(self.begin(size, buffers, context))
    }

    /// The adapter begins with a frame.
    fn begin(&mut self, size: u32, buffers: u32, context: &mut Context<'_, '_>) -> Sent {
        let number = self.next_number;
        self.next_number += 1;
        context.shared.metrics.begun(context.now);
        Sent::new(number, size, buffers, context.now)
    }

    /// A hexaword has come from the host; returns whether the control stage may have work.
    pub fn data_read(&mut self, context: &mut Context<'_, '_>) -> bool {
        let (fetched, over) = self.fetching.read(context);
        let Some(frame) = fetched else {
            self.load(context);
            return over;
        };
        self.handed_on = frame.number + 1;
        if context.passes(StageSelection::HostInterface) {
            let mut latency = LatencyBudget::new(frame.entered);
            let data = (context.now - frame.entered).min(unloaded_reads(context.settings, frame.size));
            latency.account(Component::BusAndMemory, frame.entered + data);
            latency.account(Component::WaitingForBus, context.now);
            context.shared.metrics.first_bit(context.now, frame.entered, &latency);
            context.shared.metrics.count_sent(context.now, frame.size);
            self.feed_reads(context);
        } else {
            self.to_move.push_back(frame);
        }
        true
    }

    /// A frame has been moved to the ring's side.
    pub fn moved(&mut self, frame: Sent, context: &mut Context<'_, '_>) {
        self.sending.push(frame);
        self.load(context);
    }

    fn load(&mut self, context: &mut Context<'_, '_>) {
        self.sending.load(&self.fetching, context);
    }

    /// The first frame's first bit leaves.
    pub fn first_bit(&mut self, context: &mut Context<'_, '_>) {
        let frame = self.sending.first_bit(context);
        let latency = spent(&frame, context);
        context.shared.metrics.first_bit(context.now, frame.begun, &latency);
        self.statuses += u32::from(context.passes(StageSelection::Adapter));
    }

    /// The fibre takes the next burst, or the frame has left; returns whether it has.
    pub fn leaves(&mut self, context: &mut Context<'_, '_>) -> bool {
        let Some((frame, damaged)) = self.sending.leaves(&self.fetching, context) else { return false };
        if let Some(place) = damaged {
            context.shared.metrics.drop_sent(place, None);
        } else {
            context.shared.metrics.count_sent(context.now, frame.size);
        }
        if context.passes(StageSelection::RingMemoryController) {
            self.feed_fifo(context);
        } else {
            self.pool.give(context.now, frame.buffers);
        }
        self.sending.first_bit_next(context);
        true
    }

    /// The next single frame follows when the one before is through.
    pub fn after_single(&mut self, context: &mut Context<'_, '_>) {
        if let Some(next) = self.source.after_single(context.now) {
            context.events.at(next, Event::Request);
        }
    }

    /// The host may reuse the entries of a frame.
    pub fn free_entries(&mut self, settings: &Settings) {
        self.entries -= settings.host.segments;
    }

    /// The host interface alone always has two frames to read.
    fn feed_reads(&mut self, context: &mut Context<'_, '_>) {
        while self.fetching.frames() < AWAITING_DATA {
            let size = self.source.size();
            let frame = self.begin(size, 0, context);
            self.fetching.begin(frame, context);
        }
    }

    /// The ring memory controller alone always has two frames in packet memory to send.
    fn feed_fifo(&mut self, context: &mut Context<'_, '_>) {
        while self.sending.frames() < 2 {
            let size = self.source.size();
            let frame = self.begin(size, 0, context);
            self.moved(frame, context);
        }
    }
}

/// Time of a frame's data reads one after the other on an idle bus.
fn unloaded_reads(settings: &Settings, size: u32) -> Duration {
    cycles(u64::from(settings.host.hexawords(size)) * read_cycles(settings.bus.access))
}

/// The latency budget of a frame whose first bit leaves now.
fn spent(frame: &Sent, context: &Context<'_, '_>) -> LatencyBudget {
    let (settings, stages) = (context.settings, &context.settings.stages);
    let entries = cycles(u64::from(settings.host.segments) * read_cycles(settings.bus.access));
    let entry = (frame.entered - frame.begun).min(entries);
    let data = (frame.fetched - frame.entered).min(unloaded_reads(settings, frame.size));
    let mut latency = LatencyBudget::new(frame.begun);
    latency.account(Component::BusAndMemory, frame.begun + entry + data);
    latency.account(Component::WaitingForBus, frame.fetched);
    latency.account(Component::WaitingForControl, frame.taken_up);
    latency.account(Component::Control, frame.moved);
    let out = frame.moved + stages.ring_memory_latency + stages.chip_set_latency;
    latency.account(Component::RingMemory, out.min(context.now));
    latency.account(Component::WaitingForRing, context.now);
    latency
}

rekey_fields!(Transmitting { source });
