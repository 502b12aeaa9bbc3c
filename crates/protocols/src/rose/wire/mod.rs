//! ROSE packets as octets and as values: the X.25 packet layer, modulo 8, in I frames with PID 01.
//!
//! ```text
//! Packet        GFI with Q and D, logical channel | type | ...       Packet, Body
//! CALL REQUEST  addresses, two digits an octet | facilities          Call, NetworkAddress, Facilities
//! ```
//!
//! [`Packet::parse`] returns a packet or a named [`ParseError`] for any octets; [`Packet::emit`] writes octets or returns a
//! named [`EmitError`]; [`Packet::length`] is exact. Nothing here panics on any input. An encoded packet parses to the
//! same value; parsing is more liberal: addresses of up to 15 digits, a missing diagnostic, facilities of other families,
//! one digipeater a side instead of a list, octets in CALL ACCEPTED.

mod address;
mod body;
mod call;
mod cause;
mod error;
mod examples;
mod facilities;
pub mod fuzz;
mod packet;

pub use address::{DIGIT_LIMIT, DNIC_DIGITS, NetworkAddress, NetworkAddressError};
pub use body::Body;
pub use call::Call;
pub use cause::{Cause, Diagnostic};
pub use error::{EmitError, ParseError};
pub use examples::examples;
pub use facilities::{Facilities, Subscriber};
pub use packet::{CHANNEL_LIMIT, HEADER, Packet};
