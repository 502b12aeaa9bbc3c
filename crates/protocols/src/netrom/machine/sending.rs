//! Information sent, until it is acknowledged.

use std::collections::VecDeque;

use super::circuit::{Circuit, State};
use super::context::Context;
use super::counters::Counter;
use super::output::{Output, Purpose};
use super::settings::{Modulus, Retransmit};
use super::timers::Timer;
use crate::StreamData;
use crate::netrom::wire::{Body, Flow};

/// The user data of one packet: a message, or a fragment of one.
#[derive(Clone, Debug)]
pub(super) struct Fragment<D> {
    pub data: D,
    /// More follows: the next packet continues the message.
    pub more: bool,
}

/// The sending half of a circuit.
#[derive(Debug)]
pub(super) struct Sending<D> {
    /// Unacknowledged packets, oldest first.
    queue: VecDeque<Fragment<D>>,
    /// TX sequence number of the oldest.
    first: u8,
    /// Packets in flight; 0 again when a window is to be retransmitted.
    flight: u8,
    /// Packets sent at least once; only those may be acknowledged.
    sent: u8,
    /// The peer has choked this sender.
    choked: bool,
    /// The send queue was full and the user waits for room.
    full: bool,
}

impl<D> Sending<D> {
    pub const fn new() -> Self {
        Sending { queue: VecDeque::new(), first: 0, flight: 0, sent: 0, choked: false, full: false }
    }

    /// Whether all data are acknowledged.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Unacknowledged packets, sent or not.
    pub fn outstanding(&self) -> usize {
        self.queue.len()
    }

    /// Drops all packets; returns their number.
    pub fn clear(&mut self) -> u32 {
        (self.flight, self.sent) = (0, 0);
        self.queue.drain(..).count() as u32
    }

    /// Whether the send queue is below its limit.
    pub fn has_room(&self, limit: u16) -> bool {
        self.queue.len() < usize::from(limit)
    }

    /// Removes the packets before `rx_sequence` if all were sent; returns their number.
    fn acknowledge(&mut self, modulus: Modulus, rx_sequence: u8) -> u8 {
        let count = modulus.distance(self.first, rx_sequence);
        if count > self.sent {
            return 0;
        }
        self.queue.drain(..usize::from(count));
        self.first = rx_sequence & modulus.largest();
        self.flight = self.flight.saturating_sub(count);
        self.sent -= count;
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
            self.sending.queue.push_back(Fragment { data: data.slice(start, end), more: end < length });
            start = end;
            if start == length {
                break;
            }
        }
        self.sending.full = !self.sending.has_room(context.settings.transport.send_queue_limit);
        self.transmit_window(context);
    }

    /// Transmits what the window allows.
    pub fn transmit_window(&mut self, context: &mut Context<'_, D>) {
        if self.state != State::Open || self.sending.choked {
            return;
        }
        while self.sending.flight < self.window && usize::from(self.sending.flight) < self.sending.queue.len() {
            self.transmit(context, self.sending.flight);
            self.sending.flight += 1;
        }
        if self.sending.flight > 0 && !self.timers.runs(Timer::Retransmit) {
            self.start_timeout(context);
        }
    }

    /// Takes the RX sequence number and the flow control flags of a received packet.
    pub fn acknowledged(&mut self, context: &mut Context<'_, D>, rx_sequence: u8, flow: Flow) {
        let packets = self.sending.acknowledge(context.settings.transport.modulus, rx_sequence);
        if packets > 0 {
            self.retries = 0;
            context.emit(Output::Acknowledged { circuit: self.id, packets });
            self.timers.stop(Timer::Retransmit);
            if self.sending.full && self.sending.has_room(context.settings.transport.send_queue_limit) {
                self.sending.full = false;
                context.emit(Output::HasRoom { circuit: self.id });
            }
        }
        self.set_choked(context, flow.choke);
        if flow.nak && !flow.choke && self.sending.flight > 0 {
            self.transmit(context, 0);
        }
        self.transmit_window(context);
        self.close_if_finished(context);
    }

    /// Retransmits after a timeout.
    pub fn retransmit(&mut self, context: &mut Context<'_, D>) {
        match context.settings.transport.retransmit {
            Retransmit::All => self.sending.flight = 0,
            Retransmit::Oldest if self.sending.flight > 0 => self.transmit(context, 0),
            Retransmit::Oldest => {}
        }
        self.transmit_window(context);
    }

    /// The peer chokes, chokes again or releases.
    fn set_choked(&mut self, context: &mut Context<'_, D>, choked: bool) {
        let before = std::mem::replace(&mut self.sending.choked, choked);
        if choked {
            self.timers.stop(Timer::Retransmit);
            self.timers.set(Timer::Choke, context.expiry(context.settings.transport.choke_timeout));
            if context.settings.transport.rewinds_when_choked {
                self.sending.flight = 0;
            }
        } else {
            self.timers.stop(Timer::Choke);
        }
        if before != choked {
            context.emit(Output::Choked { circuit: self.id, choked });
        }
    }

    /// The choke timeout expired: resumes without release.
    pub fn choke_timed_out(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::ChokeTimeouts);
        self.set_choked(context, false);
        self.transmit_window(context);
    }

    /// Transmits the packet at this index of the queue.
    fn transmit(&mut self, context: &mut Context<'_, D>, index: u8) {
        let modulus = context.settings.transport.modulus;
        let again = index < self.sending.sent;
        self.sending.sent = self.sending.sent.max(index + 1);
        let fragment = &self.sending.queue[usize::from(index)];
        let body = Body::Information {
            circuit: self.peer,
            tx_sequence: modulus.after(self.sending.first, index),
            rx_sequence: self.receiving.expected(),
            flow: Flow { choke: self.receiving.chokes(), nak: false },
            more: fragment.more,
            data: fragment.data.clone(),
        };
        self.acknowledgement_sent();
        self.active(context);
        let (counter, purpose) = match again {
            false => (Counter::InformationSent, Purpose::Information),
            true => (Counter::InformationResent, Purpose::Retransmission),
        };
        context.count(counter);
        context.send(self.node, body, purpose);
    }
}
