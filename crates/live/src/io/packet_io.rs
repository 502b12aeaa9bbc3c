//! The I/O that a driver sends and receives by: a socket, a TNC, or all sockets of a server.

use std::net::SocketAddr;

use sojourn_core::Duration;

use crate::io::network_error::NetworkError;

/// Room for the largest packet of IPv4, and for the largest datagram over IPv6.
pub const LARGEST_DATAGRAM: usize = 65_535;

/// What a driver sends and receives datagrams by. It blocks only in [`wait`](PacketIo::wait).
pub trait PacketIo {
    /// The remote address of a datagram, and what else goes with it.
    type End: Copy;
    /// What may be received in place of a datagram, such as a network error.
    type Notice;

    /// Sends one datagram, or reports why it could not.
    fn send(&mut self, to: Self::End, datagram: &[u8]) -> Result<(), Self::Notice>;

    /// Receives a datagram, if one is queued.
    fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Received<'a, Self::End, Self::Notice>;

    /// Waits until a datagram may be queued, `limit` has passed, or a signal interrupts.
    fn wait(&mut self, limit: Duration);

    /// Waits and receives, with fewer system calls where one does both.
    fn wait_and_receive<'a>(&mut self, limit: Duration, buffer: &'a mut [u8]) -> Received<'a, Self::End, Self::Notice> {
        self.wait(limit);
        self.receive(buffer)
    }

    /// Replaces `record` by the datagram as a capture file holds it; false if captures leave it out.
    fn record(&self, direction: Direction, end: Self::End, datagram: &[u8], record: &mut Vec<u8>) -> bool;

    /// Whether injected loss applies to this address; commands to a local device are never dropped.
    fn may_lose(&self, _to: Self::End) -> bool {
        true
    }
}

/// Whether a datagram is sent or received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Sent by this host.
    Out,
    /// Received by this host.
    In,
}

/// What a call to receive found.
#[derive(Debug, PartialEq, Eq)]
pub enum Received<'a, E = SocketAddr, N = NetworkError> {
    /// A datagram, with the address of its sender.
    Datagram(E, &'a [u8]),
    /// Something else: of a socket, the network's error on an earlier datagram.
    Notice(N),
    /// Nothing is queued, or the wait was interrupted.
    Nothing,
}
