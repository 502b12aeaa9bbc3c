//! Information that goes out, until it is acknowledged.

use std::collections::VecDeque;

use super::circuit::{Circuit, State};
use super::context::Context;
use super::counters::Counter;
use super::output::{Output, Purpose};
use super::settings::{Modulus, Retransmit};
use super::timers::Timer;
use crate::StreamData;
use crate::netrom::wire::{Body, Flow};

/// What goes into one packet.
#[derive(Clone, Debug)]
pub(super) struct Piece<D> {
    pub data: D,
    /// The message goes on with the next.
    pub more: bool,
}

/// The sender's half of a circuit.
#[derive(Debug)]
pub(super) struct Sending<D> {
    /// Not acknowledged, oldest first.
    queue: VecDeque<Piece<D>>,
    /// The number of the oldest.
    first: u8,
    /// How many of them are under way.
    flight: u8,
    /// How many have been sent once at least; those may be acknowledged.
    ever: u8,
    /// The other side takes nothing.
    choked: bool,
    /// The user waits for room.
    full: bool,
}

impl<D> Sending<D> {
    pub const fn new() -> Self {
        Sending { queue: VecDeque::new(), first: 0, flight: 0, ever: 0, choked: false, full: false }
    }

    /// Whether all is acknowledged.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Packets not acknowledged.
    pub fn outstanding(&self) -> usize {
        self.queue.len()
    }

    /// Drops all; how many packets that were.
    pub fn clear(&mut self) -> u32 {
        (self.flight, self.ever) = (0, 0);
        self.queue.drain(..).count() as u32
    }

    /// Whether a message may enter.
    pub fn has_room(&self, admission: u16) -> bool {
        self.queue.len() < usize::from(admission)
    }

    /// Takes what is before `receive` out, if the other side can have it; how many packets that were.
    fn acknowledge(&mut self, modulus: Modulus, receive: u8) -> u8 {
        let count = modulus.distance(self.first, receive);
        if count > self.ever {
            return 0;
        }
        self.queue.drain(..usize::from(count));
        self.first = receive & modulus.largest();
        self.flight = self.flight.saturating_sub(count);
        self.ever -= count;
        count
    }
}

impl<D: StreamData> Circuit<D> {
    /// The user sends a message.
    pub fn send(&mut self, context: &mut Context<'_, D>, data: &D) {
        let limit = usize::from(context.settings.transport.information_limit);
        let length = data.length();
        let mut start = 0;
        loop {
            let end = length.min(start + limit);
            self.sending.queue.push_back(Piece { data: data.slice(start, end), more: end < length });
            start = end;
            if start == length {
                break;
            }
        }
        self.sending.full = !self.sending.has_room(context.settings.transport.send_queue_limit);
        self.go_on(context);
    }

    /// Sends what the window allows.
    pub fn go_on(&mut self, context: &mut Context<'_, D>) {
        if self.state != State::Open || self.sending.choked {
            return;
        }
        while self.sending.flight < self.window && usize::from(self.sending.flight) < self.sending.queue.len() {
            self.transmit(context, self.sending.flight);
            self.sending.flight += 1;
        }
        if self.sending.flight > 0 && !self.timers.runs(Timer::Answer) {
            self.await_answer(context);
        }
    }

    /// The other side says what it has, and whether it chokes.
    pub fn heard(&mut self, context: &mut Context<'_, D>, receive: u8, flow: Flow) {
        let packets = self.sending.acknowledge(context.settings.transport.modulus, receive);
        if packets > 0 {
            self.repeated = 0;
            context.emit(Output::Acknowledged { circuit: self.id, packets });
            self.timers.stop(Timer::Answer);
            if self.sending.full && self.sending.has_room(context.settings.transport.send_queue_limit) {
                self.sending.full = false;
                context.emit(Output::HasRoom { circuit: self.id });
            }
        }
        self.set_choked(context, flow.choke);
        if flow.nak && !flow.choke && self.sending.flight > 0 {
            self.transmit(context, 0);
        }
        self.go_on(context);
        self.close_if_finished(context);
    }

    /// The answer did not come: once more.
    pub fn repeat(&mut self, context: &mut Context<'_, D>) {
        match context.settings.transport.retransmit {
            Retransmit::All => self.sending.flight = 0,
            Retransmit::Oldest if self.sending.flight > 0 => self.transmit(context, 0),
            Retransmit::Oldest => {}
        }
        self.go_on(context);
    }

    /// The other side chokes, chokes again or releases.
    fn set_choked(&mut self, context: &mut Context<'_, D>, choked: bool) {
        let before = std::mem::replace(&mut self.sending.choked, choked);
        if choked {
            self.timers.stop(Timer::Answer);
            self.timers.set(Timer::Busy, context.expiry(context.settings.transport.choke_timeout));
            if context.settings.transport.rewinds_when_choked {
                self.sending.flight = 0;
            }
        } else {
            self.timers.stop(Timer::Busy);
        }
        if before != choked {
            context.emit(Output::Choked { circuit: self.id, choked });
        }
    }

    /// The release did not come: go on without.
    pub fn waited_enough(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::ChokeTimeouts);
        self.set_choked(context, false);
        self.go_on(context);
    }

    /// Sends the packet at this place of the queue.
    fn transmit(&mut self, context: &mut Context<'_, D>, place: u8) {
        let modulus = context.settings.transport.modulus;
        let again = place < self.sending.ever;
        self.sending.ever = self.sending.ever.max(place + 1);
        let piece = &self.sending.queue[usize::from(place)];
        let body = Body::Information {
            circuit: self.peer,
            tx_sequence: modulus.after(self.sending.first, place),
            rx_sequence: self.receiving.expected(),
            flow: Flow { choke: self.receiving.chokes(), nak: false },
            more: piece.more,
            data: piece.data.clone(),
        };
        self.acknowledged_now();
        self.active(context);
        let (counter, purpose) = match again {
            false => (Counter::InformationSent, Purpose::Information),
            true => (Counter::InformationResent, Purpose::Retransmission),
        };
        context.count(counter);
        context.send(self.node, body, purpose);
    }
}
