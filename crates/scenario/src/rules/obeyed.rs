//! Refuses keys that have no effect, because only other kinds of the same thing use them.
//!
//! This applies to keys written in the scenario itself. A key set from outside, for all stations at once or for each
//! value of an axis, may apply to only some of them.

use crate::{Entry, Origin, Problem, Resolved, Scenario, Table};

/// Keys of a table that are obeyed only where one of its words is among some.
pub struct Obeyed {
    /// `[[station]]`, or the inline table `station.costs`.
    table: &'static str,
    /// The key with the word; of an inline table in it, or in the table around it.
    by: &'static str,
    words: &'static [&'static str],
    keys: &'static [&'static str],
}

const fn obeyed(
    table: &'static str,
    by: &'static str,
    words: &'static [&'static str],
    keys: &'static [&'static str],
) -> Obeyed {
    Obeyed { table, by, words, keys }
}

const REQUESTS: &[&str] = &["echo", "request"];

/// Of hosts, routers and flows of IP networks and switched LANs.
pub const OF_HOSTS: &[Obeyed] = &[
    obeyed("flow", "service", &["echo", "request", "stream"], &["size"]),
    obeyed(
        "flow",
        "service",
        REQUESTS,
        &["think", "think_spread", "response_size", "server_time", "server_time_spread", "interval", "interval_spread"],
    ),
    obeyed("flow", "service", &["echo"], &["timeout"]),
    obeyed("flow", "service", &["stream"], &["arrivals"]),
    obeyed("flow", "service", &["bulk", "request"], &["write", "connection"]),
    obeyed("station", "type", &["host"], &["costs", "tcp"]),
    obeyed("station", "type", &["router"], &["forwarding_delay"]),
    obeyed("station", "type", &["switch"], &["switch"]),
    obeyed("station.costs", "adapter", &["store-and-forward"], &["bus_rate"]),
    obeyed("station.tcp", "profile", &["modern"], &["delayed_ack", "min_rto"]),
];

/// Of BACnet MS/TP.
pub const OF_MSTP: &[Obeyed] = &[
    obeyed("medium", "type", &["ms-tp"], &["bit_error_rate", "turnaround", "frame_gap", "postdrive"]),
    obeyed("medium", "type", &["ip"], &["delay"]),
    obeyed("station", "type", &["master"], &["max_info_frames", "max_master", "reply"]),
    obeyed("flow", "service", &["read", "read-multiple", "write", "cov-confirmed"], &["retries", "outstanding"]),
    obeyed(
        "flow",
        "service",
        &["read", "read-multiple", "write", "cov-confirmed", "who-is"],
        &["response_data", "properties", "apdu_timeout"],
    ),
];

/// Of packet-radio networks.
pub const OF_PACKET_RADIO: &[Obeyed] = &[
    obeyed(
        "medium",
        "type",
        &["radio"],
        &[
            "dwait",
            "persistence",
            "slottime",
            "first_slot",
            "dcd_delay",
            "dcd_hold",
            "receiver_recovery",
            "capture",
            "fading",
            "framing",
        ],
    ),
    obeyed(
        "station",
        "type",
        &["terminal"],
        &["serial_rate", "serial_character", "character_interval", "data_mode", "pactime", "pactime_runs"],
    ),
    obeyed("station", "type", &["node"], &["netrom"]),
    obeyed("station", "type", &["switch"], &["rose"]),
];

/// Of FDDI rings.
pub const OF_FDDI: &[Obeyed] = &[
    obeyed(
        "flow",
        "traffic",
        &["voice"],
        &[
            "samples",
            "channels",
            "fifo_packets",
            "playout_delay",
            "codec",
            "speech",
            "talkspurt",
            "pause",
            "jitter_buffer",
        ],
    ),
    obeyed("flow", "traffic", &["messages"], &["arrivals"]),
    obeyed("flow", "traffic", &["bulk", "messages"], &["data"]),
];

/// Adds a problem for each key that is written, other than it is by default, and that its table ignores.
pub fn ignored(scenario: &Scenario, rules: &[Obeyed], found: &mut Vec<Problem>) {
    for rule in rules {
        let (name, inner) = rule.table.split_once('.').map_or((rule.table, None), |(name, inner)| (name, Some(inner)));
        for outer in scenario.list(name) {
            let table = inner.map_or(Some(outer), |inner| outer.optional_table(inner));
            if let Some(table) = table {
                check(scenario, rule, outer, table, found);
            }
        }
    }
}

fn check(scenario: &Scenario, rule: &Obeyed, outer: &Table, table: &Table, found: &mut Vec<Problem>) {
    let stands_here = |entry: &&Entry| match (&entry.place, &outer.place) {
        (Some(key), Some(table)) => key.source == table.source,
        (None, _) => entry.origin != Origin::Written,
        _ => false,
    };
    let by = [table, outer].into_iter().find_map(|table| table.get(rule.by)).filter(stands_here);
    let Some(Resolved::Word(word)) = by.map(|entry| &entry.value) else { return };
    if rule.words.contains(&word.as_str()) {
        return;
    }
    let by = rule.by;
    let keys = table.changed().filter(stands_here).map(|entry| entry.key.name);
    for key in keys.filter(|key| rule.keys.contains(key)) {
        let words: Vec<String> = rule.words.iter().map(|word| format!("\"{word}\"")).collect();
        let message = format!("`{key}` is of {by} {}, and this is \"{word}\"", words.join(" or "));
        let help = format!("nothing would obey it: leave it out, or change `{by}`");
        found.push(scenario.problem(table, key, message, Some(help)));
    }
}
