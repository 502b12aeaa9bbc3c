//! Clients with one request at a time: the requests to a service, split where they overlap.

use std::collections::BTreeMap;
use std::net::IpAddr;

use sojourn_core::Time;

use super::super::flow_key::FlowKey;
use super::super::requests::Opened;
use super::super::survey::Survey;
use super::super::transactions::{Exchange, Flow};
use super::MOST;
use super::transfers::Transfer;
use sojourn_capture::Service;

/// Requests of a client, none of which overlap.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub key: FlowKey,
    /// At least one, in the order of their begins.
    pub exchanges: Vec<Exchange>,
    /// How connections are opened, of requests over TCP.
    pub opened: Opened,
    /// The servers that are asked in turn, over and over: one, but of pollers.
    pub round: Vec<IpAddr>,
    /// The transfer that its only request is, by its place.
    pub transfer: Option<usize>,
}

impl Lane {
    /// The request that a transfer answers or is.
    pub fn of_transfer(number: usize, transfer: &Transfer<'_>) -> Option<Lane> {
        let (key, opened) = (transfer.connection.key(), opened(1, [1, transfer.connection.has_begun.into()]));
        let exchanges = vec![transfer.exchange?];
        Some(Lane { key, exchanges, opened, round: vec![key.server], transfer: Some(number) })
    }

    /// The requests with their servers.
    pub fn requests(&self) -> impl Iterator<Item = (&Exchange, IpAddr)> {
        self.exchanges.iter().zip(self.round.iter().copied().cycle())
    }

    /// When the first request was sent.
    pub fn begin(&self) -> Time {
        self.exchanges[0].begin
    }
}

/// Connections to a service, and those whose begin was captured.
pub(super) fn connections(survey: &Survey) -> BTreeMap<FlowKey, [u64; 2]> {
    let mut found: BTreeMap<FlowKey, [u64; 2]> = BTreeMap::new();
    for connection in survey.all_connections() {
        let [all, begun] = found.entry(connection.key()).or_default();
        *all += 1;
        *begun += u64::from(connection.has_begun);
    }
    found
}

/// The clients that a flow of requests takes: each goes on when its answer is complete. Then the requests that overlap more others
/// than a scenario has flows for.
pub(super) fn of(key: FlowKey, flow: &Flow, connections: [u64; 2]) -> (Vec<Lane>, u64) {
    let opened = opened(flow.exchanges.len() as u64, connections);
    let (mut lanes, mut beyond): (Vec<(Time, Vec<Exchange>)>, u64) = (Vec::new(), 0);
    for exchange in &flow.exchanges {
        match lanes.iter().position(|(free, _)| *free <= exchange.begin) {
            Some(number) => {
                lanes[number].0 = exchange.complete;
                lanes[number].1.push(*exchange);
            }
            None if lanes.len() == MOST => beyond += 1,
            None => lanes.push((exchange.complete, vec![*exchange])),
        }
    }
    let is_over_tcp = matches!(key.service, Service::Tcp(_));
    let lane = |(number, (_, exchanges)): (usize, (Time, Vec<Exchange>))| {
        // a further client stands for requests that overlapped on the same connection
        let opened = if is_over_tcp && number > 0 && opened == Opened::Once { Opened::Before } else { opened };
        Lane { key, exchanges, opened, round: vec![key.server], transfer: None }
    };
    (lanes.into_iter().enumerate().map(lane).collect(), beyond)
}

fn opened(requests: u64, [all, begun]: [u64; 2]) -> Opened {
    match () {
        () if begun == 0 => Opened::Before,
        () if all > 1 && 2 * all > requests => Opened::PerRequest,
        () => Opened::Once,
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use sojourn_core::Duration;

    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn requests_that_overlap_are_those_of_further_clients() {
        let host = |number| IpAddr::V4(Ipv4Addr::new(10, 0, 0, number));
        let key = FlowKey { client: host(1), server: host(2), service: Service::Tcp(445) };
        let exchange = |begin, end| Exchange { begin: at(begin), end: at(end), complete: at(end + 1), octets: [1, 1] };
        let exchanges = vec![exchange(0, 10), exchange(5, 6), exchange(7, 9), exchange(11, 12), exchange(11, 20)];
        let flow = Flow { exchanges, ..Flow::default() };
        let (lanes, beyond) = of(key, &flow, [1, 1]);
        assert_eq!(beyond, 0);
        let begins = |lane: &Lane| lane.exchanges.iter().map(|of| of.begin.seconds() * 1e3).collect::<Vec<f64>>();
        assert_eq!(lanes.iter().map(begins).collect::<Vec<_>>(), [vec![0.0, 11.0], vec![5.0, 7.0, 11.0]]);
        assert_eq!([lanes[0].opened, lanes[1].opened], [Opened::Once, Opened::Before]);
    }

    #[test]
    fn requests_that_overlap_more_than_a_scenario_has_flows_for_are_counted() {
        let key = FlowKey { client: [10, 0, 0, 1].into(), server: [10, 0, 0, 2].into(), service: Service::Udp(53) };
        let exchange = |begin| Exchange { begin: at(begin), end: at(9_000), complete: at(9_000), octets: [1, 1] };
        let flow = Flow { exchanges: (0..MOST as u64 + 7).map(exchange).collect(), ..Flow::default() };
        let (lanes, beyond) = of(key, &flow, [0, 0]);
        assert_eq!((lanes.len(), beyond), (MOST, 7));
    }

    #[test]
    fn a_connection_for_most_requests_is_one_for_each() {
        assert_eq!(opened(100, [60, 60]), Opened::PerRequest);
        assert_eq!(opened(100, [50, 50]), Opened::Once);
        assert_eq!(opened(1, [1, 1]), Opened::Once);
        assert_eq!(opened(100, [1, 0]), Opened::Before);
    }
}
