//! What every other crate stands on: integer [`time`], named [`random`] streams and the contract of a
//! protocol [`machine`]. It knows nothing of networks, files or clocks.

pub mod machine;
mod prefetch;
pub mod random;
pub mod time;

pub use machine::Machine;
pub use prefetch::prefetch;
pub use random::{Stream, Streams};
pub use time::{Duration, Time};
