//! The bits below AX.25 frames (ISO 3309): flags, stuffed zeros, the FCS, and the codes a radio carries them in.
//!
//! ```text
//! frame -> Encoder -> bits -> Nrzi -> (Scrambler at 9600 bit/s) -> levels or tones
//! levels -> (Descrambler) -> Nrzi -> bits -> Deframer -> frames and faults
//! ```
//!
//! [`air_time`] tells how long frames are on the air without making their bits. Nothing here panics, whatever bits
//! come in.

pub mod air_time;
mod deframer;
mod encoder;
mod fcs;
pub mod fuzz;
mod line;

pub use deframer::{Deframer, Fault};
pub use encoder::Encoder;
pub use fcs::{GOOD_RESIDUE, appended, checked, fcs, residue};
pub use line::{Descrambler, Nrzi, Scrambler};
