//! The transport layer of a node (level 4): circuits, and the packets and requests for them.

use sojourn_core::Time;

use super::circuit::{Circuit, NewCircuit, State};
use super::circuits::Circuits;
use super::context::Context;
use super::counters::Counter;
use super::output::{Cause, CircuitId, Output, Purpose, Refusal};
use super::send_window::Fragment;
use crate::StreamData;
use crate::ax25::wire::Address;
use crate::netrom::wire::{Body, CircuitNumber, Packet};

/// The circuits of a node.
#[derive(Clone, Debug)]
pub(super) struct TransportLayer<D> {
    circuits: Circuits<D>,
    opened: Option<CircuitId>,
}

impl<D: StreamData> TransportLayer<D> {
    pub const fn new() -> Self {
        TransportLayer { circuits: Circuits::new(), opened: None }
    }

    /// The circuit that the last connect request opened; `None` if it was refused.
    pub const fn opened(&self) -> Option<CircuitId> {
        self.opened
    }

    /// The circuit with this id.
    pub fn get(&self, id: CircuitId) -> Option<&Circuit<D>> {
        self.circuits.get(id)
    }

    /// Processes a packet for this node.
    pub fn receive(&mut self, context: &mut Context<'_, D>, packet: Packet<D>) {
        let origin = packet.origin;
        match packet.body {
            Body::ConnectRequest { circuit, window, user, timeout_s, .. } => {
                self.connect_requested(context, origin, circuit, window, user, timeout_s.is_some());
            }
            Body::ConnectAcknowledge { circuit, own, window, .. } => {
                if self.circuits.own(circuit, origin).is_none() {
                    // the user has disconnected meanwhile
                    let body = Body::DisconnectRequest { circuit: own };
                    return context.send(origin, body, Purpose::Control);
                }
                self.with_own(context, origin, circuit, |found, context| {
                    found.connect_acknowledged(context, own, window)
                });
            }
            Body::ConnectRefusal { circuit } => {
                self.with_own(context, origin, circuit, |found, context| found.refused(context));
            }
            Body::DisconnectRequest { circuit } => {
                if let Some(peer) = self.circuits.ended(circuit, origin) {
                    let body = Body::DisconnectAcknowledge { circuit: peer };
                    return context.send(origin, body, Purpose::Control);
                }
                self.with_own(context, origin, circuit, Circuit::disconnect_requested);
            }
            Body::DisconnectAcknowledge { circuit } => {
                self.with_own(context, origin, circuit, Circuit::disconnect_acknowledged)
            }
            Body::Information { circuit, tx_sequence, rx_sequence, flow, more, data } => {
                self.with_own(context, origin, circuit, |found, context| {
                    if found.state != State::Open {
                        return context.count(Counter::Ignored);
                    }
                    // first the information, so that packets sent in return acknowledge it
                    found.information(context, tx_sequence, Fragment { data, more });
                    found.acknowledged(context, rx_sequence, flow);
                });
            }
            Body::InformationAcknowledge { circuit, rx_sequence, flow } => {
                self.with_own(context, origin, circuit, |found, context| match found.state {
                    State::Open => found.acknowledged(context, rx_sequence, flow),
                    _ => context.count(Counter::Ignored),
                });
            }
            Body::Reset { circuit, own } => self.reset(context, origin, circuit, own),
            Body::Other { .. } => context.emit(Output::Other { packet }),
        }
    }

    /// A connect request was received.
    fn connect_requested(
        &mut self,
        context: &mut Context<'_, D>,
        node: Address,
        peer: CircuitNumber,
        window: u8,
        user: Address,
        extended: bool,
    ) {
        if let Some(id) = self.circuits.peer(peer, node) {
            return self.with(context, id.index, Circuit::accept);
        }
        let window = window.clamp(1, context.settings.transport.window);
        let new = NewCircuit { peer, node, user, incoming: true, extended, window };
        let settings = &context.settings.transport;
        let made = settings.accepts_connections.then(|| self.create(settings.max_circuits, new)).flatten();
        match made {
            Some(id) => self.with(context, id.index, Circuit::accept),
            None => context.send(node, Body::ConnectRefusal { circuit: peer }, Purpose::Control),
        }
    }

    /// A reset was received: the peer does not know the circuit.
    fn reset(&mut self, context: &mut Context<'_, D>, origin: Address, circuit: CircuitNumber, own: CircuitNumber) {
        let known = own != CircuitNumber::default();
        let by_peer = |found: &&Circuit<D>| known && found.peer == own && found.node == origin;
        let found = self.circuits.own(circuit, origin).or_else(|| self.circuits.iter().find(by_peer).map(|c| c.id));
        match found.filter(|_| context.settings.transport.resets) {
            Some(id) => self.with(context, id.index, |found, context| found.end(context, Cause::Reset)),
            None => context.count(Counter::Ignored),
        }
    }

    pub fn connect(
        &mut self,
        context: &mut Context<'_, D>,
        user: Address,
        destination: Address,
    ) -> Result<(), Refusal> {
        self.opened = None;
        context.table.next_hop(destination).ok_or(Refusal::NoRoute(destination))?;
        let transport = &context.settings.transport;
        let (limit, window) = (transport.max_circuits, transport.window);
        let peer = CircuitNumber::default();
        let new = NewCircuit { peer, node: destination, user, incoming: false, extended: false, window };
        let id = self.create(limit, new).ok_or(Refusal::CircuitLimit(limit))?;
        self.opened = Some(id);
        self.with(context, id.index, Circuit::connect);
        Ok(())
    }

    /// Creates a circuit unless there are `limit`.
    fn create(&mut self, limit: u8, new: NewCircuit) -> Option<CircuitId> {
        let (id, own) = self.circuits.reserve(limit)?;
        self.circuits.insert(Circuit::new(id, own, new));
        Some(id)
    }

    pub fn send(&mut self, context: &mut Context<'_, D>, circuit: CircuitId, data: &D) -> Result<(), Refusal> {
        let limit = context.settings.transport.send_queue_limit;
        let found = self.circuits.get(circuit).filter(|found| found.accepts_messages()).ok_or(Refusal::NoCircuit)?;
        if !found.sender.has_room(limit) {
            return Err(Refusal::NoRoom(limit));
        }
        self.with(context, circuit.index, |found, context| found.send(context, data));
        Ok(())
    }

    /// Applies `act` to a circuit that exists and is not closing.
    pub fn change<R>(
        &mut self,
        context: &mut Context<'_, D>,
        circuit: CircuitId,
        act: impl FnOnce(&mut Circuit<D>, &mut Context<'_, D>) -> R,
    ) -> Result<R, Refusal> {
        let ending = |found: &&Circuit<D>| !matches!(found.state, State::Closing(_));
        self.circuits.get(circuit).filter(ending).ok_or(Refusal::NoCircuit)?;
        Ok(self.with(context, circuit.index, act))
    }

    /// Applies `act` to the circuit that a packet from `origin` names, or sends a reset if there is none.
    fn with_own(
        &mut self,
        context: &mut Context<'_, D>,
        origin: Address,
        number: CircuitNumber,
        act: impl FnOnce(&mut Circuit<D>, &mut Context<'_, D>),
    ) {
        if let Some(id) = self.circuits.own(number, origin) {
            return self.with(context, id.index, act);
        }
        context.count(Counter::Ignored);
        if context.settings.transport.resets {
            let body = Body::Reset { circuit: CircuitNumber::default(), own: number };
            context.send(origin, body, Purpose::Control);
        }
    }

    /// Applies `act` to the circuit in a slot, which must hold one, and frees the slot if the circuit has ended.
    fn with<R>(
        &mut self,
        context: &mut Context<'_, D>,
        index: u8,
        act: impl FnOnce(&mut Circuit<D>, &mut Context<'_, D>) -> R,
    ) -> R {
        let circuit = self.circuits.at(index).expect("the slot holds a circuit");
        let result = act(circuit, context);
        if circuit.state == State::Closed {
            self.circuits.remove(index);
        }
        result
    }

    /// Applies `act` to all circuits.
    pub fn each(&mut self, context: &mut Context<'_, D>, mut act: impl FnMut(&mut Circuit<D>, &mut Context<'_, D>)) {
        for index in 0..self.circuits.count() {
            if self.circuits.at(index).is_some() {
                self.with(context, index, &mut act);
            }
        }
    }

    /// When a timer of a circuit next expires.
    pub fn next_wakeup(&self) -> Time {
        self.circuits.iter().map(|circuit| circuit.timers.next()).fold(Time::NEVER, Time::min)
    }
}
