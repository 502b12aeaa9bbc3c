//! How far servers are from the point of capture.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use super::super::survey::Survey;
use super::lanes::Lane;
use super::transfers::Transfer;
use sojourn_capture::Service;

/// The path to a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Path {
    /// In one direction, s.
    pub delay: f64,
    /// Whether the system of the server shows it, not a program that takes time of its own.
    pub is_sure: bool,
}

/// The paths to the servers of these requests: half of what their systems take to acknowledge data or to answer a ping at the least,
/// and no more than half of the shortest response; without them, that. Those to the servers of transfers, where their systems show them.
pub(super) fn to_servers(survey: &Survey, lanes: &[Lane], transfers: &[Transfer<'_>]) -> BTreeMap<IpAddr, Path> {
    let of_transfers = transfers.iter().map(|transfer| transfer.connection.server.address);
    let asked: BTreeSet<IpAddr> =
        lanes.iter().flat_map(|lane| lane.round.iter().copied()).chain(of_transfers).collect();
    let mut systems: BTreeMap<IpAddr, f64> = BTreeMap::new();
    let mut shorter = |host: IpAddr, seconds: f64| {
        if asked.contains(&host) {
            let known = systems.entry(host).or_insert(f64::INFINITY);
            *known = known.min(seconds);
        }
    };
    for connection in survey.all_connections() {
        let trips = &connection.sides[1].trips;
        if trips.shortest().is_some() {
            shorter(connection.server.address, trips.least());
        }
    }
    for (key, flow) in survey.flows.iter().filter(|(key, _)| key.service == Service::Echo) {
        if flow.responses.shortest().is_some() {
            shorter(key.server, flow.responses.least());
        }
    }
    let mut paths: BTreeMap<IpAddr, Path> = BTreeMap::new();
    for (exchange, server) in lanes.iter().flat_map(Lane::requests) {
        let system = systems.get(&server);
        let delay = 0.5 * exchange.response().min(system.copied().unwrap_or(f64::INFINITY));
        let path = paths.entry(server).or_insert(Path { delay, is_sure: system.is_some() });
        path.delay = path.delay.min(delay);
    }
    for (server, system) in systems {
        paths.entry(server).or_insert(Path { delay: 0.5 * system, is_sure: true });
    }
    paths
}
