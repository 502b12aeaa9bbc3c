//! What must hold between the keys of a queueing scenario.

use sojourn_scenario::{Problems, Scenario};

/// Adds what does not hold.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    let mut found = Vec::new();
    for flow in scenario.tables("flow") {
        let closed =
            flow.optional_table("arrivals").is_some_and(|arrivals| arrivals.optional_word("kind") == Some("closed"));
        for name in flow.words("path") {
            let station = scenario.list("station").iter().find(|station| station.name() == name);
            let full = station.and_then(|station| station.optional_integer("capacity")).is_some();
            if closed && full {
                let message = format!(
                    "flow `{}` has a fixed number of customers, and station `{name}` turns customers away",
                    flow.name()
                );
                found.push(scenario.problem(
                    flow,
                    "path",
                    message,
                    Some("leave out the station's `capacity`".to_owned()),
                ));
            }
        }
    }
    problems.0.extend(found);
}
