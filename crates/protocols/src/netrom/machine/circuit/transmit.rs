//! Information sent on a circuit: queue, transmission and retransmission until it is acknowledged.

use super::{Circuit, State};
use crate::StreamData;
use crate::netrom::machine::context::Context;
use crate::netrom::machine::counters::Counter;
use crate::netrom::machine::output::{Output, Purpose};
use crate::netrom::machine::send_window::Due;
use crate::netrom::machine::settings::Retransmit;
use crate::netrom::machine::timers::Timer;
use crate::netrom::wire::{Body, Flow};

impl<D: StreamData> Circuit<D> {
    /// The user sends a message.
    pub fn send(&mut self, context: &mut Context<'_, D>, data: &D) {
        let transport = &context.settings.transport;
        self.sender.push(data, usize::from(transport.information_limit));
        self.sender.full = !self.sender.has_room(transport.send_queue_limit);
        self.transmit_window(context);
    }

    /// Transmits what the window allows.
    pub(super) fn transmit_window(&mut self, context: &mut Context<'_, D>) {
        if self.state != State::Open || self.sender.choked {
            return;
        }
        let modulus = context.settings.transport.modulus;
        while let Some(due) = self.sender.next_due(modulus, self.window) {
            self.transmit(context, due);
        }
        if self.sender.in_flight() > 0 && !self.timers.runs(Timer::Retransmit) {
            self.start_timeout(context);
        }
    }

    /// Takes the RX sequence number and the flow control flags of a received packet.
    pub fn acknowledged(&mut self, context: &mut Context<'_, D>, rx_sequence: u8, flow: Flow) {
        let transport = &context.settings.transport;
        let packets = self.sender.acknowledge(transport.modulus, rx_sequence);
        if packets > 0 {
            self.retries = 0;
            context.emit(Output::Acknowledged { circuit: self.id, packets });
            self.timers.stop(Timer::Retransmit);
            if self.sender.full && self.sender.has_room(transport.send_queue_limit) {
                self.sender.full = false;
                context.emit(Output::HasRoom { circuit: self.id });
            }
        }
        self.set_choked(context, flow.choke);
        if flow.nak && !flow.choke {
            self.retransmit_oldest(context);
        }
        self.transmit_window(context);
        self.close_if_finished(context);
    }

    /// Retransmits after a timeout.
    pub(super) fn retransmit(&mut self, context: &mut Context<'_, D>) {
        match context.settings.transport.retransmit {
            Retransmit::All => self.sender.rewind(),
            Retransmit::Oldest => self.retransmit_oldest(context),
        }
        self.transmit_window(context);
    }

    fn retransmit_oldest(&mut self, context: &mut Context<'_, D>) {
        if let Some(due) = self.sender.oldest(context.settings.transport.modulus) {
            self.transmit(context, due);
        }
    }

    /// The peer chokes, chokes again or releases.
    fn set_choked(&mut self, context: &mut Context<'_, D>, choked: bool) {
        let before = std::mem::replace(&mut self.sender.choked, choked);
        if choked {
            self.timers.stop(Timer::Retransmit);
            self.timers.set(Timer::Choke, context.expiry(context.settings.transport.choke_timeout));
            if context.settings.transport.rewinds_when_choked {
                self.sender.rewind();
            }
        } else {
            self.timers.stop(Timer::Choke);
        }
        if before != choked {
            context.emit(Output::Choked { circuit: self.id, choked });
        }
    }

    /// The choke timeout expired: resumes without release.
    pub(super) fn choke_timed_out(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::ChokeTimeouts);
        self.set_choked(context, false);
        self.transmit_window(context);
    }

    fn transmit(&mut self, context: &mut Context<'_, D>, due: Due<D>) {
        let Due { tx_sequence, fragment, retransmitted } = due;
        let body = Body::Information {
            circuit: self.peer,
            tx_sequence,
            rx_sequence: self.receiver.expected(),
            flow: Flow { choke: self.backlog.choking, nak: false },
            more: fragment.more,
            data: fragment.data,
        };
        self.acknowledgement_sent();
        self.active(context);
        let (counter, purpose) = match retransmitted {
            false => (Counter::InformationSent, Purpose::Information),
            true => (Counter::InformationResent, Purpose::Retransmission),
        };
        context.count(counter);
        context.send(self.node, body, purpose);
    }
}
