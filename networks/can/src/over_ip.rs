//! IP networks between gateways: frames travel in datagrams, one or several in each. Each station sends on a link of its own.

use sojourn_core::{Duration, Time};

use crate::datagram::octets;
use crate::event::{Event, Events};
use crate::latency_budget::Component;
use crate::site::IpLink;
use crate::world::Simulation;

impl Simulation<'_, '_> {
    /// A frame is to be sent in a datagram.
    pub(super) fn collect(&mut self, now: Time, number: u32, port: u32, link: IpLink, events: &mut Events) {
        let frame = &self.in_flight.frames[number];
        let flow = &self.site.flows[self.sources[frame.source as usize].flow as usize];
        let more = octets(if frame.is_remote() { 0 } else { frame.bytes.into() }, flow.brs.is_some());
        if !self.ports[port as usize].collected.has_room(more) {
            self.send_datagram(now, port, link, events);
        }
        let collected = &mut self.ports[port as usize].collected;
        collected.add(number, more);
        if link.collect == Duration::ZERO {
            self.send_datagram(now, port, link, events);
        } else if collected.due.is_none() {
            let due = now + link.collect;
            collected.due = Some(due);
            events.at(due, Event::Collected(port));
        }
    }

    /// What a port has collected may be due.
    pub(super) fn collected(&mut self, now: Time, port: u32, events: &mut Events) {
        let medium = usize::from(self.site.ports[port as usize].medium);
        if let Some(link) = self.site.media[medium].link
            && self.ports[port as usize].collected.due == Some(now)
        {
            self.send_datagram(now, port, link, events);
        }
    }

    fn send_datagram(&mut self, now: Time, port: u32, link: IpLink, events: &mut Events) {
        let medium = usize::from(self.site.ports[port as usize].medium);
        let is_up = self.buses[medium].is_up;
        let (frames, sent) = self.ports[port as usize].collected.send(now, link);
        for frame in frames {
            match is_up {
                true => events.at(sent + link.delay, Event::Datagram(frame)),
                false => self.drop_frame(now, frame, events),
            }
        }
    }

    /// A frame arrives in a datagram; of a network that is down it is lost.
    pub(super) fn unpack(&mut self, now: Time, number: u32, events: &mut Events) {
        let frame = &self.in_flight.frames[number];
        let port = self.site.hops[frame.hop as usize].port;
        if !self.buses[usize::from(self.site.ports[port as usize].medium)].is_up {
            return self.drop_frame(now, number, events);
        }
        self.in_flight.account(frame.budget, Component::IpNetwork, now);
        self.arrived(now, number, events);
    }
}
