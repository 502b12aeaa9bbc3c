//! What must hold between the keys of a scenario of MS/TP.

use sojourn_scenario::rules::obeyed;
use sojourn_scenario::{Problem, Problems, Scenario, Table};

/// Bit rates that a trunk does not have.
const FASTEST_TRUNK: f64 = 1e6;

/// Adds what does not hold.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    let mut found = Vec::new();
    obeyed::ignored(scenario, obeyed::OF_MSTP, &mut found);
    for medium in scenario.list("medium") {
        trunk_rate(scenario, medium, &mut found);
    }
    for station in scenario.list("station") {
        on_trunks(scenario, station, &mut found);
    }
    for flow in scenario.list("flow") {
        for key in ["data", "response_data"] {
            whole(scenario, flow, key, &mut found);
        }
        ends(scenario, flow, &mut found);
        poll(scenario, flow, &mut found);
    }
    problems.0.extend(found);
}

fn is_trunk(scenario: &Scenario, name: &str) -> bool {
    scenario.list("medium").iter().any(|medium| medium.name() == name && medium.word_is("type", "ms-tp"))
}

fn trunk_rate(scenario: &Scenario, medium: &Table, found: &mut Vec<Problem>) {
    if medium.word_is("type", "ms-tp") && medium.optional_number("bit_rate").is_some_and(|rate| rate > FASTEST_TRUNK) {
        let message = format!("trunk `{}` is faster than RS-485 transceivers of MS/TP", medium.name());
        let help = "trunks have 9600 to 115200 bit/s; type = \"ip\" is an IP network".to_owned();
        found.push(scenario.problem(medium, "bit_rate", message, Some(help)));
    }
}

/// A slave is on one trunk, and a master has an address that it polls.
fn on_trunks(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let media = station.words("on");
    let is_slave = station.word_is("type", "slave");
    if is_slave && (media.len() > 1 || media.iter().any(|name| !is_trunk(scenario, name))) {
        let message = format!("slave `{}` is not on one trunk", station.name());
        let help = "a slave has one trunk: routers and stations of IP networks are type = \"master\"".to_owned();
        found.push(scenario.problem(station, "type", message, Some(help)));
    }
}

fn whole(scenario: &Scenario, table: &Table, key: &str, found: &mut Vec<Problem>) {
    if table.optional_number(key).is_some_and(|octets| octets.fract() != 0.0) {
        found.push(scenario.problem(table, key, format!("`{key}` must be a whole number of bytes"), None));
    }
}

/// Slaves answer only, and Who-Is is answered by masters.
fn ends(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    let slaves = |names: Vec<&str>| {
        let stations = scenario.list("station").iter();
        let named: Vec<&str> = stations
            .filter(|station| station.word_is("type", "slave"))
            .map(Table::name)
            .filter(|slave| {
                let members = scenario.resolve(slave);
                names.iter().flat_map(|name| scenario.resolve(name)).any(|member| members.contains(&member))
            })
            .collect();
        named.first().map(|slave| (*slave).to_owned())
    };
    if let Some(slave) = slaves(flow.words("from")) {
        let message = format!("flow `{}` begins at slave `{slave}`, which only answers", flow.name());
        let help = "a device that sends on its own is type = \"master\"".to_owned();
        found.push(scenario.problem(flow, "from", message, Some(help)));
    }
    if flow.word_is("service", "who-is")
        && let Some(slave) = slaves(flow.words("to"))
    {
        let message =
            format!("slave `{slave}` cannot answer Who-Is of flow `{}`: it has no token for I-Am", flow.name());
        found.push(scenario.problem(flow, "to", message, Some("name masters".to_owned())));
    }
    let has_none = |sender: usize| scenario.receivers(flow, sender).is_empty();
    if flow.words("from").into_iter().flat_map(|name| scenario.resolve(name)).any(has_none) {
        let message = format!("flow `{}` has no receiver except its own sender", flow.name());
        found.push(scenario.problem(flow, "to", message, Some("name another station".to_owned())));
    }
}

/// A poll asks for replies.
fn poll(scenario: &Scenario, flow: &Table, found: &mut Vec<Problem>) {
    if !flow.optional_table("arrivals").is_some_and(|arrivals| arrivals.word_is("kind", "poll")) {
        return;
    }
    if flow.word_is("service", "who-is") {
        let message = format!("flow `{}` polls one receiver after the other, and Who-Is asks all at once", flow.name());
        let help = "write other arrivals, or another service".to_owned();
        found.push(scenario.problem(flow, "service", message, Some(help)));
    }
}
