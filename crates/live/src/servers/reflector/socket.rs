//! A reflector's socket, or two where it is a member of a group: datagrams with the kernel's stamps of their arrival.

use std::net::SocketAddr;

use rustix::io::Errno;
use sojourn_core::Duration;

use crate::io::datagrams::{Arrival, Datagrams, ReadMode};
use crate::io::network_error::NetworkError;
use crate::io::packet_io::Received;
use crate::io::packet_io::{Direction, PacketIo};

/// Where requests come in and answers go out.
#[derive(Debug)]
pub struct ReflectorSocket {
    receiving: Datagrams,
    /// What answers leave by, where that is another socket: a group has no voice of its own.
    sending: Option<Datagrams>,
    address: SocketAddr,
}

impl ReflectorSocket {
    /// Over a socket that is bound.
    pub fn new(mut datagrams: Datagrams) -> ReflectorSocket {
        datagrams.enable_traffic_class();
        let address = datagrams.local().unwrap_or_else(|_| SocketAddr::from(([0, 0, 0, 0], 0)));
        ReflectorSocket { receiving: datagrams, sending: None, address }
    }

    /// Requests come to a group, answers leave by a socket of the member's own.
    pub fn of_member(group: Datagrams, own: Datagrams) -> ReflectorSocket {
        ReflectorSocket { sending: Some(own), ..ReflectorSocket::new(group) }
    }

    /// Where it listens.
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

    /// It leaves in the traffic class of what it answers, which came last: both ways are treated alike, and a mark of
    /// congestion comes back. What does not fit into the socket's buffer is lost, as any datagram may be: a reflector
    /// waits for nobody.
    fn send(&mut self, to: Arrival, datagram: &[u8]) -> Result<(), NetworkError> {
        let class = self.receiving.last_traffic_class().unwrap_or(0);
        match self.sending().send_with_class(class, to.from, datagram) {
            Ok(_) | Err(NetworkError::System(Errno::AGAIN | Errno::NOBUFS)) => Ok(()),
            Err(refusal) => Err(refusal),
        }
    }

    fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Received<'a, Arrival> {
        // nobody needs the stamps of departures, which would end every wait
        while self.sending().poll_tx_timestamp().is_some() {}
        self.receiving.receive(ReadMode::NonBlocking, buffer)
    }

    fn wait(&mut self, limit: Duration) {
        self.receiving.wait_for(limit);
    }

    /// A reflector keeps no capture: who wants one takes it of the host's interface.
    fn record(&self, _direction: Direction, _end: Arrival, _datagram: &[u8], _record: &mut Vec<u8>) -> bool {
        false
    }
}
