//! What several networks share.
//!
//! | part | concern |
//! |---|---|
//! | `arrivals.rs` | the `arrivals` table of a flow as an arrival process |
//! | `latency_budget.rs` | the time of one message, split into components that add up to it |
//! | `slab.rs` | what is in flight, by number |

pub mod arrivals;
pub mod latency_budget;
pub mod slab;
