//! TCP segments: bytes to values and back.

mod error;
pub mod fuzz;
mod header;
mod options;
mod segment;

pub use error::{EmitError, ParseError};
pub use header::{Flags, Header};
pub use options::{Options, SackBlocks, Timestamps};
pub use segment::Segment;
