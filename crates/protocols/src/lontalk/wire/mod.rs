//! LonTalk packets as bytes and as values: every PDU of layers 2 to 7 of ISO/IEC 14908-1.
//!
//! ```text
//! LPDU  link header | NPDU | CRC                 Packet, Link
//! NPDU  header | addresses | domain | PDU        Destination, Domain
//! PDU   TPDU, SPDU, AuthPDU or APDU              Tpdu, Spdu, AuthPdu, Apdu
//! ```
//!
//! A [`Packet`] holds only what is meaningful. [`Packet::parse`] returns a packet or a named [`ParseError`] for any bytes;
//! [`Packet::emit`] writes bytes or returns a named [`EmitError`]; [`Packet::length`] is exact. Nothing here panics on any
//! input. Bytes and values are one to one, except member lists, whose trailing zero bytes are not kept.

mod address;
mod application;
mod challenge;
mod error;
mod examples;
pub mod fuzz;
mod members;
mod packet;
mod transport;

pub use address::{Destination, Domain, SubnetNode, UniqueId};
pub use application::{
    APDU_LIMIT, Apdu, ApduKind, Diagnostic, Direction, EXPLICIT_LIMIT, Management, NETWORK_VARIABLE_LIMIT,
    OFF_LINE_RESPONSE, ServicePin,
};
pub use challenge::{AuthKind, AuthPdu, OriginalFormat};
pub use error::{EmitError, ParseError};
pub use examples::examples;
pub use members::Members;
pub use packet::{Body, LONGEST, Link, Packet, SHORTEST, crc};
pub use transport::{Numbering, Spdu, Tpdu};
