//! Information received on a circuit: delivery, acknowledgement and flow control.

use super::{Circuit, State};
use crate::StreamData;
use crate::netrom::machine::context::Context;
use crate::netrom::machine::counters::Counter;
use crate::netrom::machine::output::{Output, Purpose, Refusal};
use crate::netrom::machine::send_window::Fragment;
use crate::netrom::machine::settings::{AcknowledgeStart, ChokeRelease, ChokeSignal, EarlyAcknowledge, NakPolicy};
use crate::netrom::machine::timers::Timer;
use crate::netrom::wire::{Body, Flow};

impl<D: StreamData> Circuit<D> {
    /// An information packet was received.
    pub fn information(&mut self, context: &mut Context<'_, D>, tx_sequence: u8, fragment: Fragment<D>) {
        let transport = &context.settings.transport;
        self.active(context);
        if self.backlog.choking && transport.choke.drops {
            context.count(Counter::InformationDropped);
            return self.delay_acknowledgement(context, AcknowledgeStart::Restart);
        }
        let ahead = transport.modulus.distance(self.receiver.expected(), tx_sequence);
        if ahead == 0 {
            self.in_sequence(context, fragment);
        } else if ahead < self.window {
            self.out_of_sequence(context, tx_sequence, fragment);
        } else {
            // a duplicate is acknowledged once more
            context.count(Counter::InformationDropped);
            self.delay_acknowledgement(context, AcknowledgeStart::First);
        }
    }

    fn in_sequence(&mut self, context: &mut Context<'_, D>, fragment: Fragment<D>) {
        context.count(Counter::InformationReceived);
        let mut next = Some(fragment);
        while let Some(fragment) = next {
            self.receiver.advance(context.settings.transport.modulus);
            self.backlog.push(fragment.data.length());
            context.emit(Output::Deliver { circuit: self.id, data: fragment.data, more: fragment.more });
            next = self.receiver.take_buffered();
        }
        self.choke_if_needed(context);
        let transport = &context.settings.transport;
        let unacknowledged = self.receiver.unacknowledged();
        let enough = match transport.early_acknowledge {
            EarlyAcknowledge::None => false,
            EarlyAcknowledge::Half => 2 * unacknowledged >= self.window && !self.is_congested(context),
            EarlyAcknowledge::Full => unacknowledged >= self.window,
        };
        if unacknowledged == 0 {
            // an immediate choke has acknowledged it
        } else if enough {
            self.acknowledge(context);
        } else {
            self.delay_acknowledgement(context, transport.acknowledge_start);
        }
    }

    fn out_of_sequence(&mut self, context: &mut Context<'_, D>, tx_sequence: u8, fragment: Fragment<D>) {
        let transport = &context.settings.transport;
        if self.receiver.is_buffered(tx_sequence) || !transport.buffers_out_of_order {
            context.count(Counter::InformationDropped);
        } else {
            context.count(Counter::InformationReceived);
            self.receiver.buffer(tx_sequence, fragment);
        }
        match transport.nak {
            NakPolicy::Immediate if !self.backlog.choking && self.receiver.request_missing() => {
                self.send_acknowledgement(context, true);
            }
            NakPolicy::Immediate | NakPolicy::Never => {}
            NakPolicy::WithAcknowledgement => self.delay_acknowledgement(context, transport.acknowledge_start),
        }
    }

    /// Starts the acknowledgement delay.
    fn delay_acknowledgement(&mut self, context: &Context<'_, D>, start: AcknowledgeStart) {
        if start == AcknowledgeStart::First && self.timers.runs(Timer::Acknowledge) {
            return;
        }
        let transport = &context.settings.transport;
        let beyond = (self.backlog.packets() as u64).saturating_sub(u64::from(self.window / 2)).max(1);
        let times = if transport.delay_grows_with_backlog { beyond } else { 1 };
        self.timers.set(Timer::Acknowledge, context.expiry(transport.acknowledge_delay.times(times)));
    }

    /// The acknowledgement delay expired. With [`ChokeSignal::AtFullWindow`] the choke is decided only now.
    pub(super) fn acknowledge_due(&mut self, context: &mut Context<'_, D>) {
        let decides = context.settings.transport.choke.signalled == ChokeSignal::AtFullWindow;
        let full_window = self.receiver.unacknowledged() >= self.window;
        if decides && !self.backlog.choking && full_window && self.is_congested(context) {
            self.choke(context);
        }
        self.acknowledge(context);
    }

    /// Acknowledges the packets received in sequence, and chokes or releases the peer.
    fn acknowledge(&mut self, context: &mut Context<'_, D>) {
        let gap = self.receiver.has_gap() && !self.backlog.choking;
        self.send_acknowledgement(context, gap && context.settings.transport.nak == NakPolicy::WithAcknowledgement);
    }

    fn send_acknowledgement(&mut self, context: &mut Context<'_, D>, nak: bool) {
        self.acknowledgement_sent();
        let flow = Flow { choke: self.backlog.choking, nak };
        let body = Body::InformationAcknowledge { circuit: self.peer, rx_sequence: self.receiver.expected(), flow };
        context.count(if nak { Counter::NaksSent } else { Counter::AcknowledgementsSent });
        context.send(self.node, body, Purpose::Acknowledgement);
    }

    /// A packet with the latest RX sequence number was sent.
    pub(super) fn acknowledgement_sent(&mut self) {
        self.receiver.acknowledged();
        self.timers.stop(Timer::Acknowledge);
    }

    /// The user has consumed packets.
    pub fn consumed(&mut self, context: &mut Context<'_, D>, packets: u16) -> Result<(), Refusal> {
        if !self.backlog.consume(packets) {
            return Err(Refusal::Consumed { consumed: packets, backlog: self.backlog.packets() as u32 });
        }
        self.release_if_possible(context);
        Ok(())
    }

    /// The backlog has shrunk, or buffers became free: releases the peer if the settings allow it.
    pub fn release_if_possible(&mut self, context: &mut Context<'_, D>) {
        if !self.backlog.choking || self.state != State::Open || !self.may_release(context) {
            return;
        }
        match context.settings.transport.choke.release {
            ChokeRelease::Immediate => {
                self.backlog.choking = false;
                self.acknowledge(context);
            }
            ChokeRelease::WithAcknowledgement => {
                self.backlog.choking = false;
                self.delay_acknowledgement(context, AcknowledgeStart::First);
            }
            // the next poll of the backlog will release it
            ChokeRelease::Poll(_) => {}
        }
    }

    /// The timer to poll the backlog expired.
    pub(super) fn poll_backlog(&mut self, context: &mut Context<'_, D>) {
        if self.may_release(context) {
            self.backlog.choking = false;
            self.acknowledge(context);
        } else {
            self.poll_later(context);
        }
    }

    /// Data were delivered: chokes the peer if the backlog exceeds the threshold.
    fn choke_if_needed(&mut self, context: &mut Context<'_, D>) {
        let choke = context.settings.transport.choke;
        if self.backlog.choking || !self.is_congested(context) {
            return;
        }
        let few_buffers = context.free_buffers < choke.min_free_buffers;
        match choke.signalled {
            ChokeSignal::AtFullWindow if !few_buffers => {}
            ChokeSignal::WithAcknowledgement if !few_buffers => self.choke(context),
            _ => {
                self.choke(context);
                self.acknowledge(context);
            }
        }
    }

    fn is_congested(&self, context: &Context<'_, D>) -> bool {
        self.backlog.is_congested(&context.settings.transport.choke, context.free_buffers)
    }

    fn may_release(&self, context: &Context<'_, D>) -> bool {
        self.backlog.may_release(&context.settings.transport.choke, context.free_buffers)
    }

    fn choke(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::Chokes);
        self.backlog.choking = true;
        self.poll_later(context);
    }

    fn poll_later(&mut self, context: &Context<'_, D>) {
        if let ChokeRelease::Poll(span) = context.settings.transport.choke.release {
            self.timers.set(Timer::PollBacklog, context.expiry(span));
        }
    }
}
