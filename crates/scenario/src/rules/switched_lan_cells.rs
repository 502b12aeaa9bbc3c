//! What must hold between the keys of ATM switches, and of `[abr]`.

use crate::{Problem, Scenario, Table};

/// Adds what does not hold of a station's switch.
pub fn switch(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let switch = station.table("switch");
    for table in [switch, switch.table("intelligent_marking")] {
        for key in ["buffer", "discard_threshold", "marking_threshold", "marking_ends", "congested", "very_congested"] {
            if table.optional_number(key).is_some_and(|cells| cells.fract() != 0.0) {
                found.push(scenario.problem(table, key, format!("`{key}` is no whole number of cells"), None));
            }
        }
    }
    hysteresis(scenario, switch, found);
    early(scenario, switch, found);
}

/// Marking ends at or below where it begins.
fn hysteresis(scenario: &Scenario, switch: &Table, found: &mut Vec<Problem>) {
    let Some(ends) = switch.optional_number("marking_ends") else { return };
    let begins = switch.number("marking_threshold");
    if ends > begins {
        let message = format!("marking cannot end at {ends} cells when it begins above {begins}");
        found.push(scenario.problem(switch, "marking_ends", message, None));
    }
}

/// Packets are refused while there is still room.
fn early(scenario: &Scenario, switch: &Table, found: &mut Vec<Problem>) {
    if switch.word("discard") != "early-packet" {
        return;
    }
    match (switch.optional_number("buffer"), switch.optional_number("discard_threshold")) {
        (None, None) => {
            let message = "early discard in an unlimited buffer needs a threshold";
            let help = "set discard_threshold, or a buffer of so many cells".to_owned();
            found.push(scenario.problem(switch, "discard", message, Some(help)));
        }
        (Some(buffer), Some(threshold)) if threshold > buffer => {
            let message = format!("a buffer of {buffer} cells never holds {threshold}");
            found.push(scenario.problem(switch, "discard_threshold", message, None));
        }
        _ => {}
    }
}

/// Adds what does not hold of `[abr]`.
pub fn abr(scenario: &Scenario, found: &mut Vec<Problem>) {
    let abr = scenario.table("abr");
    let megabits = |key: &str| abr.number(key) / 1e6;
    for (lower, upper, says) in [
        ("initial_rate", "peak_rate", "the rate at first is above the peak rate"),
        ("minimum_rate", "initial_rate", "the rate that is always allowed is above the one at first"),
    ] {
        if megabits(lower) > megabits(upper) {
            let message = format!("{says}: {} Mbit/s against {} Mbit/s", megabits(lower), megabits(upper));
            let help = format!("raise {upper} or lower {lower}");
            found.push(scenario.problem(abr, lower, message, Some(help)));
        }
    }
    let (cells, divisor) = (abr.integer("cells_per_forward"), abr.number("decrease_divisor"));
    if cells as f64 > divisor {
        let message = format!("a divisor of {divisor} takes more than the whole rate: {cells} / {divisor} of it");
        let help = format!("at least cells_per_forward, {cells}");
        found.push(scenario.problem(abr, "decrease_divisor", message, Some(help)));
    }
    let least = abr.integer("least_cells_per_forward");
    if least >= cells {
        let message = format!("{least} cells never lie between forward cells that are every {cells}");
        found.push(scenario.problem(abr, "least_cells_per_forward", message, None));
    }
}
