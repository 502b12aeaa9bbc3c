//! Asynchronous Transfer Mode (ATM): cells, ATM adaptation layer 5 (AAL5), which segments packets into cells, and the
//! resource management (RM) cells and rules of the available bit rate service ([`abr`]).
//!
//! ```text
//! GFC 4 | VPI 8 | VCI 16 | PT 3 | CLP 1 | HEC 8 | payload 384          bits of a cell, in order of transmission
//! packet 0..65535 | pad 0..47 | UU 1 | CPI 1 | length 2 | CRC 4        octets of an AAL5 frame, a multiple of 48
//! ```
//!
//! Parsing takes arbitrary bytes and returns a value or a named error; it never panics.
//!
//! # Scope
//!
//! Implemented: cell headers of both interfaces (UNI, NNI) with their HEC; AAL5 with padding, length and CRC-32, and its
//! reassembly; RM cells with CRC-10 and 16-bit rates; LLC encapsulation of RFC 2684 (by
//! [`Snap`](crate::fddi::Snap)); records of captures (LINKTYPE_SUNATM, LINKTYPE_ERF).
//!
//! Not implemented: single-bit correction by the HEC (modern links do not need it: a header with bit errors is an
//! error); OAM cells beyond an opaque payload; AAL 1 to 4, which carry no LAN packets.
//!
//! Sources: ITU-T I.361, I.363.5, I.371, I.432.1; ATM Forum UNI 3.1 and Traffic Management 4.0; RFC 2225, RFC 2684;
//! Wireshark's dissectors.
//!
//! # A packet in cells
//!
//! ```
//! use sojourn_protocols::atm::{CellHeader, Interface, PayloadType, Reassembler, Reassembly, aal5};
//!
//! let pdu = aal5::to_bytes(b"a packet of 36 octets, more or less.").unwrap();
//! let mut reassembler = Reassembler::new(9188);
//! for (index, payload) in pdu.chunks_exact(48).enumerate() {
//!     let last = (index + 1) * 48 == pdu.len();
//!     let header = CellHeader::new(0, 100, PayloadType::user(last));
//!     assert_eq!(header.to_bytes(Interface::Uni).unwrap()[3] & 2 != 0, last);
//!     match reassembler.push(payload.try_into().unwrap(), last) {
//!         Reassembly::Packet(packet) => assert_eq!(packet, b"a packet of 36 octets, more or less."),
//!         other => assert_eq!(other, Reassembly::Incomplete),
//!     }
//! }
//! ```

pub mod aal5;
pub mod abr;
pub mod capture;
mod cell;
mod error;
pub mod fuzz;
mod header;
mod rate;
mod reassembly;
mod rm_payload;

pub use cell::{Cell, PAYLOAD_LENGTH};
pub use error::{Aal5Error, CellError, EmitError, RmError};
pub use header::{CellHeader, Interface, PayloadType, hec};
pub use rate::CodedRate;
pub use reassembly::{Reassembler, Reassembly};
pub use rm_payload::{Direction, RmPayload};
