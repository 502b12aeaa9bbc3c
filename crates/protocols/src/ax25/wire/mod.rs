//! AX.25 frames as bytes and as values: every frame of AX.25 v2.0 and v2.2, modulo 8 and modulo 128.
//!
//! ```text
//! Frame       addresses | control | PID | information        Frame, Body
//! addresses   destination | source | 0 to 8 digipeaters      Addressing, Address, Digipeaters
//! ```
//!
//! A frame is what lies between the flags, less the FCS; both belong to [`hdlc`](crate::ax25::hdlc). The control
//! field of I and S frames has one octet or two; only the stations that set the link up know which, so
//! [`Frame::parse`] takes the modulus.
//!
//! [`Frame::parse`] returns a frame or a named [`ParseError`] for any octets; [`Frame::emit`] writes octets or returns
//! a named [`EmitError`]; [`Frame::length`] is exact. Nothing here panics on any input. Octets and values are one to
//! one, except the information of XID, FRMR and SREJ frames, which is parsed more liberally than written.

mod address;
mod addressing;
mod body;
mod digipeaters;
mod error;
mod examples;
mod frame;
mod frame_reject;
pub mod fuzz;
mod monitor;
mod pid;
mod sequence;
mod xid;

pub use address::{Address, AddressError};
pub use addressing::{Addressing, ReservedBits, Role};
pub use body::{Body, Supervisory};
pub use digipeaters::{DIGIPEATER_LIMIT, Digipeaters, TooManyDigipeaters};
pub use error::{EmitError, ParseError};
pub use examples::examples;
pub use frame::{Frame, SHORTEST};
pub use frame_reject::{FrameReject, Reasons};
pub use pid::Pid;
pub use sequence::{Modulo, SequenceSet};
pub use xid::{Classes, Functions, Xid, XidError};
