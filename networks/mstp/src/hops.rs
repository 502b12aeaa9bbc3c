//! The path of NPDUs: out of a station, through routers and IP networks, into a station.

use sojourn_core::{Duration, Time};
use sojourn_protocols::mstp::BROADCAST;
use sojourn_protocols::mstp::machine::Input;
use sojourn_protocols::mstp::wire::FrameType;

use super::event::{Event, Events};
use super::latency_budget::Component;
use super::npdu::{ALL, Npdu, Role, routed};
use super::request::Packet;
use super::site::{MediumKind, Service, ip_octets};
use super::world::Simulation;

/// Octets of an address on a trunk, and of an address and port on an IP network.
const TRUNK_ADDRESS: u16 = 1;
const IP_ADDRESS: u16 = 6;

impl Simulation<'_, '_> {
    /// A station sends an NPDU, its own or one that it forwards, on the medium that leads to its receiver.
    pub(super) fn send(&mut self, now: Time, station: u32, npdu: Npdu, events: &mut Events) {
        let Some(port) = self.routes.leave(self.site, station, npdu.to) else { return self.lose(now, &npdu, events) };
        let medium = self.site.ports[port as usize].medium;
        let direct = self.site.port_on(npdu.to, medium);
        let next = direct.or_else(|| {
            let mut far = self.site.stations[npdu.to as usize].ports.clone();
            let hop = far.find_map(|far| self.routes.next(medium, self.site.ports[far as usize].medium))?;
            self.site.port_on(hop.router, medium)
        });
        let Some(next) = next else { return self.lose(now, &npdu, events) };
        let npdu = self.addressed(npdu, medium, direct.is_some());
        match &self.site.ports[next as usize].node {
            Some(node) => self.queue(now, port, node.protocol.address, npdu, events),
            None => self.send_over_ip(now, port, next, npdu, events),
        }
    }

    /// The NPDU with the network addresses that it needs on this medium.
    fn addressed(&self, npdu: Npdu, medium: u16, is_last: bool) -> Npdu {
        let address = |station: u32| {
            let mut media =
                self.site.stations[station as usize].ports.clone().map(|port| self.site.ports[port as usize].medium);
            let first = media.next().unwrap_or(medium);
            let octets = if self.site.trunk(first).is_some() { TRUNK_ADDRESS } else { IP_ADDRESS };
            (first != medium && !media.any(|other| other == medium)).then_some(octets)
        };
        let destination = address(npdu.to).filter(|_| !is_last);
        let source = address(npdu.from);
        let far = [destination, source].map(|octets| octets.unwrap_or(0) as u8);
        Npdu { length: npdu.octets + routed(destination, source), far, ..npdu }
    }

    /// Passes an NPDU to the node of a port.
    fn queue(&mut self, now: Time, port: u32, destination: u8, npdu: Npdu, events: &mut Events) {
        let is_own = self.ports[port as usize].station == npdu.from;
        let is_i_am = super::npdu::service_of(&npdu) == Service::WhoIs;
        let input = match npdu.role {
            Role::Reply if is_own && !is_i_am => Input::Reply { destination, data: npdu },
            role => {
                let kind = FrameType::of_data(usize::from(npdu.length), role == Role::Request);
                Input::Send { kind, destination, data: npdu }
            }
        };
        let is_reply = matches!(input, Input::Reply { .. });
        let is_sending = |port: &super::port::Port| port.ready.is_some() || port.on_line.is_some();
        let was_sending = is_sending(&self.ports[port as usize]);
        self.drive(now, port, input, events);
        if is_reply {
            let is_at_once = !was_sending && is_sending(&self.ports[port as usize]);
            self.metrics.replied(!is_at_once);
            if let Some(request) = self.request_of(&npdu) {
                request.is_postponed = !is_at_once;
            }
        }
    }

    /// Sends a packet on the link of a station to another on its IP network.
    fn send_over_ip(&mut self, now: Time, port: u32, to: u32, npdu: Npdu, events: &mut Events) {
        let arrives = self.occupy_link(now, port, &npdu);
        self.arrive_at(arrives, to, npdu, events);
    }

    /// When a packet that is sent now on the link of a port arrives everywhere.
    fn occupy_link(&mut self, now: Time, port: u32, npdu: &Npdu) -> Time {
        let state = &mut self.ports[port as usize];
        let medium = usize::from(state.medium);
        let MediumKind::Ip { bit_rate, delay } = self.site.media[medium].kind else { return now };
        let delay = self.changes.as_ref().map_or(delay, |changes| changes.lines[medium].delay);
        let octets = ip_octets(usize::from(npdu.length)) as u64;
        state.free_at = now.max(state.free_at) + Duration::from_units(octets * 8, bit_rate);
        state.free_at + delay
    }

    fn arrive_at(&mut self, at: Time, port: u32, npdu: Npdu, events: &mut Events) {
        let epoch = self.ports[port as usize].epoch;
        let packet = self.packets.insert(Packet { npdu, port, epoch });
        events.at(at, Event::Arrive(packet));
    }

    /// A packet arrives over an IP network.
    pub(super) fn arrive(&mut self, now: Time, packet: u32, events: &mut Events) {
        let Packet { npdu, port, .. } = self.packets.remove(packet);
        let state = &self.ports[port as usize];
        let is_down = self.changes.as_ref().is_some_and(|changes| !changes.lines[usize::from(state.medium)].is_up);
        if is_down || self.stations[state.station as usize].is_off {
            return self.lose(now, &npdu, events);
        }
        self.account(&npdu, Component::IpNetwork, now);
        self.carried = [now, now];
        self.received(now, port, &npdu, events);
    }

    /// The data of a frame that a node has received.
    #[inline]
    pub(super) fn deliver(&mut self, now: Time, port: u32, npdu: &Npdu, events: &mut Events) {
        let end = self.carried[1];
        let component = if npdu.role == Role::Reply { Component::Reply } else { Component::Request };
        self.account(npdu, component, end);
        self.received(now, port, npdu, events);
    }

    fn received(&mut self, now: Time, port: u32, npdu: &Npdu, events: &mut Events) {
        let station = self.ports[port as usize].station;
        if npdu.to == ALL {
            self.received_broadcast(now, port, npdu, events);
        } else if npdu.to != station {
            self.pass_on(now, port, npdu, events);
        } else if npdu.role == Role::Request {
            self.serve(now, port, npdu, events);
        } else {
            self.complete(now, npdu, self.carried[1], events);
        }
    }

    /// A router has received a packet for another station. It postpones the reply to one that expects a reply.
    fn pass_on(&mut self, now: Time, port: u32, npdu: &Npdu, events: &mut Events) {
        let Packet { port, epoch, .. } = self.packet(port, *npdu);
        let station = self.ports[port as usize].station as usize;
        if !self.site.stations[station].is_router() {
            return self.lose(now, npdu, events);
        }
        if npdu.role == Role::Request && self.ports[port as usize].node.is_some() {
            self.postpone_after(now, port, Duration::ZERO, events);
        }
        let packet = self.packets.insert(Packet { npdu: *npdu, port, epoch });
        events.at(now + self.site.stations[station].forward, Event::Forward(packet));
    }

    pub(super) fn packet(&self, port: u32, npdu: Npdu) -> Packet {
        Packet { npdu, port, epoch: self.ports[port as usize].epoch }
    }

    /// A router passes a packet on.
    pub(super) fn forward(&mut self, now: Time, packet: u32, events: &mut Events) {
        let Packet { npdu, port, epoch } = self.packets.remove(packet);
        let state = &self.ports[port as usize];
        let station = state.station;
        if state.epoch != epoch || self.stations[station as usize].is_off {
            return self.lose(now, &npdu, events);
        }
        if npdu.to == ALL {
            return self.broadcast(now, station, Some(port), npdu, events);
        }
        self.account(&npdu, Component::Routers, now);
        self.send(now, station, npdu, events);
    }

    /// Sends a broadcast on all media of a station but that of `from`.
    pub(super) fn broadcast(&mut self, now: Time, station: u32, from: Option<u32>, npdu: Npdu, events: &mut Events) {
        for port in self.site.stations[station as usize].ports.clone().filter(|port| Some(*port) != from) {
            if self.site.ports[port as usize].node.is_some() {
                self.queue(now, port, BROADCAST, npdu, events);
                continue;
            }
            let arrives = self.occupy_link(now, port, &npdu);
            let medium = usize::from(self.site.ports[port as usize].medium);
            for &other in self.site.media[medium].ports.iter().filter(|other| **other != port) {
                self.arrive_at(arrives, other, npdu, events);
            }
        }
    }

    fn received_broadcast(&mut self, now: Time, port: u32, npdu: &Npdu, events: &mut Events) {
        let station = self.ports[port as usize].station;
        let asked = |(_, open): &(usize, &super::request::Request)| {
            open.serial != 0 && open.broadcast == npdu.serial && open.to == station
        };
        let found = self.requests.slots().iter().enumerate().find(asked);
        if let Some((number, open)) = found {
            let (number, serial) = (number as u32, open.serial);
            let [began, end] = self.carried;
            let budget = &mut self.requests[number].budget;
            budget.account(Component::TokenWait, began);
            budget.account(Component::Request, end);
            self.serve(now, port, &Npdu { number, serial, to: station, ..*npdu }, events);
        }
        let settings = &self.site.stations[station as usize];
        if settings.is_router() {
            let packet = self.packets.insert(self.packet(port, *npdu));
            events.at(now + settings.forward, Event::Forward(packet));
        }
    }

    /// A frame with an NPDU begins on a trunk: what it waited for until now.
    #[inline]
    pub(super) fn account_start(&mut self, now: Time, station: u32, npdu: &Npdu) {
        let Some(request) = self.request_of(npdu) else { return };
        let component = match npdu.role {
            _ if npdu.from != station => Component::Routers,
            Role::Reply if request.is_postponed => Component::PostponedWait,
            Role::Reply => Component::Server,
            Role::None | Role::Request | Role::Unconfirmed => Component::TokenWait,
        };
        request.budget.account(component, now);
    }
}
