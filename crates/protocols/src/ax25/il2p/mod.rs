//! IL2P: forward error correction in place of HDLC framing (Improved Layer 2 Protocol, draft 0.6, N. Carrillo, 2024).
//!
//! ```text
//! sync word F15E48 | header 13 | check 2 | { payload up to 239 | check 16 } | Hamming-coded CRC 4, optional
//! ```
//!
//! All octets are sent most significant bit first, without stuffing. For a modulo-8 frame without digipeaters, the
//! header carries the addresses and the control field, and the payload the information ([`header`]); any other frame
//! is the payload unchanged. Header and blocks are scrambled separately, then protected by Reed-Solomon codes whose
//! first root is 1; they correct one octet of the header and eight of each block.

mod blocks;
mod encoder;
pub mod fuzz;
pub mod header;
mod receiver;
mod scrambler;

pub use blocks::{BLOCK_CHECK, HEADER_CHECK, LONGEST_PAYLOAD, SYNC_BITS, SYNC_ERRORS, SYNC_WORD, Shape, TRAILER};
pub use encoder::encode;
pub use header::HEADER;
pub use receiver::{Fault, Receiver};
