//! Consistency checks of an IP network's keys.

use crate::rules as packets;
use crate::switched::keys::rules as switched;
use sojourn_scenario::rules::measurement;
use sojourn_scenario::rules::mesh;
use sojourn_scenario::rules::monitor;
use sojourn_scenario::{Origin, Problem, Problems, Scenario, rate_trace};

use super::{DEFAULT_RATE, RATE_BACK, RATE_TRACE, RATE_TRACE_BACK};

/// Adds the inconsistencies found.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    packets::at_once(scenario);
    let mut found = Vec::new();
    switched::hosts(scenario, &mut found);
    packets::media(scenario, &mut found);
    traces(scenario, &mut found);
    packets::conditioned(scenario, &mut found);
    measurement::check(scenario, &mut found);
    monitor::check(scenario, &mut found);
    mesh::check(scenario, &mut found);
    problems.0.extend(found);
}

/// A link's rate is a constant or a trace that can be read.
fn traces(scenario: &Scenario, found: &mut Vec<Problem>) {
    for medium in scenario.list("medium") {
        found.extend([RATE_TRACE, RATE_TRACE_BACK].iter().filter_map(|key| rate_trace::of(medium, key).err()));
        // the full form has the default, too
        let is_set = medium.get("rate").is_some_and(|entry| entry.origin != Origin::Default)
            && medium.optional_number("rate") != Some(DEFAULT_RATE);
        if medium.has(RATE_TRACE) && is_set {
            let message = "`rate` is beside a `rate_trace`, which says the rate over time".to_owned();
            found.push(scenario.problem(medium, "rate", message, Some("leave one of them out".to_owned())));
        }
        if medium.has(RATE_TRACE) && medium.has(RATE_BACK) {
            let message = "`rate_back` is beside a `rate_trace`, which says the rate over time".to_owned();
            let help = "name a `rate_trace_back`".to_owned();
            found.push(scenario.problem(medium, RATE_BACK, message, Some(help)));
        }
        if medium.has(RATE_TRACE_BACK) && !medium.has(RATE_TRACE) {
            let message = "`rate_trace_back` is without a `rate_trace`".to_owned();
            let help = "name the trace of the first direction as well".to_owned();
            found.push(scenario.problem(medium, RATE_TRACE_BACK, message, Some(help)));
        }
    }
}
