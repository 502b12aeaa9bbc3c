//! The UDP echo server.

use std::net::SocketAddr;

use sojourn_core::{Machine, Time};

use crate::io::datagrams::Arrival;
use crate::servers::reflector;

/// A client's address and its datagram.
pub type Datagram = (SocketAddr, Vec<u8>);

/// The machine of the echo server.
#[derive(Debug, Default)]
pub struct Echo {
    next: Option<Datagram>,
}

impl Machine for Echo {
    type Input = Datagram;
    type Output = Datagram;

    fn handle(&mut self, _now: Time, datagram: Datagram) {
        self.next = Some(datagram);
    }

    fn wake(&mut self, _now: Time) {}

    fn poll_output(&mut self) -> Option<Datagram> {
        self.next.take()
    }

    fn next_wakeup(&self) -> Option<Time> {
        None
    }
}

/// The codec of the echo server, which reuses the buffer of the last datagram.
#[derive(Debug, Default)]
pub struct Codec {
    spare: Vec<u8>,
}

impl reflector::Codec<Echo> for Codec {
    fn decode(&mut self, arrival: Arrival, datagram: &[u8]) -> Option<Datagram> {
        let mut bytes = std::mem::take(&mut self.spare);
        bytes.clear();
        bytes.extend_from_slice(datagram);
        Some((arrival.from, bytes))
    }

    fn encode(&mut self, (to, bytes): Datagram, datagram: &mut Vec<u8>) -> SocketAddr {
        datagram.extend_from_slice(&bytes);
        self.spare = bytes;
        to
    }
}
