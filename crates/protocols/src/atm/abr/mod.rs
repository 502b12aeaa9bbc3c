//! The available bit rate service (ABR): a source's rate follows what resource management cells bring back from the
//! switches and the destination of its connection.
//!
//! | file | concern |
//! |---|---|
//! | `parameters.rs` | what is agreed when a connection is set up, and the choices of the drafts |
//! | `rate_cell.rs` | what a resource management cell says, in cells a second |
//! | `source.rs` | source behaviour: which cell may leave when, and how the rate follows |
//! | `destination.rs` | destination behaviour: turning resource management cells around |
//! | `marking.rs` | a switch that marks by an average of the rates it sees (EPRCA) |
//! | `explicit.rs` | a switch that works out a fair share (ERICA) |
//!
//! A switch that only sets EFCI needs none of this: it sets a bit of data cells.
//!
//! Rates are cells a second, times are the caller's. Nothing here is a cell: a caller makes
//! [`ResourceManagement`](super::ResourceManagement) from a [`RateCell`] where bytes are wanted.
//!
//! Sources: ATM Forum Traffic Management 4.0, section 5.10; the drafts of 1995 as told by the ATM Forum's glossary;
//! S. Kalyanaraman, Traffic Management for the Available Bit Rate Service in ATM Networks, Ohio State University, 1997.

mod destination;
mod explicit;
mod marking;
mod parameters;
mod rate_cell;
mod source;

pub use destination::Destination;
pub use explicit::{Erica, EricaSettings};
pub use marking::{IntelligentMarking, MarkingSettings};
pub use parameters::{Decrease, IdleRule, Parameters};
pub use rate_cell::RateCell;
pub use source::{Choice, Source};
