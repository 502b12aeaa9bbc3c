//! Consistency checks of ATM switches and of `[abr]`.

use sojourn_scenario::{Problem, Scenario, Table};

/// Adds the inconsistencies of a station's switch.
pub fn switch(scenario: &Scenario, station: &Table, found: &mut Vec<Problem>) {
    let switch = station.table("switch");
    for table in [switch, switch.table("intelligent_marking")] {
        for key in ["buffer", "discard_threshold", "marking_threshold", "marking_ends", "qt", "dqt"] {
            if table.optional_number(key).is_some_and(|cells| cells.fract() != 0.0) {
                found.push(scenario.problem(table, key, format!("`{key}` is not a whole number of cells"), None));
            }
        }
    }
    hysteresis(scenario, switch, found);
    early(scenario, switch, found);
}

/// The marking threshold with hysteresis: marking ends at or below where it begins.
fn hysteresis(scenario: &Scenario, switch: &Table, found: &mut Vec<Problem>) {
    let Some(ends) = switch.optional_number("marking_ends") else { return };
    let begins = switch.number("marking_threshold");
    if ends > begins {
        let message = format!("marking ends at {ends} cells, above its threshold of {begins}");
        found.push(scenario.problem(switch, "marking_ends", message, None));
    }
}

/// Early packet discard has a threshold within the buffer.
fn early(scenario: &Scenario, switch: &Table, found: &mut Vec<Problem>) {
    if switch.word("discard") != "early-packet" {
        return;
    }
    match (switch.optional_number("buffer"), switch.optional_number("discard_threshold")) {
        (None, None) => {
            let message = "early packet discard in an unlimited buffer needs a threshold";
            let help = "set discard_threshold, or a finite buffer".to_owned();
            found.push(scenario.problem(switch, "discard", message, Some(help)));
        }
        (Some(buffer), Some(threshold)) if threshold > buffer => {
            let message = format!("the threshold of {threshold} cells exceeds the buffer of {buffer} cells");
            found.push(scenario.problem(switch, "discard_threshold", message, None));
        }
        _ => {}
    }
}

/// Adds the inconsistencies of `[abr]`.
pub fn abr(scenario: &Scenario, found: &mut Vec<Problem>) {
    let abr = scenario.table("abr");
    let megabits = |key: &str| abr.number(key) / 1e6;
    for (lower, upper, says) in [
        ("icr", "pcr", "the initial cell rate (icr) is above the peak cell rate (pcr)"),
        ("mcr", "icr", "the minimum cell rate (mcr) is above the initial cell rate (icr)"),
    ] {
        if megabits(lower) > megabits(upper) {
            let message = format!("{says}: {} Mbit/s against {} Mbit/s", megabits(lower), megabits(upper));
            let help = format!("raise {upper} or lower {lower}");
            found.push(scenario.problem(abr, lower, message, Some(help)));
        }
    }
    let (cells, divisor) = (abr.integer("nrm"), abr.number("rdf"));
    if cells as f64 > divisor {
        let message =
            format!("rdf = {divisor} would decrease the rate by more than all of it: nrm / rdf = {cells} / {divisor}");
        let help = format!("at least nrm, {cells}");
        found.push(scenario.problem(abr, "rdf", message, Some(help)));
    }
    let least = abr.integer("mrm");
    if least >= cells {
        let message = format!("mrm = {least} is not below nrm = {cells}");
        found.push(scenario.problem(abr, "mrm", message, None));
    }
}
