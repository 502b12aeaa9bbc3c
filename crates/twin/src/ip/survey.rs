//! Surveys an IP capture: hosts, paths and flows.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use sojourn_core::Time;
use sojourn_protocols::icmp::{Echo, HEADER, Kind, Version};
use sojourn_protocols::modbus::tcp::PORT as MODBUS;
use sojourn_protocols::tcp::wire;
use sojourn_protocols::udp;

use super::connection::{Connection, Segment};
use super::conversation::{Conversation, Exchanges, Message};
use super::copies::Copies;
use super::flow_key::FlowKey;
use super::following::{By, Following};
use super::spacing::Spacing;
use super::transactions::Transactions;
use super::voice::Voice;
use sojourn_capture::ip::application::Message as Named;
use sojourn_capture::ip::endpoints::{Endpoint, Pair, Roles};
use sojourn_capture::ip::header::{Header, protocol};
use sojourn_capture::ip::link::{self, ether_type};
use sojourn_capture::ip::on_link;
use sojourn_capture::ip::roles::{Decision, Servers};
use sojourn_capture::{Packet, Service};

/// Hosts, pairs of hosts, conversations and connections surveyed; packets of further ones are counted.
const LIMIT: usize = 8_192;
/// Initial values of the time to live (RFC 1700, and systems of today).
const INITIAL_HOP_LIMITS: [u8; 3] = [64, 128, 255];
/// Packets from the first of which sender and time are kept.
const EARLY: usize = 4096;
/// Octets of data from which a segment of TCP is part of a burst.
const BURST: u32 = 400;

/// What one host sent to another.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sent {
    pub packets: u64,
    /// Octets of IP.
    pub bytes: u64,
    /// Routers that the packets had passed before the point of capture.
    pub hops: u8,
}

/// A program by its host's peer, and the ports of both.
type Program = (IpAddr, u16, u16);

/// Which transfers over TCP are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Measured {
    /// Those that last as long as the capture: what an inferred scenario has.
    #[default]
    Lasting,
    /// All: a recorded scenario has each as long as it took.
    All,
}

/// What was seen of a host.
#[derive(Debug, Default)]
pub(super) struct Host {
    pub packets: u64,
    /// Packets to it, as far as they show a bottleneck before the point of capture.
    pub received: Spacing<Program>,
}

/// Everything an IP capture shows.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub packets: u64,
    pub bytes: u64,
    pub first: Option<Time>,
    pub last: Time,
    pub hosts: BTreeMap<IpAddr, Host>,
    pub sent: BTreeMap<(IpAddr, IpAddr), Sent>,
    /// By protocol and endpoints.
    pub conversations: BTreeMap<(u8, Pair), (FlowKey, Endpoint, Conversation)>,
    pub flows: BTreeMap<FlowKey, Exchanges>,
    pub connections: BTreeMap<Pair, Connection>,
    /// Finds who serves, and whom it found over UDP.
    pub servers: Servers,
    pub roles: BTreeMap<Pair, Decision>,
    /// Connections that others between the same endpoints followed.
    pub ended: Vec<Connection>,
    /// Octets of IP of other protocols, by protocol.
    pub others: BTreeMap<u8, u64>,
    /// Octets of IP beyond the limits of what is surveyed.
    pub beyond_limits: u64,
    /// How close messages followed the data of transfers.
    pub following: Following,
    /// When the first packets were captured, and who sent them.
    pub early: Vec<(Time, IpAddr)>,
    /// The longest packet that is a fragment.
    pub longest_fragment: u32,
    pub transactions: Transactions,
    pub copies: Copies,
    pub voice: Voice,
    /// Octets of IP of reports over RTCP, by flow.
    pub reports: Vec<(FlowKey, u64)>,
    /// Whether there is anything beside data of Modbus over TCP: a datagram, another port, a segment without data.
    pub has_more_than_frames: bool,
    /// Whether packets were captured where they arrive, not at one point.
    pub is_captured_on_arrival: bool,
    pub measured: Measured,
}

impl Survey {
    /// None yet, where `servers` finds who serves.
    pub fn new(servers: &Servers) -> Survey {
        Survey { servers: servers.clone(), transactions: Transactions::new(servers), ..Survey::default() }
    }

    /// The capture ends.
    pub fn finish(&mut self) {
        self.transactions.finish(self.last);
        self.voice.finish(self.transactions.streams());
        let (mut kept, mut media) = (BTreeSet::new(), BTreeMap::new());
        self.conversations.retain(|(protocol, pair), (key, ..)| {
            let is_report = self.voice.reports.contains(pair);
            let is_other = *protocol != protocol::UDP || !is_report && !self.voice.media.contains(pair);
            if is_other {
                kept.insert(*key);
            } else {
                media.insert(*key, is_report);
            }
            is_other
        });
        for (key, is_report) in media {
            if let Some(flow) = self.flows.remove(&key).filter(|_| is_report && !kept.contains(&key)) {
                self.reports.push((key, flow.bytes));
            }
        }
    }

    /// Takes a packet, of whatever protocol.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        // the capture lasts from its first packet to its last, whatever they are of
        self.first.get_or_insert(packet.time);
        self.last = self.last.max(packet.time);
        let Ok(carried) = link::carried(packet.link_type, packet.data) else { return };
        if !matches!(carried.ether_type, ether_type::IPV4 | ether_type::IPV6) {
            return;
        }
        let Ok(header) = Header::parse(carried.bytes, on_link(packet, carried.bytes)) else { return };
        self.transactions.packet(packet);
        self.packets += 1;
        self.bytes += u64::from(header.length);
        if self.copies.is_copy(&header, packet.time) {
            return;
        }
        if self.early.len() < EARLY {
            self.early.push((packet.time, header.source));
        }
        if self.hosts.len() >= LIMIT || self.sent.len() >= LIMIT {
            self.beyond_limits += u64::from(header.length);
            return;
        }
        self.count(&header);
        if let Some(fragment) = header.fragment {
            self.longest_fragment = self.longest_fragment.max(header.length);
            if !fragment.is_first {
                return;
            }
        }
        self.has_more_than_frames |= header.protocol != protocol::TCP;
        match header.protocol {
            protocol::TCP => self.segment(&header, packet.time),
            protocol::UDP => self.datagram(&header, packet.time),
            protocol::ICMP | protocol::ICMPV6 => self.echo(&header, packet.time),
            other => *self.others.entry(other).or_default() += u64::from(header.length),
        }
    }

    fn count(&mut self, header: &Header<'_>) {
        self.hosts.entry(header.source).or_default().packets += 1;
        let initial = INITIAL_HOP_LIMITS.into_iter().find(|initial| *initial >= header.hop_limit).unwrap_or(255);
        let sent = self.sent.entry((header.source, header.destination)).or_default();
        sent.packets += 1;
        sent.bytes += u64::from(header.length);
        sent.hops = sent.hops.max(initial - header.hop_limit);
    }

    fn spaced(&mut self, header: &Header<'_>, ports: (u16, u16), is_burst: bool, time: Time) {
        let program = (header.source, ports.0, ports.1);
        let host = self.hosts.entry(header.destination).or_default();
        host.received.push(program, is_burst, header.length, time);
    }

    fn segment(&mut self, header: &Header<'_>, time: Time) {
        let Ok(parsed) = wire::Segment::parse_unverified(header.payload) else { return };
        let header_octets = header.payload.len() - parsed.data.len();
        let segment = Segment {
            from: Endpoint { address: header.source, port: parsed.source_port },
            to: Endpoint { address: header.destination, port: parsed.destination_port },
            header: parsed.header,
            octets: header.payload_length.saturating_sub(header_octets as u32),
            l3_bytes: header.length,
            time,
        };
        let is_frame = segment.octets > 0 && [segment.from.port, segment.to.port].contains(&MODBUS);
        self.has_more_than_frames |= !is_frame;
        self.spaced(header, (parsed.source_port, parsed.destination_port), segment.octets >= BURST, time);
        let cause = self.of_connection(&segment, parsed.data);
        if segment.octets >= BURST {
            self.following.data(header.source, header.destination, time, cause);
        }
    }

    /// Passes a segment on to its connection: when the packet that it reacts to was captured.
    fn of_connection(&mut self, segment: &Segment, data: &[u8]) -> Option<Time> {
        let pair = Pair::of(segment.from, segment.to);
        let is_full = self.connections.len() + self.ended.len() >= LIMIT;
        if let Some(known) = self.connections.get_mut(&pair) {
            if known.is_succeeded_by(segment) {
                let ended = std::mem::replace(known, Connection::new(segment, &self.servers, data));
                if is_full {
                    self.beyond_limits += ended.bytes;
                } else {
                    self.ended.push(ended);
                }
            }
            known.segment(segment)
        } else if is_full {
            self.beyond_limits += u64::from(segment.l3_bytes);
            None
        } else {
            self.connections
                .entry(pair)
                .or_insert_with(|| Connection::new(segment, &self.servers, data))
                .segment(segment)
        }
    }

    fn datagram(&mut self, header: &Header<'_>, time: Time) {
        let Ok((datagram, octets)) = udp::Datagram::parse_unverified(header.payload) else { return };
        let from = Endpoint { address: header.source, port: datagram.source_port };
        let to = Endpoint { address: header.destination, port: datagram.destination_port };
        self.spaced(header, (from.port, to.port), false, time);
        self.voice.datagram(from, to, (time, datagram.data, octets.into()));
        let Decision { roles, application, .. } = match self.roles.get(&Pair::of(from, to)) {
            Some(known) => *known,
            None => self.decide(from, to, datagram.data),
        };
        let key = roles_key(roles, Service::Udp(roles.server.port));
        // the fragments of a datagram are counted by its length
        let l3_bytes = header.length.max(header.length.saturating_sub(header.payload_length) + u32::from(octets) + 8);
        let read = application.map(|application| application.read(Some(to == roles.server), datagram.data));
        let name = match read {
            Some(Named::Request(name) | Named::Answer(name) | Named::Part(name) | Named::Refusal(name)) => Some(name),
            _ => None,
        };
        let message = Message { time, octets: octets.into(), l3_bytes, name };
        self.message((protocol::UDP, Pair::of(from, to)), (key, roles.client), from, message);
    }

    /// Who serves in a conversation that begins with this datagram.
    fn decide(&mut self, from: Endpoint, to: Endpoint, data: &[u8]) -> Decision {
        let decision = self.servers.of_datagram(from, to, data);
        if self.roles.len() < LIMIT {
            self.roles.insert(Pair::of(from, to), decision);
        }
        decision
    }

    fn echo(&mut self, header: &Header<'_>, time: Time) {
        let version = if header.source.is_ipv4() { Version::V4 } else { Version::V6 };
        let Ok(echo) = Echo::parse_unverified(version, header.payload) else {
            *self.others.entry(header.protocol).or_default() += u64::from(header.length);
            return;
        };
        let (client, server) = match echo.kind {
            Kind::Request => (header.source, header.destination),
            Kind::Reply => (header.destination, header.source),
        };
        let client = Endpoint { address: client, port: echo.identifier };
        let server = Endpoint { address: server, port: 0 };
        let from = if echo.kind == Kind::Request { client } else { server };
        let key = roles_key(Roles { client, server }, Service::Echo);
        let octets = header.payload_length.saturating_sub(HEADER as u32);
        let name = Some(echo.sequence.into());
        let message = Message { time, octets, l3_bytes: header.length, name };
        self.message((protocol::ICMP, Pair::of(client, server)), (key, client), from, message);
    }

    fn message(&mut self, place: (u8, Pair), roles: (FlowKey, Endpoint), from: Endpoint, message: Message) {
        if self.conversations.len() >= LIMIT && !self.conversations.contains_key(&place) {
            self.beyond_limits += u64::from(message.l3_bytes);
            return;
        }
        let known = self.conversations.entry(place).or_insert_with(|| (roles.0, roles.1, Conversation::default()));
        let (key, client, conversation) = known;
        let flow = self.flows.entry(*key).or_default();
        let by = if from == *client { By::Client } else { By::Server };
        self.following.message(*key, by, message.time);
        if from == *client {
            if let Some(answered) = conversation.asked(message, flow) {
                self.following.request(*key, answered);
            }
        } else {
            conversation.answered(message, flow);
        }
    }

    /// All connections.
    pub fn all_connections(&self) -> impl Iterator<Item = &Connection> {
        self.ended.iter().chain(self.connections.values())
    }

    /// Seconds from the first packet.
    pub fn since_begin(&self, time: Time) -> f64 {
        time.since(self.first.unwrap_or_default()).seconds()
    }

    /// From the first packet to the last, s.
    pub fn seconds(&self) -> f64 {
        self.since_begin(self.last)
    }

    /// Routers between a sender and the point of capture, on the path to `to`.
    pub fn hops(&self, from: IpAddr, to: IpAddr) -> u8 {
        self.sent.get(&(from, to)).map_or(0, |sent| sent.hops)
    }
}

fn roles_key(roles: Roles, service: Service) -> FlowKey {
    FlowKey { client: roles.client.address, server: roles.server.address, service }
}
