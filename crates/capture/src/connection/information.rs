//! The properties of an information packet that its connection needs.

use sojourn_core::Time;

/// A packet with information, as a connection sees it.
#[derive(Clone, Copy, Debug)]
pub struct Information {
    /// Its sequence number.
    pub number: u8,
    /// Its stamp.
    pub time: Time,
    /// Hops that it may or must still take: a copy that was forwarded has fewer.
    pub hops_left: u8,
    /// Its length in bytes from layer 3 on.
    pub l3_bytes: u32,
    /// Its user data in bytes.
    pub l4_bytes: u32,
}
