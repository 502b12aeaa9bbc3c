//! The data stage of the receive channel: moves hexawords from packet memory through staging buffers to the host.

use std::collections::VecDeque;

use sojourn_core::Time;

use super::context::Context;
use super::event::Event;
use super::frame::Received;
use super::interface::Work;
use super::meter::Busy;

/// A frame whose data are being written.
#[derive(Clone, Debug)]
struct Delivery {
    frame: Received,
    /// Hexawords of it, and those written.
    hexawords: u32,
    written: u32,
}

/// The data stage: frames to write, and the staging buffers of the frame that is being written.
#[derive(Clone, Debug)]
pub struct Delivering {
    /// The first of them is being written.
    frames: VecDeque<Delivery>,
    /// When hexawords of a frame are being written.
    pub writing: Busy,
    /// When the hexawords are there that the bus was not yet asked for.
    ready: VecDeque<Time>,
    /// Hexawords brought in so far.
    brought: u32,
    /// The instant an event was scheduled for.
    wake: Option<Time>,
}

impl Delivering {
    /// Nothing to write.
    pub fn new(writing: Busy) -> Self {
        Delivering { frames: VecDeque::new(), writing, ready: VecDeque::new(), brought: 0, wake: None }
    }

    /// Number of frames handed over and not yet written.
    #[inline]
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    /// Loses all frames: when the last bit of each had come.
    pub fn clear(&mut self, now: Time) -> impl Iterator<Item = Time> + '_ {
        self.writing.end(now);
        self.ready.clear();
        (self.brought, self.wake) = (0, None);
        self.frames.drain(..).map(|delivery| delivery.frame.last_bit)
    }

    /// The control stage has finished a frame; its data follow.
    pub fn hand_over(&mut self, frame: Received, context: &mut Context<'_, '_>) {
        let hexawords = context.settings.host.hexawords(frame.size);
        self.frames.push_back(Delivery { frame, hexawords, written: 0 });
        if self.frames.len() == 1 {
            self.begin(context);
        }
    }

    /// Begins to write the first frame, if there is one.
    pub fn begin(&mut self, context: &mut Context<'_, '_>) {
        let Some(delivery) = self.frames.front() else { return };
        self.brought = delivery.hexawords.min(context.settings.stages.staging);
        self.ready.clear();
        self.ready.extend((0..self.brought).map(|_| delivery.frame.staged));
        self.writing.begin(context.now);
        self.write_next(context);
    }

    /// Asks for the bus, if a hexaword is staged and none waits already.
    pub fn write_next(&mut self, context: &mut Context<'_, '_>) {
        if context.shared.xmi.wants(Work::DataWrite) {
            return;
        }
        let Some(&ready) = self.ready.front() else { return };
        if ready > context.now {
            if self.wake != Some(ready) {
                self.wake = Some(ready);
                context.events.at(ready, Event::Staged);
            }
            return;
        }
        self.ready.pop_front();
        context.want(Work::DataWrite);
    }

    /// A hexaword has been written: its buffer is free for another one. Returns the frame that it was the last of.
    pub fn written(&mut self, context: &mut Context<'_, '_>) -> Option<Received> {
        let delivery = &mut self.frames[0];
        delivery.written += 1;
        if delivery.written == delivery.hexawords {
            self.writing.end(context.now);
            return self.frames.pop_front().map(|delivery| delivery.frame);
        }
        if self.brought < delivery.hexawords {
            self.brought += 1;
            self.ready.push_back(context.shared.staging_port.serve(context.now, context.settings.stages.burst_time));
        }
        self.write_next(context);
        None
    }
}

/// Stages a frame's first hexawords while the control stage has it: when they are there.
pub fn stage_ahead(size: u32, context: &mut Context<'_, '_>) -> Time {
    let stages = &context.settings.stages;
    let ahead = context.settings.host.hexawords(size).min(stages.staging);
    context.shared.staging_port.serve(context.now, stages.burst_time.times(u64::from(ahead)))
}
