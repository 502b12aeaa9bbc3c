//! Why a path over NET/ROM nodes does not come about: the quality at which the route to the last node is no longer accepted.

use std::collections::BTreeSet;
use std::sync::Arc;

use sojourn_core::{Streams, Time};
use sojourn_protocols::ax25::wire::Address;

use super::convergence::converge;
use super::node::NodeSettings;
use super::site::{Path, Site, TypeSettings};
use super::station::{Station, StationType};

/// Why the first node of paths has no route to the last, of those where it has none; each pair of nodes once.
pub fn reasons<'p>(site: &Site, stations: &[Station], paths: impl Iterator<Item = &'p Path>) -> Vec<String> {
    let ends: BTreeSet<(usize, usize)> = paths.filter_map(|path| ends(site, path)).collect();
    ends.into_iter().filter_map(|ends| reason(site, stations, ends)).collect()
}

fn reason(site: &Site, stations: &[Station], (first, last): (usize, usize)) -> Option<String> {
    if route_quality(&stations[first], site.stations[last].address).is_some() {
        return None;
    }
    let between = format!("no route from {} to {}", site.stations[first].name, site.stations[last].name);
    let Some((station, quality, minimum)) = refused(site, stations, site.stations[last].address) else {
        return Some(format!("{between}: no chain of nodes hears each other"));
    };
    let node = &site.stations[station].name;
    Some(format!("{between}: at {node} its quality of {quality} is below the minimum of {minimum} (min_quality)"))
}

/// The first and the last node that the user connects to, where the path has two.
fn ends(site: &Site, path: &Path) -> Option<(usize, usize)> {
    let [to_last, _] = path.commands.as_slice() else { return None };
    let last: Address = to_last.strip_prefix("C ")?.parse().ok()?;
    let place = |address| site.stations.iter().position(|station| station.address == address);
    Some((place(path.key.peer)?, place(last)?))
}

fn route_quality(station: &Station, destination: Address) -> Option<u8> {
    match &station.kind {
        StationType::Node(node) => node.route_quality(destination),
        _ => None,
    }
}

/// The node without a route whose quality would be the best, were every quality accepted: that quality and its minimum.
fn refused(site: &Site, stations: &[Station], destination: Address) -> Option<(usize, u8, u8)> {
    let accepting = accepting_all(site);
    let streams = Streams::new(0, 0);
    let station = |index| Station::new(&accepting, index, [Time::ZERO; 2], &streams);
    let mut open: Vec<Station> = (0..accepting.stations.len()).map(station).collect();
    converge(&accepting, &mut open);
    let without = (0..stations.len()).filter(|&index| route_quality(&stations[index], destination).is_none());
    let qualities = without.filter_map(|index| Some((index, route_quality(&open[index], destination)?)));
    let (index, quality) = qualities.max_by_key(|&(_, quality)| quality)?;
    let TypeSettings::Node(node) = &site.stations[index].kind else { return None };
    let minimum = node.protocol.routing.min_quality;
    (quality < minimum).then_some((index, quality, minimum))
}

/// The site with nodes that accept a route of any quality and have long been running.
fn accepting_all(site: &Site) -> Site {
    let mut site = site.clone();
    for station in &mut site.stations {
        if let TypeSettings::Node(node) = &mut station.kind {
            let mut accepting = NodeSettings::clone(node);
            accepting.protocol.routing.min_quality = 1;
            accepting.starts_converged = true;
            *node = Arc::new(accepting);
        }
    }
    site
}
