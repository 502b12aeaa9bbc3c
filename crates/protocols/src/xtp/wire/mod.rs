//! XTP 4.0 packets: bytes to values and back.
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
//! A [`Packet`] omits lengths, format and checksum, which follow from the rest. [`Packet::parse`] takes arbitrary bytes
//! and returns a packet or a named [`ParseError`]; it never panics. [`Packet::emit`] writes bytes or returns a named
//! [`EmitError`]; [`Packet::length`] is exact. Bytes and values are one to one except for reserved fields, which are
//! emitted as zero.
//!
//! [`Sizing`] gives the length of packets in a simulation, also for stacks other than XTP 4.0.

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
