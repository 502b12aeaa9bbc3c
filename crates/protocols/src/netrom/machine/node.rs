//! A node: its routes, its circuits, and the dispatch of packets.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};

use super::backlog::Backlog;
use super::circuit::{Circuit, State};
use super::circuits::Circuits;
use super::context::Context;
use super::counters::{Counter, Counters};
use super::output::{Cause, CircuitId, DropReason, Input, Neighbour, Output, Purpose, Refusal};
use super::receive_window::ReceiveWindow;
use super::routing::{Route, Table};
use super::send_window::{Fragment, SendWindow};
use super::settings::Settings;
use super::timers::{Ticks, Timers};
use crate::StreamData;
use crate::ax25::wire::Address;
use crate::limits::ParameterOutOfRange;
use crate::netrom::wire::{Alias, Body, CircuitNumber, Packet};

/// A NET/ROM node: routing table and circuits.
#[derive(Debug)]
pub struct Node<D> {
    own: Address,
    alias: Alias,
    settings: Arc<Settings>,
    ticks: Ticks,
    table: Table,
    circuits: Circuits<D>,
    /// The circuit that the last connect request opened.
    opened: Option<CircuitId>,
    next_broadcast: Time,
    free_buffers: u16,
    outputs: VecDeque<Output<D>>,
    counters: Counters,
}

/// The properties of a new circuit.
struct NewCircuit {
    peer: CircuitNumber,
    node: Address,
    user: Address,
    incoming: bool,
    extended: bool,
    window: u8,
}

impl<D: StreamData> Node<D> {
    /// A node without routes, with the default quality of neighbours on each of its ports. Its timers tick from
    /// `first_tick` on, and it broadcasts first one interval later.
    pub fn new(
        own: Address,
        alias: Alias,
        port_qualities: impl Into<Box<[u8]>>,
        settings: Arc<Settings>,
        first_tick: Time,
    ) -> Result<Self, ParameterOutOfRange> {
        settings.check()?;
        let ticks = Ticks { every: settings.tick, first: first_tick };
        let interval = settings.routing.broadcast_interval;
        let next_broadcast = if interval == Duration::ZERO { Time::NEVER } else { first_tick + interval };
        Ok(Node {
            own,
            alias,
            settings,
            ticks,
            table: Table::new(own, port_qualities.into()),
            circuits: Circuits::new(),
            opened: None,
            next_broadcast,
            free_buffers: u16::MAX,
            outputs: VecDeque::new(),
            counters: Counters::default(),
        })
    }

    /// Broadcasts at `first`, and then at every interval.
    pub fn broadcasting_from(mut self, first: Time) -> Self {
        if self.next_broadcast != Time::NEVER {
            self.next_broadcast = first;
        }
        self
    }

    /// The callsign and SSID of the node.
    pub const fn address(&self) -> Address {
        self.own
    }

    /// The alias that the node broadcasts.
    pub const fn alias(&self) -> Alias {
        self.alias
    }

    /// Sets the quality of the link to a neighbour, overriding its port's.
    pub fn lock_neighbour(&mut self, neighbour: Neighbour, quality: u8) {
        self.table.lock_neighbour(neighbour, quality);
    }

    /// Adds a locked route, which does not age.
    pub fn lock_route(&mut self, destination: Address, alias: Alias, neighbour: Neighbour, quality: u8) {
        self.table.lock_route(&self.settings.routing, destination, alias, (neighbour, quality));
    }

    /// The circuit that the last [`Input::Connect`] opened; `None` if it was refused.
    pub const fn opened(&self) -> Option<CircuitId> {
        self.opened
    }

    /// Whether a circuit accepts a message.
    pub fn has_room(&self, circuit: CircuitId) -> bool {
        let limit = self.settings.transport.send_queue_limit;
        self.circuits.get(circuit).is_some_and(|circuit| accepts_messages(circuit) && circuit.sender.has_room(limit))
    }

    /// Unacknowledged packets of a circuit, sent or not.
    pub fn outstanding(&self, circuit: CircuitId) -> usize {
        self.circuits.get(circuit).map_or(0, |circuit| circuit.sender.outstanding())
    }

    /// Packets of a circuit that have been delivered and not consumed.
    pub fn backlog(&self, circuit: CircuitId) -> usize {
        self.circuits.get(circuit).map_or(0, |circuit| circuit.backlog.packets())
    }

    /// The neighbour that a packet to this destination would be sent to.
    pub fn next_hop(&self, destination: Address) -> Option<Neighbour> {
        self.table.next_hop(destination)
    }

    /// The node with this alias or address, if there is a route to it.
    pub fn find(&self, name: &str) -> Option<Address> {
        self.table.find(name)
    }

    /// All destinations by address, each with its routes, best first.
    pub fn destinations(&self) -> impl Iterator<Item = (Address, Alias, impl Iterator<Item = Route>)> {
        self.table.destinations()
    }

    /// The node's event counters.
    pub const fn counters(&self) -> &Counters {
        &self.counters
    }

    fn receive(&mut self, now: Time, from: Neighbour, packet: Packet<D>) {
        self.table.set_down(from, false);
        if self.settings.routing.learns_from_packets {
            self.table.learn_reverse(&self.settings.routing, packet.origin, from);
        }
        if packet.destination == self.own {
            self.for_circuit(now, packet);
        } else {
            self.forward(now, packet);
        }
    }

    /// Forwards a packet of another node by one hop.
    fn forward(&mut self, now: Time, packet: Packet<D>) {
        let ttl = packet.ttl.saturating_sub(1);
        if ttl == 0 {
            self.counters.count(Counter::Expired);
            return self.outputs.push_back(Output::Dropped { reason: DropReason::TimeToLive });
        }
        self.counters.count(Counter::Forwarded);
        self.context(now).forward(Packet { ttl, ..packet }, Purpose::Forward);
    }

    /// A packet for this node.
    fn for_circuit(&mut self, now: Time, packet: Packet<D>) {
        let origin = packet.origin;
        match packet.body {
            Body::ConnectRequest { circuit, window, user, timeout_s, .. } => {
                self.connect_requested(now, origin, circuit, window, user, timeout_s.is_some());
            }
            Body::ConnectAcknowledge { circuit, own, window, .. } => {
                if self.circuits.own(circuit, origin).is_none() {
                    // the user has disconnected meanwhile
                    let body = Body::DisconnectRequest { circuit: own };
                    return self.context(now).send(origin, body, Purpose::Control);
                }
                self.with_own(now, origin, circuit, |found, context| found.connect_acknowledged(context, own, window));
            }
            Body::ConnectRefusal { circuit } => {
                self.with_own(now, origin, circuit, |found, context| found.refused(context));
            }
            Body::DisconnectRequest { circuit } => {
                if let Some(peer) = self.circuits.ended(circuit, origin) {
                    let body = Body::DisconnectAcknowledge { circuit: peer };
                    return self.context(now).send(origin, body, Purpose::Control);
                }
                self.with_own(now, origin, circuit, Circuit::disconnect_requested);
            }
            Body::DisconnectAcknowledge { circuit } => {
                self.with_own(now, origin, circuit, Circuit::disconnect_acknowledged)
            }
            Body::Information { circuit, tx_sequence, rx_sequence, flow, more, data } => {
                self.with_own(now, origin, circuit, |found, context| {
                    if found.state != State::Open {
                        return context.count(Counter::Ignored);
                    }
                    // first the information, so that packets sent in return acknowledge it
                    found.information(context, tx_sequence, Fragment { data, more });
                    found.acknowledged(context, rx_sequence, flow);
                });
            }
            Body::InformationAcknowledge { circuit, rx_sequence, flow } => {
                self.with_own(now, origin, circuit, |found, context| match found.state {
                    State::Open => found.acknowledged(context, rx_sequence, flow),
                    _ => context.count(Counter::Ignored),
                });
            }
            Body::Reset { circuit, own } => self.reset(now, origin, circuit, own),
            Body::Other { .. } => self.outputs.push_back(Output::Other { packet }),
        }
    }

    /// A connect request was received.
    fn connect_requested(
        &mut self,
        now: Time,
        node: Address,
        peer: CircuitNumber,
        window: u8,
        user: Address,
        extended: bool,
    ) {
        if let Some(id) = self.circuits.peer(peer, node) {
            return self.with(now, id.index, Circuit::accept);
        }
        let window = window.clamp(1, self.settings.transport.window);
        let new = NewCircuit { peer, node, user, incoming: true, extended, window };
        let made = if self.settings.transport.accepts_connections { self.create(new) } else { None };
        match made {
            Some(id) => self.with(now, id.index, Circuit::accept),
            None => self.context(now).send(node, Body::ConnectRefusal { circuit: peer }, Purpose::Control),
        }
    }

    /// A reset was received: the peer does not know the circuit.
    fn reset(&mut self, now: Time, origin: Address, circuit: CircuitNumber, own: CircuitNumber) {
        let known = own != CircuitNumber::default();
        let by_peer = |found: &&Circuit<D>| known && found.peer == own && found.node == origin;
        let found = self.circuits.own(circuit, origin).or_else(|| self.circuits.iter().find(by_peer).map(|c| c.id));
        match found.filter(|_| self.settings.transport.resets) {
            Some(id) => self.with(now, id.index, |found, context| found.end(context, Cause::Reset)),
            None => self.counters.count(Counter::Ignored),
        }
    }

    fn connect(&mut self, now: Time, user: Address, destination: Address) -> Result<(), Refusal> {
        self.opened = None;
        self.table.next_hop(destination).ok_or(Refusal::NoRoute(destination))?;
        let transport = &self.settings.transport;
        let (limit, window) = (transport.max_circuits, transport.window);
        let peer = CircuitNumber::default();
        let new = NewCircuit { peer, node: destination, user, incoming: false, extended: false, window };
        let id = self.create(new).ok_or(Refusal::CircuitLimit(limit))?;
        self.opened = Some(id);
        self.with(now, id.index, Circuit::connect);
        Ok(())
    }

    /// Creates a circuit unless the node has its maximum.
    fn create(&mut self, new: NewCircuit) -> Option<CircuitId> {
        let (id, own) = self.circuits.reserve(self.settings.transport.max_circuits)?;
        let NewCircuit { peer, node, user, incoming, extended, window } = new;
        self.circuits.insert(Circuit {
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
        });
        Some(id)
    }

    fn send(&mut self, now: Time, circuit: CircuitId, data: &D) -> Result<(), Refusal> {
        let limit = self.settings.transport.send_queue_limit;
        let found = self.circuits.get(circuit).filter(|found| accepts_messages(found)).ok_or(Refusal::NoCircuit)?;
        if !found.sender.has_room(limit) {
            return Err(Refusal::NoRoom(limit));
        }
        self.with(now, circuit.index, |found, context| found.send(context, data));
        Ok(())
    }

    /// Applies `act` to a circuit that exists and is not closing.
    fn change<R>(
        &mut self,
        now: Time,
        circuit: CircuitId,
        act: impl FnOnce(&mut Circuit<D>, &mut Context<'_, D>) -> R,
    ) -> Result<R, Refusal> {
        let ending = |found: &&Circuit<D>| !matches!(found.state, State::Closing(_));
        self.circuits.get(circuit).filter(ending).ok_or(Refusal::NoCircuit)?;
        Ok(self.with(now, circuit.index, act))
    }

    /// Applies `act` to the circuit that a packet from `origin` names, or sends a reset if there is none.
    fn with_own(
        &mut self,
        now: Time,
        origin: Address,
        number: CircuitNumber,
        act: impl FnOnce(&mut Circuit<D>, &mut Context<'_, D>),
    ) {
        if let Some(id) = self.circuits.own(number, origin) {
            return self.with(now, id.index, act);
        }
        self.counters.count(Counter::Ignored);
        if self.settings.transport.resets {
            let body = Body::Reset { circuit: CircuitNumber::default(), own: number };
            self.context(now).send(origin, body, Purpose::Control);
        }
    }

    /// Applies `act` to the circuit in a slot, which must hold one, and frees the slot if the circuit has ended.
    fn with<R>(&mut self, now: Time, index: u8, act: impl FnOnce(&mut Circuit<D>, &mut Context<'_, D>) -> R) -> R {
        let mut circuit = self.circuits.take(index).expect("the slot holds a circuit");
        let result = act(&mut circuit, &mut self.context(now));
        match circuit.state {
            State::Closed => self.circuits.remember(&circuit),
            _ => self.circuits.put_back(circuit),
        }
        result
    }

    fn context(&mut self, now: Time) -> Context<'_, D> {
        Context {
            now,
            own: self.own,
            settings: &self.settings,
            ticks: self.ticks,
            table: &self.table,
            free_buffers: self.free_buffers,
            outputs: &mut self.outputs,
            counters: &mut self.counters,
        }
    }

    fn broadcast(&mut self) {
        for nodes in self.table.broadcasts(&self.settings.routing, self.alias) {
            self.outputs.push_back(Output::Broadcast { nodes: Arc::new(nodes) });
        }
    }

    fn each_circuit(&mut self, now: Time, mut act: impl FnMut(&mut Circuit<D>, &mut Context<'_, D>)) {
        for index in 0..self.circuits.count() {
            if self.circuits.at(index).is_some() {
                self.with(now, index, &mut act);
            }
        }
    }
}

/// Whether a circuit accepts messages of its user.
fn accepts_messages<D>(circuit: &Circuit<D>) -> bool {
    matches!(circuit.state, State::Connecting | State::Open) && !circuit.finishing
}

impl<D: StreamData> Machine for Node<D> {
    type Input = Input<D>;
    type Output = Output<D>;

    fn handle(&mut self, now: Time, input: Input<D>) {
        let done = match input {
            Input::Receive { from, packet } => {
                self.receive(now, from, packet);
                Ok(())
            }
            Input::NodesReceived { from, nodes } => {
                self.counters.count(Counter::BroadcastsReceived);
                if self.settings.routing.learns_from_broadcasts && from.address != self.own {
                    self.table.receive_broadcast(&self.settings.routing, from, &nodes);
                }
                Ok(())
            }
            Input::LinkUp { neighbour } => {
                self.table.set_down(neighbour, false);
                Ok(())
            }
            Input::LinkFailed { neighbour } => {
                self.table.set_down(neighbour, true);
                Ok(())
            }
            Input::Broadcast => {
                self.broadcast();
                Ok(())
            }
            Input::Connect { user, destination } => self.connect(now, user, destination),
            Input::Send { circuit, data } => self.send(now, circuit, &data),
            Input::Consumed { circuit, packets } => {
                self.change(now, circuit, |found, context| found.consumed(context, packets)).and_then(|done| done)
            }
            Input::Finish { circuit } => self.change(now, circuit, Circuit::finish),
            Input::Disconnect { circuit } => {
                self.change(now, circuit, |found, context| found.close(context, Cause::Requested))
            }
            Input::FreeBuffers { buffers } => {
                let more = buffers > std::mem::replace(&mut self.free_buffers, buffers);
                if more {
                    self.each_circuit(now, Circuit::release_if_possible);
                }
                Ok(())
            }
        };
        if let Err(refusal) = done {
            self.outputs.push_back(Output::Refused { refusal });
        }
    }

    fn wake(&mut self, now: Time) {
        if self.next_broadcast <= now {
            self.next_broadcast += self.settings.routing.broadcast_interval;
            self.table.age();
            self.broadcast();
        }
        self.each_circuit(now, |circuit, context| {
            if circuit.timers.next() <= context.now {
                circuit.wake(context);
            }
        });
    }

    fn poll_output(&mut self) -> Option<Output<D>> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        let circuits = self.circuits.iter().map(|circuit| circuit.timers.next());
        Some(circuits.fold(self.next_broadcast, Time::min)).filter(|at| *at != Time::NEVER)
    }
}
