//! What one read of a UDP socket returns.

use std::net::SocketAddr;

use nix::sys::socket::SockaddrStorage;
use rustix::io::Errno;
use sojourn_core::Time;

use crate::io::network_error::NetworkError;
use crate::io::packet_io::Received;

/// How a datagram is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadMode {
    /// Return at once if none is queued.
    NonBlocking,
    /// Wait in the read call, which saves a system call. Only a datagram or an error ends it before its
    /// [timeout](super::Datagrams::set_read_timeout).
    Blocking,
}

/// Sender and arrival times of a datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Address and port of the sender.
    pub from: SocketAddr,
    /// When the application received it.
    pub at: Time,
    /// When the kernel received it, if it timestamps.
    pub kernel_at: Option<Time>,
}

/// The result of one read.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawRead {
    /// Sender and arrival times.
    pub arrival: Arrival,
    /// Octets read, all datagrams of a GRO batch together.
    pub length: usize,
    /// Octets of each datagram of a GRO batch; equal to `length` for a single datagram.
    pub each: usize,
}

/// What a read without a datagram means.
pub(super) fn read_error<'a>(fault: Errno) -> Received<'a, Arrival> {
    match fault {
        Errno::AGAIN => Received::Nothing,
        fault => Received::Notice(NetworkError::from(fault)),
    }
}

/// A socket address of either family; none for another.
pub(super) fn address(storage: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = storage.as_sockaddr_in().map(|address| SocketAddr::V4((*address).into()));
    v4.or_else(|| storage.as_sockaddr_in6().map(|address| SocketAddr::V6((*address).into())))
}
