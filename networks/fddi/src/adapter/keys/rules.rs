//! Checks between the keys of an adapter scenario.

use sojourn_scenario::{Problem, Problems, Scenario};

/// Shortest and longest frame, in bytes.
const FRAME: [f64; 2] = [20.0, 4500.0];
/// The longest frame of ANSI X3.139, its delimiters and status included.
const LONGEST_ON_A_RING: f64 = 4498.0;

/// Adds what does not hold.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    let mut found = Vec::new();
    sizes(scenario, &mut found);
    shares(scenario, &mut found);
    stages(scenario, &mut found);
    parts(scenario, &mut found);
    nodes(scenario, &mut found);
    events(scenario, &mut found);
    problems.0.extend(found);
}

/// Frames are whole bytes, and packet memory holds the longest.
fn sizes(scenario: &Scenario, found: &mut Vec<Problem>) {
    let traffic = scenario.table("traffic");
    let size = traffic.optional_number("frame_size").unwrap_or(FRAME[0]);
    if size.fract() != 0.0 {
        found.push(scenario.problem(traffic, "frame_size", "a frame is a whole number of bytes", None));
    }
    let token_ring = scenario.table("ring").optional_word("kind") == Some("token-ring");
    if token_ring && size > LONGEST_ON_A_RING {
        let message = format!("a frame of {size} bytes is longer than a token ring's {LONGEST_ON_A_RING}");
        found.push(scenario.problem(traffic, "frame_size", message, None));
    }
    let constant = traffic.optional_word("mix") == Some("constant");
    let longest = if constant { size } else { FRAME[1] };
    let adapter = scenario.table("adapter");
    for pool in ["receive_buffers", "transmit_buffers"] {
        let Some(bytes) = adapter.optional_number(pool) else { continue };
        let granule = adapter.optional_number("buffer").unwrap_or(1.0);
        if (bytes / granule).floor() * granule < longest {
            let message = format!("`{pool}` of {bytes} bytes in buffers of {granule} hold no frame of {longest} bytes");
            found.push(scenario.problem(adapter, pool, message, None));
        }
    }
    let middle = traffic.has("middle_share") && traffic.optional_word("mix") != Some("five-mode");
    if middle {
        let message = "`middle_share` speaks of the five-mode mix alone";
        let help = "write mix = \"five-mode\", or leave it out";
        found.push(scenario.problem(traffic, "middle_share", message, Some(help.to_owned())));
    }
}

fn shares(scenario: &Scenario, found: &mut Vec<Problem>) {
    let traffic = scenario.table("traffic");
    let share = |key| traffic.optional_number(key).unwrap_or(0.0);
    let total = share("management_share") + share("llc_share");
    if total > 1.0 {
        let message = format!("frame types make {:.0} % together", total * 100.0);
        found.push(scenario.problem(traffic, "llc_share", message, None));
    }
}

/// A latency holds at least what happens in it.
fn stages(scenario: &Scenario, found: &mut Vec<Problem>) {
    let adapter = scenario.table("adapter");
    let [Some(latency), Some(burst), Some(descriptor)] =
        ["ring_memory_latency", "burst_time", "descriptor_time"].map(|key| adapter.optional_duration(key))
    else {
        return;
    };
    if latency < burst + descriptor {
        let message = format!("{latency} are less than the last burst and the descriptor, which lie within them");
        let help = format!("at least {}", burst + descriptor);
        found.push(scenario.problem(adapter, "ring_memory_latency", message, Some(help)));
    }
    let host = scenario.table("host");
    let [entries, segments, per_read] = [(host, "ring_entries"), (host, "segments"), (adapter, "descriptors_per_read")]
        .map(|(table, key)| table.optional_integer(key).unwrap_or(1));
    if entries < segments.max(per_read) {
        let message = format!("{entries} entries are fewer than one read of {per_read} brings, or one frame takes");
        found.push(scenario.problem(host, "ring_entries", message, None));
    }
}

/// A stage on its own has no ring to wait for, and only one direction.
fn parts(scenario: &Scenario, found: &mut Vec<Problem>) {
    let traffic = scenario.table("traffic");
    let direction = traffic.optional_word("direction").unwrap_or("receive");
    if traffic.optional_word("stages") == Some("host-interface") && traffic.optional_word("load") != Some("saturating")
    {
        let message = "the host interface alone always has a frame to move";
        let help = "write load = \"saturating\"";
        found.push(scenario.problem(traffic, "load", message, Some(help.to_owned())));
    }
    if direction == "both" && matches!(traffic.optional_word("load"), Some("sustainable" | "single")) {
        let message = "single frames and sustainable loads have one direction";
        let help = "write direction = \"receive\" or \"transmit\", or a load";
        found.push(scenario.problem(traffic, "load", message, Some(help.to_owned())));
    }
}

/// The nodes of the bus are either of the one kind or of the other.
fn nodes(scenario: &Scenario, found: &mut Vec<Problem>) {
    let bus = scenario.table("bus");
    let both = bus.optional_integer("commanders").unwrap_or(0) > 0 && bus.optional_number("interference") > Some(0.0);
    if both {
        let message = "`commanders` leave no cycle for `interference`";
        found.push(scenario.problem(bus, "commanders", message, Some("leave out one of them".to_owned())));
    }
}

/// Events act on the whole adapter, and on frames that there are.
fn events(scenario: &Scenario, found: &mut Vec<Problem>) {
    let traffic = scenario.table("traffic");
    let direction = traffic.optional_word("direction").unwrap_or("receive");
    for event in scenario.list("event") {
        if traffic.optional_word("stages").is_some_and(|stages| stages != "adapter") {
            let message = "events act on the whole adapter, and only a part of it is simulated";
            let help = "leave out traffic.stages, or write stages = \"adapter\"".to_owned();
            found.push(scenario.problem(event, "action", message, Some(help)));
        }
        let is_burst = event.optional_word("action") == Some("burst");
        if let Some(load) = traffic.optional_word("load").filter(|load| is_burst && *load != "sustainable") {
            let message = format!("a burst comes beside a load, and `load` is \"{load}\"");
            let help = "write load as a bit rate: load = \"20 Mbit/s\"".to_owned();
            found.push(scenario.problem(event, "action", message, Some(help)));
        }
        let flows = event.words("flows");
        if let Some(name) = flows.iter().find(|name| direction != "both" && **name != direction) {
            let message = format!("no frames go in the direction \"{name}\": traffic.direction is \"{direction}\"");
            let help = "write direction = \"both\", or name the other direction".to_owned();
            found.push(scenario.problem(event, "flows", message, Some(help)));
        }
    }
}
