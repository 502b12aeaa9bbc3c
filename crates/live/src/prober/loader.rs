//! What loads the network while requests are under way, as the core sees it.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use sojourn_core::Time;
use sojourn_metrics::record::Record;

use super::time_series;
use crate::io::clock::Clock;

/// Who can load the way to a peer. Streams run on threads of their own, which sleep until it is their turn, so that
/// nothing happens on the thread that paces.
pub trait Loader {
    /// Sets up all streams; `delivered` counts octets that have arrived. What comes back if it cannot: why not.
    fn begin(&mut self, loaded: LoadWindow, clock: Clock, delivered: Arc<AtomicU64>) -> Result<(), String>;

    /// Ends all streams, and tells what they carried.
    fn end(&mut self) -> LoadResult;
}

/// When the network is loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadWindow {
    /// From here.
    pub start: Time,
    /// Up to here.
    pub end: Time,
}

/// What streams carried.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadResult {
    /// Each stream's name and the bits of user data per second that arrived.
    pub streams: Vec<(String, f64)>,
    /// Share of datagrams that did not arrive, where the load has such.
    pub loss: Option<f64>,
    /// Octets of user data delivered so far, at some instants under load.
    pub course: Vec<(Time, u64)>,
    /// What did not work: then the phase was not loaded as it was to be.
    pub failure: Option<String>,
}

impl LoadResult {
    /// Its metrics, and its course in a measurement that began then.
    pub fn record(&self, began: Time, record: &mut Record) {
        time_series::of_load(record, &self.course, began);
        record.scalar("throughput", self.streams.iter().map(|(_, bit_rate)| bit_rate).sum());
        for (name, bit_rate) in &self.streams {
            record.scalar(format!("throughput/{name}"), *bit_rate);
        }
        if let Some(loss) = self.loss {
            record.scalar("loss/load", loss);
        }
    }
}

/// Nobody loads it.
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
