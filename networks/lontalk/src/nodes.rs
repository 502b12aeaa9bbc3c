//! The nodes of a site: activation, the receivers of a packet, and the CPU time of other nodes to discard it.

use std::ops::{Index, IndexMut};

use sojourn_core::{Duration, Streams, Time, clone_fields, rekey_fields};
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::Node;
use sojourn_protocols::lontalk::wire::{Destination, Packet};

use super::access::Access;
use super::installation::Installation;
use super::learning::Learned;
use super::medium::PortSettings;
use super::message::Frame;
use super::metrics::Metrics;
use super::receive_queue::{Listeners, ReceiveQueue};
use super::routes::Duty;
use super::site::{Role, Site, StationClass};
use super::slab::NONE;
use super::station::{ActiveState, PortQueues};

/// A station of the site, in one cache line.
#[derive(Debug)]
#[repr(align(64))]
pub struct Station<'a> {
    /// Its costs, buffers and role.
    pub class: &'a StationClass,
    /// Its state once it has been active.
    pub active: Option<Box<ActiveState>>,
    /// Received packets.
    pub receive_queue: ReceiveQueue,
    /// Its ports, as a range of the simulation's ports.
    pub first_port: u32,
    /// Number of ports.
    pub ports: u8,
}

clone_fields!(['a] Station<'a> { class, active, receive_queue, first_port, ports });

/// All nodes of a site.
#[derive(Debug)]
pub struct Nodes<'a> {
    site: &'a Site,
    /// Addresses, groups and routes.
    pub installation: &'a Installation,
    streams: Streams,
    list: Vec<Station<'a>>,
    /// Number of the current packet.
    mark: u32,
    /// Scratch: ports that accept the current packet.
    pub receivers: Vec<u32>,
    learned: Learned,
}

clone_fields!(['a] Nodes<'a> { site, installation, streams, list, mark, receivers, learned });

impl<'a> Index<u32> for Nodes<'a> {
    type Output = Station<'a>;

    #[inline]
    fn index(&self, station: u32) -> &Station<'a> {
        &self.list[station as usize]
    }
}

impl<'a> IndexMut<u32> for Nodes<'a> {
    #[inline]
    fn index_mut(&mut self, station: u32) -> &mut Station<'a> {
        &mut self.list[station as usize]
    }
}

impl<'a> Nodes<'a> {
    /// The nodes of a site, placed on its media.
    pub fn new(site: &'a Site, installation: &'a Installation, streams: Streams, access: &mut Access) -> Self {
        let list = Vec::with_capacity(site.stations.len());
        let learned = Learned::new(site);
        let mut nodes = Nodes { site, installation, streams, list, mark: 0, receivers: Vec::new(), learned };
        nodes.place(access);
        nodes
    }

    /// The nodes in the order of the site.
    pub fn iter(&self) -> impl Iterator<Item = &Station<'a>> {
        self.list.iter()
    }

    fn place(&mut self, access: &mut Access) {
        for (index, settings) in self.site.stations.iter().enumerate() {
            let first_port = access.ports.len() as u32;
            for &medium in settings.on() {
                let segment = &mut access.segments[usize::from(medium)];
                segment.medium.enter();
                segment.ports.push(access.ports.len() as u32);
                access.ports.push(PortQueues { station: index as u32, medium, port: NONE, head: NONE, queues: None });
                if settings.on().len() > 1 {
                    segment.routers.push(index as u32);
                    let alone = self.installation.routes.duty(index as u32) == Duty::Alone;
                    segment.has_choices |= settings.class.role != Role::Router || !alone;
                    segment.learns |= settings.class.role == Role::Learning;
                }
            }
            let home = &mut access.segments[usize::from(settings.on()[0])];
            let admitted = settings.on().len() == 1 && home.listeners.admit(settings.class.costs.discard);
            let ports = settings.on().len() as u8;
            let receive_queue = ReceiveQueue::new(&settings.class, admitted);
            self.list.push(Station { class: &settings.class, active: None, receive_queue, first_port, ports });
            if !admitted {
                self.add_exclusive(index as u32, access);
            }
        }
    }

    /// The state of `station`, which must be active.
    #[inline]
    pub fn active(&mut self, station: u32) -> &mut ActiveState {
        let Some(active) = &mut self.list[station as usize].active else { unreachable!("an inactive station") };
        active
    }

    /// Activates `station` if it is not active.
    #[inline]
    pub fn activate(&mut self, station: u32, access: &mut Access) {
        if self.list[station as usize].active.is_none() {
            self.activate_station(station, access);
        }
    }

    #[cold]
    fn activate_station(&mut self, station: u32, access: &mut Access) {
        let name = self.site.stations[station as usize].name();
        let node = Node::new(self.installation.nodes[station as usize].clone());
        let jitter = self.streams.stream(&format!("station/{name}/application"));
        let state = &mut self.list[station as usize];
        state.active = Some(Box::new(ActiveState::new(node, jitter)));
        let ports = state.first_port..state.first_port + u32::from(state.ports);
        let (class, alone) = (state.class, ports.len() == 1);
        for port in ports {
            let segment = usize::from(access.ports[port as usize].medium);
            let settings = &self.site.media[segment];
            let stream = if alone {
                format!("station/{name}/backoff")
            } else {
                format!("station/{name}/{}/backoff", settings.name)
            };
            access.ports[port as usize].port = access.segments[segment].medium.attach(PortSettings {
                owner: port,
                priority_slot: class.priority_slot,
                collision_detection: class.collision_detection,
                stream: self.streams.stream(&stream),
                skew: skew(settings.channel.skew, &self.streams, &name),
            });
        }
    }

    /// Gives `station` its own CPU state.
    #[inline]
    pub fn unshare_cpu(&mut self, station: u32, access: &mut Access) {
        if self.list[station as usize].receive_queue.is_shared() {
            self.copy_shared_cpu(station, access);
        }
    }

    fn copy_shared_cpu(&mut self, station: u32, access: &mut Access) {
        let Station { receive_queue, first_port, .. } = &mut self.list[station as usize];
        let port = &access.ports[*first_port as usize];
        let listeners = &mut access.segments[usize::from(port.medium)].listeners;
        listeners.own.push(station);
        receive_queue.unshare(listeners.network);
        self.activate(station, access);
    }

    /// Adds a station that never shares its CPU state.
    pub fn add_exclusive(&mut self, station: u32, access: &mut Access) {
        let state = &self.list[station as usize];
        for port in state.first_port..state.first_port + u32::from(state.ports) {
            let segment = usize::from(access.ports[port as usize].medium);
            access.segments[segment].listeners.own.push(station);
        }
        self.activate(station, access);
    }

    /// `station` loses power: it has no port to receive by, and examines no packet.
    pub fn power_down(&mut self, station: u32, access: &mut Access) {
        let Station { class, active, receive_queue, ports, .. } = &mut self.list[station as usize];
        *ports = 0;
        if !receive_queue.is_shared() {
            for &medium in &class.on {
                access.segments[usize::from(medium)].listeners.own.retain(|&own| own != station);
            }
        }
        if let Some(active) = active {
            active.reset();
        }
        self.learned.forget(station);
    }

    /// `station` has power again, as after a reset.
    pub fn power_up(&mut self, now: Time, station: u32, access: &mut Access) {
        let state = &mut self.list[station as usize];
        state.ports = state.class.on.len() as u8;
        self.activate(station, access);
        if self.list[station as usize].receive_queue.is_shared() {
            self.unshare_cpu(station, access);
        } else {
            self.add_exclusive(station, access);
        }
        let Station { receive_queue, first_port, ports, .. } = &mut self.list[station as usize];
        receive_queue.reset(now);
        for port in *first_port..*first_port + u32::from(*ports) {
            let PortQueues { medium, port, head, .. } = access.ports[port as usize];
            // one whose transmission was cut resets when that has ended
            if head == NONE {
                access.segments[usize::from(medium)].medium.reset_port(now, port);
            }
        }
    }

    /// A valid packet of `sender` is received on a medium; `receivers` then holds the ports that accept it, and all other
    /// stations discard it.
    pub fn receive(
        &mut self,
        now: Time,
        segment: usize,
        sender: u32,
        frame: &Frame,
        access: &mut Access,
        metrics: &mut Metrics,
    ) {
        self.mark = self.mark.wrapping_add(1);
        self.list[sender as usize].receive_queue.mark = self.mark;
        let mut receivers = std::mem::take(&mut self.receivers);
        receivers.clear();
        if access.segments[segment].learns {
            self.learn(now, segment, sender, frame.packet.source.subnet, access);
        }
        self.find_receivers(segment, sender, frame, access, &mut receivers);
        for &port in &receivers {
            let station = access.ports[port as usize].station;
            self.list[station as usize].receive_queue.mark = self.mark;
            self.unshare_cpu(station, access);
        }
        self.receivers = receivers;
        self.discard(now, &mut access.segments[segment].listeners, metrics);
    }

    /// The learning routers on a medium hear a packet from `subnet`, those that have a buffer for it.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, now: Time, segment: usize, sender: u32, subnet: u8, access: &Access) {
        for &router in access.segments[segment].routers.iter().filter(|&&router| router != sender) {
            if let Some(port) = self.port_on(router, segment, access) {
                self.hear(now, port, subnet, access);
            }
        }
    }

    /// A station hears a packet from `subnet` by a port, if it has a buffer for it.
    pub fn hear(&mut self, now: Time, port: u32, subnet: u8, access: &Access) {
        let station = access.ports[port as usize].station;
        let Station { receive_queue, active, first_port, .. } = &self.list[station as usize];
        if receive_queue.has_room(now, active) {
            self.learned.hear(station, subnet, (port - first_port) as usize);
        }
    }

    /// Ports of the members of a channel over an IP network that a packet of `sender` concerns, with or without power: those that it is
    /// addressed to, and of routers that forward it.
    pub fn concerned(
        &self,
        medium: u16,
        sender: u32,
        packet: &Packet<StreamRange>,
        access: &Access,
        members: &mut Vec<u32>,
    ) {
        let segment = usize::from(medium);
        let is_concerned = |&port: &u32| {
            let station = access.ports[port as usize].station;
            let Station { class, first_port, .. } = self.list[station as usize];
            let is_mine = || {
                let accepts = self.installation.nodes[station as usize].accepts(packet);
                accepts && (class.on.len() < 2 || self.is_taken_here(station, segment, &packet.destination))
            };
            let forwards = |number: usize| {
                first_port + number as u32 != port && self.forwards_to(station, number, &packet.destination)
            };
            station != sender && (is_mine() || class.role != Role::Node && (0..class.on.len()).any(forwards))
        };
        members.extend(access.segments[segment].ports.iter().copied().filter(is_concerned));
    }

    /// Whether a station takes a packet that is addressed to it from this medium. A redundant router but the first hears packets for groups
    /// and for all on each of its media, and takes those on its first.
    #[inline]
    pub fn takes(&self, station: u32, segment: usize, destination: &Destination) -> bool {
        self.list[station as usize].ports < 2 || self.is_taken_here(station, segment, destination)
    }

    #[cold]
    fn is_taken_here(&self, router: u32, segment: usize, destination: &Destination) -> bool {
        let is_for_many = matches!(destination, Destination::Group { .. } | Destination::Broadcast { .. });
        !is_for_many
            || self.installation.routes.duty(router) != Duty::Second
            || usize::from(self.list[router as usize].class.on[0]) == segment
    }

    /// Ports of stations on the medium that the packet is addressed to, and of routers that forward it.
    fn find_receivers(&self, segment: usize, sender: u32, frame: &Frame, access: &Access, receivers: &mut Vec<u32>) {
        match frame.packet.destination {
            Destination::Node(node) | Destination::GroupAcknowledgement { node, .. } => {
                let station = self.installation.station_at(node);
                self.add_receiver(segment, sender, station, access, receivers);
                let single_homed = station != NONE && self.list[station as usize].ports == 1;
                if single_homed && !access.segments[segment].has_choices {
                    let home = access.ports[self.list[station as usize].first_port as usize].medium;
                    let router = self.installation.routes.gateway(segment, usize::from(home));
                    self.add_receiver(segment, sender, router, access, receivers);
                    return; // there is no other route to it
                }
            }
            Destination::Group { group } => {
                let members = &self.installation.groups[usize::from(group)].members;
                for &station in members.iter().filter(|&&member| self.takes(member, segment, &frame.packet.destination))
                {
                    self.add_receiver(segment, sender, station, access, receivers);
                }
            }
            Destination::Broadcast { .. } | Destination::UniqueId { .. } => {
                for index in 0..access.segments[segment].ports.len() {
                    let station = access.ports[access.segments[segment].ports[index] as usize].station;
                    let accepts = self.installation.nodes[station as usize].accepts(&frame.packet);
                    if accepts && self.takes(station, segment, &frame.packet.destination) {
                        self.add_receiver(segment, sender, station, access, receivers);
                    }
                }
            }
        }
        for &router in &access.segments[segment].routers {
            let known = |&port: &u32| access.ports[port as usize].station == router;
            if router != sender && !receivers.iter().any(known) && self.forwards(router, segment, frame, access) {
                receivers.extend(self.port_on(router, segment, access));
            }
        }
    }

    #[inline]
    fn add_receiver(&self, segment: usize, sender: u32, station: u32, access: &Access, receivers: &mut Vec<u32>) {
        if station != NONE && station != sender {
            receivers.extend(self.port_on(station, segment, access));
        }
    }

    /// The station's port on a medium, if it is on it.
    #[inline(never)]
    pub fn port_on(&self, station: u32, segment: usize, access: &Access) -> Option<u32> {
        let Station { first_port, ports, .. } = self.list[station as usize];
        (first_port..first_port + u32::from(ports))
            .find(|&port| usize::from(access.ports[port as usize].medium) == segment)
    }

    /// Whether a router forwards a packet received on `segment` to any other of its ports.
    fn forwards(&self, router: u32, segment: usize, frame: &Frame, access: &Access) -> bool {
        let state = &self.list[router as usize];
        state.class.role != Role::Node
            && (0..u32::from(state.ports)).any(|number| {
                let elsewhere = usize::from(access.ports[(state.first_port + number) as usize].medium) != segment;
                elsewhere && self.forwards_to(router, number as usize, &frame.packet.destination)
            })
    }

    /// Whether a router forwards a packet to the `port`-th of its media, by which the packet has not come.
    pub fn forwards_to(&self, router: u32, port: usize, destination: &Destination) -> bool {
        match self.list[router as usize].class.role {
            Role::Repeater => true,
            Role::Learning => self.has_learned_to_pass(router, port, destination),
            _ => self.installation.passes(self.site, router, port, destination),
        }
    }

    /// The same of a learning router.
    fn has_learned_to_pass(&self, router: u32, port: usize, destination: &Destination) -> bool {
        match *destination {
            Destination::Group { .. }
            | Destination::Broadcast { subnet: 0 }
            | Destination::UniqueId { subnet: 0, .. } => true,
            Destination::Broadcast { subnet } | Destination::UniqueId { subnet, .. } => {
                self.learned.leads(router, subnet, port)
            }
            Destination::Node(node) | Destination::GroupAcknowledgement { node, .. } => {
                self.installation.station_at(node) != router && self.learned.leads(router, node.subnet, port)
            }
        }
    }

    /// All other stations spend CPU time to discard the packet.
    fn discard(&mut self, now: Time, listeners: &mut Listeners, metrics: &mut Metrics) {
        let Self { list, mark, .. } = self;
        let shared = listeners.discard(now);
        let mut place = 0;
        while let Some(&station) = listeners.own.get(place) {
            let Station { receive_queue, active, .. } = &mut list[station as usize];
            place += 1;
            if receive_queue.mark == *mark {
                continue;
            }
            if !receive_queue.discard(now, active) {
                metrics.missed_packet();
            }
            if receive_queue.share_if_equal(shared) {
                place -= 1;
                listeners.own.swap_remove(place);
            }
        }
    }
}

fn skew(largest: Duration, streams: &Streams, station: &str) -> Duration {
    if largest == Duration::ZERO {
        return Duration::ZERO;
    }
    let share = streams.stream(&format!("station/{station}/skew")).unit();
    Duration::from_picoseconds((largest.picoseconds() as f64 * share) as u64)
}

rekey_fields!(Station<'_> { active });

rekey_fields!(Nodes<'_> { streams, list });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inactive_station_fits_a_cache_line() {
        assert!(size_of::<Station<'_>>() <= 64, "{} bytes", size_of::<Station<'_>>());
    }
}
