//! The bits below AX.25 frames (ISO 3309): flags, bit stuffing, the FCS, and line codes.
//!
//! ```text
//! frame -> Encoder -> bits -> Nrzi -> (Scrambler at 9600 bit/s) -> levels or tones
//! levels -> (Descrambler) -> Nrzi -> bits -> Deframer -> frames and faults
//! ```
//!
//! [`fx25`] wraps frames in forward error correction. [`air_time`] computes how long frames take to transmit without encoding them. Nothing here panics on any input.

pub mod air_time;
mod deframer;
mod encoder;
mod fcs;
pub mod fuzz;
pub mod fx25;
mod line;

pub use deframer::{Deframer, Fault};
pub use encoder::Encoder;
pub use fcs::{GOOD_RESIDUE, appended, checked, fcs, residue};
pub use line::{Descrambler, Nrzi, Scrambler};
