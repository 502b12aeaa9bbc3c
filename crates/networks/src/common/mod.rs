//! What several networks share.
//!
//! | part | concern |
//! |---|---|
//! | `arrivals.rs` | the `arrivals` table of a flow as an arrival process |
//! | `branches.rs` | scenarios that differ in their events alone, whose beginning is simulated once |
//! | `cpu.rs` | a serial CPU and its job queue |
//! | `effect.rs` | what the events of a scenario do to stations, media and flows |
//! | `flow_tally.rs` | messages offered, delivered, lost and in flight, with and without the warm-up |
//! | `latency_budget.rs` | the time of one message, split into components that add up to it |
//! | `laws.rs` | a table whose kind is a distribution of durations as a law |
//! | `not_copied.rs` | what copies of a world do not have: a capture |
//! | `slab.rs` | what is in flight, by number |
//! | `timed.rs` | the events of a scenario, what they do to response times |
//! | `voice.rs` | what voice sounds like to its listeners |

pub mod arrivals;
pub mod branches;
#[cfg(test)]
pub mod copies;
pub mod cpu;
pub mod effect;
pub mod flow_tally;
pub mod latency_budget;
pub mod laws;
pub mod not_copied;
pub mod slab;
pub mod timed;
pub mod voice;
