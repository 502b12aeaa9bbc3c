//! IP over any link: the transactions of UDP, ICMP echo, TCP, and XTP over IP or UDP.
//!
//! | part | concern |
//! |---|---|
//! | `link.rs`, `frame.rs`, `wireless.rs`, `header.rs`, `fragments.rs`, `tunnels.rs` | from a frame to the payload of IP |
//! | `endpoints.rs`, `roles.rs`, `services.rs` | which host is the server, by evidence |
//! | `application/` | what a message asks or answers |
//! | `media/` | streams of RTP, which have no requests |
//! | `calls.rs` | calls that SIP sets up |
//! | `requests.rs`, `turns.rs` | open requests: by the names that applications give them, in turns |
//! | `udp.rs`, `icmp.rs`, `tcp/` | the protocols |
//!
//! Response times are measured at the capture point, from the first packet of a request to the first packet of its
//! answer; delays on the far sides of that point, and in the hosts, are not included.
//!
//! Memory is bounded by [`tcp::CONNECTIONS`], [`udp::CONVERSATIONS`], [`requests::OPEN_REQUESTS`], [`fragments::DATAGRAMS`],
//! [`media::STREAMS`], [`calls::CALLS`], two kibibytes of a message that goes on in the next segment for each side of a connection,
//! and half a million TCP segments in flight, together about 230 MiB where all limits are reached.

pub mod application;
pub mod calls;
mod datagram;
pub mod endpoints;
pub mod fragments;
pub(crate) mod frame;
pub mod fuzz;
pub mod header;
mod icmp;
pub mod link;
pub mod media;
mod registered_ports;
pub mod requests;
pub mod roles;
pub mod services;
pub mod tcp;
mod tunnels;
mod turns;
pub mod udp;
mod wireless;

use sojourn_core::Time;
use sojourn_protocols::fddi::ether_type as snap;
use sojourn_protocols::tcp::wire::Segment;
use sojourn_protocols::udp::Datagram;

use crate::xtp;
use crate::{Address, FlowId, FlowKey, Packet, Sent, Service, Sink, Tracker};
use calls::Calls;
use endpoints::Endpoint;
use fragments::Fragments;
use header::{Header, IpAddr, protocol};
use link::{Carried, ether_type};
use media::Media;
use requests::Requests;
use roles::Servers;
use tunnels::Inner;

/// Follows IP over the links that [`link::is_read`] names, and over others whose frames their own tracker opens.
#[derive(Debug, Default)]
pub struct IpTracker {
    /// Tunnels that the packet being taken is in.
    nested: u8,
    fragments: Fragments,
    requests: Requests,
    media: Media,
    calls: Calls,
    conversations: udp::Conversations,
    connections: tcp::Connections,
    associations: xtp::Associations,
}

/// User data of a UDP datagram with its endpoints.
#[derive(Clone, Copy, Debug)]
pub struct UdpPayload<'a> {
    /// Sender.
    pub source: Endpoint,
    /// Receiver.
    pub destination: Endpoint,
    /// User data as captured.
    pub payload: &'a [u8],
    /// Length of the packet in bytes from layer 3 on.
    pub l3_bytes: u32,
}

/// The user data of a packet if it is a UDP datagram over IP, not a later fragment of one.
pub fn udp_payload<'a>(packet: &Packet<'a>) -> Option<UdpPayload<'a>> {
    let carried = link::carried(packet.link_type, packet.data).ok()?;
    let header = Header::parse(carried.bytes, on_link(packet, carried.bytes)).ok()?;
    if header.protocol != protocol::UDP || header.fragment.is_some_and(|fragment| !fragment.is_first) {
        return None;
    }
    let (datagram, _) = Datagram::parse_unverified(header.payload).ok()?;
    let source = Endpoint { address: header.source, port: datagram.source_port };
    let destination = Endpoint { address: header.destination, port: datagram.destination_port };
    Some(UdpPayload { source, destination, payload: datagram.data, l3_bytes: header.length })
}

impl Tracker for IpTracker {
    fn packet(&mut self, packet: &Packet<'_>, out: &mut Sink) {
        match link::carried(packet.link_type, packet.data) {
            Ok(carried) => self.carried(packet, &carried, out),
            Err(error) => out.unparsed(packet, "link", error),
        }
    }

    fn finish(&mut self, end: Time, out: &mut Sink) {
        self.connections.finish(end, &mut self.requests, out);
        self.conversations.finish(end, out);
        self.requests.finish(end, out);
        self.media.finish(out);
        self.calls.finish(out);
        self.associations.finish(end, out);
    }
}

impl IpTracker {
    /// Where `servers` finds who serves.
    pub fn new(servers: &Servers) -> IpTracker {
        IpTracker {
            conversations: udp::Conversations::new(servers.clone()),
            connections: tcp::Connections::new(servers.clone()),
            ..IpTracker::default()
        }
    }

    /// Takes what a frame of any link carries.
    pub(crate) fn carried(&mut self, packet: &Packet<'_>, carried: &Carried<'_>, out: &mut Sink) {
        if let Some(within) = carried.within {
            out.within(within);
        }
        match carried.ether_type {
            ether_type::IPV4 | ether_type::IPV6 => self.internet(packet, carried.bytes, out),
            snap::XTP => self.frame_of_xtp(packet, carried, out),
            _ => other_network(packet, carried, out),
        }
    }

    /// Takes a packet of IP that a frame carries: the last octets of `packet`, in front of any padding.
    pub fn internet(&mut self, packet: &Packet<'_>, bytes: &[u8], out: &mut Sink) {
        let header = match Header::parse(bytes, on_link(packet, bytes)) {
            Ok(header) => header,
            Err(error) => return out.unparsed(packet, "ip", error),
        };
        let Some(fragment) = header.fragment else {
            self.transport(packet, &header, out);
            return;
        };
        if fragment.is_first {
            if let Some((flow, forward)) = self.transport(packet, &header, out) {
                out.count(flow, "fragments", 1);
                self.fragments.first(&header, fragment, flow, forward);
            }
            return;
        }
        let known = self.fragments.later(&header, fragment);
        let (flow, forward) = known.unwrap_or_else(|| (other_flow(&header, out), true));
        out.count(flow, "fragments", 1);
        let (l3_bytes, l4_bytes) = (header.length, header.payload_length);
        out.sent(Sent { flow, time: packet.time, forward, l3_bytes, l4_bytes, repeated: false });
    }

    /// Takes the payload of a packet of IP; its flow, and whether the flow's initiator sent it.
    fn transport(&mut self, packet: &Packet<'_>, header: &Header<'_>, out: &mut Sink) -> Option<(FlowId, bool)> {
        if header.is_authenticated {
            out.within("AH");
        }
        if let Some((name, inner)) = self.tunnel(header) {
            self.inner(packet, name, inner, out);
            return None;
        }
        match header.protocol {
            protocol::TCP => self.segment(packet, header, out),
            protocol::UDP => self.datagram(packet, header, out),
            protocol::ICMP | protocol::ICMPV6 => self.control_message(packet, header, out),
            protocol::XTP => {
                let [from, to] = [header.source, header.destination].map(|address| host(address, 0));
                let (bytes, length, l3_bytes) = (header.payload, header.payload_length, header.length);
                let (number, time) = (packet.number, packet.time);
                self.associations.packet(&xtp::Captured { from, to, bytes, length, l3_bytes, number, time }, out)
            }
            _ => Some((other_transport(packet.time, header, out), true)),
        }
    }

    /// What a packet of IP carries for another network.
    fn tunnel<'a>(&self, header: &Header<'a>) -> Option<(&'static str, Inner<'a>)> {
        if self.nested >= tunnels::MOST_NESTED {
            return None;
        }
        if header.protocol != protocol::UDP {
            return tunnels::of_protocol(header.protocol, header.payload);
        }
        let (datagram, _) = Datagram::parse_unverified(header.payload).ok()?;
        tunnels::of_datagram([datagram.source_port, datagram.destination_port], datagram.data)
    }

    /// Takes what a tunnel carries in place of the packet around it.
    fn inner(&mut self, packet: &Packet<'_>, name: &'static str, inner: Inner<'_>, out: &mut Sink) {
        let carried = match inner {
            Inner::Frame(frame) => link::ethernet(frame),
            Inner::Ppp(frame) => link::point_to_point(frame),
            Inner::Packet(ether_type, bytes) => link::behind_type([Address::Unknown; 2], ether_type, bytes),
        };
        out.within(name);
        self.nested += 1;
        match carried {
            Ok(carried) => self.carried(packet, &carried, out),
            Err(error) => out.unparsed(packet, name, error),
        }
        self.nested -= 1;
    }

    fn segment(&mut self, packet: &Packet<'_>, header: &Header<'_>, out: &mut Sink) -> Option<(FlowId, bool)> {
        let segment = match Segment::parse_unverified(header.payload) {
            Ok(segment) => segment,
            Err(error) => {
                out.unparsed(packet, "tcp", error);
                return None;
            }
        };
        let tcp_header = header.payload.len() - segment.data.len();
        let from = Endpoint { address: header.source, port: segment.source_port };
        let captured = tcp::Captured {
            from,
            to: Endpoint { address: header.destination, port: segment.destination_port },
            header: segment.header,
            data: segment.data,
            octets: header.payload_length.saturating_sub(tcp_header as u32),
            l3_bytes: header.length,
            identification: header.identification,
            time: packet.time,
        };
        let message = calls::Captured { from, to: captured.to, octets: segment.data, time: packet.time };
        self.calls.segment(&message, &mut self.media, out);
        let (flow, client) = self.connections.segment(&captured, &mut self.requests, out);
        Some((flow, from == client))
    }

    fn datagram(&mut self, packet: &Packet<'_>, header: &Header<'_>, out: &mut Sink) -> Option<(FlowId, bool)> {
        let (datagram, octets) = match Datagram::parse_unverified(header.payload) {
            Ok(parsed) => parsed,
            Err(error) => {
                out.unparsed(packet, "udp", error);
                return None;
            }
        };
        let from = Endpoint { address: header.source, port: datagram.source_port };
        let to = Endpoint { address: header.destination, port: datagram.destination_port };
        if xtp::is_packet(datagram.data, octets.into()) {
            let [from, to] = [from, to].map(|end| host(end.address, end.port));
            let (bytes, length, l3_bytes) = (datagram.data, octets.into(), header.length);
            let (number, time) = (packet.number, packet.time);
            return self.associations.packet(&xtp::Captured { from, to, bytes, length, l3_bytes, number, time }, out);
        }
        let captured = datagram::Captured {
            from,
            to,
            datagram,
            octets: octets.into(),
            l3_bytes: header.length,
            time: packet.time,
        };
        let message = calls::Captured { from, to, octets: datagram.data, time: packet.time };
        self.calls.datagram(&message, &mut self.media, out);
        let (flow, client) = self.conversations.datagram(&captured, &mut self.requests, &mut self.media, out);
        Some((flow, from == client))
    }

    /// XTP straight in a frame, which a short frame pads.
    fn frame_of_xtp(&mut self, packet: &Packet<'_>, carried: &Carried<'_>, out: &mut Sink) {
        let [from, to] = carried.stations.map(|address| xtp::Host { address, port: 0 });
        let on_link = on_link(packet, carried.bytes);
        let length = xtp::length(carried.bytes).map_or(on_link, |length| length.min(on_link));
        let bytes = &carried.bytes[..carried.bytes.len().min(length as usize)];
        let (number, time) = (packet.number, packet.time);
        let l3_bytes = length;
        self.associations.packet(&xtp::Captured { from, to, bytes, length, l3_bytes, number, time }, out);
    }

    fn control_message(&mut self, packet: &Packet<'_>, header: &Header<'_>, out: &mut Sink) -> Option<(FlowId, bool)> {
        match icmp::echo(header, packet.time, &mut self.requests, out) {
            Ok(Some(echo)) => Some(echo),
            Ok(None) => {
                icmp::refusal(header, packet.time, &mut self.conversations, &mut self.requests, out);
                Some((other_transport(packet.time, header, out), true))
            }
            Err(error) => {
                out.unparsed(packet, "icmp", error);
                None
            }
        }
    }
}

fn host(address: IpAddr, port: u16) -> xtp::Host {
    xtp::Host { address: Address::Ip(address), port }
}

/// Octets of a frame from its network layer on, before the capture cut it.
pub fn on_link(packet: &Packet<'_>, bytes: &[u8]) -> u32 {
    let cut = (packet.original_length as usize).saturating_sub(packet.data.len());
    u32::try_from(bytes.len().saturating_add(cut)).unwrap_or(u32::MAX)
}

/// A packet whose network layer is not IP: counted between the stations.
fn other_network(packet: &Packet<'_>, carried: &Carried<'_>, out: &mut Sink) {
    let [from, to] = carried.stations;
    let flow = out.flow(FlowKey { from, to, service: Service::Other(carried.ether_type) });
    let l3_bytes = on_link(packet, carried.bytes);
    out.sent(Sent { flow, time: packet.time, forward: true, l3_bytes, l4_bytes: 0, repeated: false });
}

/// A packet whose transport protocol is not followed: counted between the hosts.
fn other_transport(now: Time, header: &Header<'_>, out: &mut Sink) -> FlowId {
    let flow = other_flow(header, out);
    let (l3_bytes, l4_bytes) = (header.length, header.payload_length);
    out.sent(Sent { flow, time: now, forward: true, l3_bytes, l4_bytes, repeated: false });
    flow
}

fn other_flow(header: &Header<'_>, out: &mut Sink) -> FlowId {
    let [from, to] = [header.source, header.destination].map(Address::Ip);
    out.flow(FlowKey { from, to, service: Service::Other(header.protocol.into()) })
}
