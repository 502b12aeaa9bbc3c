//! The transmit policy of a transceiver.

use sojourn_core::Duration;
use sojourn_protocols::ax25::wire::Address;

use crate::transports::ax25::airtime::Air;

/// When and how much a transceiver may transmit.
#[derive(Clone, Debug)]
pub struct StationPolicy {
    /// Bit rate and keying times of the channel.
    pub air: Air,
    /// Airtime limit in any minute.
    pub airtime: Duration,
    /// I frames in a burst, at most.
    pub window: u8,
    /// Digipeaters of its path.
    pub digipeaters: usize,
    /// The far station of the exchanges that it begins, which are paced by that station's airtime as well.
    pub partner: Option<Address>,
    /// Longest interval between identifications while transmitting.
    pub identify: Duration,
    /// Whether the TNC's transmit queue may be polled.
    pub asks_queue: bool,
}

/// The budget has no room for a single frame.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "an airtime of {} s a minute has no room for a frame of {information} octets, which takes up to {:.1} s with keying, \
     in addition to the {:.1} s reserved for disconnecting",
    airtime.seconds(), frame.seconds(), reserve.seconds()
)]
pub struct TooLittleAirtime {
    pub(super) airtime: Duration,
    pub(super) information: u64,
    pub(super) frame: Duration,
    pub(super) reserve: Duration,
}
