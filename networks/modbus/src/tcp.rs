//! Links that carry TCP: each station has one to a switch that loses nothing, and is not slowed by others.

use sojourn_core::{Duration, Time};
use sojourn_protocols::modbus::machine::Order;
use sojourn_protocols::modbus::{ExceptionCode, tcp};

use super::event::{Event, Events};
use super::latency_budget::Component;
use super::link::{Content, Packet};
use super::poll::{Answer, Poll};
use super::site::LinkSettings;
use super::world::Simulation;

/// Octets of a segment beside its data: preamble, header, frame check sequence and interpacket gap of Ethernet (IEEE 802.3),
/// the headers of IPv4 and of TCP with its time stamps (RFC 7323).
const AROUND: u64 = 8 + 14 + 4 + 12 + 20 + 32;

/// The time of a frame with this PDU on a link.
pub fn sending(links: &LinkSettings, pdu: u16) -> Duration {
    Duration::from_units(8 * (AROUND + tcp::length(pdu.into()) as u64), links.bit_rate)
}

impl Answer {
    /// Octets of its PDU.
    pub const fn pdu(&self) -> u16 {
        if self.exception == 0 { self.poll.response } else { sojourn_protocols::modbus::EXCEPTION_LENGTH as u16 }
    }
}

impl Simulation<'_, '_> {
    /// A client sends a request to a host.
    pub(super) fn send_request(
        &mut self,
        now: Time,
        (medium, from, to): (usize, usize, usize),
        poll: Poll,
        events: &mut Events,
    ) {
        let packet =
            Packet { medium: medium as u16, from: from as u32, to: to as u32, content: Content::Request(poll) };
        self.send_packet(now, packet, poll.request, events);
    }

    /// A server or gateway answers by the connection of a client.
    pub(super) fn send_answer(&mut self, at: Time, from: usize, connection: u32, answer: Answer, events: &mut Events) {
        let to = self.site.connections[connection as usize];
        let content = Content::Answer(answer);
        let packet = Packet { medium: to.medium as u16, from: from as u32, to: to.station as u32, content };
        self.send_packet(at, packet, answer.pdu(), events);
    }

    /// A station sends a packet, at `at` or when its link is free.
    fn send_packet(&mut self, at: Time, packet: Packet, pdu: u16, events: &mut Events) {
        let medium = usize::from(packet.medium);
        let delay = self.link_delays[medium];
        let time = sending(self.site.links(medium).expect("links"), pdu);
        let port = &mut self.ports[packet.from as usize];
        port.free = port.free.max(at) + time;
        port.busy += time;
        let arrival = port.free + delay;
        let packet = self.packets.insert(packet);
        events.at(arrival, Event::Arrive(packet));
    }

    /// A packet arrives, unless its links are down or its receiver is off.
    pub(super) fn arrive(&mut self, now: Time, number: u32, events: &mut Events) {
        let Packet { medium, from, to, content } = self.packets[number];
        if self.is_down(medium.into()) || self.is_off(to as usize) {
            self.packets.remove(number);
            return;
        }
        if let Some(capture) = self.capture.as_mut() {
            match &content {
                Content::Request(poll) => capture.tcp_request(now, [from, to], poll),
                Content::Answer(answer) => capture.tcp_answer(now, [from, to], answer),
            }
        }
        match content {
            Content::Request(poll) => {
                self.packets.remove(number);
                self.account(&poll, Component::Request, now);
                self.request_arrives(now, to, poll, events);
            }
            Content::Answer(answer) => {
                self.account(&answer.poll, Component::Response, now);
                let delay = self.connections[answer.poll.connection as usize].delay();
                match delay {
                    Duration::ZERO => self.taken(now, number, events),
                    delay => events.at(now + delay, Event::Taken(number)),
                }
            }
        }
    }

    /// The program of a client has a response.
    pub(super) fn taken(&mut self, now: Time, number: u32, events: &mut Events) {
        let Packet { to, content, .. } = self.packets.remove(number);
        if let (Content::Answer(answer), false) = (content, self.is_off(to as usize)) {
            self.account(&answer.poll, Component::Host, now);
            self.receive(now, answer.poll.connection, Some((answer.poll.transaction, answer)), events);
        }
    }

    /// A host receives a request: it is its server, or forwards it as a gateway.
    fn request_arrives(&mut self, now: Time, host: u32, poll: Poll, events: &mut Events) {
        let Some(via) = self.gateway_of(&poll) else { return self.ask(now, host, poll.connection, poll, events) };
        let gateway = self.site.stations[host as usize].class.gateway;
        if self.connections[via as usize].client.queued() >= gateway.queue {
            let answer = Answer { poll, exception: ExceptionCode::SERVER_DEVICE_BUSY.0, read: Time::ZERO };
            return self.send_answer(now + gateway.delay, host as usize, poll.connection, answer, events);
        }
        let order = Order {
            unit: poll.unit,
            request: poll,
            timeout: gateway.timeout,
            retries: gateway.retries,
            pause: gateway.pause,
        };
        self.submit(now, via, order, events);
    }
}
