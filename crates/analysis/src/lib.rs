//! What a capture shows: results in the form of a simulation, tables, and the twin that comes closest to it.
//!
//! [`results`] gives the results of what was found in a capture and [`Summary`] its tables. [`twin`] simulates the
//! scenarios that the capture allows and says how close the best of them comes. There are no threads, files or clocks
//! here: the lab writes what this gives, and a page shows it. Networks come from the caller's catalogue.

mod buses;
mod calls;
mod results;
mod slowest;
mod summary;
mod trial;
mod twin;
pub mod undecidable;
mod verdict;
mod watch;

pub use results::{nothing_found, results};
pub use summary::Summary;
pub use twin::twin;
pub use verdict::{BusesSummary, CallsSummary, Refusal, TwinSummary, Verdict};
pub use watch::Watch;
