//! A snapshot of a timed test.

use serde::Serialize;

/// The statistics of a timed test so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snapshot {
    /// Seconds since it began.
    pub elapsed_s: f64,
    /// Seconds remaining; null if unknown.
    pub left_s: Option<f64>,
    /// Name of the current phase, or of the last one.
    pub phase: &'static str,
    /// Requests sent since the start.
    pub sent: u64,
    /// Goodput of the load over the last second, both directions together, in bit/s.
    pub load_bit_rate: f64,
    /// Noise floor of this host in seconds; null if unknown.
    pub noise_floor_s: Option<f64>,
    /// All phases, begun or not.
    pub phases: Vec<PhaseStanding>,
    /// Length of a slot of the time series, in seconds.
    pub slot_s: f64,
    /// Time series up to now: all of it if the end is known, else the last two minutes.
    pub course: Vec<Slot>,
}

/// The statistics of a phase so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseStanding {
    /// Name of the phase.
    pub name: &'static str,
    /// Its begin, in seconds from the start of the first phase.
    pub begins_s: f64,
    /// Its end, in the same seconds; null if unknown.
    pub ends_s: Option<f64>,
    /// Requests of the phase that were answered.
    pub answered: u64,
    /// Requests that timed out.
    pub lost: u64,
    /// Response times; null before the first.
    pub response: Option<Quantiles>,
}

/// Response times, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantiles {
    /// Minimum response time in seconds.
    pub min: f64,
    /// Median response time in seconds.
    pub p50: f64,
    /// 90th percentile of response times in seconds.
    pub p90: f64,
    /// 95th percentile of response times in seconds.
    pub p95: f64,
    /// 99th percentile of response times in seconds.
    pub p99: f64,
    /// Maximum response time in seconds.
    pub max: f64,
}

/// Statistics of a slot of the time series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Slot {
    /// Median response time, in seconds; null without responses.
    pub p50_s: Option<f64>,
    /// Maximum response time, in seconds; null without responses.
    pub max_s: Option<f64>,
    /// Requests that timed out.
    pub lost: u64,
}
