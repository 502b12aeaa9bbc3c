//! IL2P: forward error correction in place of HDLC framing (Improved Layer 2 Protocol, draft 0.6, N. Carrillo, 2024).
//!
//! ```text
//! sync word F15E48 | header 13 | check 2 | { payload up to 239 | check 16 } | Hamming-coded CRC 4, optional
//! ```
//!
//! All octets are sent with the highest bit first, without stuffing. The header carries the addresses and the control field of a
//! frame modulo 8 without digipeaters, and the payload its information ([`header`]); any other frame is the payload as it is. Header
//! and blocks are scrambled each by itself, and then protected by Reed-Solomon codes whose first root is 1: of a header one octet
//! is corrected, of each block eight.

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
