//! Who hears a packet, and what hearing costs those it is not for.
//!
//! Every station's network processor looks at every valid packet of its medium and discards it if it is for
//! somebody else. Stations that do nothing else carry the same load, so they share one account; a station
//! gets an account of its own when it has other work, and returns to the common one when both agree again.

use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::wire::Destination;

use super::simulation::Simulation;
use super::site::Role;
use super::slab::NONE;
use super::station::{Frame, Processor};

/// The stations of a medium that only listen.
#[derive(Clone, Debug, Default)]
pub struct Listeners {
    /// Their network processors, all alike.
    pub network: Processor,
    /// What each of them pays for a packet of others; none before the first station.
    discard: Option<Duration>,
    /// Stations with accounts of their own.
    pub engaged: Vec<u32>,
}

impl Listeners {
    /// Whether a station that pays `discard` may share the account.
    pub fn admit(&mut self, discard: Duration) -> bool {
        *self.discard.get_or_insert(discard) == discard
    }
}

impl Simulation<'_, '_> {
    /// Gives `station` an account of its own.
    pub(super) fn engage(&mut self, station: u32) {
        let state = &mut self.stations[station as usize];
        if state.engaged {
            return;
        }
        state.engaged = true;
        let ports = state.first_port as usize..state.first_port as usize + usize::from(state.ports);
        for port in ports {
            let listeners = &mut self.segments[usize::from(self.ports[port].medium)].listeners;
            listeners.engaged.push(station);
            if state.may_share {
                state.network = listeners.network;
            }
        }
        self.work(station);
    }

    /// Lets everyone on a medium hear a valid packet of `sender`; returns, in `receivers`, the ports of those
    /// who keep it.
    pub(super) fn hear(&mut self, now: Time, segment: usize, sender: u32, frame: &Frame) {
        self.mark = self.mark.wrapping_add(1);
        self.stations[sender as usize].mark = self.mark;
        let mut receivers = std::mem::take(&mut self.receivers);
        receivers.clear();
        self.find_receivers(segment, sender, frame, &mut receivers);
        for &port in &receivers {
            self.stations[self.ports[port as usize].station as usize].mark = self.mark;
        }
        for &port in &receivers {
            self.engage(self.ports[port as usize].station);
        }
        self.receivers = receivers;
        self.discard(now, segment);
    }

    /// Ports of stations on the medium that the packet is for, and of routers that pass it on.
    fn find_receivers(&self, segment: usize, sender: u32, frame: &Frame, receivers: &mut Vec<u32>) {
        match frame.packet.destination {
            Destination::Node(node) | Destination::Answer { node, .. } => {
                self.add_receiver(segment, sender, self.plan.station_at(node), receivers);
            }
            Destination::Group { group } => {
                for &station in &self.plan.groups[usize::from(group)].members {
                    self.add_receiver(segment, sender, station, receivers);
                }
            }
            Destination::Broadcast { .. } | Destination::UniqueId { .. } => {
                for index in 0..self.segments[segment].ports.len() {
                    let station = self.ports[self.segments[segment].ports[index] as usize].station;
                    if self.stations[station as usize].node.accepts(&frame.packet) {
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

    fn add_receiver(&self, segment: usize, sender: u32, station: u32, receivers: &mut Vec<u32>) {
        if station != NONE && station != sender {
            receivers.extend(self.port_on(station, segment));
        }
    }

    /// The station's port on a medium, if it is on it.
    pub(super) fn port_on(&self, station: u32, segment: usize) -> Option<u32> {
        let state = &self.stations[station as usize];
        let mut ports = state.first_port..state.first_port + u32::from(state.ports);
        ports.find(|&port| usize::from(self.ports[port as usize].medium) == segment)
    }

    /// Whether a router passes a packet heard on `segment` on through any other of its ports.
    fn forwards(&self, router: u32, segment: usize, frame: &Frame) -> bool {
        let role = self.site.stations[router as usize].role;
        let state = &self.stations[router as usize];
        role != Role::Node
            && (0..u32::from(state.ports)).any(|number| {
                let elsewhere = usize::from(self.ports[(state.first_port + number) as usize].medium) != segment;
                elsewhere && self.plan.passes(router, number as usize, role, &frame.packet.destination)
            })
    }

    /// Charges everyone who is not concerned for looking at a packet.
    fn discard(&mut self, now: Time, segment: usize) {
        let Self { segments, stations, site, mark, measure, .. } = self;
        let listeners = &mut segments[segment].listeners;
        if let Some(cost) = listeners.discard {
            listeners.network.serve(now, cost);
        }
        let common = listeners.network;
        listeners.engaged.retain(|&index| {
            let station = &mut stations[index as usize];
            if station.mark == *mark {
                return true;
            }
            let Some(work) = &mut station.work else { return true };
            let settings = &site.stations[index as usize];
            if work.has_input_buffer(now, settings.buffers.network_input) {
                let (_, done) = station.network.serve(now, settings.costs.discard);
                work.input.push_back(done);
            } else {
                measure.missed_packet(now);
                work.counts.missed += 1;
            }
            let agrees = station.may_share && station.network == common && work.input.len() <= 1;
            station.engaged = !agrees;
            !agrees
        });
    }
}
