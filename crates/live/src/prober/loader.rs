//! Load generation during a measurement, as the prober sees it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use sojourn_core::Time;
use sojourn_metrics::load::Load;
use sojourn_metrics::record::Record;

use super::time_series;
use crate::io::clock::Clock;

/// Loads the path to a peer. Streams run on threads of their own, which sleep until they start, so that nothing runs on the
/// pacing thread.
pub trait Loader {
    /// Sets up all streams; `delivered` counts octets that have arrived. An error states why the load cannot start.
    fn begin(&mut self, loaded: LoadWindow, clock: Clock, delivered: Arc<AtomicU64>) -> Result<(), String>;

    /// Ends all streams; returns what they carried.
    fn end(&mut self) -> LoadResult;
}

/// The time during which the network is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadWindow {
    /// Start of the load.
    pub start: Time,
    /// End of the load.
    pub end: Time,
}

/// The result of a load.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadResult {
    /// Each stream's name and goodput in bits per second.
    pub streams: Vec<(String, f64)>,
    /// The bit rates at which streams are paced, by name; one that is not takes what it gets.
    pub paces: Vec<(String, f64)>,
    /// Loss ratio of datagrams, where the load has any.
    pub loss: Option<f64>,
    /// Octets of user data delivered, sampled over time.
    pub course: Vec<(Time, u64)>,
    /// What a reader of its figures should know.
    pub warnings: Vec<String>,
    /// What failed; then the phase was not loaded as planned.
    pub failure: Option<String>,
}

impl LoadResult {
    /// Records its metrics, and its time series from `began` on.
    pub fn record(&self, began: Time, record: &mut Record) {
        time_series::of_load(record, &self.course, began);
        record.scalar("throughput", self.streams.iter().map(|(_, bit_rate)| bit_rate).sum());
        for (name, bit_rate) in &self.streams {
            record.scalar(format!("throughput/{name}"), *bit_rate);
        }
        for (name, pace) in &self.paces {
            let carried = self.streams.iter().find(|(stream, _)| stream == name).map_or(0.0, |(_, bit_rate)| *bit_rate);
            record.load(name, Load::seen_from_afar("bit/s", *pace, carried));
        }
        if let Some(loss) = self.loss {
            record.scalar("loss/load", loss);
        }
    }
}

/// A load generator that generates no load.
#[derive(Debug)]
pub struct NoLoad;

impl Loader for NoLoad {
    fn begin(&mut self, _loaded: LoadWindow, _clock: Clock, _delivered: Arc<AtomicU64>) -> Result<(), String> {
        Ok(())
    }

    fn end(&mut self) -> LoadResult {
        LoadResult::default()
    }
}
