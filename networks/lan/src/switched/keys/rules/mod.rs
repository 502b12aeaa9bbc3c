//! Consistency checks of the keys of a switched LAN, some of which an IP network shares.

mod cells;
mod framing;
mod shared;

use sojourn_core::Duration;

use sojourn_scenario::rules::counts::whole;
use sojourn_scenario::rules::obeyed;

use crate::rules as packets;
use sojourn_scenario::{Origin, Problem, Problems, Scenario, Table};

/// Sizes in whole bytes, by table.
const SIZES: [(&str, &[&str]); 2] = [("probe", &["size", "response_size"]), ("background", &["write"])];

/// Adds the inconsistencies of a switched LAN.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    packets::at_once(scenario);
    let mut found = Vec::new();
    hosts(scenario, &mut found);
    whole(scenario, scenario.table("lan"), &["mtu"], &mut found);
    for station in scenario.list("station").iter().filter(|station| station.word("type") == "switch") {
        cells::switch(scenario, station, &mut found);
    }
    cells::abr(scenario, &mut found);
    packets::media(scenario, &mut found);
    packets::conditioned(scenario, &mut found);
    framing::ignored(scenario, &mut found);
    shared::wires(scenario, &mut found);
    problems.0.extend(found);
}

/// Adds the inconsistencies of hosts and flows, here and in IP networks.
pub fn hosts(scenario: &Scenario, found: &mut Vec<Problem>) {
    for (name, keys) in SIZES {
        whole(scenario, scenario.table(name), keys, found);
        both_ends(scenario, scenario.table(name), found);
    }
    obeyed::ignored(scenario, obeyed::OF_HOSTS, found);
    spread(scenario, scenario.table("probe"), found);
    for flow in scenario.list("flow") {
        spread(scenario, flow, found);
        paced_twice(scenario, flow, found);
        whole(scenario, flow, &["size", "response_size", "write"], found);
    }
    for station in scenario.list("station") {
        let tcp = station.table("tcp");
        needs_ecn(scenario, tcp, found);
        needs_sack(scenario, tcp, found);
        whole(scenario, tcp, &["mss", "send_buffer", "receive_buffer", "initial_ssthresh"], found);
    }
}

/// Congestion controls that react to the share of marks ask for them.
fn needs_ecn(scenario: &Scenario, tcp: &Table, found: &mut Vec<Problem>) {
    let (congestion, ecn) = (tcp.word("congestion"), tcp.optional_word("ecn"));
    let asked: &[&str] = match congestion {
        "dctcp" => &["classic", "accurate"],
        "prague" => &["accurate"],
        "bbr" if ecn.is_some_and(|ecn| matches!(ecn, "classic" | "accurate")) => {
            let message = "`ecn` asks for marks, to which `congestion` bbr does not react".to_owned();
            let help = "leave `ecn` out: queues then drop its packets".to_owned();
            return found.push(scenario.problem(tcp, "ecn", message, Some(help)));
        }
        _ => return,
    };
    if let Some(ecn) = ecn.filter(|ecn| !asked.contains(ecn)) {
        let message = format!("`ecn` is {ecn}, with which `congestion` {congestion} has no marks to react to");
        let help = format!("leave `ecn` out, or write {}", asked.join(" or "));
        found.push(scenario.problem(tcp, "ecn", message, Some(help)));
    }
}

/// Segments are recovered by their times only where SACK says which have arrived.
fn needs_sack(scenario: &Scenario, tcp: &Table, found: &mut Vec<Problem>) {
    for (key, word) in [("recovery", "rack"), ("congestion", "bbr")] {
        if tcp.word_is(key, word) && !tcp.flag("sack") {
            let message = format!("`{key}` is {word} without `sack`, which says what has arrived");
            let help = format!("write sack = true, or leave `{key}` out");
            found.push(scenario.problem(tcp, key, message, Some(help)));
        }
    }
}

/// A distribution says all of a time, and nothing is added to it.
fn spread(scenario: &Scenario, table: &Table, found: &mut Vec<Problem>) {
    for key in ["think", "server_time", "interval"] {
        let spread = format!("{key}_spread");
        let is_spread = table.optional_duration(&spread).is_some_and(|span| span > Duration::ZERO);
        if is_spread && table.optional_table(key).is_some() {
            let message = format!("`{spread}` is beside a `{key}` that is a distribution already");
            let help = format!("leave `{spread}` out, or write a time for `{key}`, to which it is added");
            found.push(scenario.problem(table, &spread, message, Some(help)));
        }
    }
}

/// Requests follow the responses or each other, not both; a spread needs the interval that it is added to.
fn paced_twice(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let is_written = |key: &str| flow.get(key).is_some_and(|entry| entry.origin != Origin::Default);
    if !flow.has("interval") {
        if is_written("interval_spread") {
            let message = "`interval_spread` is without an `interval`".to_owned();
            found.push(scenario.problem(flow, "interval_spread", message, Some("write `interval`".to_owned())));
        }
        return;
    }
    for key in ["think", "think_spread"].into_iter().filter(|key| is_written(key)) {
        let message = format!("`{key}` is beside an `interval`, which paces the requests already");
        let help = "leave one of them out: `think` counts from a response, `interval` from a request".to_owned();
        found.push(scenario.problem(flow, key, message, Some(help)));
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
