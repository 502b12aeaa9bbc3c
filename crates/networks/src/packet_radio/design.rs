//! Settings that a site takes for a channel and leaves out at its stations: each is a warning with its source.

use sojourn_scenario::{Origin, Scenario, Table, library, tree};

use super::site::Site;
use crate::Warning;

const SOURCE: &str = "profiles: one that is named in a table applies to that table alone";

/// A station without a profile, on a medium whose profile has values for stations.
pub(super) fn warnings(scenario: &Scenario, site: &Site) -> Vec<Warning> {
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
