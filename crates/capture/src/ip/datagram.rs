//! A captured datagram of UDP.

use sojourn_core::Time;
use sojourn_protocols::udp::Datagram;

use super::endpoints::Endpoint;

/// A captured datagram.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// Sender.
    pub from: Endpoint,
    /// Receiver.
    pub to: Endpoint,
    /// Ports and user data as captured.
    pub datagram: Datagram<&'a [u8]>,
    /// Octets of user data by the length field, later fragments included.
    pub octets: u32,
    /// Octets of this packet of IP.
    pub l3_bytes: u32,
    /// Stamp.
    pub time: Time,
}
