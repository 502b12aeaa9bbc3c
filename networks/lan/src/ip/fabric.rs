//! The fabric of packet links: all outputs together, as hosts see them; datagrams go in and are delivered or lost.
//!
//! Order of simultaneous steps: first the packet in transmission has left, then a token bucket is checked again, then
//! packets arrive; within each kind, in the order in which they were scheduled.

use std::collections::VecDeque;

use sojourn_core::{Duration, Streams, Time, rekey_fields};
use sojourn_engine::Queue;
use sojourn_protocols::ip::Ecn;

use super::conditioner::{Conditioned, Conditioner};
use super::fragments::{Fragmented, fragments};
use super::packet::{Packet, Store};
use super::port::{Due, Port};
use super::settings::Settings;
use super::wires::SharedWires;
use crate::fabric::{
    ConnectionTally, Delivered, Fabric, FabricEvent, FabricSettings, LinkChange, Tally, Unloaded, Watch,
};
use crate::frame::Frame;
use crate::topology::{StationKind, Topology};
use sojourn_model::slab::{NONE, Slab};

/// Outputs, and the packets between and before them.
#[derive(Clone, Debug)]
pub struct Packets {
    pub(super) ports: Vec<Port>,
    pub(super) paths: Vec<Path>,
    conditioners: Vec<Conditioner>,
    /// Their names.
    names: Vec<String>,
    pub(super) store: Store,
    fragmented: Slab<Fragmented>,
    pub(super) steps: Queue<Step>,
    /// Events for the hosts that are not yet reported.
    pub(super) pending_events: VecDeque<FabricEvent>,
    /// Those dropped in the step that is being taken.
    pub(super) dropped: Vec<u32>,
    /// Wires that stations share.
    pub(super) shared: SharedWires,
}

/// The path of a connection.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) ports: Vec<u32>,
    /// The smallest MTU on it: the path MTU, octets.
    mtu: u32,
    /// What conditions its packets before the first port; [`NONE`] without.
    conditioner: u32,
    /// Their drop precedence before a meter has marked them.
    precedence: u8,
    /// Its datagrams lost since the warm-up.
    lost: u64,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// The last bit of a packet is sent at a port.
    Sent(u32),
    /// A port's token bucket is due.
    Again(u32),
    /// The packet that has waited longest in a shaper conforms.
    Conforms(u32),
    /// A packet may go on from the station that it has reached.
    Arrived(u32),
    /// Something is due on a shared wire.
    Wire(u32),
}

impl Step {
    #[inline]
    fn class(&self) -> u8 {
        match self {
            Step::Sent(_) => 0,
            Step::Again(_) | Step::Conforms(_) => 1,
            Step::Arrived(_) => 2,
            Step::Wire(_) => 3,
        }
    }
}

impl Packets {
    /// A network at rest.
    pub fn new(topology: &Topology, settings: &Settings, streams: &Streams) -> Self {
        let all = topology.routes.len();
        let mut passing = vec![Vec::new(); topology.ports.len()];
        for (connection, route) in (0..).zip(&topology.routes) {
            route.iter().for_each(|port| passing[*port as usize].push(connection));
        }
        let port = |number: usize| {
            let port = &topology.ports[number];
            let latency = match topology.stations[port.to as usize] {
                StationKind::Host | StationKind::Segment => Duration::ZERO,
                StationKind::Switch => settings.latencies[port.to as usize],
            };
            Port::new(port, &settings.ports[number], latency, &passing[number], all, streams)
        };
        let mtu = |port: &u32| settings.ports[*port as usize].link.mtu;
        let path = |(connection, ports): (usize, &Vec<u32>)| Path {
            ports: ports.clone(),
            mtu: ports.iter().map(mtu).min().expect("a path has a port"),
            conditioner: NONE,
            precedence: settings.precedences.get(connection).copied().unwrap_or_default(),
            lost: 0,
        };
        let mut paths: Vec<Path> = topology.routes.iter().enumerate().map(path).collect();
        for (number, conditioner) in (0..).zip(&settings.conditioners) {
            conditioner.connections.iter().for_each(|connection| paths[*connection as usize].conditioner = number);
        }
        let mut packets = Packets {
            ports: (0..topology.ports.len()).map(port).collect(),
            paths,
            conditioners: settings.conditioners.iter().map(Conditioner::new).collect(),
            names: settings.conditioners.iter().map(|conditioner| conditioner.name.clone()).collect(),
            store: Store::new(),
            fragmented: Slab::new(),
            steps: Queue::new(),
            pending_events: VecDeque::new(),
            dropped: Vec::new(),
            shared: SharedWires::new(topology, &settings.segments, streams),
        };
        packets.arm_wires();
        packets
    }

    /// Packets of which it is not known yet what becomes of them.
    pub fn in_flight(&self) -> usize {
        self.store.len()
    }

    /// A packet leaves its sender.
    #[inline]
    fn begin(&mut self, now: Time, number: u32) {
        match self.paths[self.store[number].frame.connection as usize].conditioner {
            NONE => self.join(now, number),
            conditioner => {
                let conditioned = self.conditioners[conditioner as usize].take(now, number, &mut self.store);
                self.proceed(now, number, conditioner, conditioned);
            }
        }
    }

    /// A packet has passed a conditioner, or not.
    fn proceed(&mut self, now: Time, number: u32, conditioner: u32, conditioned: Conditioned) {
        match conditioned {
            Conditioned::Passes => self.join(now, number),
            Conditioned::Waits => {}
            Conditioned::WaitsUntil(at) => self.steps.at(at, Step::Conforms(conditioner)),
            Conditioned::Dropped => {
                let port = self.paths[self.store[number].frame.connection as usize].ports[0];
                // it was never marked: the network has not lost it
                self.store[number].precedence = 0;
                self.lose(now, number, port);
            }
        }
    }

    /// The packet that has waited longest in a shaper conforms.
    fn release(&mut self, now: Time, conditioner: u32) {
        let released = self.conditioners[conditioner as usize].release(now, &mut self.store);
        let Some((number, conditioned, next)) = released else { return };
        if let Some(at) = next {
            self.steps.at(at, Step::Conforms(conditioner));
        }
        self.proceed(now, number, conditioner, conditioned);
    }

    /// A packet is queued at the next port of its path.
    #[inline]
    fn join(&mut self, now: Time, number: u32) {
        let packet = &self.store[number];
        let port = self.paths[packet.frame.connection as usize].ports[packet.hop as usize];
        self.ports[port as usize].enqueue(now, number, &mut self.store, &mut self.dropped);
        self.send_next(now, port);
    }

    #[inline]
    pub(super) fn send_next(&mut self, now: Time, port: u32) {
        if self.shared.is_output(port) {
            return self.send_on_wire(now, port);
        }
        let state = &mut self.ports[port as usize];
        match state.send_next(now, &mut self.store, &mut self.dropped) {
            Some(Due::Sent { number, at }) => {
                self.steps.at(at, Step::Sent(port));
                self.leaves(now, number);
            }
            Some(Due::Again(at)) => self.steps.at(at, Step::Again(port)),
            None => {}
        }
        self.observe(now, port);
    }

    /// Packets have come, gone or been dropped at a port.
    pub(super) fn observe(&mut self, now: Time, port: u32) {
        self.ports[port as usize].observe(now, self.dropped.len());
        while let Some(number) = self.dropped.pop() {
            self.lose(now, number, port);
        }
    }

    /// A packet's first bit leaves a station.
    #[inline]
    pub(super) fn leaves(&mut self, now: Time, number: u32) {
        let packet = &mut self.store[number];
        if packet.hop > 0 {
            return;
        }
        packet.left = now;
        if packet.fragmented != NONE {
            let left = &mut self.fragmented[packet.fragmented].left;
            *left = Some((left.map_or(now, |(first, _)| first), now));
        }
    }

    #[inline]
    fn sent(&mut self, now: Time, port: u32) {
        let state = &mut self.ports[port as usize];
        let number = state.sent();
        // decided after the transmission: a packet with bit errors has used the link all the same
        if state.loses() {
            state.lost();
            self.lose(now, number, port);
        } else {
            let arrival = state.wire.arrival(now) + state.latency;
            self.steps.at(arrival, Step::Arrived(number));
        }
        self.send_next(now, port);
    }

    #[inline]
    pub(super) fn arrived(&mut self, now: Time, number: u32) {
        let packet = &mut self.store[number];
        packet.hop += 1;
        if (packet.hop as usize) < self.paths[packet.frame.connection as usize].ports.len() {
            return self.join(now, number);
        }
        let Packet { frame, fragmented, left, precedence, shared: [access, collided], .. } = self.store.remove(number);
        match fragmented {
            NONE => {
                let (first_departure, last_departure) = (left, left);
                let delivered =
                    Delivered { at: now, frame, first_departure, last_departure, access, collided, precedence };
                self.pending_events.push_back(FabricEvent::Delivered(delivered));
            }
            fragmented => {
                // of fragments that follow each other the last counts
                let whole = &mut self.fragmented[fragmented];
                whole.shared = [access, collided];
                // a mark on any fragment is one of the whole (RFC 3168, 5.3)
                if frame.ecn == Ecn::Ce {
                    whole.frame.ecn = Ecn::Ce;
                }
                self.settle(now, fragmented);
            }
        }
    }

    /// A packet is lost at a port.
    #[cold]
    pub(super) fn lose(&mut self, now: Time, number: u32, port: u32) {
        let Packet { frame, fragmented, precedence, .. } = self.store.remove(number);
        if let Some(conditioner) = self.conditioners.get_mut(self.paths[frame.connection as usize].conditioner as usize)
        {
            conditioner.lost(precedence);
        }
        if fragmented == NONE {
            return self.report_lost(now, frame, port);
        }
        self.fragmented[fragmented].lost_at.get_or_insert(port);
        self.settle(now, fragmented);
    }

    fn report_lost(&mut self, at: Time, frame: Frame, port: u32) {
        self.paths[frame.connection as usize].lost += 1;
        self.pending_events.push_back(FabricEvent::Lost { at, frame, port });
    }

    /// One fragment less of a datagram is in flight.
    fn settle(&mut self, now: Time, number: u32) {
        self.fragmented[number].missing -= 1;
        if self.fragmented[number].missing > 0 {
            return;
        }
        let Fragmented { frame, left, lost_at, shared: [access, collided], .. } = self.fragmented.remove(number);
        match (lost_at, left) {
            (Some(port), _) => self.report_lost(now, frame, port),
            (None, Some((first_departure, last_departure))) => {
                let delivered =
                    Delivered { at: now, frame, first_departure, last_departure, access, collided, precedence: 0 };
                self.pending_events.push_back(FabricEvent::Delivered(delivered));
            }
            (None, None) => unreachable!("what has arrived has left"),
        }
    }
}

impl FabricSettings for Settings {
    type Fabric = Packets;

    fn fabric(&self, topology: &Topology, streams: &Streams) -> Packets {
        Packets::new(topology, self, streams)
    }
}

impl Fabric for Packets {
    fn watch(&mut self, watch: &Watch) {
        for (number, port) in (0..).zip(&mut self.ports) {
            port.watch(watch, watch.queue_trace == Some(number));
        }
    }

    #[inline]
    fn send(&mut self, now: Time, frame: Frame) {
        let Path { mtu, precedence, .. } = self.paths[frame.connection as usize];
        if frame.octets <= mtu {
            let number = self.store.insert(Packet::new(frame, frame.octets, NONE, precedence));
            return self.begin(now, number);
        }
        let sizes = fragments(frame.octets, mtu);
        let whole = Fragmented {
            frame,
            missing: sizes.clone().count() as u32,
            left: None,
            lost_at: None,
            shared: Default::default(),
        };
        let fragmented = self.fragmented.insert(whole);
        for octets in sizes {
            let number = self.store.insert(Packet::new(frame, octets, fragmented, precedence));
            self.begin(now, number);
        }
    }

    #[inline]
    fn advance(&mut self, limit: Time) -> Option<FabricEvent> {
        while self.pending_events.is_empty() {
            let (now, step) = self.steps.pop_until(limit, Step::class)?;
            match step {
                Step::Sent(port) => self.sent(now, port),
                Step::Again(port) => {
                    self.ports[port as usize].ask_again(now);
                    self.send_next(now, port);
                }
                Step::Conforms(conditioner) => self.release(now, conditioner),
                Step::Arrived(number) => self.arrived(now, number),
                Step::Wire(wire) => self.wire_due(now, wire, limit),
            }
        }
        self.pending_events.pop_front()
    }

    fn change(&mut self, now: Time, port: u32, change: LinkChange) {
        self.ports[port as usize].change(now, change, &mut self.store, &mut self.dropped);
        self.power_of_wire(now, port);
        self.send_next(now, port);
    }

    fn unloaded(&self, connection: u32, octets: u32) -> Unloaded {
        let path = &self.paths[connection as usize];
        let ports = || path.ports.iter().map(|port| &self.ports[*port as usize]);
        let mut lines: Vec<_> = ports().map(|port| port.wire.line.idle()).collect();
        let last_bit = |lines: &mut Vec<_>, octets| {
            let pass = |arrived: Time, line: &mut super::wire::Line| {
                let begin = arrived.max(line.free_at());
                line.send(begin, octets)
            };
            lines.iter_mut().fold(Time::ZERO, pass)
        };
        let (mut leaving, mut transmission) = (Time::ZERO, Time::ZERO);
        for octets in fragments(octets, path.mtu) {
            leaving = lines[0].free_at();
            transmission = last_bit(&mut lines, octets);
        }
        Unloaded {
            transmission: transmission.since(Time::ZERO),
            leaving: leaving.since(Time::ZERO),
            switching: ports().map(|port| port.latency).sum(),
            propagation: ports().map(|port| port.wire.propagation()).sum::<Duration>()
                + self.shared.propagation(&path.ports),
        }
    }

    fn reset_tally(&mut self, now: Time) {
        self.ports.iter_mut().for_each(|port| port.reset_tally(now));
        self.paths.iter_mut().for_each(|path| path.lost = 0);
        self.shared.reset_tally(now);
        self.conditioners.iter_mut().for_each(|conditioner| conditioner.reset_tally(now));
    }

    fn tally(&mut self, now: Time) -> Tally {
        let mut tally = Tally::default();
        for port in &mut self.ports {
            let (counts, trace) = port.tally(now);
            tally.ports.push(counts);
            tally.queue_trace.extend(trace.into_iter().flat_map(|trace| trace.finish(now)));
        }
        tally.segments = self.shared.tally(now);
        let connection = |path: &Path| ConnectionTally { lost: path.lost, ..ConnectionTally::default() };
        let conditioners = self.names.iter().zip(&self.conditioners);
        tally.conditioners = conditioners.map(|(name, of)| (name.clone(), of.tally.clone())).collect();
        tally.connections = self.paths.iter().map(connection).collect();
        tally
    }
}

rekey_fields!(Packets { ports, shared });
