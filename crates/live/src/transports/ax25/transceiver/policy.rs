//! What a transceiver keeps to.

use sojourn_core::Duration;

use crate::transports::ax25::airtime::Air;

/// What a transceiver keeps to.
#[derive(Clone, Debug)]
pub struct StationPolicy {
    /// The channel.
    pub air: Air,
    /// How much of any minute it may transmit.
    pub airtime: Duration,
    /// At least how often it says who it is while it transmits.
    pub identify: Duration,
    /// Whether the TNC may be asked for its transmit queue.
    pub asks_queue: bool,
}

/// The budget has no room for a single frame.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "an airtime of {} s a minute has no room for a frame of {information} octets, which takes up to {} s with keying, \
     beside the {} s kept back for taking leave",
    airtime.seconds(), frame.seconds(), reserve.seconds()
)]
pub struct TooLittleAirtime {
    pub(super) airtime: Duration,
    pub(super) information: u64,
    pub(super) frame: Duration,
    pub(super) reserve: Duration,
}
