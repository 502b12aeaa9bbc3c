//! What must hold between the keys of a packet-radio scenario.

use crate::{Problem, Problems, Scenario, Table};

/// The largest window modulo 8.
const LARGEST_WINDOW: u64 = 7;
/// Octets of a ROSE packet's header.
const PACKET_HEADER: f64 = 3.0;

/// Adds what does not hold.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    let mut found = Vec::new();
    for station in scenario.list("station") {
        window(scenario, station, &mut found);
        for key in ["paclen", "receive_limit", "send_buffer", "receive_buffer"] {
            whole(scenario, station, key, &mut found);
        }
        buffer(scenario, station, &mut found);
        node_buffers(scenario, station, &mut found);
        packet(scenario, station, &mut found);
    }
    for flow in scenario.list("flow") {
        whole(scenario, flow, "data", &mut found);
        receiver(scenario, flow, &mut found);
        messages(scenario, flow, &mut found);
    }
    whole(scenario, scenario.table("probe"), "size", &mut found);
    probe(scenario, &mut found);
    problems.0.extend(found);
}

/// A window must fit the numbers of its frames.
fn window(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let Some(window) = station.optional_integer("window") else { return };
    if window > LARGEST_WINDOW && station.optional_word("version") == Some("v2.0") {
        let message = format!("a window of {window} is beyond the numbers of version 2.0, which count modulo 8");
        let help = format!("at most {LARGEST_WINDOW} frames can be under way; version = \"v2.2\" counts modulo 128");
        found.push(scenario.problem(station, "window", message, Some(help)));
    }
}

/// A switch must accept the packets that its like send.
fn packet(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    if station.word("type") != "switch" {
        return;
    }
    let needed = station.table("rose").number("packet_limit") + PACKET_HEADER;
    if station.number("receive_limit") < needed {
        let message = format!("a packet has up to {needed} octets, and the switch accepts fewer in a frame");
        found.push(scenario.problem(station, "receive_limit", message, None));
    }
}

fn whole(scenario: &Scenario, table: &Table, key: &str, found: &mut Vec<Problem>) {
    if table.optional_number(key).is_some_and(|octets| octets.fract() != 0.0) {
        found.push(scenario.problem(table, key, format!("`{key}` is no whole number of bytes"), None));
    }
}

/// A TNC must hold a packet.
fn buffer(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let (paclen, buffer) = (station.optional_number("paclen"), station.optional_number("send_buffer"));
    if let (Some(paclen), Some(buffer)) = (paclen, buffer)
        && station.optional_word("type") == Some("terminal")
        && buffer < paclen
    {
        let message = format!("a send buffer of {buffer} bytes never holds a packet of {paclen}");
        let help = "raise send_buffer or lower paclen".to_owned();
        found.push(scenario.problem(station, "send_buffer", message, Some(help)));
    }
}

/// A node that runs short must be able to recover.
fn node_buffers(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let Some(netrom) = station.optional_table("netrom") else { return };
    let of = |key: &str| netrom.optional_integer(key);
    let (Some(all), Some(few), Some(enough)) = (of("buffers"), of("few_buffers"), of("enough_buffers")) else { return };
    if few > enough || enough >= all {
        let message =
            format!("of {all} buffers a node stops with fewer than {few} left and goes on with more than {enough}");
        let help = "few_buffers is at most enough_buffers, and enough_buffers below buffers".to_owned();
        found.push(scenario.problem(netrom, "enough_buffers", message, Some(help)));
    }
}

fn receiver(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let to = flow.words("to");
    let several = to.len() > 1 || to.iter().any(|name| scenario.resolve(name).len() > 1);
    if several {
        let help = "a frame has one address: write a flow for each, or `partner`, or `nobody`".to_owned();
        let message = format!("flow `{}` goes to several stations", flow.name());
        found.push(scenario.problem(flow, "to", message, Some(help)));
        return;
    }
    for sender in flow.words("from").into_iter().flat_map(|name| scenario.resolve(name)) {
        if !to.contains(&"nobody") && scenario.receivers(flow, sender).is_empty() {
            let message = format!("flow `{}` goes to nobody but its own sender", flow.name());
            let help = "name another station, or `nobody`".to_owned();
            found.push(scenario.problem(flow, "to", message, Some(help)));
            return;
        }
    }
}

/// What goes over a link: its ends are terminals, and each message fits a frame.
fn messages(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    if flow.optional_word("service") != Some("connected") {
        return;
    }
    if flow.words("to").contains(&"nobody") {
        let help = "service = \"unnumbered\" needs no receiver".to_owned();
        found.push(scenario.problem(flow, "to", "a link has another end", Some(help)));
    }
    let data = flow.optional_number("data").unwrap_or(0.0);
    let members = scenario.members();
    for sender in flow.words("from").into_iter().flat_map(|name| scenario.resolve(name)) {
        let ends = std::iter::once(sender).chain(scenario.receivers(flow, sender));
        if let Some(other) =
            ends.map(|end| &members[end]).find(|end| end.station.optional_word("type") != Some("terminal"))
        {
            let message = format!("`{}` is no terminal, and connected messages go between terminals", other.name);
            found.push(scenario.problem(flow, "service", message, None));
            return;
        }
        let paclen = members[sender].station.optional_number("paclen").unwrap_or(data);
        if data > paclen {
            let message = format!("a message of {data} bytes is longer than a frame of `{}`", members[sender].name);
            let help = format!("its paclen is {paclen} bytes");
            found.push(scenario.problem(flow, "data", message, Some(help)));
            return;
        }
    }
}

/// The ping-pong is between two terminals.
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
                    format!("`{}` is no terminal, and has no program that sends or returns blocks", members[one].name);
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
                let message = format!("`{key}` names {} stations, and a ping-pong is between two", stations.len());
                let help = format!("name one of them: {}", members[stations[0]].name);
                found.push(scenario.problem(table, key, message, Some(help)));
                return;
            }
        }
    }
    match ends[..] {
        [one, other] if one == other => {
            found.push(scenario.problem(table, "to", "a block cannot go to its own sender", None));
        }
        [_] => {
            let (given, missing) = if table.words("from").is_empty() { ("to", "from") } else { ("from", "to") };
            let message = format!("[probe] has `{given}` and needs `{missing}`");
            found.push(scenario.problem(table, given, message, None));
        }
        _ => {}
    }
}
