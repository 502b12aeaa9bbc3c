//! Who gets an answer of a reflector, and what is told of it.

use std::net::SocketAddr;

use sojourn_core::{Machine, Time};

use super::rate_limit::Quota;
use super::{Door, Rule};
use crate::io::datagrams::Arrival;
use crate::io::drive::{Speaker, Turn};
use crate::io::network_error::NetworkError;
use crate::progress::watch::Watch;
use crate::transport::Listening;

/// Ports below are those of services, which might answer an answer.
const FIRST_OF_CLIENTS: u16 = 1024;

/// Stands between the socket and a machine.
pub struct Clerk<'a, R> {
    rule: R,
    quota: Quota,
    own_port: u16,
    listening: &'a Listening,
    watch: &'a Watch,
    counts: Counts,
}

#[derive(Debug, Default)]
struct Counts {
    reflected: u64,
    beyond_quota: u64,
    from_services: u64,
    strange: u64,
}

impl<'a, R> Clerk<'a, R> {
    /// Answers by a rule, within a quota, at a port.
    pub fn new(rule: R, quota: Quota, own_port: u16, listening: &'a Listening, watch: &'a Watch) -> Clerk<'a, R> {
        Clerk { rule, quota, own_port, listening, watch, counts: Counts::default() }
    }

    /// What became of all datagrams.
    pub fn summary(&self, here: SocketAddr) -> String {
        let Counts { reflected, beyond_quota, from_services, strange } = self.counts;
        format!(
            "{here}: {reflected} datagrams reflected; not answered: {beyond_quota} beyond the rate, {from_services} from \
             ports of services, {strange} of another form"
        )
    }
}

impl<M: Machine, R: Rule<M>> Speaker<M, Door> for Clerk<'_, R> {
    fn hear(&mut self, now: Time, arrival: Arrival, datagram: &[u8]) -> Option<M::Input> {
        let port = arrival.from.port();
        if port < FIRST_OF_CLIENTS || port == self.own_port {
            self.counts.from_services += 1;
            return None;
        }
        let Some(input) = self.rule.read(arrival, datagram) else {
            self.counts.strange += 1;
            return None;
        };
        if !self.quota.allows(now, arrival.from.ip(), datagram.len()) {
            self.counts.beyond_quota += 1;
            return None;
        }
        Some(input)
    }

    fn speak(&mut self, now: Time, output: M::Output, datagram: &mut Vec<u8>) -> Option<Arrival> {
        let to = self.rule.write(output, datagram);
        self.counts.reflected += 1;
        self.watch.add_done(1);
        Some(Arrival { from: to, at: now, kernel_at: None })
    }

    /// A host that cannot be reached any more ends no reflector.
    fn notice(&mut self, _now: Time, _refusal: NetworkError) -> Option<M::Input> {
        None
    }

    fn turn(&mut self, now: Time, _machine: &mut M) -> Turn {
        let late = self.listening.duration.is_some_and(|duration| now >= Time::ZERO + duration);
        let enough = self.listening.count.is_some_and(|count| self.counts.reflected >= count);
        if self.watch.is_cancelled() || late || enough { Turn::Done } else { Turn::Wait(Time::NEVER) }
    }
}
