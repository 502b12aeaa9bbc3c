//! Routes as they are when broadcasts have gone round: what nodes that have long been on the air know of each other.

use std::sync::Arc;

use sojourn_core::{Machine, Time};
use sojourn_protocols::netrom::machine::{Input, Neighbour, Output};
use sojourn_protocols::netrom::wire::Nodes;

use crate::packet_radio::site::{PortPlace, Site};
use crate::packet_radio::station::{Kind, Station};

/// Rounds of broadcasts after which the rest is left to the air.
const ROUNDS: usize = 64;

/// Lets the nodes that begin with routes hear each other's broadcasts, without time or loss, until none learns more.
pub fn meet(site: &Site, stations: &mut [Station]) {
    let knows = |station: &Station| matches!(&station.kind, Kind::Node(node) if node.settings.knows_routes);
    let nodes: Vec<u32> =
        (0..).zip(stations.iter()).filter(|(_, station)| knows(station)).map(|(index, _)| index).collect();
    for _ in 0..ROUNDS {
        let before = known(stations);
        for from in &nodes {
            let broadcasts = broadcasts(&mut stations[*from as usize]);
            for (place, listener) in hearers(site, *from).filter(|(_, listener)| nodes.contains(&listener.station)) {
                let address = site.stations[place.station as usize].address;
                hear(
                    &mut stations[listener.station as usize],
                    Neighbour { address, port: listener.port as u8 },
                    &broadcasts,
                );
            }
        }
        if known(stations) == before {
            return;
        }
    }
}

/// Destinations and qualities of all, so that a round that changes nothing is seen.
fn known(stations: &[Station]) -> Vec<(usize, u64)> {
    let of = |station: &Station| match &station.kind {
        Kind::Node(node) => node.protocol.destinations().fold((0, 0), |(count, sum), (.., routes)| {
            (count + 1, sum + routes.map(|route| u64::from(route.quality)).sum::<u64>())
        }),
        _ => (0, 0),
    };
    stations.iter().map(of).collect()
}

fn broadcasts(station: &mut Station) -> Vec<Arc<Nodes>> {
    let Kind::Node(node) = &mut station.kind else { return Vec::new() };
    node.protocol.handle(Time::ZERO, Input::Broadcast);
    let said = std::iter::from_fn(|| node.protocol.poll_output());
    said.filter_map(|output| if let Output::Broadcast { nodes } = output { Some(nodes) } else { None }).collect()
}

fn hear(station: &mut Station, from: Neighbour, broadcasts: &[Arc<Nodes>]) {
    let Kind::Node(node) = &mut station.kind else { return };
    for nodes in broadcasts {
        node.protocol.handle(Time::ZERO, Input::Heard { from, nodes: Arc::clone(nodes) });
    }
}

/// From which of a station's ports, and at which ports of others, its frames are heard.
fn hearers(site: &Site, station: u32) -> impl Iterator<Item = (PortPlace, PortPlace)> {
    let ports = (0..).zip(&site.stations[station as usize].ports);
    ports.flat_map(move |(port, place)| {
        let medium = &site.media[place.medium as usize];
        let others = (0..)
            .zip(&medium.members)
            .filter(move |(listener, _)| *listener != place.member && medium.hearing.hears(*listener, place.member));
        others.map(move |(_, listener)| (PortPlace { station, port }, *listener))
    })
}
