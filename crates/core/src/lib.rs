//! The foundation of all other crates: integer [`time`], named [`random`] streams, characters of [`serial`] lines, [rates over time](rate_trace) and
//! the contract of a protocol [`machine`]. It depends on no network, file or clock.

mod clone;
pub mod machine;
pub mod random;
pub mod rate_trace;
pub mod serial;
pub mod time;

pub use machine::Machine;
pub use random::{CopyKey, Rekey, Stream, Streams};
pub use rate_trace::RateTrace;
pub use time::{Duration, Time};
