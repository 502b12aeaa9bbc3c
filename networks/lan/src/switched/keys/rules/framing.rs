//! Checks framing: a switched LAN carries either cells or packets, and keys of the other kind are refused since they
//! have no effect.

use sojourn_scenario::{Entry, Problem, Scenario, Table};

/// A framing, and the keys that only it obeys, by table.
struct Framing {
    word: &'static str,
    keys: &'static [(&'static str, &'static [&'static str])],
}

const PACKETS: Framing = Framing {
    word: "packets",
    keys: &[("medium", OF_MEDIUM), ("station", &["wire"]), ("flow", &["dscp", "pcp", "shaping", "marking"])],
};

const OF_MEDIUM: &[&str] = &[
    "mtu",
    "framing_overhead",
    "min_payload",
    "link_overhead",
    "jitter",
    "reordering",
    "queue",
    "kind",
    "access",
    "end_delimiter",
    "attempt_limit",
    "split_gap",
    "node_count",
    "to_timer",
    "beacon_timer",
    "burst_timer",
];

/// Of a switch and of `[abr]` cells obey everything, packets the latency of the switch alone.
const CELLS: Framing = Framing {
    word: "cells",
    keys: &[
        ("lan", &["service", "circuits", "encapsulation", "mtu", "capture", "slotted"]),
        ("flow", CIRCUIT),
        ("probe", CIRCUIT),
        ("background", CIRCUIT),
    ],
};
const CIRCUIT: &[&str] = &["service_category", "vci"];

/// Adds a problem for each key that is written, other than it is by default, and that this LAN would ignore.
pub fn ignored(scenario: &Scenario, found: &mut Vec<Problem>) {
    let (ours, other) = match scenario.table("lan").optional_word("framing") {
        Some("cells") => (CELLS, PACKETS),
        Some(_) => (PACKETS, CELLS),
        None => return, // refused, and reported
    };
    for (name, keys) in other.keys {
        for table in scenario.tables(name) {
            of_table(scenario, table, |key| keys.contains(&key), &ours, &other, found);
        }
    }
    if other.word == "cells" {
        of_table(scenario, scenario.table("abr"), |_| true, &ours, &other, found);
        let stations = scenario.list("station").iter();
        for station in stations.flat_map(|station| std::iter::once(station).chain(station.exceptions())) {
            of_table(scenario, station.table("switch"), |key| key != "latency", &ours, &other, found);
        }
    }
}

fn of_table(
    scenario: &Scenario,
    table: &Table,
    is_other: impl Fn(&str) -> bool,
    ours: &Framing,
    other: &Framing,
    found: &mut Vec<Problem>,
) {
    for Entry { key, .. } in table.changed().filter(|entry| is_other(entry.key.name)) {
        let message = format!("`{}` is of {}, and this LAN carries {}", key.name, other.word, ours.word);
        let help = match key.name {
            "mtu" if other.word == "packets" => "the MTU of virtual circuits is `mtu` of [lan]".to_owned(),
            "mtu" => "the MTU of Ethernet is `mtu` of each medium".to_owned(),
            _ => format!("nothing would obey it: leave it out, or write framing = \"{}\" in [lan]", other.word),
        };
        found.push(scenario.problem(table, key.name, message, Some(help)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::switched::keys::SWITCHED_LAN;
    use sojourn_scenario::keys::Key;

    /// Keys of a table whose help begins with the framing.
    fn named(table: &str, prefix: &str) -> Vec<&'static str> {
        let declared = SWITCHED_LAN.table(table).expect("a table of the network");
        declared.all().filter(|key: &&Key| key.help.starts_with(prefix)).map(|key| key.name).collect()
    }

    #[test]
    fn keys_whose_help_names_a_framing_are_those_that_the_other_refuses() {
        for (framing, prefix) in [(PACKETS, "Packets:"), (CELLS, "Cells:")] {
            for table in ["lan", "medium", "station", "flow", "probe", "background"] {
                let listed = framing.keys.iter().find(|(name, _)| *name == table).map_or(&[][..], |(_, keys)| keys);
                assert_eq!(named(table, prefix), listed, "{prefix} [{table}]");
            }
        }
    }
}
