//! One circuit: how it is set up and ends.

use super::context::Context;
use super::counters::Counter;
use super::output::{Cause, CircuitId, Output, Purpose};
use super::receiving::Receiving;
use super::sending::Sending;
use super::timers::{Timer, Timers};
use crate::StreamData;
use crate::ax25::wire::Address;
use crate::netrom::wire::{Body, CircuitNumber};

/// How far a circuit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// A connect request has been sent.
    Connecting,
    /// Data flow.
    Open,
    /// A disconnect request has been sent; why is told when it is answered.
    Closing(Cause),
    /// It is no more.
    Closed,
}

/// A circuit between this node and another.
#[derive(Debug)]
pub(super) struct Circuit<D> {
    pub id: CircuitId,
    /// This node's number of it.
    pub own: CircuitNumber,
    /// The other node's, once known.
    pub peer: CircuitNumber,
    /// The other node.
    pub node: Address,
    pub user: Address,
    pub incoming: bool,
    /// Whether the other node has used BPQ's extension.
    pub extended: bool,
    pub state: State,
    pub window: u8,
    /// The user wants it closed when all is acknowledged.
    pub finishing: bool,
    /// Repetitions of what is being repeated.
    pub repeated: u8,
    pub sending: Sending<D>,
    pub receiving: Receiving<D>,
    pub timers: Timers,
    /// Packets dropped when it began to close.
    pub lost: u32,
}

impl<D: StreamData> Circuit<D> {
    /// The user wants the circuit.
    pub fn connect(&mut self, context: &mut Context<'_, D>) {
        self.state = State::Connecting;
        self.request(context);
    }

    /// The other node asks for the circuit, or asks again.
    pub fn accept(&mut self, context: &mut Context<'_, D>) {
        let time_to_live = self.extended.then_some(context.settings.routing.ttl);
        let body =
            Body::ConnectAcknowledge { circuit: self.peer, own: self.own, window: self.window, ttl: time_to_live };
        context.send(self.node, body, Purpose::Control);
        if self.state == State::Connecting {
            self.open(context);
        }
    }

    /// The other node agrees.
    pub fn agreed(&mut self, context: &mut Context<'_, D>, own: CircuitNumber, window: u8) {
        if self.state != State::Connecting || self.incoming {
            return context.count(Counter::Ignored);
        }
        self.peer = own;
        self.window = window.clamp(1, self.window);
        self.timers.stop(Timer::Answer);
        self.open(context);
        self.go_on(context);
        self.close_if_finished(context);
    }

    /// The other node refuses.
    pub fn refused(&mut self, context: &mut Context<'_, D>) {
        if self.state != State::Connecting || self.incoming {
            return context.count(Counter::Ignored);
        }
        self.end(context, Cause::Refused);
    }

    /// The other node ends the circuit.
    pub fn ended_by_peer(&mut self, context: &mut Context<'_, D>) {
        context.send(self.node, Body::DisconnectAcknowledge { circuit: self.peer }, Purpose::Control);
        let cause = if let State::Closing(cause) = self.state { cause } else { Cause::ByPeer };
        self.end(context, cause);
    }

    /// The other node knows that the circuit has ended.
    pub fn end_known(&mut self, context: &mut Context<'_, D>) {
        match self.state {
            State::Closing(cause) => self.end(context, cause),
            _ => context.count(Counter::Ignored),
        }
    }

    /// The user ends the circuit once all is acknowledged.
    pub fn finish(&mut self, context: &mut Context<'_, D>) {
        self.finishing = true;
        self.close_if_finished(context);
    }

    pub fn close_if_finished(&mut self, context: &mut Context<'_, D>) {
        if self.finishing && self.state == State::Open && self.sending.is_empty() {
            self.close(context, Cause::Requested);
        }
    }

    /// Ends the circuit at once; `cause` is told when the other node has answered.
    pub fn close(&mut self, context: &mut Context<'_, D>, cause: Cause) {
        self.lost = self.sending.clear();
        self.timers = Timers::STOPPED;
        if self.state == State::Connecting {
            return self.end(context, cause);
        }
        self.state = State::Closing(cause);
        self.repeated = 0;
        self.request(context);
    }

    /// The circuit is no more.
    pub fn end(&mut self, context: &mut Context<'_, D>, cause: Cause) {
        let lost = self.lost + self.sending.clear();
        self.state = State::Closed;
        self.timers = Timers::STOPPED;
        context.emit(Output::Disconnected { circuit: self.id, cause, lost });
    }

    /// Lets every timer that is due expire.
    pub fn wake(&mut self, context: &mut Context<'_, D>) {
        for timer in Timer::ALL {
            if !self.timers.take_due(timer, context.now) {
                continue;
            }
            match timer {
                Timer::Answer => self.no_answer(context),
                Timer::Acknowledge => self.acknowledge_due(context),
                Timer::Busy => self.waited_enough(context),
                Timer::Look => self.look_at_backlog(context),
                Timer::Activity => self.close(context, Cause::NoActivity),
            }
        }
    }

    /// Data went or came.
    pub fn active(&mut self, context: &Context<'_, D>) {
        if let Some(span) = context.settings.transport.no_activity_timeout {
            self.timers.set(Timer::Activity, context.expiry(span));
        }
    }

    fn open(&mut self, context: &mut Context<'_, D>) {
        self.state = State::Open;
        self.repeated = 0;
        self.active(context);
        let Circuit { id: circuit, incoming, user, node, window, .. } = *self;
        context.emit(Output::Connected { circuit, incoming, user, node, window });
    }

    /// An answer did not come in time.
    fn no_answer(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::Timeouts);
        if self.repeated >= context.settings.transport.retries {
            let closing = matches!(self.state, State::Closing(_));
            let cause = if closing { Cause::RequestedNoResponse } else { Cause::NoResponse };
            return self.end(context, cause);
        }
        self.repeated += 1;
        if self.state == State::Open { self.repeat(context) } else { self.request(context) }
    }

    /// Asks for the circuit, or for its end, and waits for the answer.
    fn request(&mut self, context: &mut Context<'_, D>) {
        let transport = &context.settings.transport;
        let body = if let State::Closing(_) = self.state {
            Body::DisconnectRequest { circuit: self.peer }
        } else {
            let seconds = transport.timeout.picoseconds() / 1_000_000_000_000;
            let timeout_s = transport.bpq_extension.then_some(u16::try_from(seconds).unwrap_or(u16::MAX));
            Body::ConnectRequest {
                circuit: self.own,
                window: transport.window,
                user: self.user,
                node: context.own,
                timeout_s,
            }
        };
        self.await_answer(context);
        context.send(self.node, body, Purpose::Control);
    }

    pub fn await_answer(&mut self, context: &Context<'_, D>) {
        self.timers.set(Timer::Answer, context.expiry(context.settings.transport.timeout));
    }
}
