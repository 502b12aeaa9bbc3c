//! Converts the rates of a scenario to times between arrivals.

use sojourn_core::Duration;
use sojourn_scenario::Table;

/// The time between events that happen so often a second.
pub fn interval(rate: f64) -> Duration {
    Duration::from_seconds(1.0 / rate).expect("a declared rate has an interval within the clock")
}

/// Frames of `[background]` that are offered at once.
pub fn burst(table: &Table) -> u32 {
    match table.word("discipline") {
        "single-packet-per-token" => 1,
        _ => table.integer("burst") as u32,
    }
}

/// From one burst of `[background]` to the next at a rate in bit/s; none where it is 0.
pub fn burst_gap(table: &Table, rate: f64) -> Option<Duration> {
    let frame = table.number("frame") as u32;
    let seconds = f64::from(burst(table)) * f64::from(frame) * 8.0 / rate;
    Duration::from_seconds(seconds * (1.0 - table.number("clock_error")))
}

/// The mean time between losses of a token that is lost so often a second; none where it never is.
pub fn loss_interval(rate: f64) -> Option<Duration> {
    (rate > 0.0).then(|| interval(rate))
}
