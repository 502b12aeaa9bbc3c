//! Jobs on the engine: the same bytes on any number of threads, resumed after kills, and held against live stations.

mod analyse;
#[cfg(feature = "live")]
mod ax25_simulated_and_live;
mod cluster;
mod common;
mod conformance;
mod conformance_events;
mod deciding;
mod fuzz_corpus;
mod golden;
mod jobs;
mod rare;
mod resume;
