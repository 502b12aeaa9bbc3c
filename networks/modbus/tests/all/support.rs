//! A line with some servers, and what one replication observes of it.

use sojourn_metrics::record::{Observation, Record};

sojourn_model::test_functions!(sojourn_modbus::NETWORKS);

/// `meters` servers of 5 ms at 9600 bit/s, 8E1, that are asked for ten registers each, round and round.
pub fn line(meters: u32) -> String {
    format!(
        r#"
        [network]
        kind = "modbus"

        [[medium]]
        name = "line"
        bit_rate = "9600 bit/s"

        [[station]]
        name = "controller"

        [[station]]
        name = "meter"
        count = {meters}
        delay = "5 ms"

        [[flow]]
        name = "readings"
        from = "controller"
        to = "meter"
        count = 10
        retries = 0
        timeout = "1 s"
        arrivals = {{ kind = "poll", start = "at-once" }}

        [run]
        duration = "30 s"
        warm_up = "0 s"
        "#
    )
}

/// The extremes of a metric in picoseconds, exact.
pub fn extremes(record: &Record, name: &str) -> [u64; 2] {
    let Some(Observation::Distribution(samples)) = record.metrics.get(name) else { panic!("{name} has no samples") };
    [samples.min(), samples.max()].map(|value| value.unwrap_or_else(|| panic!("{name} is empty")).picoseconds())
}

/// A count.
pub fn count(record: &Record, name: &str) -> u64 {
    let Some(Observation::Count(count)) = record.metrics.get(name) else { panic!("{name} is not counted") };
    *count
}

/// How many samples a metric has.
pub fn taken(record: &Record, name: &str) -> u64 {
    let Some(Observation::Distribution(samples)) = record.metrics.get(name) else { panic!("{name} has no samples") };
    samples.count()
}

/// The mean of a component of the delay budget, in milliseconds.
pub fn component_ms(record: &Record, name: &str) -> f64 {
    let Some(Observation::Budget(budget)) = record.metrics.get("delay_budget") else { panic!("no budget") };
    let place = budget.components().iter().position(|component| component == name).expect("a component");
    1e3 * budget.means().expect("samples")[place]
}

pub const MILLISECOND: u64 = 1_000_000_000;
