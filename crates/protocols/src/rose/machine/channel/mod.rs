//! One logical channel of a trunk: its call, windows and timers (X.25 section 4, ISO 8208).

use std::sync::Arc;

use sojourn_core::Time;

use super::context::Context;
use super::output::Output;
use super::receive_window::ReceiveWindow;
use super::send_window::{SendWindow, Unit};
use crate::StreamData;
use crate::rose::wire::{Body, Call, Cause, Diagnostic, Packet};

mod event;
mod receive;

pub(super) use self::event::{ChannelEvent, Closing};

/// The states of a channel; in p1 (ready) there is no [`Channel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// p2: CALL REQUEST has been sent.
    CallSent,
    /// p3: CALL REQUEST has been received.
    CallReceived,
    /// p4, d1: data flow.
    Open,
    /// p4, d2: RESET REQUEST has been sent.
    Resetting,
    /// p6: CLEAR REQUEST has been sent.
    Clearing,
}

/// A channel in use. `E` identifies the other endpoint of its circuit.
#[derive(Clone, Debug)]
pub(super) struct Channel<D, E> {
    pub state: State,
    pub other: Option<E>,
    /// The call that created it, unless it was cleared at once.
    pub call: Option<Arc<Call>>,
    pub sending: SendWindow<D>,
    receiving: ReceiveWindow,
    /// How the circuit is cleared once queued data have been sent.
    closing: Option<Closing>,
    /// T21 to T25, by state.
    deadline: Time,
    /// When a delayed acknowledgement is due.
    acknowledge_at: Time,
    tries: u8,
}

impl<D: StreamData, E: Copy> Channel<D, E> {
    fn new(state: State, other: Option<E>, call: Option<Arc<Call>>) -> Self {
        Channel {
            state,
            other,
            call,
            sending: SendWindow::new(),
            receiving: ReceiveWindow::default(),
            closing: None,
            deadline: Time::NEVER,
            acknowledge_at: Time::NEVER,
            tries: 0,
        }
    }

    /// A channel on which a call was received.
    pub fn called(call: Arc<Call>) -> Self {
        Channel::new(State::CallReceived, None, Some(call))
    }

    /// A channel on which this switch sends a call.
    pub fn calling(context: &mut Context<'_, D>, call: Arc<Call>, other: E) -> Self {
        let mut channel = Channel::new(State::CallSent, Some(other), Some(call));
        channel.send_call(context);
        channel
    }

    /// A channel that is cleared at once: the neighbour's call is refused, or the neighbour has a call that this switch does
    /// not know.
    pub fn cleared(context: &mut Context<'_, D>, closing: Closing) -> Self {
        let mut channel = Channel::new(State::Clearing, None, None);
        channel.clear(context, closing);
        channel
    }

    /// Sends CALL REQUEST, for a call that a collision may have moved here.
    pub fn send_call(&mut self, context: &mut Context<'_, D>) {
        if let Some(call) = &self.call {
            context.transmit(Body::CallRequest(Arc::clone(call)));
        }
        self.deadline = context.after(context.settings.t21);
    }

    /// The called station is connected.
    pub fn accept(&mut self, context: &mut Context<'_, D>) {
        if self.state == State::CallReceived {
            context.transmit(Body::CallAccepted);
            self.open(context);
        }
    }

    fn open(&mut self, context: &mut Context<'_, D>) {
        self.state = State::Open;
        self.deadline = Time::NEVER;
        self.tries = 0;
        self.transmit_window(context);
    }

    /// Data for the neighbour.
    pub fn send(&mut self, context: &mut Context<'_, D>, unit: Unit<D>) {
        self.sending.push(unit);
        self.transmit_window(context);
    }

    /// Sends what the window allows, each packet with the latest P(R).
    fn transmit_window(&mut self, context: &mut Context<'_, D>) {
        if self.state != State::Open {
            return;
        }
        while let Some((send, unit)) = self.sending.take(context.settings.window) {
            let body = Body::Data { p_s: send, p_r: self.receiving.next_p_r(), more: unit.more, data: unit.data };
            let Unit { q_bit, d_bit, .. } = unit;
            let packet = Packet { q_bit, d_bit, channel: context.number, body };
            context.outputs.push_back(Output::Transmit { trunk: context.trunk, packet });
            context.counters.forwarded += 1;
            self.acknowledge_at = Time::NEVER;
            if self.deadline == Time::NEVER {
                self.await_window(context);
            }
        }
        if self.sending.waiting() == 0
            && let Some(closing) = self.closing.take()
        {
            self.clear(context, closing);
        }
    }

    /// T25 runs while packets are in flight and the neighbour is not busy.
    fn await_window(&mut self, context: &Context<'_, D>) {
        let awaits = self.sending.unacknowledged() > 0 && !self.sending.peer_busy;
        let span = context.settings.t25.filter(|_| awaits);
        self.deadline = span.map_or(Time::NEVER, |span| context.after(span));
    }

    /// Clears the circuit once all queued data have been sent.
    pub fn close(&mut self, context: &mut Context<'_, D>, closing: Closing) {
        match self.state {
            State::Clearing => {}
            State::Open | State::Resetting if self.sending.waiting() > 0 => self.closing = Some(closing),
            _ => self.clear(context, closing),
        }
    }

    /// Clears the circuit at once.
    pub fn clear(&mut self, context: &mut Context<'_, D>, closing: Closing) {
        let Closing { cause, diagnostic, facilities } = closing;
        self.drop_data(context);
        context.transmit(Body::ClearRequest { cause, diagnostic, facilities });
        self.state = State::Clearing;
        self.other = None;
        self.closing = None;
        self.tries = 1;
        self.deadline = context.after(context.settings.t23);
    }

    /// Restarts both windows at 0; data in flight count as lost, although the neighbour may have received them without
    /// acknowledging yet.
    pub fn drop_data(&mut self, context: &mut Context<'_, D>) {
        context.counters.lost += u64::from(self.sending.reset());
        self.receiving = ReceiveWindow::default();
        self.acknowledge_at = Time::NEVER;
    }

    /// Resets the circuit, because of this switch or of the other endpoint.
    pub fn reset(&mut self, context: &mut Context<'_, D>, cause: Cause, diagnostic: Diagnostic) {
        if self.state != State::Open {
            return;
        }
        self.drop_data(context);
        context.counters.resets += 1;
        context.transmit(Body::ResetRequest { cause, diagnostic });
        self.state = State::Resetting;
        self.tries = 1;
        self.deadline = context.after(context.settings.t22);
    }

    /// The other endpoint has acknowledged the packets with these P(S), which may now be acknowledged here.
    pub fn release(&mut self, context: &mut Context<'_, D>, numbers: &[u8]) {
        numbers.iter().for_each(|number| self.receiving.release(*number));
        self.acknowledge(context);
    }

    /// INTERRUPT, or INTERRUPT CONFIRMATION, for the neighbour.
    pub fn interrupt(&mut self, context: &mut Context<'_, D>, body: Body<D>) {
        if self.state == State::Open {
            context.transmit(body);
        }
    }

    /// The queue of the other endpoint is full, or has room again.
    pub fn set_busy(&mut self, context: &mut Context<'_, D>, busy: bool) {
        if self.state == State::Open && self.receiving.busy != busy {
            self.receiving.busy = busy;
            self.send_rr_or_rnr(context);
        }
    }

    /// Acknowledges at once if the window is full, else after the delay.
    fn acknowledge(&mut self, context: &mut Context<'_, D>) {
        let pending = self.receiving.pending();
        if self.state != State::Open || pending == 0 {
            return;
        }
        if pending >= context.settings.window {
            self.send_rr_or_rnr(context);
        } else if self.acknowledge_at == Time::NEVER {
            self.acknowledge_at = context.after(context.settings.ack_hold_back);
        }
    }

    /// Sends RR, or RNR while busy.
    fn send_rr_or_rnr(&mut self, context: &mut Context<'_, D>) {
        let p_r = self.receiving.next_p_r();
        self.acknowledge_at = Time::NEVER;
        context.counters.rr_rnr_sent += 1;
        context.counters.rnr_sent += u64::from(self.receiving.busy);
        let busy = self.receiving.busy;
        context.transmit(if busy { Body::ReceiveNotReady { p_r } } else { Body::ReceiveReady { p_r } });
    }

    /// When a timer next expires.
    pub fn next_wakeup(&self) -> Time {
        self.deadline.min(self.acknowledge_at)
    }

    /// Handles every timer that is due.
    pub fn wake(&mut self, context: &mut Context<'_, D>) -> ChannelEvent<D> {
        if self.acknowledge_at <= context.now {
            self.send_rr_or_rnr(context);
        }
        if self.deadline > context.now {
            return ChannelEvent::Nothing;
        }
        self.deadline = Time::NEVER;
        let again = self.tries < context.settings.max_transmissions;
        self.tries = self.tries.saturating_add(1);
        match self.state {
            State::CallReceived => ChannelEvent::Nothing,
            State::CallSent => ChannelEvent::ProcedureError(Diagnostic::CALL_TIMER),
            State::Open => self.reset_here(context, Diagnostic::TIMER),
            State::Resetting if again => {
                let (cause, diagnostic) = (Cause::LOCAL_PROCEDURE_ERROR, Diagnostic::RESET_TIMER);
                context.transmit(Body::ResetRequest { cause, diagnostic });
                self.deadline = context.after(context.settings.t22);
                ChannelEvent::Nothing
            }
            State::Resetting => ChannelEvent::ProcedureError(Diagnostic::RESET_TIMER),
            State::Clearing if again => {
                let (cause, diagnostic) = (Cause::LOCAL_PROCEDURE_ERROR, Diagnostic::CLEAR_TIMER);
                context.transmit(Body::ClearRequest { cause, diagnostic, facilities: None });
                self.deadline = context.after(context.settings.t23);
                ChannelEvent::Nothing
            }
            State::Clearing => ChannelEvent::Confirmed,
        }
    }
}
