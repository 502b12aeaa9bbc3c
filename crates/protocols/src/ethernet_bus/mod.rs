//! Ethernet on one wire that all stations share: medium access by CSMA/CD in [`mac`] (IEEE 802.3, clause 4), and by physical layer
//! collision avoidance in [`plca`] (clause 148), as 10BASE-T1S has it.
//!
//! # Scope
//!
//! Implemented:
//! - the MAC: deferral with the gap in two parts, slot time, jam, truncated binary exponential backoff, 16 attempts, late collisions
//! - PLCA: the control and the data state diagrams of 148.4.4.6 and 148.4.5.7 with bursts, and what a node falls back to without beacons
//!
//! Not implemented, and why:
//! - frames' octets: a frame is a number of bits here, and the driver keeps what it carries
//! - the wire: propagation and overlap are the driver's, which says what a station senses
//! - hysteresis of the status diagram beyond one timer; the tolerance of timers
//!
//! Sources: IEEE 802.3, clause 4; IEEE 802.3cg-2019, 148.4.4 to 148.4.6, as INET's `EthernetPlca.cc` quotes its states and variables.

pub mod mac;
pub mod plca;

use sojourn_core::Duration;

/// Bits of preamble and start frame delimiter.
pub const PREAMBLE: u32 = 64;
/// Bits of the end delimiter that 10BASE-T1S sends after a frame.
pub const END_DELIMITER: u32 = 8;
/// Bits of the interframe gap.
pub const GAP: u32 = 96;

/// The time of this many bits at a rate of bits a second.
pub(crate) fn bit_times(bits: u32, rate: u64) -> Duration {
    Duration::from_units(bits.into(), rate)
}
