//! The send stage, from packet memory to the ring: the ring memory controller fills the transmit FIFO, the ring
//! drains it.

use std::collections::VecDeque;

use sojourn_core::{Duration, Time};

use super::context::Context;
use super::event::Event;
use super::fetch::Fetching;
use super::fifo::{BURST, Fifo};
use super::frame::Sent;
use super::metrics::Place;
use super::ring::ADAPTER;

/// The ring side of the transmit direction.
#[derive(Clone, Debug)]
pub struct Sending {
    /// Bursts between packet memory and the ring.
    pub fifo: Fifo,
    /// Frames on the ring's side, in order; the first may be on the fibre.
    queue: VecDeque<Sent>,
    /// Which of them is being loaded, and how many of its bytes are.
    loading: usize,
    loaded: u32,
    line: Line,
    /// Whether the fibre is interrupted, as events decide.
    is_down: bool,
    /// Whether the first frame waits for the token.
    offered: bool,
}

/// What the fibre does with the first frame.
#[derive(Clone, Copy, Debug)]
enum Line {
    /// It waits for its first burst.
    Idle,
    /// Its first bit leaves when the adapter and the ring are ready.
    Waiting,
    /// In transmission since `begin`.
    Sending { begin: Time, bytes: u32, damaged: Option<Place> },
}

impl Sending {
    /// Nothing to send.
    pub fn new(bursts: usize, warm_up: Time) -> Self {
        let fifo = Fifo::new(bursts, warm_up);
        Sending {
            fifo,
            queue: VecDeque::new(),
            loading: 0,
            loaded: 0,
            line: Line::Idle,
            is_down: false,
            offered: false,
        }
    }

    /// Frames on the ring's side that have not left.
    #[inline]
    pub fn frames(&self) -> usize {
        self.queue.len()
    }

    /// A frame has been moved to the ring's side.
    pub fn push(&mut self, frame: Sent) {
        self.queue.push_back(frame);
    }

    /// Loses all frames; each with whether its first bit had left.
    pub fn clear(&mut self, now: Time) -> Vec<(Sent, bool)> {
        let on_fibre = matches!(self.line, Line::Sending { .. });
        self.fifo.clear(now);
        (self.loading, self.loaded, self.line, self.offered) = (0, 0, Line::Idle, false);
        self.queue.drain(..).enumerate().map(|(place, frame)| (frame, place == 0 && on_fibre)).collect()
    }

    /// The fibre is interrupted: the frame on it is spoilt, and no other leaves. The first frame may have had the token.
    pub fn interrupt(&mut self, had_token: bool) {
        self.is_down = true;
        match &mut self.line {
            Line::Sending { damaged, .. } => *damaged = Some(Place::Ring),
            // one that had the token, and whose first bit was about to leave, asks for it again
            Line::Waiting => self.offered &= !had_token,
            Line::Idle => {}
        }
    }

    /// The fibre carries light again: the frame that waits may leave.
    pub fn resume(&mut self, context: &mut Context<'_, '_>) {
        let was_down = std::mem::replace(&mut self.is_down, false);
        if was_down && matches!(self.line, Line::Waiting) && !self.offered {
            context.events.at(self.queue[0].earliest.max(context.now), Event::ReadyToSend);
        }
    }

    /// Loads bursts into the FIFO, as far as there is room and data.
    pub fn load(&mut self, fetching: &Fetching, context: &mut Context<'_, '_>) {
        let (now, stages) = (context.now, &context.settings.stages);
        while let Some(frame) = self.queue.get_mut(self.loading) {
            let last = self.loaded + BURST >= frame.size;
            let needed = if last { frame.size } else { self.loaded + BURST };
            if !self.fifo.has_room() || !fetching.has(frame, needed) {
                return;
            }
            let first = self.loaded == 0;
            let work = stages.burst_time + if first { stages.descriptor_time } else { Duration::ZERO };
            let through = context.shared.ring_memory.serve(now, work);
            self.fifo.push(now, through);
            if first {
                frame.earliest = through.max(now + stages.ring_memory_latency) + stages.chip_set_latency;
            }
            (self.loading, self.loaded) = if last { (self.loading + 1, 0) } else { (self.loading, needed) };
            if first {
                self.first_bit_next(context);
            }
        }
    }

    /// Waits for the first frame's first bit, if it is loaded and nothing is on the fibre.
    pub fn first_bit_next(&mut self, context: &mut Context<'_, '_>) {
        let has_begun = self.loading > 0 || self.loaded > 0;
        if matches!(self.line, Line::Idle) && has_begun {
            self.line = Line::Waiting;
            context.events.at(self.queue[0].earliest.max(context.now), Event::ReadyToSend);
        }
    }

    /// The first frame may leave as soon as the ring takes it; returns whether that is now.
    pub fn ready_to_send(&mut self, context: &mut Context<'_, '_>) -> bool {
        let (now, size) = (context.now, self.queue[0].size);
        if context.shared.ring.has_token() {
            self.offered = true;
            context.offer(now, ADAPTER, size);
            return false;
        }
        if self.is_down {
            return false;
        }
        let begin = context.shared.ring.reserve(now, size);
        if begin != now {
            context.events.at(begin, Event::FirstBit);
        }
        begin == now
    }

    /// The first frame's first bit leaves; returns the frame.
    pub fn first_bit(&mut self, context: &mut Context<'_, '_>) -> Sent {
        self.line = Line::Sending { begin: context.now, bytes: 0, damaged: None };
        self.offered = false;
        context.events.at(context.now + context.shared.ring.lasts(0), Event::Leaves);
        self.queue[0]
    }

    /// The fibre takes the next burst. Returns a frame that has left, and what has damaged it, if it is damaged: the FIFO ran
    /// empty, or the fibre was interrupted.
    pub fn leaves(&mut self, fetching: &Fetching, context: &mut Context<'_, '_>) -> Option<(Sent, Option<Place>)> {
        let (now, frame) = (context.now, self.queue[0]);
        let Line::Sending { begin, bytes, damaged } = &mut self.line else {
            unreachable!("bursts leave of a frame that is on the fibre")
        };
        if *bytes == frame.size {
            let damaged = *damaged;
            self.queue.pop_front();
            self.loading -= 1;
            self.line = Line::Idle;
            return Some((frame, damaged));
        }
        match self.fifo.oldest() {
            Some(through) if through <= now => {
                *bytes = (*bytes + BURST).min(frame.size);
                let next = (*begin + context.shared.ring.lasts(*bytes)).max(now);
                self.fifo.pop(now);
                context.events.at(next, Event::Leaves);
                self.load(fetching, context);
            }
            // underflow: the frame is spoilt, its rest leaves when it comes
            late => {
                *damaged = damaged.or(Some(Place::TransmitFifo));
                context.events.at(late.unwrap_or(now + context.shared.ring.lasts(BURST)), Event::Leaves);
            }
        }
        None
    }
}
