//! Information received, and how it is acknowledged.

use std::collections::VecDeque;

use super::circuit::Circuit;
use super::context::Context;
use super::counters::Counter;
use super::output::{Output, Purpose};
use super::sending::Fragment;
use super::settings::{AcknowledgeStart, EarlyAcknowledge, NakPolicy};
use super::timers::Timer;
use crate::StreamData;
use crate::netrom::wire::{Body, Flow};

/// The receiving half of a circuit.
#[derive(Debug)]
pub(super) struct Receiving<D> {
    /// TX sequence number expected next.
    expected: u8,
    /// Packets received in sequence and not acknowledged.
    pub(super) unacknowledged: u8,
    /// Packets received out of sequence, with their numbers.
    reorder_buffer: Vec<(u8, Fragment<D>)>,
    /// A NAK for the packet expected next has been sent.
    nak_sent: bool,
    /// The peer is choked, or is about to be.
    pub(super) choking: bool,
    /// Octets of each packet delivered and not consumed, oldest first.
    pub(super) backlog: VecDeque<u16>,
}

impl<D> Receiving<D> {
    pub const fn new() -> Self {
        let backlog = VecDeque::new();
        Receiving {
            expected: 0,
            unacknowledged: 0,
            reorder_buffer: Vec::new(),
            nak_sent: false,
            choking: false,
            backlog,
        }
    }

    /// The RX sequence number of packets sent: the number expected next.
    pub const fn expected(&self) -> u8 {
        self.expected
    }

    /// Whether the peer is choked.
    pub const fn chokes(&self) -> bool {
        self.choking
    }
}

impl<D: StreamData> Circuit<D> {
    /// An information packet was received.
    pub fn information(&mut self, context: &mut Context<'_, D>, tx_sequence: u8, fragment: Fragment<D>) {
        let transport = &context.settings.transport;
        self.active(context);
        if self.receiving.choking && transport.choke.drops {
            context.count(Counter::InformationDropped);
            return self.delay_acknowledgement(context, AcknowledgeStart::Restart);
        }
        let ahead = transport.modulus.distance(self.receiving.expected, tx_sequence);
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
        self.deliver(context, fragment);
        context.count(Counter::InformationReceived);
        while let Some(index) =
            self.receiving.reorder_buffer.iter().position(|(number, _)| *number == self.receiving.expected)
        {
            let (_, fragment) = self.receiving.reorder_buffer.swap_remove(index);
            self.deliver(context, fragment);
        }
        self.choke_if_needed(context);
        let transport = &context.settings.transport;
        let enough = match transport.early_acknowledge {
            EarlyAcknowledge::None => false,
            EarlyAcknowledge::Half => 2 * self.receiving.unacknowledged >= self.window && !self.is_congested(context),
            EarlyAcknowledge::Full => self.receiving.unacknowledged >= self.window,
        };
        if self.receiving.unacknowledged == 0 {
            // an immediate choke has acknowledged it
        } else if enough {
            self.acknowledge(context);
        } else {
            self.delay_acknowledgement(context, transport.acknowledge_start);
        }
    }

    fn deliver(&mut self, context: &mut Context<'_, D>, fragment: Fragment<D>) {
        let receiving = &mut self.receiving;
        receiving.expected = context.settings.transport.modulus.after(receiving.expected, 1);
        receiving.unacknowledged = receiving.unacknowledged.saturating_add(1);
        receiving.nak_sent = false;
        receiving.backlog.push_back(u16::try_from(fragment.data.length()).unwrap_or(u16::MAX));
        context.emit(Output::Deliver { circuit: self.id, data: fragment.data, more: fragment.more });
    }

    fn out_of_sequence(&mut self, context: &mut Context<'_, D>, tx_sequence: u8, fragment: Fragment<D>) {
        let transport = &context.settings.transport;
        let known = self.receiving.reorder_buffer.iter().any(|(number, _)| *number == tx_sequence);
        if known || !transport.buffers_out_of_order {
            context.count(Counter::InformationDropped);
        } else {
            context.count(Counter::InformationReceived);
            self.receiving.reorder_buffer.push((tx_sequence, fragment));
        }
        match transport.nak {
            NakPolicy::Immediate if !self.receiving.choking && !self.receiving.nak_sent => {
                self.receiving.nak_sent = true;
                self.send_acknowledgement(context, true);
            }
            NakPolicy::Immediate | NakPolicy::Never => {}
            NakPolicy::WithAcknowledgement => self.delay_acknowledgement(context, transport.acknowledge_start),
        }
    }

    /// Starts the acknowledgement delay.
    pub fn delay_acknowledgement(&mut self, context: &Context<'_, D>, start: AcknowledgeStart) {
        if start == AcknowledgeStart::First && self.timers.runs(Timer::Acknowledge) {
            return;
        }
        let transport = &context.settings.transport;
        let backlog = self.receiving.backlog.len() as u64;
        let beyond = backlog.saturating_sub(u64::from(self.window / 2)).max(1);
        let times = if transport.delay_grows_with_backlog { beyond } else { 1 };
        self.timers.set(Timer::Acknowledge, context.expiry(transport.acknowledge_delay.times(times)));
    }

    /// The acknowledgement delay expired.
    pub fn acknowledge_due(&mut self, context: &mut Context<'_, D>) {
        self.choke_if_window_full(context);
        self.acknowledge(context);
    }

    /// Acknowledges the packets received in sequence, and chokes or releases the peer.
    pub fn acknowledge(&mut self, context: &mut Context<'_, D>) {
        let gap = !self.receiving.reorder_buffer.is_empty() && !self.receiving.choking;
        self.send_acknowledgement(context, gap && context.settings.transport.nak == NakPolicy::WithAcknowledgement);
    }

    fn send_acknowledgement(&mut self, context: &mut Context<'_, D>, nak: bool) {
        self.acknowledgement_sent();
        let flow = Flow { choke: self.receiving.choking, nak };
        let body = Body::InformationAcknowledge { circuit: self.peer, rx_sequence: self.receiving.expected, flow };
        context.count(if nak { Counter::NaksSent } else { Counter::AcknowledgementsSent });
        context.send(self.node, body, Purpose::Acknowledgement);
    }

    /// A packet with the latest RX sequence number was sent.
    pub fn acknowledgement_sent(&mut self) {
        self.receiving.unacknowledged = 0;
        self.timers.stop(Timer::Acknowledge);
    }
}
