//! The laboratory: checks a scenario, runs it, runs many of it, searches for a limit, and keeps what was computed.
//!
//! A [`request::Request`] becomes a plan of points; each point is so many replications of a model; threads
//! share the replications, and their records are merged in order, so that no number depends on how many
//! threads there were.

pub mod cache;
pub mod execute;
pub mod fault;
pub mod files;
pub mod pcap;
pub mod progress;
pub mod request;
pub mod search;
pub mod study;
pub mod verdict;
pub mod warm_up;

#[cfg(test)]
mod testing;
