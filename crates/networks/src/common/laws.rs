//! The law of a table whose kind is a distribution of durations.

use sojourn_core::Duration;
use sojourn_engine::law::{Gamma, Law, Lognormal, Shape, Weibull};
use sojourn_scenario::{Table, empirical};

/// The law with this mean that the table's kind and shape say; `None` where the kind is no distribution. A `deviation` is a time, or
/// relative to the mean.
pub fn law(table: &Table, mean: impl Fn(&Table) -> Duration) -> Option<Law> {
    let shape = match table.word("kind") {
        "deterministic" => Shape::Constant,
        "exponential" => Shape::Exponential,
        "normal" => Shape::Normal(variation(table, mean(table))),
        "gamma" => Shape::Gamma(Gamma::new(table.number("shape"))),
        "lognormal" => Shape::Lognormal(Lognormal::new(variation(table, mean(table)))),
        "weibull" => Shape::Weibull(Weibull::new(table.number("shape"))),
        "empirical" => {
            let values = empirical::values(table).expect("checked values");
            return Some(Law::empirical(&values).expect("a value is above zero"));
        }
        _ => return None,
    };
    Some(Law { mean: mean(table), shape })
}

/// Standard deviation divided by the mean.
fn variation(table: &Table, mean: Duration) -> f64 {
    match table.optional_duration("deviation") {
        Some(deviation) => deviation.seconds() / mean.seconds(),
        None => table.number("deviation"),
    }
}
