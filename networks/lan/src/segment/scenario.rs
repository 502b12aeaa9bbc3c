//! Wires that stations share, from the keys of a scenario.

use std::collections::BTreeSet;

use sojourn_core::Duration;
use sojourn_protocols::ethernet_bus::{GAP, PREAMBLE, mac, plca};
use sojourn_scenario::{Scenario, Table};

use super::settings::{NodeSettings, SegmentSettings};
use crate::layout::{Layout, PICOSECONDS_PER_METRE, Shared};

/// A station on a wire.
pub struct Place<'s> {
    /// Its table `wire`, and its own name.
    pub station: &'s Table,
    /// See `station`.
    pub name: String,
    /// Metres from the end of the wire.
    pub position: f64,
    /// Metres between the wire and the station.
    pub stub: f64,
    /// ID of PLCA; 255 without.
    pub id: u64,
}

/// The stations on a medium, in the order of declaration.
pub fn nodes<'s>(scenario: &'s Scenario, medium: &Table) -> Vec<Place<'s>> {
    let members = scenario.members();
    let on_it: Vec<_> = members.iter().filter(|member| member.station.words("on").contains(&medium.name())).collect();
    let mut places: Vec<Place<'s>> = Vec::new();
    let mut given = Vec::new();
    for (at, member) in on_it.iter().enumerate() {
        let [station, declared] =
            [member.station, &scenario.list("station")[member.index]].map(|table| table.table("wire"));
        // a key that a member has of its own is its value, not that of the first
        let number = |own: bool| if own { 0 } else { member.number as u64 - 1 };
        let even = medium.number("length") * at as f64 / (on_it.len() - 1).max(1) as f64;
        let step = station.optional_number("position_step").unwrap_or(1.0);
        let at_own = number(station.optional_number("position") != declared.optional_number("position"));
        let position = station.optional_number("position").map_or(even, |first| first + step * at_own as f64);
        let id_own = number(
            station.flag("same_id") || station.optional_integer("plca_id") != declared.optional_integer("plca_id"),
        );
        let id = station.optional_integer("plca_id").map(|id| if id == 255 { id } else { id + id_own });
        given.push(id);
        let stub = station.number("stub");
        places.push(Place { station, name: member.name.clone(), position, stub, id: 0 });
    }
    let taken: BTreeSet<u64> = given.iter().flatten().copied().collect();
    let mut free = (0..).filter(|id| *id != 255 && !taken.contains(id));
    for (place, id) in places.iter_mut().zip(given) {
        place.id = id.unwrap_or_else(|| free.next().expect("numbers do not end"));
    }
    places
}

/// The wires of a layout.
pub fn segments(scenario: &Scenario, layout: &Layout<'_>) -> Vec<SegmentSettings> {
    layout.segments.iter().map(|shared| segment(scenario, shared)).collect()
}

fn segment(scenario: &Scenario, shared: &Shared<'_>) -> SegmentSettings {
    let medium = shared.medium;
    let places = nodes(scenario, medium);
    let rate = libm::round(medium.number("rate")) as u64;
    let bits = |key: &str| medium.integer(key) as u32;
    let count = medium.optional_integer("node_count").unwrap_or(places.len() as u64) as u8;
    let plca = |place: &Place<'_>| {
        (medium.word("access") == "plca" && place.id < u64::from(plca::OFF)).then(|| plca::Settings {
            to_timer: bits("to_timer"),
            beacon_timer: bits("beacon_timer"),
            beacon_det_timer: bits("beacon_timer") + 2,
            burst_timer: bits("burst_timer"),
            max_bc: place.station.integer("max_bc") as u8,
            ..plca::Settings::new(rate, place.id as u8, count)
        })
    };
    let node = |(place, (station, port)): (&Place<'_>, &(usize, u32))| NodeSettings {
        name: place.name.clone(),
        station: *station as u32,
        port: *port,
        plca: plca(place),
    };
    let mac = mac::Settings { attempt_limit: bits("attempt_limit"), ..mac::Settings::new(rate) };
    SegmentSettings {
        name: medium.name().to_owned(),
        mac: mac::Settings { first_part: if medium.flag("split_gap") { mac.first_part } else { mac.gap }, ..mac },
        end_delimiter: medium.number("end_delimiter") as u32,
        header: (medium.number("framing_overhead") as u32).saturating_sub((PREAMBLE + GAP) / 8),
        minimum: medium.number("min_payload") as u32,
        nodes: places.iter().zip(&shared.stations).map(node).collect(),
        propagation: propagation(&places, medium.duration("delay")),
        changes: scenario.events().iter().any(|event| !event.media.is_empty() || !event.stations.is_empty()),
    }
}

/// Along the wire and both stubs, and the delay of the medium.
fn propagation(places: &[Place<'_>], delay: Duration) -> std::sync::Arc<[Duration]> {
    // rounded as places, so that propagation from node to node adds up
    let along = |metres: f64| libm::round(metres * PICOSECONDS_PER_METRE) as u64;
    let between = |one: &Place<'_>, other: &Place<'_>| {
        if std::ptr::eq(one, other) {
            return Duration::ZERO;
        }
        let stubs = along(one.stub) + along(other.stub);
        Duration::from_picoseconds(along(one.position).abs_diff(along(other.position)) + stubs) + delay
    };
    places.iter().flat_map(|one| places.iter().map(move |other| between(one, other))).collect()
}
