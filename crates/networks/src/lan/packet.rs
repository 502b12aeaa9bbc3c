//! What hosts send each other.

use sojourn_core::Time;
use sojourn_protocols::tcp::wire::Header;
use sojourn_protocols::{ip, udp};

use super::latency_budget::{Component, LatencyBudget};

/// Octets of the headers of IP and UDP.
pub const UDP_HEADERS: u32 = (ip::HEADER_LENGTH + udp::HEADER_LENGTH) as u32;
/// Octets of the headers of IP and TCP, without options.
pub const TCP_HEADERS: u32 = ip::HEADER_LENGTH as u32 + 20;

/// A datagram, from the processor that makes it to the one that takes it.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// The network's connection that carries it.
    pub connection: u32,
    /// Octets of user data.
    pub data: u32,
    /// Octets of the IP datagram.
    pub octets: u32,
    /// Request, response, voice or TCP segment.
    pub content: Content,
}

/// Content of a packet.
#[derive(Clone, Copy, Debug)]
pub enum Content {
    /// A request of a client.
    Request(Exchange),
    /// The response of a server.
    Answer(Exchange),
    /// Voice.
    Voice {
        /// Index of the talker.
        talker: u32,
        /// Its packet time.
        packet_time: u32,
    },
    /// A segment of TCP.
    Segment {
        /// The end that receives it.
        end: u32,
        /// Its TCP header.
        header: Header,
        /// Where its data begin in the stream.
        offset: u64,
    },
}

/// One of a client's exchanges.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// Index of the client.
    pub client: u32,
    /// Its number, from 1.
    pub number: u32,
    /// When the client's program made the request.
    pub began: Time,
    /// Where its time went.
    pub latency: LatencyBudget,
}

impl Packet {
    /// What the work of the sending and of the receiving processor is charged to, where it is part of an exchange.
    pub fn processors(&self) -> [Component; 2] {
        match self.content {
            Content::Request(_) => [Component::Client, Component::Server],
            Content::Answer(_) | Content::Segment { .. } | Content::Voice { .. } => {
                [Component::Server, Component::Client]
            }
        }
    }

    /// The account of the exchange that it is part of.
    #[inline]
    pub fn latency(&mut self) -> Option<&mut LatencyBudget> {
        match &mut self.content {
            Content::Request(exchange) | Content::Answer(exchange) => Some(&mut exchange.latency),
            Content::Segment { .. } | Content::Voice { .. } => None,
        }
    }
}
