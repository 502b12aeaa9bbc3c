//! STAMP, the Simple Two-way Active Measurement Protocol (RFC 8762): test packets as bytes and as values, and the two
//! machines that exchange them.
//!
//! ```text
//! open           | sequence 4 | timestamp 8 | error 2 | SSID 2 |        received 8 ... or zeros | 44 bytes
//! authenticated  the same fields, each padded to blocks of 16, and HMAC-SHA-256 cut to 16       | 112 bytes
//! behind either  | flags 1 | type 1 | length 2 | value | ...                       TLVs of RFC 8972
//! ```
//!
//! A [`Probe`] goes from the session-sender to the session-reflector, a [`Reply`] back; both are as long, so whoever
//! forges a sender's address gains nothing. [`Probe::parse`] and [`Reply::parse`] take any bytes and give a value with
//! the [`Extensions`] behind it, or a named [`ParseError`]. With a key, the tag is compared before any field is read.
//! Nothing here panics, whatever it is given.
//!
//! A [`Sender`] makes probes and knows their replies; a [`Reflector`] answers them, numbering its own replies for each
//! session, so that losses there and back are told apart.
//!
//! # Scope
//!
//! Met: both modes; stateful and stateless reflection; stamps of NTP and of PTP with their error estimates; the session
//! identifier of RFC 8972; reflection of every TLV with its flags.
//!
//! Not met, and why: no TLV is acted upon but padding. They are copied octet by octet and marked unrecognised, also the
//! one that holds an HMAC of the others, since nothing here believes what they say. A multiplier of 0 in an error
//! estimate means "unknown" where RFC 4656 would drop the packet: devices send it, and their replies measure all the
//! same. The stamps of PTP are in its own time scale, ahead of UTC by the leap seconds.
//!
//! Sources: RFC 8762, RFC 8972, RFC 4656 section 4.1.2, RFC 8186 section 2.1, RFC 5357 section 4.2.1.

mod error;
mod error_estimate;
mod examples;
mod extensions;
pub mod fuzz;
mod packet;
mod reflector;
mod sender;
mod sessions;
mod timestamp;

pub use error::ParseError;
pub use error_estimate::ErrorEstimate;
pub use examples::{probes, replies};
pub use extensions::{Extension, Extensions, pad};
pub use packet::{Probe, Reply, length};
pub use reflector::{Received, Reflector, Transmit};
pub use sender::{Losses, Sender, Unexpected};
pub use timestamp::{Format, Timestamp};

/// The port of a reflector, RFC 8762 section 4.1.
pub const PORT: u16 = 862;
/// The bytes of a test packet without authentication.
pub const OPEN_LENGTH: usize = 44;
/// The bytes of a test packet with authentication.
pub const AUTHENTICATED_LENGTH: usize = 112;
/// The hop limit of a probe of which the reflector could not see it, RFC 5357 section 4.2.1.
pub const UNKNOWN_TTL: u8 = 255;
