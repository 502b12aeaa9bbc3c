//! What sends and receives datagrams for a driver: a socket, a TNC, or a server's sockets together.

use std::net::SocketAddr;

use sojourn_core::Duration;

use crate::io::network_error::NetworkError;

/// Room for the largest packet of IPv4, and for the largest datagram over IPv6.
pub const LARGEST_DATAGRAM: usize = 65_535;

/// What carries datagrams to the world and from it, and never blocks but in [`wait`](PacketIo::wait).
pub trait PacketIo {
    /// Where a datagram goes, or comes from.
    type End: Copy;
    /// What the carrier has to say in place of a datagram.
    type Notice;

    /// Sends one datagram.
    fn send(&mut self, to: Self::End, datagram: &[u8]) -> Result<(), Self::Notice>;

    /// The next datagram, if one is there.
    fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Received<'a, Self::End, Self::Notice>;

    /// Waits until a datagram may be there, `limit` is over, or a signal came.
    fn wait(&mut self, limit: Duration);

    /// The same, and what is there then: fewer steps where one call does both.
    fn wait_and_receive<'a>(&mut self, limit: Duration, buffer: &'a mut [u8]) -> Received<'a, Self::End, Self::Notice> {
        self.wait(limit);
        self.receive(buffer)
    }

    /// Replaces `record` by what a capture holds of a datagram; whether it holds anything of it.
    fn record(&self, direction: Direction, end: Self::End, datagram: &[u8], record: &mut Vec<u8>) -> bool;

    /// Whether what goes there may be dropped on purpose: words to a device of one's own never are.
    fn may_lose(&self, _to: Self::End) -> bool {
        true
    }
}

/// Which way a datagram goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the world.
    Out,
    /// From the world.
    In,
}

/// What came.
#[derive(Debug, PartialEq, Eq)]
pub enum Received<'a, E = SocketAddr, N = NetworkError> {
    /// A datagram.
    Datagram(E, &'a [u8]),
    /// The carrier's word: of a link, that the network refused an earlier datagram.
    Notice(N),
    /// Nothing more for now.
    Nothing,
}
