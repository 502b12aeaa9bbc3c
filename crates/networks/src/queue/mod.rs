//! `queue`: stations that serve customers one after another.
//!
//! The smallest network there is. Its results are known in closed form in many cases (M/M/1, M/M/c, M/D/1,
//! tandems, closed populations), so it is where the engine and the intervals are checked; and it is the
//! template of a network:
//!
//! | file | concern |
//! |---|---|
//! | `network` | what the network models and leaves out; how a replication runs |
//! | `scenario` | the checked scenario in the network's own types |
//! | `event`, `world` | the model: what happens, and what each event does |
//! | `station` | queue and servers of one station |
//! | `metrics` | what one replication observed, as a record of metrics |
//!
//! # Scope and limitations
//! Service is first come, first served, without priorities, breakdowns or impatience; a customer that finds a
//! station of limited capacity full is lost. Customers move between stations in no time.

mod event;
mod metrics;
mod network;
mod scenario;
mod station;
mod world;

#[cfg(test)]
mod tests;

pub use network::QueueNetwork;
