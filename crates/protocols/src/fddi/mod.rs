//! Fiber Distributed Data Interface (FDDI; ANSI X3.139, ISO 9314-2): tokens and frames, and the conventions in which
//! papers count their lengths.
//!
//! ```text
//! PA 8 | SD 1 | FC 1 | DA 6 | SA 6 | INFO 0..4478 | FCS 4 | ED, FS 2      bytes, in order of transmission
//!             |<------------- MAC length --------------->|               Frame
//! |<---------------------------- wire length ------------------------->|
//! ```
//!
//! [`Pdu::parse`] and [`Frame::parse`] take arbitrary bytes from FC to FCS and return a value or a named [`ParseError`];
//! they never panic. [`Frame::emit`] writes bytes or returns a named [`EmitError`]; [`Frame::length`] is exact.
//!
//! # Bits
//!
//! FDDI sends the most significant bit of an octet first. The FCS is taken over the bits as they are sent, so it is
//! the IEEE 802 polynomial without reflection, its highest coefficient first. An [`Address`] is kept in canonical form,
//! in which the bit sent first is the least significant one of its octet; in the bytes of a frame and of a capture
//! (LINKTYPE_FDDI) every address octet is therefore reversed, and no other octet is.
//!
//! # Scope
//!
//! Implemented: every class of frame control; 48-bit addresses; LLC type 1 with SNAP (RFC 1188, RFC 1390); the bid
//! (T_Bid) of claim frames; captures.
//!
//! Not implemented: 16-bit addresses, which no LAN station used, are rejected with an error; the symbols of PA, SD, ED
//! and FS have a length but no value; the contents of SMT frames are opaque; the timed-token access of the MAC reacts
//! within symbols and belongs to the network that simulates the ring.
//!
//! Sources: ANSI X3.139-1987 after RFC 1285, RFC 1390 and Wireshark's dissector; S. Kalkunte, Digital Technical
//! Journal 3(3), 1991; A. Weaver, J. McNabb, R. Fenton, R. Simoncic, UVA TR-92-05.
//!
//! # A frame
//!
//! ```
//! use sojourn_protocols::fddi::{Address, Frame, FrameControl, Pdu, Snap, ether_type};
//!
//! let packet = Snap::new(ether_type::IP, &b"packet"[..]);
//! let frame = Frame {
//!     control: FrameControl::SynchronousLlc(0),
//!     destination: Address::local(2),
//!     source: Address::local(1),
//!     information: packet,
//! };
//! let bytes = frame.to_bytes()?;
//! let Ok(Pdu::Frame(read)) = Pdu::parse(&bytes) else { panic!("an emitted frame can be parsed") };
//! assert_eq!(read.control, frame.control);
//! assert_eq!(Snap::parse(read.information), Ok(packet));
//! # Ok::<(), sojourn_protocols::fddi::EmitError>(())
//! ```

mod address;
mod bid;
mod capture;
mod control;
mod error;
mod examples;
mod frame;
pub mod fuzz;
mod length;
mod snap;

pub use address::Address;
pub use bid::Bid;
pub use capture::capture_record;
pub use control::FrameControl;
pub use error::{EmitError, LlcError, ParseError};
pub use examples::examples;
pub use frame::{Frame, Pdu, Token, fcs};
pub use length::{
    BYTE_TIME, MAX_FRAME, MAX_INFO, MIN_FRAME, TOKEN_LENGTH, TOKEN_TIME, dec_length, mac_length, wire_length, wire_time,
};
pub use snap::{Snap, ether_type};
