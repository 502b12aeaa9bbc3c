//! Checks wires that stations share: keys of the other kind of medium, positions, and IDs of PLCA.

use std::collections::BTreeMap;

use crate::segment::scenario::{Place, nodes};
use sojourn_scenario::rules::counts::whole;
use sojourn_scenario::{Entry, Problem, Scenario, Table};

/// Keys that links alone obey, that shared wires alone obey, and of these those of PLCA; those of stations on shared wires.
const OF_LINKS: &[&str] = &["jitter", "reordering"];
const OF_WIRES: &[&str] =
    &["access", "end_delimiter", "attempt_limit", "split_gap", "node_count", "to_timer", "beacon_timer", "burst_timer"];
const OF_STATIONS: &[&str] = &["wire"];
const OF_PLCA: &[&str] = &["node_count", "to_timer", "beacon_timer", "burst_timer"];

/// Adds the inconsistencies of shared wires and of the stations on them.
pub fn wires(scenario: &Scenario, found: &mut Vec<Problem>) {
    for medium in scenario.list("medium") {
        match medium.optional_word("kind") {
            Some("shared") => shared(scenario, medium, found),
            Some(_) => refuse(
                scenario,
                medium,
                OF_WIRES,
                "is of a shared wire, and this medium is links",
                "kind = \"shared\"",
                found,
            ),
            None => {}
        }
    }
    let is_shared = |name: &str| {
        let mut media = scenario.list("medium").iter();
        media.any(|medium| medium.name() == name && medium.optional_word("kind") == Some("shared"))
    };
    for station in scenario.list("station") {
        if !station.words("on").into_iter().any(is_shared) {
            let why = "is of a station on a shared wire, and this one is on links";
            refuse(scenario, station, OF_STATIONS, why, "kind = \"shared\" in its medium", found);
        }
    }
}

fn shared(scenario: &Scenario, medium: &Table, found: &mut Vec<Problem>) {
    whole(scenario, medium, &["end_delimiter"], found);
    refuse(scenario, medium, OF_LINKS, "is of links, and this medium is a shared wire", "kind = \"link\"", found);
    if medium.word("access") == "csma-cd" {
        refuse(scenario, medium, OF_PLCA, "is of PLCA, and access is by CSMA/CD", "access = \"plca\"", found);
    }
    if medium.number("framing_overhead") < 20.0 {
        let message = "preamble and interframe gap of a shared wire are 20 B of the overhead".to_owned();
        found.push(scenario.problem(
            medium,
            "framing_overhead",
            message,
            Some("at least 20 B, of Ethernet 38 B".into()),
        ));
    }
    let places = nodes(scenario, medium);
    for place in &places {
        if place.position > medium.number("length") {
            let message =
                format!("`{}` is at {} m of a wire of {} m", place.name, place.position, medium.number("length"));
            let help = format!("raise `length` of medium `{}`", medium.name());
            found.push(scenario.problem(place.station, "position", message, Some(help)));
            break;
        }
    }
    if medium.word("access") == "plca" {
        ids(scenario, medium, &places, found);
    }
}

/// IDs are each of one node, and one node leads.
fn ids(scenario: &Scenario, medium: &Table, places: &[Place<'_>], found: &mut Vec<Problem>) {
    let mut known: BTreeMap<u64, &Place<'_>> = BTreeMap::new();
    for place in places.iter().filter(|place| place.id < 255) {
        if let Some(first) = known.insert(place.id, place)
            && !place.station.flag("same_id")
        {
            let message = format!("`{}` and `{}` have the ID {} of PLCA", first.name, place.name, place.id);
            let help = "leave `plca_id` out, or to see what that does, same_id = true".to_owned();
            found.push(scenario.problem(place.station, "plca_id", message, Some(help)));
            return;
        }
    }
    if let Some(place) = places.iter().find(|place| place.id > 255) {
        let message = format!("`{}` would have the ID {} of PLCA, and the highest is 254", place.name, place.id);
        found.push(scenario.problem(place.station, "plca_id", message, None));
    } else if !known.contains_key(&0) {
        let message = format!("no station on `{}` has the ID 0 of PLCA, whose node sends the beacons", medium.name());
        found.push(scenario.problem(medium, "access", message, Some("give one station plca_id = 0".into())));
    }
}

/// Adds a problem for each of these keys that is written.
fn refuse(scenario: &Scenario, table: &Table, keys: &[&str], why: &str, help: &str, found: &mut Vec<Problem>) {
    for Entry { key, .. } in table.changed().filter(|entry| keys.contains(&entry.key.name)) {
        let help = format!("nothing would obey it: leave it out, or write {help}");
        found.push(scenario.problem(table, key.name, format!("`{}` {why}", key.name), Some(help)));
    }
}
