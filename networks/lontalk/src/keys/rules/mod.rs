//! Constraints between the keys of a LonTalk scenario, and values derived from others.

mod ip852;

use crate::keys::LONTALK;
use sojourn_scenario::Key;
use sojourn_scenario::scenario::{Resolved, Scenario, Table};
use sojourn_scenario::tree;
use sojourn_scenario::{Problem, Problems};

/// Members of a group with acknowledged or request service (ISO/IEC 14908-1, 6).
const LARGEST_ANSWERING_GROUP: usize = 64;
/// Nodes of a domain: 255 subnets of 127 nodes (ISO/IEC 14908-1, 6).
const LARGEST_DOMAIN: u64 = 32_385;
/// Largest network variable in bytes (ISO/IEC 14908-1).
const LARGEST_VARIABLE: f64 = 31.0;

/// Derives addressing and authentication, and adds a problem for each constraint that is violated.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    let mut found = Vec::new();
    media(scenario, &mut found);
    ip852::media(scenario, &mut found);
    stations(scenario, &mut found);
    let addressing: Vec<Option<&'static str>> =
        scenario.list("flow").iter().map(|flow| addressing(scenario, flow)).collect();
    for flow in scenario.list("flow") {
        data(scenario, flow, &mut found);
        ends(scenario, flow, &mut found);
        group(scenario, flow, &mut found);
        authentication(scenario, flow, &mut found);
    }
    complete(scenario, &addressing);
    problems.0.extend(found);
}

fn media(scenario: &Scenario, found: &mut Vec<Problem>) {
    let first = scenario.list("medium").first().and_then(|medium| medium.optional_integer("domain_length"));
    for medium in scenario.list("medium") {
        let (latency, slot) = (medium.optional_duration("carrier_sense_latency"), medium.optional_duration("beta2"));
        if let (Some(latency), Some(slot)) = (latency, slot)
            && latency >= slot
        {
            let message = format!("carrier_sense_latency {latency} must be shorter than a slot (beta2 {slot})");
            let help = "a station must sense a transmission of the previous slot before its own slot begins";
            found.push(scenario.problem(medium, "carrier_sense_latency", message, Some(help.to_owned())));
        }
        if medium.optional_integer("domain_length") != first {
            let message = "all media of a domain must have the same domain_length";
            found.push(scenario.problem(medium, "domain_length", message, None));
        }
        if medium.optional_integer("backlog_start") > medium.optional_integer("backlog_cap") {
            found.push(scenario.problem(medium, "backlog_start", "backlog_start exceeds backlog_cap", None));
        }
    }
}

fn stations(scenario: &Scenario, found: &mut Vec<Problem>) {
    let total: u64 = scenario.list("station").iter().map(|station| u64::from(station.count())).sum();
    if total > LARGEST_DOMAIN
        && let Some(largest) = scenario.list("station").iter().max_by_key(|station| station.count())
    {
        let message = format!("{total} stations exceed the capacity of a domain");
        let help = format!("a domain has at most 255 subnets of 127 nodes: {LARGEST_DOMAIN}");
        found.push(scenario.problem(largest, "count", message, Some(help)));
    }
    for station in scenario.list("station") {
        for station in std::iter::once(station).chain(station.exceptions()) {
            priority_slot(scenario, station, found);
            router(scenario, station, found);
            ip852::station(scenario, station, on(scenario, station), found);
        }
    }
}

fn priority_slot(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let slot = station.optional_integer("priority_slot").unwrap_or(0);
    for medium in on(scenario, station) {
        let slots = medium.optional_integer("priority_slots").unwrap_or(slot);
        if slot > slots {
            let message = format!("priority slot {slot} does not exist: medium `{}` has {slots}", medium.name());
            let help =
                "slots are counted from 1, 0 means none; raise priority_slots of the medium or choose another slot";
            found.push(scenario.problem(station, "priority_slot", message, Some(help.to_owned())));
            return;
        }
    }
}

fn router(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let media = on(scenario, station).count();
    let routes = station.optional_word("router").is_some_and(|word| word != "none");
    if routes && media < 2 {
        let message = format!("router `{}` is on only one medium", station.name());
        found.push(scenario.problem(
            station,
            "router",
            message,
            Some("name the media it connects: on = [\"floor-1\", \"backbone\"]".to_owned()),
        ));
    }
    if !routes && media > 1 {
        let message = format!("station `{}` is on several media but is not a router", station.name());
        found.push(scenario.problem(
            station,
            "on",
            message,
            Some("set router = \"configured\", \"learning\", \"repeater\" or \"bridge\"".to_owned()),
        ));
    }
}

fn on<'a>(scenario: &'a Scenario, station: &'a Table) -> impl Iterator<Item = &'a Table> {
    let names = station.words("on");
    scenario.list("medium").iter().filter(move |medium| names.contains(&medium.name()))
}

fn data(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    if flow.optional_word("message") != Some("network-variable") {
        return;
    }
    for key in ["data", "response_data"] {
        if flow.optional_number(key).is_some_and(|bytes| bytes > LARGEST_VARIABLE) {
            let message = format!("`{key}` exceeds 31 bytes, the maximum of a network variable");
            found.push(scenario.problem(
                flow,
                key,
                message,
                Some("message = \"explicit\" carries up to 228 bytes".to_owned()),
            ));
        }
    }
}

fn ends(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    for key in ["data", "response_data"] {
        if flow.optional_number(key).is_some_and(|bytes| bytes.fract() != 0.0) {
            found.push(scenario.problem(flow, key, format!("`{key}` must be a whole number of bytes"), None));
        }
    }
    if flow.words("to").contains(&"partner") {
        for name in flow.words("from") {
            let station = scenario.list("station").iter().find(|station| station.name() == name);
            if scenario.resolve(name).len() % 2 == 1 && !station.is_some_and(Table::count_was_refused) {
                let message = format!("`{name}` has an odd number of stations, which cannot be paired");
                let help = "`partner` pairs members 1 and 2, 3 and 4, ...; use an even count";
                let counted = station.filter(|station| station.count() > 1);
                let (table, key) = counted.map_or((flow, "to"), |station| (station, "count"));
                found.push(scenario.problem(table, key, message, Some(help.to_owned())));
            }
        }
        return;
    }
    let sender = flow.words("from").first().and_then(|name| scenario.resolve(name).next());
    let known = flow.words("to").iter().all(|name| *name == "everyone" || !scenario.resolve(name).is_empty());
    if let Some(sender) = sender.filter(|_| known && !flow.words("to").is_empty())
        && scenario.receivers(flow, sender).is_empty()
    {
        found.push(scenario.problem(
            flow,
            "to",
            format!("flow `{}` has no receiver except its own sender", flow.name()),
            None,
        ));
    }
}

/// Size of an acknowledged group: the receivers, and the sender where `to` names it.
fn group(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let answers = flow
        .optional_word("service")
        .is_some_and(|service| matches!(service, "acknowledged" | "request" | "authenticated"));
    let grouped = addressing(scenario, flow) == Some("group");
    if !answers || !grouped || flow.words("to").contains(&"partner") {
        return;
    }
    let mut members: Vec<usize> = flow.words("to").iter().flat_map(|name| scenario.resolve(name)).collect();
    members.sort_unstable();
    members.dedup();
    if members.len() > LARGEST_ANSWERING_GROUP {
        let message = format!("{} members exceed the maximum of an acknowledged group", members.len());
        let help = "acknowledged and request service allow 64 members; use service = \"unacknowledged\" or \"unacknowledged-repeated\" for larger groups";
        found.push(scenario.problem(flow, "to", message, Some(help.to_owned())));
    }
}

fn authentication(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let wanted = flow.get("authenticated").is_some_and(|entry| matches!(entry.value, Resolved::Flag(true)));
    let service = flow.optional_word("service");
    if wanted && service == Some("unacknowledged") {
        let help = "use acknowledged, request or unacknowledged-repeated service";
        found.push(scenario.problem(
            flow,
            "authenticated",
            "an unacknowledged message cannot be authenticated",
            Some(help.to_owned()),
        ));
    }
    let authenticated = wanted || service == Some("authenticated");
    if authenticated && addressing(scenario, flow) == Some("broadcast") {
        let key = if wanted { "authenticated" } else { "service" };
        found.push(scenario.problem(
            flow,
            key,
            "a broadcast cannot be authenticated",
            Some("name the receivers in `to`".to_owned()),
        ));
    }
}

/// The address format of a flow; `automatic` is resolved from its receivers.
fn addressing(scenario: &Scenario, flow: &Table) -> Option<&'static str> {
    let poll = flow.optional_table("arrivals").is_some_and(|arrivals| arrivals.optional_word("kind") == Some("poll"));
    match flow.optional_word("addressing")? {
        "unicast" => Some("unicast"),
        "group" => Some("group"),
        "broadcast" => Some("broadcast"),
        "unique-id" => Some("unique-id"),
        _ if flow.words("to").contains(&"everyone") => Some("broadcast"),
        // a supervisor polls one point after the other
        _ if poll => Some("unicast"),
        _ => {
            let receivers: usize = flow
                .words("to")
                .iter()
                .map(|name| if *name == "partner" { 1 } else { scenario.resolve(name).len() })
                .sum();
            Some(if receivers > 1 { "group" } else { "unicast" })
        }
    }
}

fn complete(scenario: &mut Scenario, addressing: &[Option<&'static str>]) {
    let Some(declared) = LONTALK.table("flow") else { return };
    for (flow, word) in scenario.list_mut("flow").iter_mut().zip(addressing) {
        if let (Some(word), Some("automatic")) = (word, flow.optional_word("addressing")) {
            set(flow, declared.find("addressing"), Resolved::Word((*word).to_owned()), tree::quoted(word));
        }
        if flow.optional_word("service") == Some("authenticated") {
            set(flow, declared.find("authenticated"), Resolved::Flag(true), "true".to_owned());
        }
    }
}

fn set(table: &mut Table, key: Option<&'static Key>, value: Resolved, text: String) {
    if let Some(key) = key {
        table.complete(key, value, text);
    }
}
