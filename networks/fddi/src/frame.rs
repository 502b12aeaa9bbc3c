//! Frames and packets in flight between two hosts.

use sojourn_protocols::StreamRange;
use sojourn_protocols::xtp::wire::{Packet, Sizing};

use super::latency_budget::LatencyBudget;
use super::port::Port;
use super::ring::Class;

/// A packet of XTP in simulation.
pub type XtpPacket = Packet<StreamRange>;

/// The packet lengths of the study's stack.
pub const SIZING: Sizing = Sizing::Study44;
/// From frame control to check sequence: what a frame has beyond its packet, with LLC and SNAP.
pub const FRAME_OVERHEAD: u32 = 25;
/// IPv4 and UDP headers of a datagram.
pub const DATAGRAM_OVERHEAD: u32 = 28;

/// Whom a frame is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Destination {
    /// One host.
    Host(u32),
    /// The receivers of a flow. The study's adapters have no group addresses: the frame is a broadcast.
    Group(u16),
    /// No station: load on the ring only.
    NoReceiver,
}

/// What a frame carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// User data over XTP.
    Data,
    /// A control packet of XTP.
    Control,
    /// A datagram.
    Datagram,
}

/// A frame, from the processor of its sender to that of its receiver.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The host that sent it.
    pub from: u32,
    /// Whom it is for.
    pub to: Destination,
    /// The host this copy has reached.
    pub at: u32,
    /// The MAC by which it leaves, or by which it came to a router.
    pub port: Port,
    /// Whether it is data or control, of XTP or a datagram.
    pub kind: Kind,
    /// The data; without a stream for control packets.
    pub data: StreamRange,
    /// Its stream; [`NONE`](sojourn_model::slab::NONE) without.
    pub stream: u32,
    /// From frame control to check sequence.
    pub length: u32,
    /// Synchronous or asynchronous service of the ring.
    pub class: Class,
    /// Where its time went.
    pub latency: LatencyBudget,
    /// The packet, of XTP.
    pub packet: Option<XtpPacket>,
}

impl Frame {
    /// Bytes of user data.
    pub fn bytes(&self) -> u32 {
        self.data.length.into()
    }

    /// Whether it is for several.
    pub fn is_multicast(&self) -> bool {
        matches!(self.to, Destination::Group(_))
    }
}

/// IPv4 address of a host, as captures show it.
pub fn host_address(host: u32) -> [u8; 4] {
    let [_, high, middle, low] = (host + 1).to_be_bytes();
    [10, high, middle, low]
}

impl Destination {
    /// IPv4 address of the host or the multicast group; 0.0.0.0 without a receiver.
    pub fn address(self) -> [u8; 4] {
        match self {
            Destination::Host(host) => host_address(host),
            Destination::Group(flow) => {
                let [high, low] = flow.to_be_bytes();
                [239, 0, high, low]
            }
            Destination::NoReceiver => [0; 4],
        }
    }
}
