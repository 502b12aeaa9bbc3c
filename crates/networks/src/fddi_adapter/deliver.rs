//! The data stage of the receive channel: hexawords from packet memory through staging buffers to the host.

use std::collections::VecDeque;

use sojourn_core::Time;

use super::bus::cycles;
use super::event::{Event, Events};
use super::frame::Received;
use super::interface::{ENTRY_WRITE_CYCLES, WRITE_CYCLES, Work};
use super::metrics::{Component, Place};
use super::settings::StageSelection;
use super::world::Adapter;

/// A frame whose data are being written.
#[derive(Clone, Debug)]
pub struct Delivery {
    frame: Received,
    /// Hexawords of it, those that the bus was asked for, and those written.
    hexawords: u32,
    asked: u32,
    written: u32,
}

/// The staging buffers of the receive channel, of the frame that is being written.
#[derive(Clone, Debug, Default)]
pub struct Staging {
    /// When the hexawords are there that the bus was not yet asked for.
    ready: VecDeque<Time>,
    /// Hexawords brought in so far.
    brought: u32,
    /// The instant an event was scheduled for.
    wake: Option<Time>,
}

impl Adapter<'_> {
    /// The control stage has finished a frame; its data follow.
    pub(super) fn hand_over(&mut self, now: Time, frame: Received, events: &mut Events) {
        let hexawords = self.settings.host.hexawords(frame.size);
        self.receive.deliveries.push_back(Delivery { frame, hexawords, asked: 0, written: 0 });
        if self.receive.deliveries.len() == 1 {
            self.begin_delivery(now, events);
        }
    }

    /// Stages a frame's first hexawords while the control stage has it: when they are there.
    pub(super) fn stage_ahead(&mut self, now: Time, size: u32) -> Time {
        let stages = &self.settings.stages;
        let ahead = self.settings.host.hexawords(size).min(stages.staging);
        self.staging_port.serve(now, stages.burst_time.times(u64::from(ahead)))
    }

    fn begin_delivery(&mut self, now: Time, events: &mut Events) {
        let delivery = &self.receive.deliveries[0];
        let ahead = delivery.hexawords.min(self.settings.stages.staging);
        let ready = delivery.frame.staged;
        self.staging.ready.clear();
        self.staging.ready.extend((0..ahead).map(|_| ready));
        self.staging.brought = ahead;
        self.receive.writing.begin(now);
        self.write_next(now, events);
    }

    /// Asks for the bus, if a hexaword is staged and none waits already.
    pub(super) fn write_next(&mut self, now: Time, events: &mut Events) {
        if self.interface.wants(Work::DataWrite) {
            return;
        }
        let Some(&ready) = self.staging.ready.front() else { return };
        if ready > now {
            if self.staging.wake != Some(ready) {
                self.staging.wake = Some(ready);
                events.at(ready, Event::Staged);
            }
            return;
        }
        self.staging.ready.pop_front();
        self.receive.deliveries[0].asked += 1;
        self.want(now, Work::DataWrite, events);
    }

    /// A hexaword has been written: its buffer is free for another one.
    pub(super) fn data_written(&mut self, now: Time, events: &mut Events) {
        let delivery = &mut self.receive.deliveries[0];
        delivery.written += 1;
        if delivery.written == delivery.hexawords {
            return self.delivered(now, events);
        }
        if self.staging.brought < delivery.hexawords {
            self.staging.brought += 1;
            self.staging.ready.push_back(self.staging_port.serve(now, self.settings.stages.burst_time));
        }
        self.write_next(now, events);
    }

    fn delivered(&mut self, now: Time, events: &mut Events) {
        let done = self.receive.deliveries.pop_front().expect("a frame is being written").frame;
        self.receive.writing.end(now);
        self.received(now, done, events);
        if !self.receive.deliveries.is_empty() {
            self.begin_delivery(now, events);
        }
    }

    /// A frame is delivered to the host.
    pub(super) fn received(&mut self, now: Time, frame: Received, events: &mut Events) {
        let parts = self.spent_receiving(now, &frame);
        self.measures.deliver_received(now, frame.size, frame.last_bit, parts);
        if self.settings.traffic.stages == StageSelection::HostInterface {
            return self.feed_interface(now, events);
        }
        self.receive.pool.give(now, frame.buffers);
        if self.settings.traffic.stages == StageSelection::Adapter {
            self.receive.descriptors.post();
            self.fetch_descriptors(now, false, events);
            self.start_control(now, events);
        }
        self.after_single_received(now, events);
    }

    /// The host has no buffer for a frame that the control stage has finished.
    pub(super) fn drop_at_host(&mut self, now: Time, frame: Received, events: &mut Events) {
        self.receive.pool.give(now, frame.buffers);
        self.measures.drop_received(now, Place::HostBuffers);
        self.fetch_descriptors(now, true, events);
        self.after_single_received(now, events);
    }

    /// Where a frame's time went.
    fn spent_receiving(&self, now: Time, frame: &Received) -> Component {
        let on_bus = now - frame.moved;
        let entry = frame.handed_over.since(frame.moved).min(cycles(ENTRY_WRITE_CYCLES));
        let hexawords = u64::from(self.settings.host.hexawords(frame.size));
        let data = (now - frame.handed_over).min(cycles(WRITE_CYCLES + 5 * (hexawords - 1)));
        Component {
            storing: frame.stored.since(frame.last_bit),
            parsing: frame.parsed - frame.stored,
            waiting_for_control: frame.taken_up - frame.parsed,
            control: frame.moved - frame.taken_up,
            bus_and_memory: entry + data,
            waiting_for_bus: on_bus - entry - data,
            ..Component::default()
        }
    }

    /// The host interface alone always has two frames to move.
    pub(super) fn feed_interface(&mut self, now: Time, events: &mut Events) {
        while self.receive.deliveries.len() < 2 {
            let size = self.receive.source.size();
            self.measures.received += 1;
            let staged = self.stage_ahead(now, size);
            let frame = Received {
                size,
                buffers: 0,
                last_bit: now,
                stored: now,
                parsed: now,
                taken_up: now,
                has_host_buffer: true,
                moved: now,
                staged,
                handed_over: now,
            };
            self.hand_over(now, frame, events);
        }
    }
}
