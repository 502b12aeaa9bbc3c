//! The frames that hosts pass to the network between them.

use sojourn_protocols::ip::Ecn;

/// A datagram as the network between the hosts knows it. What it holds is the hosts' business.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Under which number the hosts keep it, until the fabric says that it was delivered or lost.
    pub packet: u32,
    /// Octets of the IP datagram.
    pub octets: u32,
    /// On which connection it goes.
    pub connection: u32,
    /// What its IP header says of congestion: as sent, and once delivered as it arrived.
    pub ecn: Ecn,
}
