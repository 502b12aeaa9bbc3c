//! Constraints between the keys of a packet-radio scenario.

mod propagation;

use sojourn_scenario::keys::Preset;
use sojourn_scenario::rules::obeyed;
use sojourn_scenario::{Problem, Problems, Scenario, Table};

/// Largest window size modulo 8 (AX.25 2.2, 6.7.2.3).
const MAX_WINDOW: u64 = 7;
/// Octets of a ROSE data packet's header (X.25).
const PACKET_HEADER: f64 = 3.0;

/// Adds a problem for each constraint that is violated.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    let mut found = Vec::new();
    obeyed::ignored(scenario, obeyed::OF_PACKET_RADIO, &mut found);
    for station in scenario.list("station") {
        window(scenario, station, &mut found);
        for key in ["paclen", "receive_limit", "send_buffer", "receive_buffer"] {
            whole(scenario, station, key, &mut found);
        }
        buffer(scenario, station, &mut found);
        node_buffers(scenario, station, &mut found);
        packet(scenario, station, &mut found);
        aliases(scenario, station, &mut found);
    }
    for flow in scenario.list("flow") {
        for key in ["data", "request", "response"] {
            whole(scenario, flow, key, &mut found);
        }
        receiver(scenario, flow, &mut found);
        messages(scenario, flow, &mut found);
        sessions(scenario, flow, &mut found);
    }
    whole(scenario, scenario.table("probe"), "size", &mut found);
    probe(scenario, &mut found);
    propagation::check(scenario, &mut found);
    problems.0.extend(found);
}

/// The window must fit the sequence numbers of the version.
fn window(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let Some(window) = station.optional_integer("window") else { return };
    if window > MAX_WINDOW && station.optional_word("version") == Some("v2.0") {
        let message = format!("window {window} exceeds {MAX_WINDOW}, the maximum of version 2.0 (modulo 8)");
        let help = format!("at most {MAX_WINDOW} frames can be in flight; version = \"v2.2\" is modulo 128");
        found.push(scenario.problem(station, "window", message, Some(help)));
    }
}

/// A switch must accept the packets that other switches send.
fn packet(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    if station.word("type") != "switch" {
        return;
    }
    let needed = station.table("rose").number("packet_size") + PACKET_HEADER;
    if station.number("receive_limit") < needed {
        let message =
            format!("packets have up to {needed} octets, more than the switch accepts in a frame (receive_limit)");
        found.push(scenario.problem(station, "receive_limit", message, None));
    }
}

fn whole(scenario: &Scenario, table: &Table, key: &str, found: &mut Vec<Problem>) {
    if table.optional_number(key).is_some_and(|octets| octets.fract() != 0.0) {
        found.push(scenario.problem(table, key, format!("`{key}` must be a whole number of bytes"), None));
    }
}

/// The TNC's buffer must hold a packet.
fn buffer(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let (paclen, buffer) = (station.optional_number("paclen"), station.optional_number("send_buffer"));
    if let (Some(paclen), Some(buffer)) = (paclen, buffer)
        && station.optional_word("type") == Some("terminal")
        && buffer < paclen
    {
        let message = format!("a send buffer of {buffer} bytes cannot hold a packet of {paclen}");
        let help = "raise send_buffer or lower paclen".to_owned();
        found.push(scenario.problem(station, "send_buffer", message, Some(help)));
    }
}

/// Aliases are for stations that repeat frames.
fn aliases(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    if !station.words("aliases").is_empty() && station.get("digipeat").is_some() && !station.flag("digipeat") {
        let message = format!("`{}` repeats no frames, for its aliases or others", station.name());
        let help = "write digipeat = true, or leave `aliases` out".to_owned();
        found.push(scenario.problem(station, "aliases", message, Some(help)));
    }
}

/// A node below its low watermark must be able to reach the high one.
fn node_buffers(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let Some(netrom) = station.optional_table("netrom") else { return };
    let of = |key: &str| netrom.optional_integer(key);
    let (Some(all), Some(low), Some(high)) = (of("buffers"), of("low_watermark"), of("high_watermark")) else { return };
    if low > high || high >= all {
        let message = format!("watermarks {low} and {high} of {all} buffers cannot both be crossed");
        let help = "low_watermark must be at most high_watermark, and high_watermark less than buffers".to_owned();
        found.push(scenario.problem(netrom, "high_watermark", message, Some(help)));
    }
}

fn receiver(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let to = flow.words("to");
    let several = to.len() > 1 || to.iter().any(|name| scenario.resolve(name).len() > 1);
    if several {
        let help = "a frame has one destination address: write a flow for each receiver, or `partner`, or `broadcast`"
            .to_owned();
        let message = format!("flow `{}` has several receivers", flow.name());
        found.push(scenario.problem(flow, "to", message, Some(help)));
        return;
    }
    for sender in flow.words("from").into_iter().flat_map(|name| scenario.resolve(name)) {
        if !to.contains(&"broadcast") && scenario.receivers(flow, sender).is_empty() {
            let message = format!("flow `{}` has no receiver except its own sender", flow.name());
            let help = "name another station, or `broadcast`".to_owned();
            found.push(scenario.problem(flow, "to", message, Some(help)));
            return;
        }
    }
}

/// A connected flow: both ends are terminals, and each message fits a frame.
fn messages(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    if flow.optional_word("service") != Some("connected") {
        return;
    }
    if flow.words("to").contains(&"broadcast") {
        let help = "use service = \"unnumbered\" for broadcasts".to_owned();
        found.push(scenario.problem(flow, "to", "a link needs a receiver", Some(help)));
    }
    let data = flow.optional_number("data").unwrap_or(0.0);
    let members = scenario.members();
    for sender in flow.words("from").into_iter().flat_map(|name| scenario.resolve(name)) {
        let ends = std::iter::once(sender).chain(scenario.receivers(flow, sender));
        if let Some(other) =
            ends.map(|end| &members[end]).find(|end| end.station.optional_word("type") != Some("terminal"))
        {
            let message = format!("`{}` is not a terminal; connected flows run between terminals", other.name);
            found.push(scenario.problem(flow, "service", message, None));
            return;
        }
        let paclen = members[sender].station.optional_number("paclen").unwrap_or(data);
        if data > paclen {
            let message = format!("a message of {data} bytes exceeds paclen of `{}`", members[sender].name);
            let help = format!("its paclen is {paclen} bytes");
            found.push(scenario.problem(flow, "data", message, Some(help)));
            return;
        }
    }
}

/// Keys of sessions alone.
const OF_SESSIONS: [&str; 7] =
    ["exchanges", "request", "response", "compression", "think_time", "turnaround", "timeout"];

/// Sessions run between terminals, and have keys of their own.
fn sessions(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let Some(service) = flow.optional_word("service") else { return };
    let is_session = service == "session";
    if let Some(entry) = flow.written().find(|entry| match is_session {
        // the full form writes the default
        true => entry.key.name == "data" && !matches!(entry.key.preset, Preset::Value(preset) if preset == entry.text),
        false => OF_SESSIONS.contains(&entry.key.name),
    }) {
        let (message, help) = match is_session {
            true => ("sessions have no `data`".to_owned(), "write `request` and `response`"),
            false => {
                (format!("`{}` is a key of sessions", entry.key.name), "write service = \"session\", or leave it out")
            }
        };
        found.push(scenario.problem(flow, entry.key.name, message, Some(help.to_owned())));
    }
    if !is_session {
        return;
    }
    if flow.words("to").contains(&"broadcast") {
        let help = "name the station that the users connect to".to_owned();
        found.push(scenario.problem(flow, "to", "a session needs a peer", Some(help)));
        return;
    }
    let members = scenario.members();
    for sender in flow.words("from").into_iter().flat_map(|name| scenario.resolve(name)) {
        let mut ends = std::iter::once(sender).chain(scenario.receivers(flow, sender)).map(|end| &members[end]);
        if let Some(other) = ends.find(|end| end.station.optional_word("type") != Some("terminal")) {
            let message = format!("`{}` is not a terminal; sessions run between terminals", other.name);
            let help = "a mailbox is a terminal; nodes and switches belong in `path`".to_owned();
            found.push(scenario.problem(flow, "service", message, Some(help)));
            return;
        }
    }
}

/// The ping-pong runs between two terminals.
fn probe(scenario: &Scenario, found: &mut Vec<Problem>) {
    let table = scenario.table("probe");
    let members = scenario.members();
    let mut ends = Vec::new();
    for key in ["from", "to"] {
        let names = table.words(key);
        let stations: Vec<usize> = names.iter().flat_map(|name| scenario.resolve(name)).collect();
        match stations[..] {
            [] if names.is_empty() => {}
            [] => return,
            [one] if members[one].station.optional_word("type") != Some("terminal") => {
                let message =
                    format!("`{}` is not a terminal; only terminals send and return blocks", members[one].name);
                found.push(scenario.problem(
                    table,
                    key,
                    message,
                    Some("name a station of type = \"terminal\"".to_owned()),
                ));
                return;
            }
            [one] => ends.push(one),
            [..] => {
                let message = format!("`{key}` names {} stations; it takes one", stations.len());
                let help = format!("name one of them: {}", members[stations[0]].name);
                found.push(scenario.problem(table, key, message, Some(help)));
                return;
            }
        }
    }
    match ends[..] {
        [one, other] if one == other => {
            found.push(scenario.problem(table, "to", "`to` must name another station than `from`", None));
        }
        [_] => {
            let (given, missing) = if table.words("from").is_empty() { ("to", "from") } else { ("from", "to") };
            let message = format!("[probe] has `{given}` but no `{missing}`");
            found.push(scenario.problem(table, given, message, None));
        }
        _ => {}
    }
}
