//! A CAN controller: which of its frames a node offers to the bus ([`TransmitQueue`]), and what it counts of errors
//! ([`ErrorCounters`]).

mod errors;
mod queue;

pub use errors::{ErrorCounters, ErrorState, RECESSIVE_BITS, RECOVERY};
pub use queue::{Discipline, Entry, Pushed, TransmitQueue};
