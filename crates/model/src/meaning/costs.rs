//! Costs of another decade: a unit that was meant to be another one.

use sojourn_metrics::display::Shown;
use sojourn_scenario::{Origin, Scenario, Table};

use crate::warning::Warning;

/// How far from all hardware a cost is taken for a mistake.
const FAR: f64 = 100.0;

/// The cost of a packet or byte.
#[derive(Clone, Debug)]
pub struct Cost<'s> {
    /// The table of the key.
    pub table: &'s Table,
    /// The key.
    pub key: &'static str,
    /// What hardware takes, from the fastest to the slowest, in seconds.
    pub hardware: [f64; 2],
    /// What takes so long, and where that is written.
    pub source: &'static str,
}

/// Written costs that are a hundred times off what hardware has. None at all is a choice, and no mistake.
pub(crate) fn of_another_decade(scenario: &Scenario, costs: &[Cost<'_>], found: &mut Vec<Warning>) {
    let is_written = |cost: &&Cost<'_>| cost.table.get(cost.key).is_some_and(|entry| entry.origin == Origin::Written);
    for Cost { table, key, hardware: [fast, slow], source } in costs.iter().filter(is_written) {
        let Some(seconds) = table.optional_number(key).filter(|seconds| *seconds > 0.0) else { continue };
        let shown = |seconds: f64| Shown::unit("s").value(Some(seconds), seconds, 2);
        let (times, than) = match seconds {
            much if much > FAR * slow => (much / slow, format!("times the {} of the slowest", shown(*slow))),
            little if little < fast / FAR => {
                (fast / little, format!("times less than the {} of the fastest", shown(*fast)))
            }
            _ => continue,
        };
        let message = format!("`{key}` of {} is {times:.0} {than}", shown(seconds));
        let help = "check its unit: a cost of a packet is of the order of microseconds, that of a byte of nanoseconds";
        found.push(Warning { problem: scenario.problem(table, key, message, Some(help.to_owned())), rule: source });
    }
}
