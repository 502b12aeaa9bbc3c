//! A moment's look at a measurement.

use serde::Serialize;

/// How a measurement stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snapshot {
    /// Seconds since it began.
    pub elapsed_s: f64,
    /// Seconds to go; null when nobody knows.
    pub left_s: Option<f64>,
    /// The name of the phase under way, or of the last one.
    pub phase: &'static str,
    /// Requests sent.
    pub sent: u64,
    /// User data that the load carried over the last second, both ways together.
    pub load_bit_rate: f64,
    /// What the probe takes over this host's own loopback, in seconds; null when not known.
    pub noise_floor_s: Option<f64>,
    /// All phases, whether they have begun or not.
    pub phases: Vec<PhaseStanding>,
    /// Length of one slot of the course, in seconds.
    pub slot_s: f64,
    /// The course of the measurement, up to now: all of it where its end is known, else the last two minutes.
    pub course: Vec<Slot>,
}

/// How one phase stands.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PhaseStanding {
    /// Its name.
    pub name: &'static str,
    /// When it begins, in seconds from the beginning of the first.
    pub begins_s: f64,
    /// When it ends; null when nobody knows.
    pub ends_s: Option<f64>,
    /// Requests of it that were answered.
    pub answered: u64,
    /// Requests of it that were given up.
    pub lost: u64,
    /// Response times; null before the first.
    pub response: Option<Quantiles>,
}

/// Response times, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Quantiles {
    /// Least.
    pub min: f64,
    /// Median.
    pub p50: f64,
    /// 90 % of all are at or below it.
    pub p90: f64,
    /// 99 % of all are at or below it.
    pub p99: f64,
    /// Greatest.
    pub max: f64,
}

/// What came within a short span.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Slot {
    /// Median response time, in seconds; null without answers.
    pub p50_s: Option<f64>,
    /// Greatest response time, in seconds; null without answers.
    pub max_s: Option<f64>,
    /// Requests given up.
    pub lost: u64,
}
