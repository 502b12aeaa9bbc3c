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
/// Tag of frames without a receiver.
pub const LOAD_TAG: u32 = u32::MAX;

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
    /// What it carries.
    pub kind: Kind,
    /// The data; without a stream for control packets.
    pub data: StreamRange,
    /// Its stream; [`NONE`](crate::common::slab::NONE) without.
    pub stream: u32,
    /// From frame control to check sequence.
    pub length: u32,
    /// The ring's class.
    pub class: Class,
    /// Whether processors may serve it last.
    pub message: bool,
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
