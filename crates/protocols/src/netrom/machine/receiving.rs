//! Information that comes in, and how it is acknowledged.

use std::collections::VecDeque;

use super::circuit::Circuit;
use super::context::Context;
use super::counters::Counter;
use super::output::{Output, Purpose};
use super::sending::Piece;
use super::settings::{AcknowledgeStart, EarlyAcknowledge, NakPolicy};
use super::timers::Timer;
use crate::StreamData;
use crate::netrom::wire::{Body, Flow};

/// The receiver's half of a circuit.
#[derive(Debug)]
pub(super) struct Receiving<D> {
    /// The number expected next.
    expected: u8,
    /// Packets in sequence that are not acknowledged.
    pub(super) owed: u8,
    /// Packets that came before their turn, with their numbers.
    early: Vec<(u8, Piece<D>)>,
    /// The packet expected next has been asked for.
    asked: bool,
    /// The other side is choked, or about to be told so.
    pub(super) choking: bool,
    /// Octets of each packet delivered and not consumed, oldest first.
    pub(super) backlog: VecDeque<u16>,
}

impl<D> Receiving<D> {
    pub const fn new() -> Self {
        let backlog = VecDeque::new();
        Receiving { expected: 0, owed: 0, early: Vec::new(), asked: false, choking: false, backlog }
    }

    /// The number expected next.
    pub const fn expected(&self) -> u8 {
        self.expected
    }

    /// Whether the other side is choked.
    pub const fn chokes(&self) -> bool {
        self.choking
    }
}

impl<D: StreamData> Circuit<D> {
    /// An information packet came in.
    pub fn information(&mut self, context: &mut Context<'_, D>, send: u8, piece: Piece<D>) {
        let transport = &context.settings.transport;
        self.active(context);
        if self.receiving.choking && transport.choke.drops {
            context.count(Counter::InformationDropped);
            return self.hold_acknowledgement(context, AcknowledgeStart::Restart);
        }
        let ahead = transport.modulus.distance(self.receiving.expected, send);
        if ahead == 0 {
            self.in_sequence(context, piece);
        } else if ahead < self.window {
            self.before_its_turn(context, send, piece);
        } else {
            // what came before is acknowledged once more
            context.count(Counter::InformationDropped);
            self.hold_acknowledgement(context, AcknowledgeStart::First);
        }
    }

    fn in_sequence(&mut self, context: &mut Context<'_, D>, piece: Piece<D>) {
        self.take(context, piece);
        context.count(Counter::InformationReceived);
        while let Some(place) = self.receiving.early.iter().position(|(send, _)| *send == self.receiving.expected) {
            let (_, piece) = self.receiving.early.swap_remove(place);
            self.take(context, piece);
        }
        self.choke_if_short(context);
        let transport = &context.settings.transport;
        let enough = match transport.early_acknowledge {
            EarlyAcknowledge::None => false,
            EarlyAcknowledge::Half => 2 * self.receiving.owed >= self.window && !self.is_short(context),
            EarlyAcknowledge::Full => self.receiving.owed >= self.window,
        };
        if self.receiving.owed == 0 {
            // a choke told at once has acknowledged it
        } else if enough {
            self.acknowledge(context);
        } else {
            self.hold_acknowledgement(context, transport.acknowledge_start);
        }
    }

    fn take(&mut self, context: &mut Context<'_, D>, piece: Piece<D>) {
        let receiving = &mut self.receiving;
        receiving.expected = context.settings.transport.modulus.after(receiving.expected, 1);
        receiving.owed = receiving.owed.saturating_add(1);
        receiving.asked = false;
        receiving.backlog.push_back(u16::try_from(piece.data.length()).unwrap_or(u16::MAX));
        context.emit(Output::Deliver { circuit: self.id, data: piece.data, more: piece.more });
    }

    fn before_its_turn(&mut self, context: &mut Context<'_, D>, send: u8, piece: Piece<D>) {
        let transport = &context.settings.transport;
        let known = self.receiving.early.iter().any(|(early, _)| *early == send);
        if known || !transport.buffers_out_of_order {
            context.count(Counter::InformationDropped);
        } else {
            context.count(Counter::InformationReceived);
            self.receiving.early.push((send, piece));
        }
        match transport.nak {
            NakPolicy::Immediate if !self.receiving.choking && !self.receiving.asked => {
                self.receiving.asked = true;
                self.answer(context, true);
            }
            NakPolicy::Immediate | NakPolicy::Never => {}
            NakPolicy::WithAcknowledgement => self.hold_acknowledgement(context, transport.acknowledge_start),
        }
    }

    /// An acknowledgement goes out after its delay.
    pub fn hold_acknowledgement(&mut self, context: &Context<'_, D>, start: AcknowledgeStart) {
        if start == AcknowledgeStart::First && self.timers.runs(Timer::Acknowledge) {
            return;
        }
        let transport = &context.settings.transport;
        let backlog = self.receiving.backlog.len() as u64;
        let beyond = backlog.saturating_sub(u64::from(self.window / 2)).max(1);
        let times = if transport.delay_grows_with_backlog { beyond } else { 1 };
        self.timers.set(Timer::Acknowledge, context.expiry(transport.acknowledge_delay.times(times)));
    }

    /// The delay of an acknowledgement has ended.
    pub fn acknowledge_due(&mut self, context: &mut Context<'_, D>) {
        self.choke_if_window_full(context);
        self.acknowledge(context);
    }

    /// Acknowledges what has come, and tells whether the other side is choked.
    pub fn acknowledge(&mut self, context: &mut Context<'_, D>) {
        let gap = !self.receiving.early.is_empty() && !self.receiving.choking;
        self.answer(context, gap && context.settings.transport.nak == NakPolicy::WithAcknowledgement);
    }

    fn answer(&mut self, context: &mut Context<'_, D>, nak: bool) {
        self.acknowledged_now();
        let flow = Flow { choke: self.receiving.choking, nak };
        let body = Body::InformationAcknowledge { circuit: self.peer, rx_sequence: self.receiving.expected, flow };
        context.count(if nak { Counter::NaksSent } else { Counter::AcknowledgementsSent });
        context.send(self.node, body, Purpose::Acknowledgement);
    }

    /// A packet that goes out acknowledges all that came.
    pub fn acknowledged_now(&mut self) {
        self.receiving.owed = 0;
        self.timers.stop(Timer::Acknowledge);
    }
}
