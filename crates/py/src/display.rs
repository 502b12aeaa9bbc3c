//! Numbers as text, for Python: `sojourn.units` calls these.

use pyo3::prelude::*;
use sojourn_metrics::display::{self, Scale, Shown};

/// Size and name of the unit that suits a value of a metric.
#[pyfunction]
pub fn shown_scale<'a>(unit: &'a str, largest: f64, metric: &str) -> (f64, &'a str) {
    let Scale { factor, unit } = Shown::metric(metric, unit).scale(largest);
    (factor, unit)
}

/// The multiples of a unit that takes prefixes, the largest first; `None` of one that does not.
#[pyfunction]
pub fn ladder(unit: &str) -> Option<Vec<(f64, &'static str)>> {
    display::ladder(unit).map(<[_]>::to_vec)
}

/// A value with its unit.
#[pyfunction]
pub fn format_value(value: Option<f64>, unit: &str, metric: &str, beside: f64, digits: usize) -> String {
    Shown::metric(metric, unit).value(value, beside, digits)
}

/// A value with its interval.
#[pyfunction]
pub fn format_interval(value: Option<f64>, interval: Option<(f64, Option<f64>)>, unit: &str, metric: &str) -> String {
    Shown::metric(metric, unit).interval(value, interval)
}

/// A value with both ends of its interval.
#[pyfunction]
pub fn format_ends(value: f64, ends: (f64, f64), unit: &str, metric: &str, like: f64) -> String {
    Shown::metric(metric, unit).ends(value, ends, like)
}

/// An interval in the unit of its value, without it.
#[pyfunction]
pub fn format_span(value: f64, interval: (f64, Option<f64>), unit: &str) -> String {
    Shown::unit(unit).span(value, interval)
}

/// A number in some significant digits; integers stay whole.
#[pyfunction]
pub fn significant(value: f64, digits: usize) -> String {
    display::significant(value, digits)
}

/// An estimate in some significant digits, whole numbers too.
#[pyfunction]
pub fn rounded(value: f64, digits: usize) -> String {
    display::rounded(value, digits)
}

/// Two numbers in as many digits as it takes to see which is more.
#[pyfunction]
pub fn apart(one: f64, other: f64) -> (String, String) {
    display::apart(one, other).into()
}

/// A share in percent.
#[pyfunction]
pub fn percent(share: f64, decimals: usize, signed: bool) -> String {
    display::percent(share, decimals, signed)
}

/// A share of losses in percent, neither none nor all rounded to either.
#[pyfunction]
pub fn percent_lost(share: f64, decimals: usize) -> String {
    display::percent_lost(share, decimals)
}

/// A number of bytes.
#[pyfunction]
pub fn format_size(bytes: f64) -> String {
    display::size(bytes)
}

/// About how long something takes.
#[pyfunction]
pub fn format_duration(seconds: f64) -> String {
    display::duration(seconds)
}
