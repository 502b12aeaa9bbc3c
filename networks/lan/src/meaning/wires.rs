//! PLCA that cannot work as it is set up: nodes without a turn, and turns that end before silence is heard.

use sojourn_core::Duration;
use sojourn_model::Warning;
use sojourn_scenario::{Scenario, Table};

use crate::layout::PICOSECONDS_PER_METRE;
use crate::segment::scenario::nodes;

const TURNS: &str = "IEEE 802.3cg, 148.4.4: node 0 begins a new cycle after plca_node_count opportunities";
const TIMER: &str = "IEEE 802.3cg, 148.4.4: to_timer exceeds twice the propagation and the latency of PHYs";

/// Shared wires with PLCA whose keys are allowed, and hardly meant.
pub(crate) fn doubtful_wires(scenario: &Scenario) -> Vec<Warning> {
    let has_turns = |medium: &&Table| medium.optional_word("kind") == Some("shared") && medium.word("access") == "plca";
    scenario.list("medium").iter().filter(has_turns).flat_map(|medium| doubts(scenario, medium)).collect()
}

fn doubts(scenario: &Scenario, medium: &Table) -> Vec<Warning> {
    let mut doubts = Vec::new();
    let places = nodes(scenario, medium);
    let count = medium.optional_integer("node_count").unwrap_or(places.len() as u64);
    let beyond = places.iter().filter(|place| (count..255).contains(&place.id));
    if let Some(highest) = beyond.max_by_key(|place| place.id) {
        let message = format!(
            "`{}` has the ID {} of PLCA and never a turn: node 0 counts {count} nodes",
            highest.name, highest.id
        );
        let help = format!("medium.{}.node_count = {}", medium.name(), highest.id + 1);
        doubts.push(Warning { problem: scenario.problem(medium, "node_count", message, Some(help)), rule: TURNS });
    }
    let round_trip =
        Duration::from_picoseconds(libm::round(2.0 * medium.number("length") * PICOSECONDS_PER_METRE) as u64)
            + medium.duration("delay").times(2);
    let turn = Duration::from_units(medium.integer("to_timer"), libm::round(medium.number("rate")) as u64);
    if turn <= round_trip {
        let message = format!(
            "an opportunity of PLCA ends after {turn}, and silence takes {round_trip} to the end of the wire and back"
        );
        let help = "raise `to_timer`, the same for all nodes".to_owned();
        doubts.push(Warning { problem: scenario.problem(medium, "to_timer", message, Some(help)), rule: TIMER });
    }
    doubts
}
