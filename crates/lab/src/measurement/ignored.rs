//! The keys of a simulated network that a measurement of real hosts does not obey.

use sojourn_scenario::{Scenario, Table};

use super::traffic::Traffic;

/// Keys that give a thing its place in the topology, not its behaviour.
const OF_PLACE: [&str; 2] = ["name", "on"];
/// Keys of an echo that a measurement does not obey.
const OF_ECHO: [&str; 2] = ["start", "start_spread"];
/// Keys of a bulk transfer that a measurement does not obey.
const OF_BULK: [&str; 3] = ["write", "connection", "start_spread"];

/// A list for a warning: keys written of the network, keys of the traffic without effect, and flows left out.
pub fn ignored(scenario: &Scenario, traffic: &Traffic<'_>) -> String {
    let of = |list: &str, table: &Table| format!("{list} {}", table.name());
    let mut parts: Vec<Option<String>> = Vec::new();
    for list in ["medium", "station"] {
        let behaviour = |key: &str| !OF_PLACE.contains(&key);
        parts.extend(scenario.list(list).iter().map(|table| written(of(list, table), table, behaviour)));
    }
    parts.push(written(traffic.probe.name().to_owned(), traffic.probe, |key| OF_ECHO.contains(&key)));
    for table in traffic.background.into_iter().chain(traffic.bulk.iter().map(|(table, _)| *table)) {
        parts.push(written(table.name().to_owned(), table, |key| OF_BULK.contains(&key)));
    }
    parts.extend(traffic.left_out.iter().map(|(table, why)| Some(format!("{} ({why})", of("flow", table)))));
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

/// The keys of a table that were written and for which `meant` holds, after a title; `None` if there are none.
fn written(title: String, table: &Table, meant: impl Fn(&str) -> bool) -> Option<String> {
    let keys: Vec<&str> = table.written().map(|entry| entry.key.name).filter(|key| meant(key)).collect();
    (!keys.is_empty()).then(|| format!("{title}: {}", keys.join(", ")))
}
