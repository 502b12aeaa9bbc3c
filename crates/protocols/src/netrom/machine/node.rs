//! A node (level 3): its routes, packets received and forwarded, NODES broadcasts; requests of its users.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_core::{Duration, Machine, Time};

use super::circuit::Circuit;
use super::context::Context;
use super::counters::{Counter, Counters};
use super::output::{Cause, CircuitId, DropReason, Input, Neighbour, Output, Purpose, Refusal};
use super::routing::{Route, Table};
use super::settings::Settings;
use super::timers::Ticks;
use super::transport_layer::TransportLayer;
use crate::StreamData;
use crate::ax25::wire::Address;
use crate::limits::ParameterOutOfRange;
use crate::netrom::wire::{Alias, Packet};

/// A NET/ROM node: routing table and circuits.
#[derive(Clone, Debug)]
pub struct Node<D> {
    own: Address,
    alias: Alias,
    settings: Arc<Settings>,
    ticks: Ticks,
    table: Table,
    transport: TransportLayer<D>,
    next_broadcast: Time,
    free_buffers: u16,
    outputs: VecDeque<Output<D>>,
    counters: Counters,
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
            transport: TransportLayer::new(),
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
        self.transport.opened()
    }

    /// Whether a circuit accepts a message.
    pub fn has_room(&self, circuit: CircuitId) -> bool {
        let limit = self.settings.transport.send_queue_limit;
        self.transport.get(circuit).is_some_and(|circuit| circuit.accepts_messages() && circuit.sender.has_room(limit))
    }

    /// Unacknowledged packets of a circuit, sent or not.
    pub fn outstanding(&self, circuit: CircuitId) -> usize {
        self.transport.get(circuit).map_or(0, |circuit| circuit.sender.outstanding())
    }

    /// Packets of a circuit that have been delivered and not consumed.
    pub fn backlog(&self, circuit: CircuitId) -> usize {
        self.transport.get(circuit).map_or(0, |circuit| circuit.backlog.packets())
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
            let (transport, mut context) = self.transport(now);
            transport.receive(&mut context, packet);
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
        let (_, mut context) = self.transport(now);
        context.forward(Packet { ttl, ..packet }, Purpose::Forward);
    }

    /// The transport layer, and what the node passes it.
    fn transport(&mut self, now: Time) -> (&mut TransportLayer<D>, Context<'_, D>) {
        let context = Context {
            now,
            own: self.own,
            settings: &self.settings,
            ticks: self.ticks,
            table: &self.table,
            free_buffers: self.free_buffers,
            outputs: &mut self.outputs,
            counters: &mut self.counters,
        };
        (&mut self.transport, context)
    }

    /// Carries out a request of a user, or reports why it is refused.
    fn request(
        &mut self,
        now: Time,
        act: impl FnOnce(&mut TransportLayer<D>, &mut Context<'_, D>) -> Result<(), Refusal>,
    ) {
        let (transport, mut context) = self.transport(now);
        if let Err(refusal) = act(transport, &mut context) {
            context.emit(Output::Refused { refusal });
        }
    }

    fn broadcast(&mut self) {
        for nodes in self.table.broadcasts(&self.settings.routing, self.alias) {
            self.outputs.push_back(Output::Broadcast { nodes: Arc::new(nodes) });
        }
    }
}

impl<D: StreamData> Machine for Node<D> {
    type Input = Input<D>;
    type Output = Output<D>;

    fn handle(&mut self, now: Time, input: Input<D>) {
        match input {
            Input::Receive { from, packet } => self.receive(now, from, packet),
            Input::NodesReceived { from, nodes } => {
                self.counters.count(Counter::BroadcastsReceived);
                if self.settings.routing.learns_from_broadcasts && from.address != self.own {
                    self.table.receive_broadcast(&self.settings.routing, from, &nodes);
                }
            }
            Input::LinkUp { neighbour } => self.table.set_down(neighbour, false),
            Input::LinkFailed { neighbour } => self.table.set_down(neighbour, true),
            Input::Broadcast => self.broadcast(),
            Input::FreeBuffers { buffers } => {
                if buffers > std::mem::replace(&mut self.free_buffers, buffers) {
                    let (transport, mut context) = self.transport(now);
                    transport.each(&mut context, Circuit::release_if_possible);
                }
            }
            Input::Connect { user, destination } => {
                self.request(now, |transport, context| transport.connect(context, user, destination))
            }
            Input::Send { circuit, data } => {
                self.request(now, |transport, context| transport.send(context, circuit, &data))
            }
            Input::Consumed { circuit, packets } => self.request(now, |transport, context| {
                transport.change(context, circuit, |found, context| found.consumed(context, packets))?
            }),
            Input::Finish { circuit } => {
                self.request(now, |transport, context| transport.change(context, circuit, Circuit::finish))
            }
            Input::Disconnect { circuit } => self.request(now, |transport, context| {
                transport.change(context, circuit, |found, context| found.close(context, Cause::Requested))
            }),
        }
    }

    fn wake(&mut self, now: Time) {
        if self.next_broadcast <= now {
            self.next_broadcast += self.settings.routing.broadcast_interval;
            self.table.age();
            self.broadcast();
        }
        let (transport, mut context) = self.transport(now);
        transport.each(&mut context, |circuit, context| {
            if circuit.timers.next() <= context.now {
                circuit.wake(context);
            }
        });
    }

    fn poll_output(&mut self) -> Option<Output<D>> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        Some(self.transport.next_wakeup().min(self.next_broadcast)).filter(|at| *at != Time::NEVER)
    }
}
