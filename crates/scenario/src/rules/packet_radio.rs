//! What must hold between the keys of a packet-radio scenario.

use crate::{Problem, Problems, Scenario, Table};

/// The most that one frame modulo 8 can leave unacknowledged.
const LARGEST_WINDOW: u64 = 7;

/// Adds what does not hold.
pub fn check(scenario: &mut Scenario, problems: &mut Problems) {
    let mut found = Vec::new();
    for station in scenario.list("station") {
        window(scenario, station, &mut found);
    }
    problems.0.extend(found);
}

/// A window must fit the numbers of its frames.
fn window(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let Some(window) = station.optional_integer("window") else { return };
    if window > LARGEST_WINDOW && station.optional_word("version") == Some("2.0") {
        let message = format!("a window of {window} is beyond the numbers of version 2.0, which count modulo 8");
        let help = format!("at most {LARGEST_WINDOW} frames can be under way; version = \"2.2\" counts modulo 128");
        found.push(scenario.problem(station, "window", message, Some(help)));
    }
}
