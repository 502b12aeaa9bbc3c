//! Runs shorter than a timer in use: what waits for it does not end within one.

use sojourn_core::Duration;
use sojourn_scenario::Scenario;

use crate::warning::Warning;

/// A timer in use.
#[derive(Clone, Debug)]
pub struct Timer {
    /// As a note calls it: "3 retries of flow `alarm` at its transaction timer".
    pub name: String,
    /// How long it takes.
    pub span: Duration,
    /// Where it is defined.
    pub source: &'static str,
}

/// The slowest of timers, where no run is as long as that.
pub(crate) fn longest(scenario: &Scenario, timers: &[Timer], found: &mut Vec<Warning>) {
    let duration = scenario.run().duration;
    let Some(timer) = timers.iter().max_by_key(|timer| timer.span).filter(|timer| timer.span > duration) else {
        return;
    };
    let Timer { name, span, source } = timer;
    let message =
        format!("runs of {duration} are shorter than {name}, {span}: what takes that long does not end within one");
    let help = format!("give run.duration {span} or more");
    let problem = scenario.problem(scenario.table("run"), "duration", message, Some(help));
    found.push(Warning { problem, rule: source });
}
