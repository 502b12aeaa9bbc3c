//! Design warnings, each with its source: a parameter set for a channel but missing at its stations, and a TNC buffer
//! too small for a link's window.

use std::collections::BTreeSet;

use sojourn_protocols::ax25::machine::Version;
use sojourn_scenario::{Origin, Scenario, Table, library, tree};

use super::site::Site;
use sojourn_model::Warning;

const SOURCE: &str = "profiles: one that is named in a table applies to that table alone";
const FLOW_CONTROL: &str = "TAPR TNC-2: flow control stops the program while the buffer is full";

/// All warnings of a site.
pub(super) fn warnings(scenario: &Scenario, site: &Site) -> Vec<Warning> {
    let mut found = left_out_values(scenario, site);
    found.extend(short_buffers(scenario, site));
    found
}

/// Ends of sessions whose TNCs buffer fewer packets than their windows have, and that send more than is buffered: one
/// warning for each table of stations.
fn short_buffers(scenario: &Scenario, site: &Site) -> Vec<Warning> {
    let (members, mut found) = (scenario.members(), Vec::new());
    let mut seen = BTreeSet::new();
    for session in &site.sessions {
        let stations = session.ends.map(|station| &site.stations[station as usize]);
        let extended = stations.iter().all(|station| station.links.version == Version::V2_2);
        for (end, station) in stations.iter().enumerate() {
            let window = u32::from(if extended { station.links.k_extended } else { station.links.k });
            let paclen = u32::from(session.paclen[end]);
            let sent = session.sizes[end].div_ceil(paclen);
            let Some(packets) = session.buffers[end].filter(|packets| *packets < window.min(sent)) else { continue };
            if !seen.insert(station.group) {
                continue;
            }
            let message = format!(
                "the TNC of `{}` buffers {packets} packets of {paclen} bytes, fewer than its window of {window}",
                station.name
            );
            let help = "raise send_buffer, or write \"unlimited\" for a program beside a software TNC".to_owned();
            let table = members[session.ends[end] as usize].station;
            let problem = scenario.problem(table, "send_buffer", message, Some(help));
            found.push(Warning { problem, rule: FLOW_CONTROL });
        }
    }
    found
}

/// A station without a profile, on a medium whose profile has values for stations.
fn left_out_values(scenario: &Scenario, site: &Site) -> Vec<Warning> {
    let mut found = Vec::new();
    let members = scenario.members();
    for (number, medium) in (0..).zip(scenario.list("medium")) {
        let Some(profile) = medium.optional_word("profile") else { continue };
        let keys = station_keys(profile);
        let left_out = |station: &Table| keys.iter().all(|key| has_default(station, key));
        let mut without = members.iter().zip(&site.stations).filter(|(member, station)| {
            station.ports.iter().any(|port| port.medium == number) && left_out(member.station)
        });
        if let Some((member, _)) = without.next().filter(|_| !keys.is_empty()) {
            let others = match without.count() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let message = format!(
                "`{}`{others} on `{}` without the values that its profile `{profile}` has for stations ({})",
                member.name,
                medium.name(),
                keys.join(", ")
            );
            let help = format!("write profile = \"{profile}\" in [[station]] too, or once in [network]");
            found.push(Warning { problem: scenario.problem(medium, "profile", message, Some(help)), rule: SOURCE });
        }
    }
    found
}

/// The keys of stations that a profile of the library has values for.
fn station_keys(profile: &str) -> Vec<String> {
    let entries = library::find("profiles/packet-radio", &format!("{profile}.toml")).map(|path| tree::read(&path));
    let Some(Ok(entries)) = entries else { return Vec::new() };
    let values = entries.get("value").and_then(tree::Node::as_list).unwrap_or_default();
    let keys = values.iter().filter_map(|value| value.as_table()?.get("key")?.as_text());
    keys.filter_map(|key| key.strip_prefix("station.").filter(|rest| !rest.contains('.'))).map(str::to_owned).collect()
}

fn has_default(station: &Table, key: &str) -> bool {
    station.get(key).is_none_or(|entry| entry.origin == Origin::Default)
}
