//! ATM, the Asynchronous Transfer Mode: cells, the adaptation layer 5 that cuts packets into them, and the resource
//! management cells and rules of the available bit rate service ([`abr`]).
//!
//! ```text
//! GFC 4 | VPI 8 | VCI 16 | PT 3 | CLP 1 | HEC 8 | payload 384          bits of a cell, in order of transmission
//! packet 0..65535 | pad 0..47 | UU 1 | CPI 1 | length 2 | CRC 4        octets of an AAL5 frame, a multiple of 48
//! ```
//!
//! A [`Cell`] and the values in it hold only what is meaningful. Reading takes any bytes and gives a value or a named
//! error; nothing here panics, whatever it is given.
//!
//! # Scope
//!
//! Met: cell headers of both interfaces (UNI, NNI) with their HEC; AAL5 with padding, length and CRC-32, and its
//! reassembly; resource management cells with CRC-10 and 16-bit rates; LLC encapsulation of RFC 2684 (by
//! [`Snap`](crate::fddi::Snap)); records of captures (LINKTYPE_SUNATM, LINKTYPE_ERF).
//!
//! Not met, and why: the correction of single bits by the HEC (a link of today's quality never needs it: a damaged
//! header is an error); OAM cells are cells whose payload is bytes; AAL 1 to 4 carry no packets of LANs.
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
//!     assert_eq!(header.to_bytes(Interface::User).unwrap()[3] & 2 != 0, last);
//!     match reassembler.take(payload.try_into().unwrap(), last) {
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
mod resource_management;

pub use cell::{Cell, PAYLOAD};
pub use error::{Aal5Error, CellError, EmitError, ResourceManagementError};
pub use header::{CellHeader, Interface, PayloadType, hec};
pub use rate::CodedRate;
pub use reassembly::{Reassembler, Reassembly};
pub use resource_management::{Direction, ResourceManagement};
