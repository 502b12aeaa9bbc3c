//! The available bit rate (ABR) service: the source's allowed cell rate (ACR) follows the feedback that resource
//! management (RM) cells collect from the switches and the destination of a connection.
//!
//! | file | concern |
//! |---|---|
//! | `parameters.rs` | parameters negotiated at connection setup, and the rules in which the drafts differ |
//! | `rm_cell.rs` | fields of an RM cell, rates in cells/s |
//! | `source.rs` | source behavior: which cell is sent when, and how ACR adapts |
//! | `destination.rs` | destination behavior: RM cells are turned around |
//! | `eprca.rs` | intelligent marking: a switch that marks by a mean of the ACRs (EPRCA) |
//! | `erica.rs` | a switch that computes an explicit fair share (ERICA, ERICA+) |
//!
//! A switch that only sets explicit forward congestion indication (EFCI) marks data cells and needs none of this.
//!
//! Rates are in cells/s, times are the caller's. Nothing here is encoded: a caller makes an
//! [`RmPayload`](super::RmPayload) from an [`RmCell`] where bytes are needed.
//!
//! Sources: ATM Forum, Traffic Management 4.0 (TM 4.0), section 5.10; the drafts of 1995, after the ATM Forum's glossary;
//! S. Kalyanaraman, Traffic Management for the Available Bit Rate Service in ATM Networks, Ohio State University, 1997.

mod destination;
mod eprca;
mod erica;
mod parameters;
mod rm_cell;
mod source;

pub use destination::Destination;
pub use eprca::{IntelligentMarking, MarkingSettings};
pub use erica::{Erica, EricaSettings};
pub use parameters::{Decrease, IdleRule, Parameters};
pub use rm_cell::RmCell;
pub use source::{NextCell, Source};
