//! MS/TP frames as octets.
//!
//! ```text
//! 55 FF | type | destination | source | length, high octet first | header CRC | data | data CRC, low octet first
//! ```
//!
//! [`Frame`] is one frame, [`Frame::emit`] writes it, [`Frame::parse`] reads one that is complete, as captures store it
//! (LINKTYPE_BACNET_MS_TP, 165), and [`Receiver`] finds frames in the octets of a line.

mod cobs;
mod crc;
mod error;
mod examples;
mod frame;
pub mod fuzz;
mod kind;
mod length;
mod receiver;

pub use crc::{crc32k, data_crc, header_crc};
pub use error::{EmitError, Fault};
pub use examples::examples;
pub use frame::{Frame, Header, PREAMBLE, SHORTEST, longest_on_the_wire};
pub use kind::FrameType;
pub use length::{LONGEST_DATA, LONGEST_EXTENDED_DATA, SHORTEST_EXTENDED_DATA};
pub use receiver::{FRAME_ABORT, Received, Receiver};
