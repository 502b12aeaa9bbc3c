//! Checks between the keys of a measurement of hosts.

use crate::{Problem, Scenario, Table};

/// The longest user data of a datagram over IPv4.
const DATAGRAM: f64 = 65_507.0;

/// Adds what does not hold of `[measure]` and `[[load]]`.
pub fn check(scenario: &Scenario, found: &mut Vec<Problem>) {
    let simulated = scenario.table("probe").has("from");
    if simulated {
        one_traffic(scenario, found);
    }
    schedule(scenario, found);
    phases(scenario, found);
    for load in scenario.list("load") {
        settings(scenario, load, found);
    }
    let datagrams = simulated || scenario.table("measure").word_is("transport", "udp") && !writes_xtp(scenario);
    let probe = scenario.table("probe");
    if datagrams && probe.optional_number("size").is_some_and(|size| size > DATAGRAM) {
        found.push(scenario.problem(
            probe,
            "size",
            "a datagram holds at most 65507 B",
            Some("measure.transport = \"tcp\" carries up to 1 MiB".to_owned()),
        ));
    }
}

/// A `[probe]` between stations is what is measured, too: nothing else may say when requests leave and what loads.
fn one_traffic(scenario: &Scenario, found: &mut Vec<Problem>) {
    let help = "the [probe] between stations and [background] decide that; without from and to they do not";
    let measure = scenario.table("measure");
    for key in ["schedule", "rate", "burst", "idle", "recovery", "voice"].iter().filter(|key| changed(measure, key)) {
        let message = format!("`{key}` contradicts the [probe] of this scenario");
        found.push(scenario.problem(measure, key, message, Some(help.to_owned())));
    }
    if let Some(load) = scenario.list("load").first() {
        let problem = Problem::at(load.place.clone(), "[[load]] contradicts the [probe] of this scenario");
        found.push(problem.help("write the load as [background], which is simulated and measured"));
    }
}

fn schedule(scenario: &Scenario, found: &mut Vec<Problem>) {
    let measure = scenario.table("measure");
    if measure.has("voice") {
        for key in ["schedule", "rate"].iter().filter(|key| changed(measure, key)) {
            let message = format!("`{key}` contradicts [measure.voice], whose packets have a schedule of their own");
            found.push(scenario.problem(measure, key, message, None));
        }
    }
    let closed = measure.word_is("schedule", "ping-pong");
    if closed && changed(measure, "rate") {
        let help = "probe.think is the pause of a closed loop".to_owned();
        found.push(scenario.problem(measure, "rate", "a closed loop has no rate of its own", Some(help)));
    }
    let probe = scenario.table("probe");
    if closed && probe.optional_table("think").is_some() {
        let help = "a time for `think`, and `think_spread`".to_owned();
        let message = "a measurement thinks for a uniform time, and for no other distribution";
        found.push(scenario.problem(probe, "think", message, Some(help)));
    }
    let bursts = measure.word_is("schedule", "burst");
    if !bursts && changed(measure, "burst") {
        let help = "measure.schedule = \"burst\"".to_owned();
        found.push(scenario.problem(measure, "burst", "`burst` is for the schedule burst", Some(help)));
    }
}

fn phases(scenario: &Scenario, found: &mut Vec<Problem>) {
    let measure = scenario.table("measure");
    for key in ["idle", "recovery"].iter().filter(|key| changed(measure, key)) {
        if scenario.list("load").is_empty() {
            let message = format!("`{key}` is a phase beside a load, and there is no [[load]]");
            found.push(scenario.problem(measure, key, message, Some("--load tcp:4".to_owned())));
        }
    }
}

fn settings(scenario: &Scenario, load: &Table, found: &mut Vec<Problem>) {
    let udp = load.word_is("transport", "udp");
    let (other, unfit): (&str, &[&str]) =
        if udp { ("tcp", &["congestion", "pace"]) } else { ("udp", &["rate", "size"]) };
    for key in unfit.iter().filter(|key| changed(load, key)) {
        found.push(scenario.problem(load, key, format!("`{key}` is for loads over {other}"), None));
    }
    if udp && !load.has("rate") {
        let problem = Problem::at(load.place.clone(), "a load over udp needs `rate`");
        found.push(problem.help("such as rate = \"50 Mbit/s\""));
    }
    let (start, stop) = (load.optional_duration("start"), load.optional_duration("stop"));
    if stop.is_some_and(|stop| start.is_some_and(|start| stop <= start)) {
        found.push(scenario.problem(load, "stop", "the load stops before it starts", None));
    }
}

fn changed(table: &Table, key: &str) -> bool {
    table.changed().any(|entry| entry.key.name == key)
}

fn writes_xtp(scenario: &Scenario) -> bool {
    scenario.table("measure").optional_word("peer").is_some_and(|peer| peer.starts_with("xtp"))
}
