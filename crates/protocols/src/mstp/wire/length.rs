//! How much data a frame carries.

/// The most data of a frame that is not encoded.
pub const LONGEST_DATA: usize = 501;
/// The least data of an encoded frame of BACnet; shorter NPDUs are sent unencoded.
pub const SHORTEST_EXTENDED_DATA: usize = 502;
/// The most data of an encoded frame.
pub const LONGEST_EXTENDED_DATA: usize = 1497;
