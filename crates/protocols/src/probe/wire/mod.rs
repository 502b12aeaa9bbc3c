//! Bytes and packets. Nothing here panics, whatever it is given.

mod examples;
mod fault;
pub mod fuzz;
mod kind;
mod limits;
mod packet;
mod pdu;
mod reason;
mod report;
mod stream;

pub use examples::examples;
pub use fault::Fault;
pub use kind::Kind;
pub use limits::Limits;
pub use packet::{Packet, authentic, frame_length};
pub use pdu::{Held, Pdu};
pub use reason::Reason;
pub use report::Report;
pub use stream::{Congestion, Direction, Stream};

/// Octets of the header.
pub const HEADER_LENGTH: usize = 48;
/// Octets of the shortest packet.
pub const SHORTEST: u16 = 64;
/// Octets of the longest packet: what UDP over IPv4 carries.
pub const LONGEST: u16 = 65_507;
/// Octets of every packet that is no probe, reply or load.
pub const CONTROL_LENGTH: u16 = 128;
/// The version spoken here.
pub const VERSION: u8 = 1;

/// Names a session, known to the two ends of it alone.
pub type Token = [u8; 16];
/// What a client chose at random, to know the answers to its own opening.
pub type Nonce = [u8; 16];
/// What shows that its bearer receives at the address it sends from.
pub type Cookie = [u8; 16];

/// The token of packets that belong to no session yet.
pub const NO_TOKEN: Token = [0; 16];

const MAGIC: &[u8; 3] = b"SJN";
/// Where the tag stands.
const TAG: std::ops::Range<usize> = 4..20;
/// Where the length stands.
const LENGTH: std::ops::Range<usize> = 22..24;
/// How far into the packet the tag vouches for it.
const TAGGED: usize = 128;
