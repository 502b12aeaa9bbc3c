//! Routing tables after NODES broadcasts have converged: what nodes that have been running for long know of each
//! other.

use std::sync::Arc;

use sojourn_protocols::netrom::machine::Neighbour;

use super::port_settings::PortPlace;
use super::site::Site;
use super::station::{Station, StationType};

/// Rounds of broadcasts after which the rest is left to the broadcasts of the run.
const ROUNDS: usize = 64;

/// Exchanges broadcasts between the nodes that start with converged tables, in no time and without loss, until no table
/// changes.
pub fn converge(site: &Site, stations: &mut [Station]) {
    let starts_converged =
        |station: &Station| matches!(&station.kind, StationType::Node(node) if node.starts_converged());
    let nodes: Vec<u32> =
        (0..).zip(stations.iter()).filter(|(_, station)| starts_converged(station)).map(|(index, _)| index).collect();
    for _ in 0..ROUNDS {
        let before = tables(stations);
        for from in &nodes {
            let StationType::Node(node) = &mut stations[*from as usize].kind else { continue };
            let broadcasts = node.make_broadcasts();
            for (place, listener) in receivers(site, *from).filter(|(_, listener)| nodes.contains(&listener.station)) {
                let address = site.stations[place.station as usize].address;
                let from = Neighbour { address, port: listener.port as u8 };
                let StationType::Node(node) = &mut stations[listener.station as usize].kind else { continue };
                for nodes in &broadcasts {
                    node.hear_broadcast(from, Arc::clone(nodes));
                }
            }
        }
        if tables(stations) == before {
            return;
        }
    }
}

/// Count of destinations and sum of route qualities of each station, to detect a round that changed nothing.
fn tables(stations: &[Station]) -> Vec<(usize, u64)> {
    let of = |station: &Station| match &station.kind {
        StationType::Node(node) => node.table_sums(),
        _ => (0, 0),
    };
    stations.iter().map(of).collect()
}

/// The ports of other stations that receive a station's frames, each with the port that sends them.
fn receivers(site: &Site, station: u32) -> impl Iterator<Item = (PortPlace, PortPlace)> {
    let ports = (0..).zip(&site.stations[station as usize].ports);
    ports.flat_map(move |(port, place)| {
        let medium = &site.media[place.medium as usize];
        let others = (0..)
            .zip(&medium.members)
            .filter(move |(listener, _)| *listener != place.member && medium.hearing.hears(*listener, place.member));
        others.map(move |(_, listener)| (PortPlace { station, port }, *listener))
    })
}
