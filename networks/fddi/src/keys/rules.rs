//! Checks between the keys of an FDDI scenario.

use sojourn_scenario::rules::obeyed;
use sojourn_scenario::{Problem, Problems, Scenario, Table};

/// The most user data in one packet over XTP: the longest frame of 4495 bytes less 25 of frame, LLC and SNAP, 44 of
/// XTP and what the packet that opens an association adds.
const LARGEST_XTP_DATA: u64 = 4426;
/// The same over datagrams: 25 bytes of frame, LLC and SNAP, 28 of IPv4 and UDP.
const LARGEST_DATAGRAM_DATA: u64 = 4442;
/// The most MACs of a ring.
const MOST_MACS: u64 = 1000;

/// Adds what does not hold.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    let mut found = Vec::new();
    obeyed::ignored(scenario, obeyed::OF_FDDI, &mut found);
    for flow in scenario.list("flow") {
        length(scenario, flow, &mut found);
        ends(scenario, flow, &mut found);
        traffic(scenario, flow, &mut found);
        requests(scenario, flow, &mut found);
    }
    probed_voice(scenario, &mut found);
    messages(scenario, &mut found);
    times(scenario, &mut found);
    timers(scenario, &mut found);
    routers(scenario, &mut found);
    macs(scenario, &mut found);
    problems.0.extend(found);
}

/// Packets must fit a frame.
fn length(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let key = if flow.optional_word("traffic") == Some("voice") { "samples" } else { "data" };
    let Some(bytes) = flow.optional_number(key) else { return };
    if bytes.fract() != 0.0 {
        found.push(scenario.problem(flow, key, format!("`{key}` is not a whole number of bytes"), None));
    }
    fits(scenario, flow, key, bytes, flow.optional_word("transport") == Some("xtp"), found);
}

fn fits(scenario: &Scenario, table: &Table, key: &str, bytes: f64, xtp: bool, found: &mut Vec<Problem>) {
    let (largest, over) = if xtp { (LARGEST_XTP_DATA, "XTP") } else { (LARGEST_DATAGRAM_DATA, "datagrams") };
    if bytes > largest as f64 {
        let message = format!("a packet of {bytes} bytes is longer than a frame");
        let help = format!("{largest} bytes of user data fit over {over}: {} too many", bytes - largest as f64);
        found.push(scenario.problem(table, key, message, Some(help)));
    }
}

fn ends(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let to = flow.words("to");
    if to.contains(&"none") && to.len() > 1 {
        found.push(scenario.problem(flow, "to", "`none` cannot be combined with receivers", None));
        return;
    }
    for name in flow.words("from") {
        for sender in scenario.resolve(name) {
            if !to.contains(&"none") && scenario.receivers(flow, sender).is_empty() {
                let message = format!("flow `{}` has no receiver other than its own sender", flow.name());
                found.push(scenario.problem(flow, "to", message, Some("name another station, or `none`".to_owned())));
                return;
            }
        }
    }
}

fn traffic(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let voice = flow.optional_word("traffic") == Some("voice");
    let no_receiver = flow.words("to").contains(&"none");
    if voice && no_receiver {
        found.push(scenario.problem(flow, "to", "voice without a receiver", Some("name a receiver".to_owned())));
    }
    if flow.optional_word("traffic") == Some("bulk") && no_receiver {
        let help = "use [background], or traffic = \"messages\"";
        found.push(scenario.problem(
            flow,
            "to",
            "a bulk transfer without a receiver never ends",
            Some(help.to_owned()),
        ));
    }
    let selective = flow.optional_word("retransmission") == Some("selective");
    if selective && scenario.resolve_all(flow.words("to")) > 1 {
        let help = "write go-back-n, or leave it automatic";
        let message = "what several receive is repaired by go-back-n";
        found.push(scenario.problem(flow, "retransmission", message, Some(help.to_owned())));
    }
}

/// What is never asked for cannot open the window, and brings no news of losses.
fn requests(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    if flow.optional_word("status_requests") != Some("never") || flow.optional_word("transport") != Some("xtp") {
        return;
    }
    let controlled =
        flow.get("flow_control").is_some_and(|entry| matches!(entry.value, sojourn_scenario::Resolved::Flag(true)));
    if controlled || flow.optional_word("retransmission") != Some("none") {
        let message = "without status requests no packet reports what has arrived and how much buffer is free";
        let help = "write flow_control = false and retransmission = \"none\" beside it";
        found.push(scenario.problem(flow, "status_requests", message, Some(help.to_owned())));
    }
}

/// One voice flow at most is measured.
fn probed_voice(scenario: &Scenario, found: &mut Vec<Problem>) {
    let is_probed = |flow: &&Table| {
        flow.optional_word("traffic") == Some("voice")
            && flow.get("probe").is_some_and(|entry| matches!(entry.value, sojourn_scenario::Resolved::Flag(true)))
    };
    let probed: Vec<&Table> = scenario.list("flow").iter().filter(is_probed).collect();
    let senders = |flow: &&Table| scenario.resolve_all(flow.words("from"));
    if probed.iter().map(senders).sum::<usize>() > 1
        && let Some(second) = probed.last()
    {
        let help = "one voice flow with one sender is measured; the others run beside it with probe = false";
        found.push(scenario.problem(second, "probe", "several voice flows are probed", Some(help.to_owned())));
    }
    let probe = scenario.table("probe");
    let nothing = ["exchanges", "transfer", "paced"].iter().all(|key| probe.optional_number(key) == Some(0.0));
    if nothing && !probed.is_empty() {
        let message = "nothing is left to measure";
        let help = "exchanges, transfer and paced are all 0";
        found.push(scenario.problem(probe, "exchanges", message, Some(help.to_owned())));
    }
}

fn messages(scenario: &Scenario, found: &mut Vec<Problem>) {
    let table = scenario.table("messages");
    let xtp =
        table.get("acknowledged").is_some_and(|entry| matches!(entry.value, sojourn_scenario::Resolved::Flag(true)));
    for key in ["data", "long_data"] {
        if let Some(bytes) = table.optional_number(key) {
            fits(scenario, table, key, bytes, xtp, found);
        }
    }
    let voice = |flow: &Table| flow.optional_word("traffic") == Some("voice");
    let some = table.optional_number("rate").is_some_and(|rate| rate > 0.0);
    if some && !scenario.list("flow").iter().any(voice) {
        let help = "write a [[flow]] with traffic = \"messages\"";
        found.push(scenario.problem(table, "rate", "[messages] go beside voice", Some(help.to_owned())));
    }
}

/// A timer whose interrupts leave no time for anything else.
fn timers(scenario: &Scenario, found: &mut Vec<Problem>) {
    for station in scenario.list("station") {
        let interval = station.optional_duration("timer_interval").unwrap_or_default();
        let costs = station.optional_table("costs");
        let cost = costs.and_then(|costs| costs.optional_duration("timer_interrupt")).unwrap_or_default();
        if interval.picoseconds() > 0 && cost.times(2) > interval {
            let message = format!("timer interrupts of {cost} leave too little of every {interval}");
            let help = "an interrupt takes half of the interval at most";
            found.push(scenario.problem(station, "timer_interval", message, Some(help.to_owned())));
        }
    }
}

/// Target token rotation times within the standard's limits.
fn times(scenario: &Scenario, found: &mut Vec<Problem>) {
    for table in scenario.list("medium").iter().chain(scenario.list("station")) {
        let Some(ttrt) = table.optional_duration("ttrt") else { continue };
        if !(0.004..=0.165).contains(&ttrt.seconds()) {
            let message = format!("a target token rotation time of {ttrt} is outside 4 ms to 165 ms");
            let help = "8 ms suits most rings (Jain, SIGCOMM '90)";
            found.push(scenario.problem(table, "ttrt", message, Some(help.to_owned())));
        }
    }
}

fn routers(scenario: &Scenario, found: &mut Vec<Problem>) {
    let table = scenario.table("router");
    let count = table.optional_integer("count").unwrap_or(0);
    if count > 0 && scenario.list("medium").len() > 1 {
        let help = "stations with `on` of two rings are the routers here";
        let message = "`router.count` makes the rings it needs, and there are [[medium]] tables already";
        found.push(scenario.problem(table, "count", message, Some(help.to_owned())));
    }
    let voice = |flow: &Table| flow.optional_word("traffic") == Some("voice");
    if count > 0 && !scenario.list("flow").iter().any(voice) {
        let message = "`router.count` puts routers between the ends of voice, and there is none";
        found.push(scenario.problem(table, "count", message, None));
    }
}

fn macs(scenario: &Scenario, found: &mut Vec<Problem>) {
    for medium in scenario.list("medium") {
        let on = |station: &&Table| station.words("on").contains(&medium.name());
        let stations: u64 = scenario.list("station").iter().filter(on).map(|station| u64::from(station.count())).sum();
        let idle = medium.optional_integer("idle_macs").unwrap_or(0);
        // one more for the generator, two for a router's
        let total = stations + idle + 1;
        if total > MOST_MACS {
            let message = format!("{total} MACs are more than a ring's {MOST_MACS}");
            let help = format!("{stations} stations, {idle} idle MACs and the traffic generator");
            found.push(scenario.problem(medium, "idle_macs", message, Some(help)));
        }
    }
}
