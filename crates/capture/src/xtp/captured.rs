//! Captured packets, and the endpoints that they name.

use sojourn_core::Time;

use crate::Address;

/// An end of an association: its host, and its port where packets are datagrams of UDP, 0 elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host {
    /// Address of the host.
    pub address: Address,
    /// Port of UDP.
    pub port: u16,
}

/// A captured packet of XTP.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// Sender.
    pub from: Host,
    /// Receiver, or multicast group.
    pub to: Host,
    /// The packet as captured.
    pub bytes: &'a [u8],
    /// Its octets before the capture cut it.
    pub length: u32,
    /// Octets from layer 3 on.
    pub l3_bytes: u32,
    /// Its number in the capture.
    pub number: u64,
    /// Stamp.
    pub time: Time,
}

/// Context of a host by its key.
pub(super) type ContextKey = (Host, u64);
