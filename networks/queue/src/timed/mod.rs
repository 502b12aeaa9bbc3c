//! Queueing stations that fail, and flows that change: a replication with an event for each departure.
//!
//! Without events a departure is known when its customer arrives, and costs none (see `station`); an outage moves it. With
//! events that change nothing both give the same response times.
//!
//! | file | concern |
//! |---|---|
//! | `plan` | what the scenario's events do to stations and flows |
//! | `station` | servers that can be interrupted, and their queue |
//! | `world` | customers, sources and stations as they run |

mod plan;
mod station;
#[cfg(test)]
mod tests;
mod world;

pub use plan::{Effect, plan};
pub(super) use world::replicate;
