//! XTP 4.0 packets as bytes and as values.
//!
//! ```text
//! packet  header | body                                     Packet, Header
//! FIRST   address | traffic | data                          Address, Traffic
//! DATA    tag (with BTAG) | data
//! CNTL    control                                           Control
//! ECNTL   control | spans                                   Span
//! TCNTL   control | key | traffic
//! JCNTL   control | key | address | traffic
//! DIAG    code | value | text                               Diagnostic
//! ```
//!
//! A [`Packet`] holds only what is meaningful: lengths, format and checksum follow from the rest.
//! [`Packet::parse`] takes any bytes and gives a packet or a named [`ParseError`]; [`Packet::emit`] gives bytes or
//! a named [`EmitError`]; [`Packet::length`] is exact. Nothing here panics, whatever it is given. Bytes and values
//! are one to one but for reserved fields, which are written as zero.
//!
//! [`Sizing`] says how long packets are in a simulation, also for a stack that was no XTP 4.0.

mod control;
mod diagnostic;
mod error;
mod examples;
pub mod fuzz;
mod header;
mod packet;
mod segment;
mod sizing;

pub use control::{Control, Span};
pub use diagnostic::{Code, Diagnostic, Value};
pub use error::{EmitError, ParseError};
pub use examples::examples;
pub use header::{HEADER_LENGTH, Header, Key, Options};
pub use packet::{Body, Packet};
pub use segment::{Address, Hosts, Service, Specification, Traffic};
pub use sizing::Sizing;
