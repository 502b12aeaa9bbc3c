//! The codec of the session-reflector.

use std::net::SocketAddr;

use sojourn_protocols::authentication::Key;
use sojourn_protocols::stamp::{Extensions, Probe, Received, Reflector, Timestamp, Transmit};

use super::own_clock::OwnClock;
use crate::io::clock::Clock;
use crate::io::datagrams::Arrival;
use crate::io::wall_clock::Pair;
use crate::servers::reflector;

/// Decodes probes and encodes replies, with wall-clock timestamps.
#[derive(Debug)]
pub struct Codec {
    clock: Clock,
    own_clock: OwnClock,
    key: Option<Key>,
}

impl Codec {
    /// With a key, only authentic probes are answered.
    pub fn new(clock: Clock, key: Option<Key>) -> Codec {
        Codec { clock, own_clock: OwnClock::default(), key }
    }
}

/// A stateful reflector, so that forward and return losses are distinguished.
pub fn machine() -> Reflector<SocketAddr> {
    Reflector::new(true)
}

impl reflector::Codec<Reflector<SocketAddr>> for Codec {
    fn decode(&mut self, arrival: Arrival, datagram: &[u8]) -> Option<Received<SocketAddr>> {
        let (probe, extensions) = Probe::parse(datagram, self.key.as_ref()).ok()?;
        let received = arrival.kernel_at.unwrap_or(arrival.at);
        let at_unix_ns = Pair::read(&self.clock).wall_ns_at(received);
        let error = self.own_clock.error(received);
        Some(Received { from: arrival.from, probe, extensions: extensions.0.to_vec(), at_unix_ns, error, ttl: None })
    }

    fn encode(&mut self, transmit: Transmit<SocketAddr>, datagram: &mut Vec<u8>) -> SocketAddr {
        let Transmit { to, mut reply, extensions } = transmit;
        let now = Pair::read(&self.clock);
        reply.timestamp = Timestamp::of(now.wall_ns_at(now.at), reply.error.format);
        reply.emit(self.key.as_ref(), datagram);
        Extensions(&extensions).reflect(datagram);
        to
    }
}
