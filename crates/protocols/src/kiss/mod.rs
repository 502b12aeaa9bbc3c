//! KISS: how a computer hands frames to a TNC over a serial line or TCP, and tells it how to use the channel
//! (Chepponis and Karn, 1987; ports: Multi Drop KISS).
//!
//! ```text
//! C0 | port and command | data | C0        C0 within: DB DC        DB within: DB DD
//! ```
//!
//! [`Message`] is what one such unit says, [`Message::emit`] writes it, [`Deframer`] finds the units in a stream of
//! bytes however they are split or merged. Nothing here panics, whatever it is given.
//!
//! ```
//! use sojourn_protocols::kiss::{Command, Deframer, Message};
//!
//! let mut bytes = Vec::new();
//! Message::<&[u8]> { port: 1, command: Command::TxDelay(30) }.emit(&mut bytes).unwrap();
//! assert_eq!(bytes, [0xc0, 0x11, 30, 0xc0]);
//!
//! let mut deframer = Deframer::new(2048);
//! for byte in bytes {
//!     if let Some(found) = deframer.push(byte) {
//!         assert_eq!(found.unwrap().to_string(), "port 1: TXDELAY 300 ms");
//!     }
//! }
//! ```

mod deframer;
pub mod fuzz;
mod message;

pub use deframer::{Deframer, Fault};
pub use message::{Command, Message, PORT_LIMIT, PortError};

/// Ends and begins a unit.
const FEND: u8 = 0xc0;
/// What follows stands for a byte that must not appear.
const FESC: u8 = 0xdb;
/// After [`FESC`]: [`FEND`].
const TFEND: u8 = 0xdc;
/// After [`FESC`]: [`FESC`].
const TFESC: u8 = 0xdd;
