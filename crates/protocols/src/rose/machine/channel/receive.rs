//! Packets received on a channel.

use sojourn_core::Time;

use super::{Channel, ChannelEvent, Closing, State};
use crate::StreamData;
use crate::rose::machine::context::Context;
use crate::rose::machine::send_window::Unit;
use crate::rose::machine::settings::Significance;
use crate::rose::wire::{Body, Cause, Diagnostic, Packet};

impl<D: StreamData, E: Copy> Channel<D, E> {
    /// Handles a packet of the channel.
    pub fn receive(&mut self, context: &mut Context<'_, D>, packet: Packet<D>) -> ChannelEvent<D> {
        let Packet { q_bit, d_bit, body, .. } = packet;
        match (self.state, body) {
            (_, Body::ClearRequest { cause, diagnostic, facilities }) => {
                self.drop_data(context);
                if self.state == State::Clearing {
                    return ChannelEvent::Confirmed;
                }
                context.transmit(Body::ClearConfirmation);
                ChannelEvent::Cleared(Closing { cause, diagnostic, facilities })
            }
            (State::Clearing, Body::ClearConfirmation) => ChannelEvent::Confirmed,
            (State::Clearing, _) => ChannelEvent::Nothing,
            (State::CallSent, Body::CallAccepted) => {
                self.open(context);
                ChannelEvent::Accepted
            }
            (State::CallSent | State::CallReceived, _) => {
                ChannelEvent::ProcedureError(Diagnostic::INVALID_WHILE_CALLING)
            }
            (_, Body::ResetRequest { cause, diagnostic }) => self.reset_by_neighbour(context, cause, diagnostic),
            (State::Resetting, Body::ResetConfirmation) => {
                self.open(context);
                ChannelEvent::Progress
            }
            (State::Resetting, Body::Data { .. }) => {
                context.counters.lost += 1;
                ChannelEvent::Nothing
            }
            (State::Resetting, _) => ChannelEvent::Nothing,
            (State::Open, Body::Data { p_s, p_r, more, data }) => {
                let unit = Unit { data, more, q_bit, d_bit, origin: None };
                self.take_data(context, p_s, p_r, unit)
            }
            (State::Open, Body::ReceiveReady { p_r }) => self.supervised(context, p_r, false, false),
            (State::Open, Body::ReceiveNotReady { p_r }) => self.supervised(context, p_r, true, false),
            (State::Open, Body::Reject { p_r }) => self.supervised(context, p_r, false, true),
            (State::Open, Body::Interrupt(data)) => ChannelEvent::Interrupt(data),
            (State::Open, Body::InterruptConfirmation) => ChannelEvent::InterruptConfirmed,
            (State::Open, _) => ChannelEvent::ProcedureError(Diagnostic::INVALID_WHEN_CONNECTED),
        }
    }

    fn reset_by_neighbour(
        &mut self,
        context: &mut Context<'_, D>,
        cause: Cause,
        diagnostic: Diagnostic,
    ) -> ChannelEvent<D> {
        if self.state == State::Resetting {
            // reset collision: each end takes the other's request as confirmation
            self.open(context);
            return ChannelEvent::Progress;
        }
        self.drop_data(context);
        context.counters.resets += 1;
        context.transmit(Body::ResetConfirmation);
        self.deadline = Time::NEVER;
        ChannelEvent::Reset(cause, diagnostic)
    }

    /// Takes the neighbour's P(R); `None` if it is invalid.
    fn progress(&mut self, context: &mut Context<'_, D>, p_r: u8) -> Option<usize> {
        let count = self.sending.acknowledge(p_r, context.freed)?;
        if count > 0 {
            self.await_window(context);
        }
        Some(count)
    }

    fn take_data(&mut self, context: &mut Context<'_, D>, p_s: u8, p_r: u8, mut unit: Unit<D>) -> ChannelEvent<D> {
        if self.progress(context, p_r).is_none() {
            return self.reset_here(context, Diagnostic::INVALID_RECEIVE_NUMBER);
        }
        let withheld = unit.d_bit || context.settings.significance == Significance::EndToEnd;
        if !self.receiving.accept(p_s, withheld) {
            context.counters.lost += 1;
            return self.reset_here(context, Diagnostic::INVALID_SEND_NUMBER);
        }
        unit.origin = withheld.then_some(p_s);
        self.transmit_window(context);
        self.acknowledge(context);
        ChannelEvent::Data(unit)
    }

    fn supervised(&mut self, context: &mut Context<'_, D>, p_r: u8, busy: bool, reject: bool) -> ChannelEvent<D> {
        if self.progress(context, p_r).is_none() {
            return self.reset_here(context, Diagnostic::INVALID_RECEIVE_NUMBER);
        }
        if reject {
            context.counters.resent += self.sending.unacknowledged() as u64;
            self.sending.go_back();
        }
        if std::mem::replace(&mut self.sending.peer_busy, busy) != busy || reject {
            self.await_window(context);
        }
        self.transmit_window(context);
        ChannelEvent::Progress
    }

    pub(super) fn reset_here(&mut self, context: &mut Context<'_, D>, diagnostic: Diagnostic) -> ChannelEvent<D> {
        self.reset(context, Cause::LOCAL_PROCEDURE_ERROR, diagnostic);
        ChannelEvent::Reset(Cause::REMOTE_PROCEDURE_ERROR, diagnostic)
    }
}
