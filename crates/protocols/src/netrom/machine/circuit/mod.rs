//! One circuit: connect, disconnect, timers; coordinates its windows and backlog.

use super::backlog::Backlog;
use super::context::Context;
use super::counters::Counter;
use super::output::{Cause, CircuitId, Output, Purpose};
use super::receive_window::ReceiveWindow;
use super::send_window::SendWindow;
use super::timers::{Timer, Timers};
use crate::StreamData;
use crate::ax25::wire::Address;
use crate::netrom::wire::{Body, CircuitNumber};

mod receive;
mod transmit;

/// The states of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// A connect request has been sent.
    Connecting,
    /// Information transfer.
    Open,
    /// A disconnect request has been sent; the cause is reported when it is acknowledged.
    Closing(Cause),
    /// The circuit no longer exists.
    Closed,
}

/// A circuit between this node and another.
#[derive(Clone, Debug)]
pub(super) struct Circuit<D> {
    pub id: CircuitId,
    /// This node's circuit number.
    pub own: CircuitNumber,
    /// The peer's circuit number, once known.
    pub peer: CircuitNumber,
    /// The peer node.
    pub node: Address,
    pub user: Address,
    pub incoming: bool,
    /// Whether the peer uses BPQ's extension.
    pub extended: bool,
    pub state: State,
    pub window: u8,
    /// To be closed when all data are acknowledged.
    pub finishing: bool,
    /// Retries of the packet in question.
    pub retries: u8,
    pub sender: SendWindow<D>,
    pub receiver: ReceiveWindow<D>,
    pub backlog: Backlog,
    pub timers: Timers,
    /// Packets dropped when it started to close.
    pub lost: u32,
}

/// The properties of a new circuit.
pub(super) struct NewCircuit {
    pub peer: CircuitNumber,
    pub node: Address,
    pub user: Address,
    pub incoming: bool,
    pub extended: bool,
    pub window: u8,
}

impl<D: StreamData> Circuit<D> {
    /// A circuit with this node's number `own`.
    pub fn new(id: CircuitId, own: CircuitNumber, new: NewCircuit) -> Self {
        let NewCircuit { peer, node, user, incoming, extended, window } = new;
        Circuit {
            id,
            own,
            peer,
            node,
            user,
            incoming,
            extended,
            state: State::Connecting,
            window,
            finishing: false,
            retries: 0,
            sender: SendWindow::new(),
            receiver: ReceiveWindow::new(),
            backlog: Backlog::new(),
            timers: Timers::STOPPED,
            lost: 0,
        }
    }

    /// Whether it accepts messages of its user.
    pub fn accepts_messages(&self) -> bool {
        matches!(self.state, State::Connecting | State::Open) && !self.finishing
    }

    /// The user requests the circuit.
    pub fn connect(&mut self, context: &mut Context<'_, D>) {
        self.state = State::Connecting;
        self.request(context);
    }

    /// A connect request was received, or received again.
    pub fn accept(&mut self, context: &mut Context<'_, D>) {
        let ttl = self.extended.then_some(context.settings.routing.ttl);
        let body = Body::ConnectAcknowledge { circuit: self.peer, own: self.own, window: self.window, ttl };
        context.send(self.node, body, Purpose::Control);
        if self.state == State::Connecting {
            self.open(context);
        }
    }

    /// Connect acknowledge was received.
    pub fn connect_acknowledged(&mut self, context: &mut Context<'_, D>, own: CircuitNumber, window: u8) {
        if self.state != State::Connecting || self.incoming {
            return context.count(Counter::Ignored);
        }
        self.peer = own;
        self.window = window.clamp(1, self.window);
        self.timers.stop(Timer::Retransmit);
        self.open(context);
        self.transmit_window(context);
        self.close_if_finished(context);
    }

    /// The peer refuses the circuit.
    pub fn refused(&mut self, context: &mut Context<'_, D>) {
        if self.state != State::Connecting || self.incoming {
            return context.count(Counter::Ignored);
        }
        self.end(context, Cause::Refused);
    }

    /// Disconnect request was received.
    pub fn disconnect_requested(&mut self, context: &mut Context<'_, D>) {
        context.send(self.node, Body::DisconnectAcknowledge { circuit: self.peer }, Purpose::Control);
        let cause = if let State::Closing(cause) = self.state { cause } else { Cause::ByPeer };
        self.end(context, cause);
    }

    /// Disconnect acknowledge was received.
    pub fn disconnect_acknowledged(&mut self, context: &mut Context<'_, D>) {
        match self.state {
            State::Closing(cause) => self.end(context, cause),
            _ => context.count(Counter::Ignored),
        }
    }

    /// The user closes the circuit once all data are acknowledged.
    pub fn finish(&mut self, context: &mut Context<'_, D>) {
        self.finishing = true;
        self.close_if_finished(context);
    }

    pub fn close_if_finished(&mut self, context: &mut Context<'_, D>) {
        if self.finishing && self.state == State::Open && self.sender.is_empty() {
            self.close(context, Cause::Requested);
        }
    }

    /// Closes the circuit at once; `cause` is reported when the peer has acknowledged.
    pub fn close(&mut self, context: &mut Context<'_, D>, cause: Cause) {
        self.lost = self.sender.clear();
        self.timers = Timers::STOPPED;
        if self.state == State::Connecting {
            return self.end(context, cause);
        }
        self.state = State::Closing(cause);
        self.retries = 0;
        self.request(context);
    }

    /// The circuit ends.
    pub fn end(&mut self, context: &mut Context<'_, D>, cause: Cause) {
        let lost = self.lost + self.sender.clear();
        self.state = State::Closed;
        self.timers = Timers::STOPPED;
        context.emit(Output::Disconnected { circuit: self.id, cause, lost });
    }

    /// Handles every timer that is due.
    pub fn wake(&mut self, context: &mut Context<'_, D>) {
        for timer in Timer::ALL {
            if !self.timers.take_due(timer, context.now) {
                continue;
            }
            match timer {
                Timer::Retransmit => self.timed_out(context),
                Timer::Acknowledge => self.acknowledge_due(context),
                Timer::Choke => self.choke_timed_out(context),
                Timer::PollBacklog => self.poll_backlog(context),
                Timer::NoActivity => self.close(context, Cause::NoActivity),
            }
        }
    }

    /// Data were sent or received.
    pub fn active(&mut self, context: &Context<'_, D>) {
        if let Some(span) = context.settings.transport.no_activity_timeout {
            self.timers.set(Timer::NoActivity, context.expiry(span));
        }
    }

    fn open(&mut self, context: &mut Context<'_, D>) {
        self.state = State::Open;
        self.retries = 0;
        self.active(context);
        let Circuit { id: circuit, incoming, user, node, window, .. } = *self;
        context.emit(Output::Connected { circuit, incoming, user, node, window });
    }

    /// The transport timeout expired.
    fn timed_out(&mut self, context: &mut Context<'_, D>) {
        context.count(Counter::Timeouts);
        if self.retries >= context.settings.transport.retries {
            let closing = matches!(self.state, State::Closing(_));
            let cause = if closing { Cause::RequestedNoResponse } else { Cause::NoResponse };
            return self.end(context, cause);
        }
        self.retries += 1;
        if self.state == State::Open { self.retransmit(context) } else { self.request(context) }
    }

    /// Sends a connect or disconnect request and awaits its acknowledgement.
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
        self.start_timeout(context);
        context.send(self.node, body, Purpose::Control);
    }

    pub fn start_timeout(&mut self, context: &Context<'_, D>) {
        self.timers.set(Timer::Retransmit, context.expiry(context.settings.transport.timeout));
    }
}
