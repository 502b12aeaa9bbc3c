//! What must hold between the keys of a CAN scenario.

use std::ops::RangeInclusive;

use sojourn_protocols::can::canopen::MOST_SEGMENTS;
use sojourn_protocols::can::frame::{CLASSIC_LIMIT, FD_LIMIT, Id};
use sojourn_protocols::can::{isotp, j1939};
use sojourn_scenario::{Problem, Problems, Resolved, Scenario, Table};

/// Longest object that is read in segments here.
const SDO_LIMIT: usize = 1000;
/// Longest object that is written in blocks here.
const BLOCK_LIMIT: usize = 4095;

/// Adds a problem for each constraint that is violated.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    let mut found = Vec::new();
    media(scenario, &mut found);
    for flow in scenario.list("flow") {
        identifiers(scenario, flow, &mut found);
        data(scenario, flow, &mut found);
        answers(scenario, flow, &mut found);
        payload(scenario, flow, &mut found);
        ends(scenario, flow, &mut found);
        blocks(scenario, flow, &mut found);
    }
    problems.0.extend(found);
}

fn is_set(table: &Table, key: &str) -> bool {
    table.get(key).is_some_and(|entry| matches!(entry.value, Resolved::Flag(true)))
}

fn media(scenario: &Scenario, found: &mut Vec<Problem>) {
    for medium in scenario.list("medium") {
        let rates = (medium.optional_number("bit_rate"), medium.optional_number("data_bit_rate"));
        if let (Some(nominal), Some(data)) = rates
            && data < nominal
        {
            let message = "data_bit_rate is below bit_rate: the data phase of CAN FD is not slower than arbitration";
            found.push(scenario.problem(medium, "data_bit_rate", message, None));
        }
        if medium.word_is("type", "ip") && medium.optional_number("bit_error_rate").is_some_and(|rate| rate > 0.0) {
            let message = format!("`{}` is an IP network, which has no bit errors here", medium.name());
            found.push(scenario.problem(medium, "bit_error_rate", message, None));
        }
    }
}

fn identifiers(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let is_extended = is_set(flow, "extended");
    let limit = u64::from(if is_extended { Id::EXTENDED_LIMIT } else { Id::BASE_LIMIT });
    let bits = if is_extended { 29 } else { 11 };
    let help = || match is_extended {
        true => None,
        false => Some(format!("base identifiers go to {limit} (7FFh); extended = true has 29 bits")),
    };
    for key in ["id", "response_id", "gateway_id"] {
        if let Some(id) = flow.optional_integer(key).filter(|&id| id > limit) {
            let message = format!("`{key}` {id} ({id:X}h) has more than {bits} bits");
            found.push(scenario.problem(flow, key, message, help()));
            return;
        }
    }
    let others = identifiers_of(scenario, flow).saturating_sub(1) as u64;
    if let (Some(id), Some(step)) = (flow.optional_integer("id"), flow.optional_integer("id_step"))
        && id.saturating_add(step.saturating_mul(others)) > limit
    {
        let ends = if is_poll(flow) { "polls" } else { "senders" };
        let message = format!("the identifiers of {} {ends} go beyond {limit:X}h", others + 1);
        found.push(scenario.problem(flow, "id_step", message, help()));
    }
    if flow.word_is("service", "j1939") && !is_extended {
        let message = format!("flow `{}` is of J1939, whose identifiers have 29 bits", flow.name());
        found.push(scenario.problem(flow, "service", message, Some("set extended = true".to_owned())));
    }
}

/// The segments of a block.
fn blocks(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let most = u64::from(MOST_SEGMENTS);
    if flow.word_is("service", "sdo-block") && flow.optional_integer("block_size").is_some_and(|size| size > most) {
        let message = format!("a block of an SDO has up to {most} segments");
        found.push(scenario.problem(flow, "block_size", message, None));
    }
}

/// How many identifiers follow each other: one of each sender, of a poll one of each receiver of each sender.
fn identifiers_of(scenario: &Scenario, flow: &Table) -> usize {
    let senders = scenario.resolve_all(flow.words("from"));
    match is_poll(flow) {
        true => {
            let sender = flow.words("from").into_iter().flat_map(|name| scenario.resolve(name)).next();
            senders * sender.map_or(0, |sender| scenario.receivers(flow, sender).len())
        }
        false => senders,
    }
}

/// Whether the receivers of a flow are asked one after another.
pub fn is_poll(flow: &Table) -> bool {
    flow.optional_table("arrivals").is_some_and(|arrivals| arrivals.word_is("kind", "poll"))
}

/// Bytes that a message of a flow may have.
pub fn sizes(flow: &Table) -> RangeInclusive<u16> {
    let (low, high) = limits(flow.word("service"), flow.flag("fd"));
    low as u16..=high as u16
}

fn limits(service: &str, is_fd: bool) -> (usize, usize) {
    match service {
        "sdo" => (1, SDO_LIMIT),
        "sdo-block" => (1, BLOCK_LIMIT),
        "isotp" | "uds" => (1, isotp::LIMIT),
        "j1939" => (9, j1939::LIMIT),
        _ => (0, if is_fd { FD_LIMIT } else { CLASSIC_LIMIT }),
    }
}

fn data(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let Some(bytes) = flow.optional_number("data") else { return };
    let is_fd = is_set(flow, "fd");
    let service = flow.optional_word("service").unwrap_or("broadcast");
    let (low, high) = limits(service, is_fd);
    if bytes.fract() != 0.0 {
        found.push(scenario.problem(flow, "data", "`data` must be a whole number of bytes", None));
    } else if bytes < low as f64 || bytes > high as f64 {
        let message = format!("{bytes} bytes do not fit a message of service {service}: {low} to {high}");
        let help = match service {
            "broadcast" | "remote" | "request" if !is_fd => {
                "fd = true carries up to 64 bytes, service = \"isotp\" up to 4095"
            }
            "broadcast" | "remote" | "request" => "service = \"isotp\" carries up to 4095 bytes",
            _ => "a single frame of service = \"broadcast\" carries fewer",
        };
        found.push(scenario.problem(flow, "data", message, Some(help.to_owned())));
    }
    if is_fd && matches!(service, "remote" | "sdo" | "sdo-block" | "j1939") {
        let message = format!("service {service} has classical frames");
        let help =
            "fd = true is for broadcast and isotp: CAN FD has no remote frames, and CANopen and J1939 are classical";
        found.push(scenario.problem(flow, "fd", message, Some(help.to_owned())));
    }
}

/// Data of answers.
fn answers(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let (service, is_fd) = (flow.optional_word("service").unwrap_or("broadcast"), is_set(flow, "fd"));
    let Some(bytes) = flow.optional_number("response_data").filter(|_| matches!(service, "request" | "uds")) else {
        return;
    };
    let (low, high) = limits(service, is_fd);
    if bytes.fract() != 0.0 || bytes < low as f64 || bytes > high as f64 {
        let message = format!("{bytes} bytes do not fit an answer of service {service}: whole bytes, {low} to {high}");
        found.push(scenario.problem(flow, "response_data", message, None));
    }
}

fn payload(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let Some(text) = flow.optional_word("payload") else { return };
    let is_hexadecimal =
        text.len().is_multiple_of(2) && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hexadecimal && !matches!(text, "counter" | "clock" | "random") {
        let message = format!("\"{text}\" is not a payload");
        let help = "write counter, clock, random, or bytes in hexadecimal digits as DEADBEEF";
        found.push(scenario.problem(flow, "payload", message, Some(help.to_owned())));
    }
}

fn ends(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let senders: Vec<usize> = flow.words("from").into_iter().flat_map(|name| scenario.resolve(name)).collect();
    let to = flow.words("to");
    if to.contains(&"partner") && senders.len() % 2 == 1 {
        let message = format!("`from` has {} stations, which cannot be paired", senders.len());
        let help = "`partner` pairs members 1 and 2, 3 and 4, ...; use an even count".to_owned();
        found.push(scenario.problem(flow, "to", message, Some(help)));
        return;
    }
    let is_known = |name: &str| matches!(name, "everyone" | "partner") || !scenario.resolve(name).is_empty();
    if to.is_empty() || !to.iter().all(|name| is_known(name)) {
        return;
    }
    for &sender in &senders {
        let receivers = scenario.receivers(flow, sender);
        if receivers.is_empty() {
            let message = format!("flow `{}` has no receiver except its own sender", flow.name());
            found.push(scenario.problem(flow, "to", message, None));
            return;
        }
        let to_one =
            matches!(flow.optional_word("service"), Some("remote" | "request" | "sdo" | "sdo-block" | "isotp" | "uds"));
        if to_one && receivers.len() > 1 && !is_poll(flow) {
            let service = flow.word("service");
            let message = format!("service {service} has one receiver, and `to` names {}", receivers.len());
            let help = "arrivals of kind \"poll\" ask one receiver after another, or write a flow for each".to_owned();
            found.push(scenario.problem(flow, "to", message, Some(help)));
            return;
        }
    }
}
