//! Who gets an answer of a reflector, and what is told of it.

use std::net::SocketAddr;

use sojourn_core::{Machine, Time};

use super::rate_limit::RateLimit;
use super::{Codec, ReflectorSocket};
use crate::io::datagrams::Arrival;
use crate::io::drive::{AppPoll, Handler};
use crate::io::network_error::NetworkError;
use crate::progress::watch::Watch;
use crate::transport::Listening;

/// Ports below are those of services, which might answer an answer.
const FIRST_OF_CLIENTS: u16 = 1024;

/// Stands between the socket and a machine.
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
    /// Answers by a rule, within a quota, at a port.
    pub fn new(
        codec: R,
        rate_limit: RateLimit,
        own_port: u16,
        listening: &'a Listening,
        watch: &'a Watch,
    ) -> ReflectorHandler<'a, R> {
        ReflectorHandler { codec, rate_limit, own_port, listening, watch, counts: Counts::default() }
    }

    /// What became of all datagrams.
    pub fn summary(&self, here: SocketAddr) -> String {
        let Counts { reflected, over_rate, from_services, unrecognized } = self.counts;
        format!(
            "{here}: {reflected} datagrams reflected; not answered: {over_rate} beyond the rate, {from_services} from \
             ports of services, {unrecognized} of another form"
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
        Some(Arrival { from: to, at: now, kernel_at: None })
    }

    /// A host that cannot be reached any more ends no reflector.
    fn notice(&mut self, _now: Time, _refusal: NetworkError) -> Option<M::Input> {
        None
    }

    fn poll_app(&mut self, now: Time, _machine: &mut M) -> AppPoll {
        let late = self.listening.duration.is_some_and(|duration| now >= Time::ZERO + duration);
        let enough = self.listening.count.is_some_and(|count| self.counts.reflected >= count);
        if self.watch.is_cancelled() || late || enough { AppPoll::Done } else { AppPoll::Wait(Time::NEVER) }
    }
}
