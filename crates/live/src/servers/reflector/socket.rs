//! A reflector's UDP socket with kernel receive timestamps, or two sockets for a member of a multicast group.

use std::net::SocketAddr;

use rustix::io::Errno;
use sojourn_core::Duration;

use crate::io::datagrams::{Arrival, Datagrams, ReadMode};
use crate::io::network_error::NetworkError;
use crate::io::packet_io::Received;
use crate::io::packet_io::{Direction, PacketIo};

/// Receives requests and sends replies.
#[derive(Debug)]
pub struct ReflectorSocket {
    receiving: Datagrams,
    /// The socket for replies of a group member: a group address cannot be a source address.
    sending: Option<Datagrams>,
    address: SocketAddr,
}

impl ReflectorSocket {
    /// Uses a socket that is already bound.
    pub fn new(mut datagrams: Datagrams) -> ReflectorSocket {
        datagrams.enable_traffic_class();
        datagrams.enable_local_address();
        let address = datagrams.local().unwrap_or_else(|_| SocketAddr::from(([0, 0, 0, 0], 0)));
        ReflectorSocket { receiving: datagrams, sending: None, address }
    }

    /// Receives on the group's socket, and replies from the member's own.
    pub fn of_member(group: Datagrams, own: Datagrams) -> ReflectorSocket {
        ReflectorSocket { sending: Some(own), ..ReflectorSocket::new(group) }
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    fn sending(&mut self) -> &mut Datagrams {
        self.sending.as_mut().unwrap_or(&mut self.receiving)
    }
}

impl PacketIo for ReflectorSocket {
    type End = Arrival;
    type Notice = NetworkError;

    /// A reply has the traffic class of its request, the datagram received last, and leaves from the address that it was sent to: both directions get the same treatment, and
    /// a CE mark is returned. A reply that meets a full send buffer is dropped: a reflector never waits.
    fn send(&mut self, to: Arrival, datagram: &[u8]) -> Result<(), NetworkError> {
        let class = self.receiving.last_traffic_class().unwrap_or(0);
        let local = self.receiving.last_local_address();
        match self.sending().answer(to.from, local, class, datagram) {
            Ok(_) | Err(NetworkError::System(Errno::AGAIN | Errno::NOBUFS)) => Ok(()),
            Err(refusal) => Err(refusal),
        }
    }

    fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Received<'a, Arrival> {
        // discard transmit timestamps, which would end every wait
        while self.sending().poll_tx_timestamp().is_some() {}
        self.receiving.receive(ReadMode::NonBlocking, buffer)
    }

    fn wait(&mut self, limit: Duration) {
        self.receiving.wait_for(limit);
    }

    /// A reflector writes no capture: tcpdump can.
    fn record(&self, _direction: Direction, _end: Arrival, _datagram: &[u8], _record: &mut Vec<u8>) -> bool {
        false
    }
}
