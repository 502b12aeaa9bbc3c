//! STAMP (RFC 8762) against any device that reflects it, and as such a device.
//!
//! The machines are those of [`sojourn_protocols::stamp`]. With a key both ends use the authenticated mode.

mod reflector;
mod sender;

pub use self::reflector::{Rule, machine};
pub use self::sender::Probing;
