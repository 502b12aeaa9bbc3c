//! Consistency checks of the keys of a switched LAN, some of which an IP network shares.

use super::{counts::whole, obeyed, switched_lan_cells, switched_lan_framing, switched_lan_packets};
use crate::{Problem, Problems, Scenario, Table};

/// Sizes in whole bytes, by table.
const SIZES: [(&str, &[&str]); 2] = [("probe", &["size", "response_size"]), ("background", &["write"])];

/// Adds the inconsistencies of a switched LAN.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    switched_lan_packets::at_once(scenario);
    let mut found = Vec::new();
    hosts(scenario, &mut found);
    whole(scenario, scenario.table("lan"), &["mtu"], &mut found);
    for station in scenario.list("station").iter().filter(|station| station.word("type") == "switch") {
        switched_lan_cells::switch(scenario, station, &mut found);
    }
    switched_lan_cells::abr(scenario, &mut found);
    switched_lan_packets::media(scenario, &mut found);
    switched_lan_packets::conditioned(scenario, &mut found);
    switched_lan_framing::ignored(scenario, &mut found);
    problems.0.extend(found);
}

/// Adds the inconsistencies of hosts and flows, here and in IP networks.
pub fn hosts(scenario: &Scenario, found: &mut Vec<Problem>) {
    for (name, keys) in SIZES {
        whole(scenario, scenario.table(name), keys, found);
        both_ends(scenario, scenario.table(name), found);
    }
    obeyed::ignored(scenario, obeyed::OF_HOSTS, found);
    for flow in scenario.list("flow") {
        whole(scenario, flow, &["size", "response_size", "write"], found);
    }
    for station in scenario.list("station") {
        let tcp = station.table("tcp");
        whole(scenario, tcp, &["mss", "send_buffer", "receive_buffer", "initial_ssthresh"], found);
    }
}

/// A probe, or background traffic, has both ends or neither.
fn both_ends(scenario: &Scenario, table: &Table, found: &mut Vec<Problem>) {
    for (given, missing) in [("from", "to"), ("to", "from")] {
        if table.has(given) && !table.has(missing) {
            let message = format!("[{}] has `{given}` but not `{missing}`", table.name());
            found.push(scenario.problem(table, given, message, None));
        }
    }
}
