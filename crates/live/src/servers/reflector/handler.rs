//! Decides which datagrams a reflector answers, and counts the rest.

use std::net::SocketAddr;

use sojourn_core::{Machine, Time};

use super::rate_limit::RateLimit;
use super::socket::ReflectorSocket;
use crate::io::datagrams::Arrival;
use crate::io::drive::{AppPoll, Handler};
use crate::io::network_error::NetworkError;
use crate::progress::watch::Watch;
use crate::transport::Listening;

/// Lower ports belong to services, which might respond to a reply.
const FIRST_OF_CLIENTS: u16 = 1024;

/// Decodes datagrams to a machine's inputs, and encodes its outputs.
pub trait Codec<M: Machine> {
    /// Decodes a datagram to an input; `None` if it is not a PDU of the protocol.
    fn decode(&mut self, arrival: Arrival, datagram: &[u8]) -> Option<M::Input>;

    /// Encodes an output to the empty `datagram`; returns its destination.
    fn encode(&mut self, output: M::Output, datagram: &mut Vec<u8>) -> SocketAddr;
}

/// Connects a reflector's socket with its machine.
pub struct ReflectorHandler<'a, R> {
    codec: R,
    rate_limit: RateLimit,
    own_port: u16,
    listening: &'a Listening,
    watch: &'a Watch,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    reflected: u64,
    over_rate: u64,
    from_services: u64,
    unrecognized: u64,
}

impl<'a, R> ReflectorHandler<'a, R> {
    /// A handler with this codec and rate limit, on this port.
    pub fn new(
        codec: R,
        rate_limit: RateLimit,
        own_port: u16,
        listening: &'a Listening,
        watch: &'a Watch,
    ) -> ReflectorHandler<'a, R> {
        ReflectorHandler { codec, rate_limit, own_port, listening, watch, counts: Counts::default() }
    }

    /// A summary of the counts.
    pub fn summary(&self, here: SocketAddr) -> String {
        let Counts { reflected, over_rate, from_services, unrecognized } = self.counts;
        format!(
            "{here}: {reflected} datagrams reflected; ignored: {over_rate} over the rate limit, {from_services} from \
             service ports, {unrecognized} unrecognized"
        )
    }
}

impl<M: Machine, R: Codec<M>> Handler<M, ReflectorSocket> for ReflectorHandler<'_, R> {
    fn decode(&mut self, now: Time, arrival: Arrival, datagram: &[u8]) -> Option<M::Input> {
        let port = arrival.from.port();
        if port < FIRST_OF_CLIENTS || port == self.own_port {
            self.counts.from_services += 1;
            return None;
        }
        let Some(input) = self.codec.decode(arrival, datagram) else {
            self.counts.unrecognized += 1;
            return None;
        };
        if !self.rate_limit.allows(now, arrival.from.ip(), datagram.len()) {
            self.counts.over_rate += 1;
            return None;
        }
        Some(input)
    }

    fn encode(&mut self, now: Time, output: M::Output, datagram: &mut Vec<u8>) -> Option<Arrival> {
        let to = self.codec.encode(output, datagram);
        self.counts.reflected += 1;
        self.watch.add_done(1);
        Some(Arrival { from: to, at: now, kernel_at: None, socket_drops: 0 })
    }

    /// An unreachable client does not end a reflector.
    fn notice(&mut self, _now: Time, _refusal: NetworkError) -> Option<M::Input> {
        None
    }

    fn poll_app(&mut self, now: Time, _machine: &mut M) -> AppPoll {
        let late = self.listening.duration.is_some_and(|duration| now >= Time::ZERO + duration);
        let enough = self.listening.count.is_some_and(|count| self.counts.reflected >= count);
        if self.watch.is_cancelled() || late || enough { AppPoll::Done } else { AppPoll::Wait(Time::NEVER) }
    }
}
