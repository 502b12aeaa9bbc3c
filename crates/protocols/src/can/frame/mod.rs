//! Frames: identifiers, data length codes, CRCs and stuff bits, down to the exact length in bits.
//!
//! ```text
//! SOF 1 | ID 11 | RTR 1 | IDE 1 | r0 1 | DLC 4 | data 8 s | CRC 15 | delimiter 1 | ACK 2 | EOF 7 | intermission 3
//! ```
//!
//! Of an extended frame SRR and IDE, both recessive, and 18 further bits of the identifier stand before RTR. Stuff bits
//! follow five equal bits from SOF to the end of the CRC; in CAN FD to the end of the data, and at fixed places after it.

mod crc;
mod dlc;
mod id;
mod length;
mod stuffing;

pub use crc::{Crc, crc15};
pub use dlc::{CLASSIC_LIMIT, FD_LENGTHS, FD_LIMIT, code_of, fd_length};
pub use id::{Id, IdError};
pub use length::{Content, INTERMISSION, Length};
pub use stuffing::Stuffing;

/// Bits from the CRC delimiter to the end of the frame: delimiter, ACK slot and delimiter, end of frame.
pub const TAIL: u16 = 10;
/// Bits from the end of the ACK slot to the end of the frame: ACK delimiter, end of frame.
pub const AFTER_ACK: u16 = 8;
/// Bits of an error delimiter.
pub const ERROR_DELIMITER: u16 = 8;
/// Bits of an error flag.
pub const ERROR_FLAG: u16 = 6;
/// Bits that an error-passive node waits after a transmission of its own.
pub const SUSPEND: u16 = 8;
/// What an error costs at most beyond the frame that it hit: detection, flags, delimiter and intermission (Tindell and Burns).
pub const ERROR_OVERHEAD: u16 = 31;
