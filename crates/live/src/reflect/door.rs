//! A reflector's socket: datagrams with the kernel's stamps of their arrival.

use std::net::SocketAddr;

use rustix::io::Errno;
use sojourn_core::Duration;

use crate::drive::{Carrier, Direction};
use crate::link::{Received, Refusal};
use crate::measuring::datagrams::{Arrival, Datagrams};

/// The socket.
#[derive(Debug)]
pub struct Door {
    datagrams: Datagrams,
    address: SocketAddr,
}

impl Door {
    /// Over a socket that is bound.
    pub fn new(datagrams: Datagrams) -> Door {
        let address = datagrams.local().unwrap_or_else(|_| SocketAddr::from(([0, 0, 0, 0], 0)));
        Door { datagrams, address }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Carrier for Door {
    type End = Arrival;
    type Notice = Refusal;

    /// What does not fit into the socket's buffer is lost, as any datagram may be: a reflector waits for nobody.
    fn send(&mut self, to: Arrival, datagram: &[u8]) -> Result<(), Refusal> {
        match self.datagrams.send_to(to.from, datagram) {
            Ok(_) | Err(Refusal::System(Errno::AGAIN | Errno::NOBUFS)) => Ok(()),
            Err(refusal) => Err(refusal),
        }
    }

    fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Received<'a, Arrival> {
        // nobody needs the stamps of departures, which would end every wait
        while self.datagrams.departed().is_some() {}
        self.datagrams.receive(buffer)
    }

    fn wait(&mut self, limit: Duration) {
        self.datagrams.wait(limit);
    }

    /// A reflector keeps no capture: who wants one takes it of the host's interface.
    fn record(&self, _direction: Direction, _end: Arrival, _datagram: &[u8], _record: &mut Vec<u8>) -> bool {
        false
    }
}
