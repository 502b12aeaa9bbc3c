//! KISS: the protocol by which a computer exchanges frames with a TNC over a serial line or TCP, and sets its channel
//! access parameters (Chepponis and Karn, 1987; ports: Multi Drop KISS).
//!
//! ```text
//! C0 | port and command | data | C0        C0 within: DB DC        DB within: DB DD
//! ```
//!
//! [`Message`] is one KISS frame, [`Message::emit`] writes it, [`Deframer`] finds the frames in a stream of bytes however
//! they are split or merged. Nothing here panics on any input.
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
mod error;
pub mod fuzz;
mod message;

pub use deframer::Deframer;
pub use error::{Fault, PortError};
pub use message::{Command, Message, PORT_LIMIT};

/// Frame end: delimits KISS frames.
const FEND: u8 = 0xc0;
/// Frame escape: the next byte is transposed.
const FESC: u8 = 0xdb;
/// Transposed frame end: [`FEND`] after [`FESC`].
const TFEND: u8 = 0xdc;
/// Transposed frame escape: [`FESC`] after [`FESC`].
const TFESC: u8 = 0xdd;
