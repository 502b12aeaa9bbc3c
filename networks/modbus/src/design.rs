//! Rules of the trade that a site breaks, as warnings.

use sojourn_core::Duration;
use sojourn_metrics::display::Shown;
use sojourn_model::Warning;
use sojourn_scenario::{Scenario, Table};

use super::site::{Arrivals, Flow, Item, Site, SourceSettings};
use super::times;

const CYCLE: &str = "a client asks one thing after the other: the next round begins when the last has ended";
const TIMEOUT: &str =
    "Modbus over Serial Line V1.02, 2.4.1: the response timeout covers the server's processing and the response";
const DEAD: &str = "a server that does not answer costs (retries + 1) times the response timeout in each round";
const DEVICES: &str = "Modbus over Serial Line V1.02, 3.4.1: up to 32 devices on a line without a repeater";

/// Devices of a line without a repeater.
const MOST_DEVICES: usize = 32;
/// How many times its length a round may take with one server that does not answer before that is noted.
const MUCH_LONGER: u64 = 3;

/// What a planner would not install, though it can be simulated.
pub fn warnings(scenario: &Scenario, site: &Site) -> Vec<Warning> {
    let mut found = Vec::new();
    for (number, table) in scenario.list("flow").iter().enumerate() {
        let flow = &site.flows[number];
        if let Some(source) = site.sources.iter().find(|source| source.flow == number) {
            found.extend(timeouts(scenario, site, (flow, table), source));
            found.extend(cycle(scenario, site, (flow, table), source));
            found.extend(dead(scenario, site, (flow, table), source));
        }
    }
    for (medium, table) in scenario.list("medium").iter().enumerate() {
        devices(scenario, site, medium, table, &mut found);
    }
    found
}

/// A timeout that a response does not keep.
fn timeouts(
    scenario: &Scenario,
    site: &Site,
    (flow, table): (&Flow, &Table),
    source: &SourceSettings,
) -> Option<Warning> {
    if flow.broadcast {
        return None;
    }
    let late = |item: &&Item| times::transaction(site, item).response.mean >= flow.timeout;
    let item = source.items.iter().find(late)?;
    let mean = times::transaction(site, item).response.mean;
    let server = &site.stations[item.server].name;
    let message = format!(
        "flow `{}` waits {} for a response, and one of {server} takes {} on average",
        flow.name,
        flow.timeout,
        shown(mean)
    );
    let help = "it is asked again before it has answered, and a late response is taken for the next one; take a longer timeout";
    Some(Warning { problem: scenario.problem(table, "timeout", message, Some(help.to_owned())), rule: TIMEOUT })
}

/// Rounds of all flows of a client that take longer than one of them asks for.
fn cycle(scenario: &Scenario, site: &Site, (flow, table): (&Flow, &Table), source: &SourceSettings) -> Option<Warning> {
    let Arrivals::Poll { cycle, .. } = flow.arrivals else { return None };
    let round = times::round(site, source);
    if cycle == Duration::ZERO || round <= cycle {
        return None;
    }
    let message = format!(
        "a round of flow `{}` takes {} on average, and a cycle of {cycle} is asked for",
        flow.name,
        shown(round)
    );
    let help = "raise the bit rate, read several registers with one request, or divide the servers over several lines";
    let problem = scenario.problem(table, "arrivals", message, Some(help.to_owned()));
    Some(Warning { problem, rule: CYCLE })
}

/// What a server costs that does not answer.
fn dead(scenario: &Scenario, site: &Site, (flow, table): (&Flow, &Table), source: &SourceSettings) -> Option<Warning> {
    let Arrivals::Poll { cycle, .. } = flow.arrivals else { return None };
    let first = source.items.first()?;
    let requests = source.items.iter().filter(|item| item.server == first.server).count() as u64;
    let cost = unanswered(site, flow, first).times(requests);
    let round = times::round(site, source).max(cycle);
    if flow.broadcast || cost <= round.times(MUCH_LONGER) {
        return None;
    }
    let message =
        format!("a server of flow `{}` that does not answer costs {cost} in each round of {}", flow.name, shown(round));
    let help = "take a timeout of a few times the longest response, and fewer retries".to_owned();
    Some(Warning { problem: scenario.problem(table, "timeout", message, Some(help)), rule: DEAD })
}

/// What a request costs that its server does not answer: all tries of the client, or those of a gateway that then answers for it.
fn unanswered(site: &Site, flow: &Flow, item: &Item) -> Duration {
    let own = flow.timeout.times(u64::from(flow.retries) + 1);
    let gateway = item.via.map(|via| &site.stations[site.connections[via].station].class.gateway);
    let of_gateway = gateway.map(|gateway| gateway.timeout.times(u64::from(gateway.retries) + 1));
    of_gateway.filter(|cost| *cost < flow.timeout).unwrap_or(own)
}

/// A time in three digits.
fn shown(span: Duration) -> String {
    Shown::unit("s").value(Some(span.seconds()), span.seconds(), 3)
}

fn devices(scenario: &Scenario, site: &Site, medium: usize, table: &Table, found: &mut Vec<Warning>) {
    let here = site.stations.iter().filter(|station| station.on.contains(&medium)).count();
    if site.line(medium).is_some() && here > MOST_DEVICES {
        let message = format!("{here} devices are on `{}`", table.name());
        let help =
            "put a repeater after every 32, or divide them over several lines; it is simulated as one line".to_owned();
        found.push(Warning { problem: scenario.problem(table, "name", message, Some(help)), rule: DEVICES });
    }
}
