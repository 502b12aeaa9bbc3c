//! Packets: bytes to values and back. Parsing never panics.

mod error;
mod examples;
pub mod fuzz;
mod kind;
mod limits;
mod packet;
mod pdu;
mod phase_report;
mod reason;
mod report;
mod stream;

pub use error::ParseError;
pub use examples::examples;
pub use kind::Kind;
pub use limits::Limits;
pub use packet::{Packet, frame_length, is_authentic, number_field, tag_field, token_field};
pub use pdu::{Pdu, Residence};
pub use phase_report::{PhaseReport, WallClock};
pub use reason::Reason;
pub use report::Report;
pub use stream::{Congestion, Direction, Stream};

/// Length of the header, octets.
pub const HEADER_LENGTH: usize = 48;
/// Minimum packet length, octets.
pub const MIN_PACKET: u16 = 64;
/// Maximum packet length, octets: the maximum payload of UDP over IPv4.
pub const MAX_PACKET: u16 = 65_507;
/// Length of all packets except probes, replies and load, octets.
pub const CONTROL_LENGTH: u16 = 128;
/// Protocol version of this implementation.
pub const VERSION: u8 = 2;

/// Identifies a session; known to its two ends only.
pub type Token = [u8; 16];
/// Random number by which a client matches responses to its opening.
pub type Nonce = [u8; 16];
/// Proof that a client receives at its source address.
pub type Cookie = [u8; 16];

/// Number in what an agent sends to a client, by which the client confirms that it receives it.
pub type Proof = u64;

/// Token of packets outside a session.
pub const NO_TOKEN: Token = [0; 16];

const MAGIC: &[u8; 3] = b"SJN";
/// Position of the tag.
const TAG: std::ops::Range<usize> = 4..20;
/// Position of the length field.
const LENGTH: std::ops::Range<usize> = 22..24;
/// Position of the token.
const TOKEN: std::ops::Range<usize> = 24..40;
/// The tag covers the packet up to this octet.
const TAGGED: usize = 128;
