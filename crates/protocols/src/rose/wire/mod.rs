//! ROSE packets as bytes and as values: the X.25 packet layer, numbered modulo 8, as it lies in I frames with PID 01.
//!
//! ```text
//! Packet        GFI with Q and D, logical channel | type | ...       Packet, Body
//! CALL REQUEST  addresses, two digits an octet | facilities          Call, NetworkAddress, Facilities
//! ```
//!
//! [`Packet::parse`] takes any bytes and gives a packet or a named [`ParseError`]; [`Packet::emit`] gives bytes or a
//! named [`EmitError`]; [`Packet::length`] is exact. Nothing here panics, whatever it is given. What is written is read
//! back as the same value; reading is more liberal: addresses of up to 15 digits, a missing diagnostic, facilities of
//! other families, one digipeater a side instead of a list, bytes in CALL ACCEPTED.

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
