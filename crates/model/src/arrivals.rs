//! The arrival processes common to all networks, from a scenario's `arrivals` table.

use sojourn_core::{Duration, Time};
use sojourn_engine::arrivals::{Arrivals, Process};
use sojourn_scenario::Table;

use super::laws;

/// The arrivals of a table; `None` for the kinds that only some networks know (`heartbeat`, `poll`, `trace`,
/// `closed`).
pub fn arrivals(table: &Table) -> Option<Arrivals> {
    Some(match table.word("kind") {
        "poisson" => Arrivals::Poisson { mean_gap: interval(table) },
        "periodic" => Arrivals::Periodic { period: interval(table), jitter: table.duration("jitter") },
        "burst" => {
            let size = u32::try_from(table.integer("size")).expect("a declared size fits 32 bits");
            Arrivals::Burst { size, gap: table.duration("gap"), interval: interval(table) }
        }
        "on-off" => Arrivals::OnOff { on: table.duration("on"), off: table.duration("off"), gap: interval(table) },
        "saturating" => Arrivals::Saturating { think: Box::new(laws::constant(table, "think")) },
        _ => Arrivals::Renewal(Box::new(laws::law(table, interval)?)),
    })
}

/// The process of these arrivals as the table's `start` says, and when it begins.
pub fn process(table: &Table, arrivals: &Arrivals) -> (Process, Time) {
    let begin = Time::ZERO + table.optional_duration("delay").unwrap_or(Duration::ZERO);
    match table.optional_word("start") {
        Some("at-once") => (arrivals.start_at_once(), begin),
        _ => (arrivals.start(), begin),
    }
}

/// The mean time between two arrivals, written as an interval or as a rate.
fn interval(table: &Table) -> Duration {
    table.optional_duration("interval").unwrap_or_else(|| {
        let seconds = 1.0 / table.number("rate");
        Duration::from_seconds(seconds).expect("a declared rate has an interval within the clock")
    })
}
