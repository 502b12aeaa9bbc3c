//! Packets that pass from one group to another, and what routers hear of other groups' media.

use sojourn_core::Time;
use sojourn_protocols::lontalk::machine::Ticket;
use sojourn_protocols::lontalk::wire::Destination;

use super::border::{Begun, Border, Packet};
use super::partition::CORE;
use crate::event::{Event, Events};
use crate::in_flight::InFlight;
use crate::latency_budget::Component;
use crate::medium::TransmitResult;
use crate::message::Frame;
use crate::nodes::Station;
use crate::slab::NONE;
use crate::world::Simulation;

impl Simulation<'_, '_> {
    /// Becomes the part of the simulation that a group has.
    pub(super) fn become_group(&mut self, border: Border, events: &mut Events) {
        let (site, sources, of_medium) = (self.site, &self.sources, &border.partition.of_medium);
        let group_of = |station: u32| of_medium[usize::from(site.stations[station as usize].on()[0])];
        let is_ours = |station: u32| match site.stations[station as usize].on() {
            [_] => group_of(station) == border.group,
            _ => border.group == CORE,
        };
        events.retain(|event| match *event {
            Event::Fire(source) => is_ours(sources[source as usize].station),
            _ => true,
        });
        if border.group != CORE {
            // routers of other groups hear nothing here: it is announced to the core
            for (medium, router) in border.partition.routers.iter().enumerate() {
                let Some(router) = *router else { continue };
                self.nodes[router].ports = 0;
                self.access.segments[medium].listeners.own.retain(|&own| own != router);
            }
        }
        self.metrics.log = Some(Vec::new());
        self.in_flight.border = Some(Box::new(border));
    }

    /// All before `through` has been handled: announces to the core the transmissions that are certain by then.
    pub(super) fn announce_to_core(&mut self, through: Time) {
        let media = &self.site.media;
        loop {
            let Some(border) = &mut self.in_flight.border else { return };
            let is_certain =
                |begun: &Begun| begun.at + media[usize::from(begun.medium)].channel.carrier_sense_latency <= through;
            let Some(place) = border.begun.iter().position(is_certain) else { return };
            let Begun { at, medium, .. } = border.begun.swap_remove(place);
            self.announce_busy_period(at, medium);
        }
    }

    /// Announces to the core what its router hears of a medium's busy period, and which of its packets have been sent.
    fn announce_busy_period(&mut self, began: Time, medium: u16) {
        let segment = &self.access.segments[usize::from(medium)].medium;
        let (end, received, count) = (segment.next_event(), segment.survivor(), segment.transmissions().len());
        for index in 0..count {
            let segment = &self.access.segments[usize::from(medium)].medium;
            let (sent, result) = (segment.transmissions()[index], segment.foreseen_result(index));
            let port = segment.owner(sent.port);
            let (station, head) = (self.access.ports[port as usize].station, self.access.ports[port as usize].head);
            let frame = self.in_flight.frames[head];
            if self.site.stations[station as usize].on().len() > 1 {
                if result != TransmitResult::Collided {
                    let class = u32::from(frame.packet.link.priority);
                    self.in_flight.announce(CORE, end, Event::Sent(station << 1 | class));
                }
            } else if received == Some(index) {
                self.announce_packet(began, medium, end, sent.start, &frame);
            }
        }
    }

    fn announce_packet(&mut self, began: Time, medium: u16, end: Time, start: Time, frame: &Frame) {
        let Some(border) = &self.in_flight.border else { return };
        let Some(router) = border.partition.routers[usize::from(medium)] else { return };
        if !self.is_routed(router, medium, &frame.packet.destination) {
            self.in_flight.announce(CORE, end, Event::Heard(medium));
            return;
        }
        let number = self.site.stations[router as usize].on().iter().position(|&on| on == medium).unwrap_or(0);
        let port = self.nodes[router].first_port + number as u32;
        let steps = [(Component::WaitingForMedium, start), (Component::Transmission, end)];
        self.in_flight.send(CORE, began, Packet::new(end, port, false, *frame), &steps);
    }

    /// Whether the only router on a medium forwards a packet from there.
    fn is_routed(&self, router: u32, medium: u16, destination: &Destination) -> bool {
        if let Destination::Node(node) | Destination::GroupAcknowledgement { node, .. } = destination {
            let station = self.nodes.installation.station_at(*node);
            if station != NONE && self.site.stations[station as usize].on().len() == 1 {
                let home = usize::from(self.site.stations[station as usize].on()[0]);
                return self.nodes.installation.routes.gateway(usize::from(medium), home) == router;
            }
        }
        let on = self.site.stations[router as usize].on();
        (0..on.len()).any(|port| on[port] != medium && self.nodes.forwards_to(router, port, destination))
    }

    /// A router is to forward a packet when its CPU has processed it, at `done`: announces it to the groups of its other media.
    pub(crate) fn will_forward(&mut self, now: Time, done: Time, place: u32) {
        let Some(border) = self.in_flight.border.as_mut().filter(|border| border.group == CORE) else { return };
        let frame = self.in_flight.frames[place];
        let station = frame.station as usize;
        let before = border.routing[station];
        border.routing[station] += 1;
        let Station { first_port, ports, class, .. } = self.nodes[frame.station];
        let others = u16::from(ports) - 1;
        let priority = frame.packet.link.priority;
        let limit =
            others * if priority { class.buffers.network_output_priority } else { class.buffers.network_output };
        let taken = self.nodes.active(frame.station).output[usize::from(priority)];
        for number in 0..u32::from(ports) {
            let port = first_port + number;
            let medium = self.access.ports[port as usize].medium;
            let forwarded =
                port != frame.port && self.nodes.forwards_to(frame.station, number as usize, &frame.packet.destination);
            let Some(border) = self.in_flight.border.as_mut().filter(|border| forwarded && border.is_foreign(medium))
            else {
                continue;
            };
            // of several ports one may take the last buffer
            if others == 1 && taken + before < limit {
                border.announced.push(place);
                let group = border.partition.of_medium[usize::from(medium)];
                self.in_flight.send(group, now, Packet::new(done, port, true, frame), &[]);
            } else {
                border.uncertain.push(done);
            }
        }
    }

    /// A router forwards a packet now; returns whether that was announced to another group.
    pub(crate) fn forwards_now(&mut self, now: Time, place: u32) -> bool {
        let Some(border) = &mut self.in_flight.border else { return false };
        border.routing[self.in_flight.frames[place].station as usize] -= 1;
        border.uncertain.retain(|&due| due != now);
        let announced = border.announced.iter().position(|&announced| announced == place);
        announced.map(|announced| border.announced.swap_remove(announced)).is_some()
    }

    /// Queues a packet at a router's port, in whichever group that is.
    pub(crate) fn enqueue(&mut self, now: Time, frame: u32, is_announced: bool, events: &mut Events) {
        let medium = self.access.ports[self.in_flight.frames[frame].port as usize].medium;
        let Some(border) = self.in_flight.border.as_ref().filter(|border| border.is_foreign(medium)) else {
            self.access.enqueue(now, frame, &self.in_flight, events);
            return;
        };
        let group = border.partition.of_medium[usize::from(medium)];
        if !is_announced {
            let Frame { port, .. } = self.in_flight.frames[frame];
            let packet = Packet::new(now, port, true, self.in_flight.frames[frame]);
            self.in_flight.send(group, now, packet, &[]);
        }
        self.release(frame);
    }

    /// The router of another group's medium has heard a packet that it does not forward.
    #[inline(never)]
    pub(crate) fn heard(&mut self, now: Time, medium: u16, events: &Events) {
        self.find_ties(Event::Heard(medium), events);
        let Some(border) = &self.in_flight.border else { return };
        let Some(router) = border.partition.routers[usize::from(medium)] else { return };
        let Station { receive_queue, active, .. } = &mut self.nodes[router];
        if !receive_queue.discard(now, active) {
            self.metrics.missed_packet();
        }
    }

    /// Another group has sent a packet of a router.
    #[inline(never)]
    pub(crate) fn sent(&mut self, what: u32, events: &Events) {
        self.find_ties(Event::Sent(what), events);
        self.nodes.active(what >> 1).output[(what & 1) as usize] -= 1;
    }

    /// A packet from another group is due.
    #[inline(never)]
    pub(crate) fn passed(&mut self, now: Time, place: u32, events: &mut Events) {
        self.find_ties(Event::Passed(place), events);
        let Some(border) = &mut self.in_flight.border else { return };
        let Packet { port, is_queued, frame, message, budget, .. } = border.arriving.remove(place);
        let message = self.in_flight.message_arrives(message);
        let budget = budget.map_or(NONE, |budget| self.in_flight.start_budget(budget));
        let station = self.access.ports[port as usize].station;
        let frame = Frame { station, port, message, budget, ticket: Ticket::NONE, ..frame };
        if is_queued {
            self.nodes.active(station).output[usize::from(frame.packet.link.priority)] += 1;
            let frame = self.in_flight.insert_frame(frame);
            self.access.enqueue(now, frame, &self.in_flight, events);
        } else {
            self.arrive(now, port, &frame, events);
            self.in_flight.remove_budget(budget);
        }
        self.in_flight.message_arrived(message);
    }
}

impl Packet {
    /// A packet without its message and delay budget.
    fn new(at: Time, port: u32, is_queued: bool, frame: Frame) -> Packet {
        Packet { at, port, is_queued, frame, message: None, budget: None }
    }
}

impl InFlight {
    fn announce(&mut self, group: u8, at: Time, event: Event) {
        if let Some(border) = &mut self.border {
            border.announce(group, at, event);
        }
    }

    /// Sends a packet with copies of its message and of its delay budget, to which `steps` are accounted.
    fn send(&mut self, group: u8, now: Time, packet: Packet, steps: &[(Component, Time)]) {
        let Frame { message, budget, .. } = packet.frame;
        let copy = self.clone_budget(budget);
        let stepped = Frame { budget: copy, ..packet.frame };
        steps.iter().for_each(|&(component, until)| self.account_step(&stepped, component, until));
        let budget = (copy != NONE).then(|| self.budgets[copy]);
        self.remove_budget(copy);
        let message = self.message_leaves(now, message);
        if let Some(border) = &mut self.border {
            border.send(group, Packet { message, budget, ..packet });
        }
    }
}
