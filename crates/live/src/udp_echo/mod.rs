//! The echo of UDP (RFC 862), against any host that has it, and as one.

mod reflector;
mod requests;

pub use self::reflector::{Echo, Rule};
pub use self::requests::Requests;
