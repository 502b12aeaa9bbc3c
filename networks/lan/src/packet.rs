//! The packets that hosts exchange.

use sojourn_core::Time;
use sojourn_protocols::ip::{self, Ecn};
use sojourn_protocols::tcp::wire::Header;
use sojourn_protocols::udp;

use super::latency_budget::{Component, LatencyBudget};
use super::rtp::{RtpFormat, Spoken};
use sojourn_model::slab::{NONE, Slab};

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
    /// What its IP header says of congestion: as sent, and once delivered as it arrived.
    pub ecn: Ecn,
    /// Request, response, datagram of a stream, voice or TCP segment.
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
        /// Which of its packets it is.
        spoken: Spoken,
        /// How its header is written.
        format: RtpFormat,
    },
    /// A segment of TCP.
    Segment {
        /// The end that receives it.
        end: u32,
        /// Its TCP header.
        header: Header,
        /// Where its data begin in the stream.
        offset: u64,
        /// Ports of the connection's client and server.
        ports: [u16; 2],
        /// Where the time of the message that it is part of went, where that is observed; else [`NONE`].
        budget: u32,
    },
    /// A datagram of a stream.
    Datagram {
        /// Index of the stream.
        stream: u32,
        /// Which of its datagrams it is.
        number: u32,
        /// When its program sent it.
        sent: Time,
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
            // ends with odd numbers are servers
            Content::Segment { end, .. } if end % 2 == 1 => [Component::Client, Component::Server],
            Content::Answer(_) | Content::Segment { .. } | Content::Voice { .. } | Content::Datagram { .. } => {
                [Component::Server, Component::Client]
            }
        }
    }

    /// The account of the exchange that it is part of; those of segments are among `budgets`.
    #[inline]
    pub fn latency<'a>(&'a mut self, budgets: &'a mut Slab<LatencyBudget>) -> Option<&'a mut LatencyBudget> {
        match &mut self.content {
            Content::Request(exchange) | Content::Answer(exchange) => Some(&mut exchange.latency),
            Content::Segment { budget, .. } if *budget != NONE => Some(&mut budgets[*budget]),
            Content::Segment { .. } | Content::Voice { .. } | Content::Datagram { .. } => None,
        }
    }
}
