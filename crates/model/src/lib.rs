//! What a network is to the rest of the laboratory, and what networks share. It names no network.
//!
//! | part | concern |
//! |---|---|
//! | `network` | a kind of network: what it is, and how a scenario of it becomes a model |
//! | `model` | a scenario turned into a simulation, and one replication of it |
//! | `catalogue` | the networks that there are |
//! | `rare` | running worlds that can be copied, and what of them a rare event is about |
//! | `arrivals` | the `arrivals` table of a flow as an arrival process |
//! | `branches` | scenarios that differ in their events alone, whose beginning is simulated once |
//! | `copies` | for tests: a copy of a world goes on as the original |
//! | `cpu` | a serial CPU and its job queue |
//! | `effect` | what the events of a scenario do to stations, media and flows |
//! | `flow_tally` | messages offered, delivered, lost and in flight, with and without the warm-up |
//! | `latency_budget` | the time of one message, split into components that add up to it |
//! | `laws` | a table whose kind is a distribution of durations as a law |
//! | `not_copied` | what copies of a world do not have: a capture |
//! | `slab` | what is in flight, by number |
//! | `testing` | for tests: from the text of a scenario to what one replication observes |
//! | `timed` | the events of a scenario, what they do to response times |
//! | `voice` | what voice sounds like to its listeners |

pub mod arrivals;
pub mod branches;
mod catalogue;
#[cfg(any(test, feature = "testing"))]
pub mod copies;
pub mod cpu;
pub mod effect;
pub mod flow_tally;
pub mod latency_budget;
pub mod laws;
mod model;
mod network;
pub mod not_copied;
pub mod rare;
pub mod slab;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod timed;
pub mod voice;

pub use catalogue::Catalogue;
pub use model::{Drawn, Model, Replication, Together};
pub use network::{Information, Network, Warning};
