//! The receivers of a packet, and the CPU time that other stations spend to discard it.
//!
//! Every station's network processor examines every valid packet of its medium and discards it if it is addressed to
//! another node. Idle stations have the same CPU state, so they share one `Cpu`; a station gets its own when it has other
//! work, and returns to the shared one when both are equal again.

use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::wire::Destination;

use super::site::{Role, StationClass};
use super::slab::NONE;
use super::station::{ActiveState, Cpu, Frame, Station};
use super::world::Simulation;

/// The idle stations of a medium.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    /// Their network processors, all in the same state.
    pub network: Cpu,
    /// CPU time to discard a packet; none before the first station.
    discard: Option<Duration>,
    /// Stations with a CPU state of their own.
    pub own: Vec<u32>,
}

impl Listeners {
    /// Whether a station whose discard costs `discard` may share the CPU state.
    pub fn admit(&mut self, discard: Duration) -> bool {
        *self.discard.get_or_insert(discard) == discard
    }
}

/// Whether a station shares the CPU state of its medium's idle stations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CpuState {
    /// Shared: its own `network` is stale.
    Shared,
    /// Its own at present.
    Own,
    /// Always its own: it is on several media or has another discard cost.
    Exclusive,
}

/// A station's network processor and network input buffers: all that a packet for another node accesses.
#[derive(Clone, Copy, Debug)]
pub struct ReceiveQueue {
    /// Layers 3 to 6.
    pub network: Cpu,
    /// When the packet that found the processor idle is processed.
    single: Time,
    /// CPU time to discard a packet.
    discard: Duration,
    /// Number of the last packet that the station sent or is a receiver of.
    mark: u32,
    /// Its network input buffers.
    buffers: u16,
    cpu_state: CpuState,
    /// Whether the packets in its buffers are listed in `input`, not just one in `single`.
    listed: bool,
}

impl ReceiveQueue {
    /// The queue of a station; `admitted` if it may share the CPU state of its medium's idle stations.
    pub fn new(class: &StationClass, admitted: bool) -> Self {
        ReceiveQueue {
            network: Cpu::default(),
            single: Time::ZERO,
            discard: class.costs.discard,
            mark: 0,
            buffers: class.buffers.network_input,
            cpu_state: if admitted { CpuState::Shared } else { CpuState::Exclusive },
            listed: false,
        }
    }

    /// Queues a packet at `now` if a buffer is free; returns start and end of its processing, which takes `cost`.
    #[inline(always)]
    pub fn push(&mut self, now: Time, cost: Duration, active: &mut Option<Box<ActiveState>>) -> Option<(Time, Time)> {
        if self.network.free <= now && self.buffers > 0 {
            let (start, done) = self.network.serve(now, cost);
            (self.single, self.listed) = (done, false);
            return Some((start, done));
        }
        self.push_behind(now, cost, active)
    }

    /// The same while the processor is busy.
    #[inline(never)]
    fn push_behind(
        &mut self,
        now: Time,
        cost: Duration,
        active: &mut Option<Box<ActiveState>>,
    ) -> Option<(Time, Time)> {
        let active = active.as_mut().expect("a station with its own CPU state is active");
        if !self.listed {
            active.input.clear();
            active.input.push(self.single);
            self.listed = true;
        }
        let buffers = usize::from(self.buffers);
        if active.input.len() >= buffers {
            active.input.retain(|&done| done > now);
            if active.input.len() >= buffers {
                active.counts.missed += 1;
                return None;
            }
        }
        let (start, done) = self.network.serve(now, cost);
        active.input.push(done);
        Some((start, done))
    }
}

impl Simulation<'_, '_> {
    /// Gives `station` its own CPU state.
    #[inline]
    pub(super) fn unshare_cpu(&mut self, station: u32) {
        if self.stations[station as usize].receive_queue.cpu_state == CpuState::Shared {
            self.copy_shared_cpu(station);
        }
    }

    fn copy_shared_cpu(&mut self, station: u32) {
        let Station { receive_queue, first_port, .. } = &mut self.stations[station as usize];
        let port = &self.ports[*first_port as usize];
        let listeners = &mut self.segments[usize::from(port.medium)].listeners;
        listeners.own.push(station);
        receive_queue.cpu_state = CpuState::Own;
        receive_queue.network = listeners.network;
        (receive_queue.single, receive_queue.listed) = (listeners.network.free, false);
        self.activate(station);
    }

    /// Adds a station that never shares its CPU state.
    pub(super) fn add_exclusive(&mut self, station: u32) {
        let state = &self.stations[station as usize];
        for port in state.first_port..state.first_port + u32::from(state.ports) {
            let segment = usize::from(self.ports[port as usize].medium);
            self.segments[segment].listeners.own.push(station);
        }
        self.activate(station);
    }

    /// A valid packet of `sender` is received on a medium; `receivers` then holds the ports that accept it, and all other
    /// stations discard it.
    pub(super) fn find_and_discard(&mut self, now: Time, segment: usize, sender: u32, frame: &Frame) {
        self.mark = self.mark.wrapping_add(1);
        self.stations[sender as usize].receive_queue.mark = self.mark;
        let mut receivers = std::mem::take(&mut self.receivers);
        receivers.clear();
        self.find_receivers(segment, sender, frame, &mut receivers);
        for &port in &receivers {
            let station = self.ports[port as usize].station;
            self.stations[station as usize].receive_queue.mark = self.mark;
            self.unshare_cpu(station);
        }
        self.receivers = receivers;
        self.discard(now, segment);
    }

    /// Ports of stations on the medium that the packet is addressed to, and of routers that forward it.
    fn find_receivers(&self, segment: usize, sender: u32, frame: &Frame, receivers: &mut Vec<u32>) {
        match frame.packet.destination {
            Destination::Node(node) | Destination::GroupAcknowledgement { node, .. } => {
                let station = self.installation.station_at(node);
                self.add_receiver(segment, sender, station, receivers);
                let single_homed = station != NONE && self.stations[station as usize].ports == 1;
                if single_homed && !self.segments[segment].repeated {
                    let home = self.ports[self.stations[station as usize].first_port as usize].medium;
                    let router = self.installation.gateway(segment, usize::from(home));
                    self.add_receiver(segment, sender, router, receivers);
                    return; // there is no other route to it
                }
            }
            Destination::Group { group } => {
                for &station in &self.installation.groups[usize::from(group)].members {
                    self.add_receiver(segment, sender, station, receivers);
                }
            }
            Destination::Broadcast { .. } | Destination::UniqueId { .. } => {
                for index in 0..self.segments[segment].ports.len() {
                    let station = self.ports[self.segments[segment].ports[index] as usize].station;
                    if self.installation.nodes[station as usize].accepts(&frame.packet) {
                        self.add_receiver(segment, sender, station, receivers);
                    }
                }
            }
        }
        for &router in &self.segments[segment].routers {
            let known = |&port: &u32| self.ports[port as usize].station == router;
            if router != sender && !receivers.iter().any(known) && self.forwards(router, segment, frame) {
                receivers.extend(self.port_on(router, segment));
            }
        }
    }

    #[inline]
    fn add_receiver(&self, segment: usize, sender: u32, station: u32, receivers: &mut Vec<u32>) {
        if station != NONE && station != sender {
            receivers.extend(self.port_on(station, segment));
        }
    }

    /// The station's port on a medium, if it is on it.
    #[inline(never)]
    pub(super) fn port_on(&self, station: u32, segment: usize) -> Option<u32> {
        let Station { first_port, ports, .. } = self.stations[station as usize];
        (first_port..first_port + u32::from(ports))
            .find(|&port| usize::from(self.ports[port as usize].medium) == segment)
    }

    /// Whether a router forwards a packet received on `segment` to any other of its ports.
    fn forwards(&self, router: u32, segment: usize, frame: &Frame) -> bool {
        let state = &self.stations[router as usize];
        state.class.role != Role::Node
            && (0..u32::from(state.ports)).any(|number| {
                let elsewhere = usize::from(self.ports[(state.first_port + number) as usize].medium) != segment;
                elsewhere && self.passes(router, number as usize, &frame.packet.destination)
            })
    }

    /// Whether a router forwards a packet to the `port`-th of its media.
    pub(super) fn passes(&self, router: u32, port: usize, destination: &Destination) -> bool {
        self.stations[router as usize].class.role == Role::Repeater
            || self.installation.passes(self.site, router, port, destination)
    }

    /// All other stations spend CPU time to discard the packet.
    fn discard(&mut self, now: Time, segment: usize) {
        let Self { segments, stations, mark, metrics, .. } = self;
        let listeners = &mut segments[segment].listeners;
        if let Some(cost) = listeners.discard {
            listeners.network.serve(now, cost);
        }
        let shared = listeners.network;
        let mut place = 0;
        while let Some(&station) = listeners.own.get(place) {
            let Station { receive_queue, active, .. } = &mut stations[station as usize];
            place += 1;
            if receive_queue.mark == *mark {
                continue;
            }
            if receive_queue.push(now, receive_queue.discard, active).is_none() {
                metrics.missed_packet(now);
            }
            if receive_queue.cpu_state == CpuState::Own && receive_queue.network == shared && !receive_queue.listed {
                receive_queue.cpu_state = CpuState::Shared;
                place -= 1;
                listeners.own.swap_remove(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sojourn_core::Streams;
    use sojourn_protocols::lontalk::machine::{Node, NodeConfiguration, Settings};
    use sojourn_protocols::lontalk::wire::SubnetNode;

    use super::*;

    /// Queues packets of several costs at random instants, with other work in between; returns how many were lost: those
    /// that arrived while all buffers held unprocessed packets.
    fn packets_lost(buffers: u16) -> usize {
        let mut stream = Streams::new(1, 0).stream("packets");
        let configuration = NodeConfiguration::new(SubnetNode::new(1, 1), Arc::new(Settings::default()));
        let mut active = Some(Box::new(ActiveState::new(Node::new(configuration), stream.clone())));
        let mut receive_queue = ReceiveQueue {
            network: Cpu::default(),
            single: Time::ZERO,
            discard: Duration::ZERO,
            mark: 0,
            buffers,
            cpu_state: CpuState::Own,
            listed: false,
        };
        let (mut now, mut free, mut held, mut lost) = (Time::ZERO, Time::ZERO, Vec::new(), 0);
        for _ in 0..10_000 {
            now += Duration::from_micros(u64::from(stream.below(3000)));
            let cost = Duration::from_micros([700, 1480, 4980][stream.below(3) as usize]);
            if stream.below(4) == 0 {
                receive_queue.network.serve(now, cost);
                free = free.max(now) + cost;
                continue;
            }
            held.retain(|&done| done > now);
            let wanted = (held.len() < usize::from(buffers)).then(|| {
                let start = free.max(now);
                free = start + cost;
                held.push(free);
                (start, free)
            });
            lost += usize::from(wanted.is_none());
            assert_eq!(receive_queue.push(now, cost, &mut active), wanted, "at {now} with {buffers} buffers");
        }
        assert_eq!(active.expect("still active").counts.missed, lost as u64);
        lost
    }

    #[test]
    fn a_packet_is_lost_exactly_when_every_buffer_holds_an_unprocessed_one() {
        let lost = [0, 1, 2, 5, 11].map(packets_lost);
        assert!(lost.is_sorted_by(|fewer, more| fewer > more) && lost[4] > 0, "{lost:?}");
    }
}
