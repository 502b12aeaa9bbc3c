//! Simple Two-way Active Measurement Protocol (STAMP, RFC 8762): test packets, and the state machines of session-sender
//! and session-reflector.
//!
//! ```text
//! open           | sequence 4 | timestamp 8 | error 2 | SSID 2 |        received 8 ... or zeros | 44 bytes
//! authenticated  the same fields, each padded to blocks of 16, and HMAC-SHA-256 cut to 16       | 112 bytes
//! behind either  | flags 1 | type 1 | length 2 | value | ...                       TLVs of RFC 8972
//! ```
//!
//! The session-sender sends a [`Probe`], the session-reflector a [`Reply`] of the same length, so that the reflector
//! cannot be used for amplification. [`Probe::parse`] and [`Reply::parse`] take arbitrary bytes and return a value with
//! the [`Extensions`] after it, or a named [`ParseError`]; they never panic. With a key, the tag is verified before any
//! field is parsed.
//!
//! A [`Sender`] creates probes and matches their replies; a [`Reflector`] answers them with a sequence number of its own
//! for each session, so that losses of the forward and the return path are distinguished.
//!
//! # Scope
//!
//! Implemented: both modes; stateful and stateless reflection; NTP and PTP timestamps with their error estimates; the
//! STAMP session identifier (SSID, RFC 8972); reflection of every TLV with its flags.
//!
//! Not implemented: no TLV is processed except padding. TLVs are copied octet by octet and marked unrecognized, including
//! the HMAC TLV, since their contents are not used. A multiplier of 0 in an error estimate means "unknown", where
//! RFC 4656 would drop the packet: devices send it, and their replies are valid measurements. PTP timestamps are in the
//! PTP time scale, ahead of UTC by the leap seconds.
//!
//! Sources: RFC 8762, RFC 8972, RFC 4656 section 4.1.2, RFC 8186 section 2.1, RFC 5357 section 4.2.1.

mod directions;
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

pub use directions::{Directions, NumberedReply, Origin};
pub use error::ParseError;
pub use error_estimate::ErrorEstimate;
pub use examples::{probes, replies};
pub use extensions::{Extension, Extensions, pad};
pub use packet::{Probe, Reply, length};
pub use reflector::{Received, Reflector, Transmit};
pub use sender::{Sender, Unexpected};
pub use timestamp::{Format, Timestamp};

/// UDP port of a session-reflector (RFC 8762, section 4.1).
pub const PORT: u16 = 862;
/// Length of a test packet in unauthenticated mode, bytes (RFC 8762, section 4.2.1).
pub const OPEN_LENGTH: usize = 44;
/// Length of a test packet in authenticated mode, bytes (RFC 8762, section 4.2.2).
pub const AUTHENTICATED_LENGTH: usize = 112;
/// TTL in a reply if the reflector does not know the probe's (RFC 5357, section 4.2.1).
pub const UNKNOWN_TTL: u8 = 255;
