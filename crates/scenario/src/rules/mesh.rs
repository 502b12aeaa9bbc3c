//! Checks between the keys of a mesh.

use std::collections::BTreeMap;

use crate::keys::live::mesh::{AGENTS, TABLE};
use crate::keys::live::monitor::{TABLE as MONITOR, TARGETS};
use crate::{Problem, Scenario};

/// Fewest agents that can measure each other, and most whose peers one of them measures.
const AGENTS_OF_A_MESH: std::ops::RangeInclusive<usize> = 2..=200;
/// Requests of a window to one peer, at most.
const MOST_REQUESTS: f64 = 4096.0;

/// Adds what does not hold of `[mesh]` and `[[agent]]`.
pub fn check(scenario: &Scenario, found: &mut Vec<Problem>) {
    let agents = scenario.list(AGENTS);
    let Some(first) = agents.first() else { return };
    let place = || first.place.clone();
    if !scenario.is_measurement() {
        found.push(Problem::at(place(), "a scenario with stations has no agents").help("sojourn new mesh"));
    }
    if !AGENTS_OF_A_MESH.contains(&agents.len()) {
        let (least, most) = (AGENTS_OF_A_MESH.start(), AGENTS_OF_A_MESH.end());
        found.push(Problem::at(place(), format!("a mesh has {least} to {most} agents, not {}", agents.len())));
    }
    if let Some(target) = scenario.list(TARGETS).first() {
        let problem = Problem::at(target.place.clone(), "a mesh has no [[target]]: its agents are what is measured");
        found.push(problem.help("a monitor of its own beside it: `sojourn new monitor`"));
    }
    let mut addresses = BTreeMap::new();
    for (agent, address) in agents.iter().filter_map(|agent| Some((agent, agent.optional_word("address")?))) {
        if let Some(other) = addresses.insert(address, agent.name()) {
            let message = format!("the address is that of `{other}` as well");
            found.push(Problem::at(agent.place_of("address"), message));
        }
    }
    let (mesh, window) = (scenario.table(TABLE), scenario.table(MONITOR).duration("window"));
    let requests = mesh.number("rate") * window.seconds();
    if requests > MOST_REQUESTS {
        let message =
            format!("a window of {requests:.0} requests to each peer is too long: at most {MOST_REQUESTS:.0}");
        found.push(scenario.problem(mesh, "rate", message, Some("[monitor] window = \"10 s\"".to_owned())));
    }
}
