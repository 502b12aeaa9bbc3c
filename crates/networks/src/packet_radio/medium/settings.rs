//! What a channel and the stations on it are set to.

use sojourn_core::{Duration, Stream};

/// What all members of a channel share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChannelSettings {
    /// Bit/s, more than zero.
    pub bit_rate: u64,
    /// Chance that a bit comes in wrong, each on its own, 0 to below 1. Every listener has its own errors.
    pub bit_error_rate: f64,
    /// Whether a receiver keeps to the first carrier it hears, as FM receivers may, and later ones spoil nothing.
    pub capture: bool,
}

impl ChannelSettings {
    /// A channel without bit errors and without capture.
    pub const fn new(bit_rate: u64) -> Self {
        ChannelSettings { bit_rate, bit_error_rate: 0.0, capture: false }
    }
}

/// When a station makes the frames of a burst.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loading {
    /// When it keys its transmitter.
    #[default]
    AtKeyUp,
    /// When the transmitter has come up: what has come in meanwhile still goes.
    AfterTransmitDelay,
}

/// How a station uses a channel. A TNC's own name for each stands in brackets, then that of AX.25 v2.2; defaults are
/// those of KISS (Chepponis and Karn, 1987).
#[derive(Clone, Debug)]
pub struct MemberSettings {
    /// From the key-up to the first frame (TXDELAY, T103). Default 500 ms.
    pub transmit_delay: Duration,
    /// From the last frame to the end of the carrier (TXTAIL). Default 0.
    pub transmit_tail: Duration,
    /// Silence after a carrier, an own one included, before the first slot (DWAIT). Default 0.
    pub wait: Duration,
    /// From one decision to the next, more than zero (SLOTTIME, T102). Default 100 ms.
    pub slot_time: Duration,
    /// Chance to transmit in a slot, above 0 and up to 1 (PERSIST, (P + 1) / 256). Default 64 / 256.
    pub persistence: f64,
    /// How long a carrier is on before the station detects it; who decides by then does not see it. Default 0.
    pub carrier_detect_delay: Duration,
    /// From the end of an own transmission to the instant at which the station hears, and knows who transmits. Default 0.
    pub receiver_recovery: Duration,
    /// Whether it transmits whatever it hears, and hears while it transmits. Default no.
    pub full_duplex: bool,
    /// The longest carrier its transmitter's watchdog allows, more than TXDELAY: what does not fit is cut off. Default
    /// none.
    pub transmission_limit: Option<Duration>,
    /// When it makes the frames of a burst.
    pub loading: Loading,
    /// Whether it is to be told when it detects a carrier, and when no longer. Default no.
    pub watches: bool,
    /// Draws its slots.
    pub access: Stream,
    /// Draws the bit errors it receives.
    pub noise: Stream,
}

impl MemberSettings {
    /// A station with the defaults.
    pub fn new(access: Stream, noise: Stream) -> Self {
        MemberSettings {
            transmit_delay: Duration::from_millis(500),
            transmit_tail: Duration::ZERO,
            wait: Duration::ZERO,
            slot_time: Duration::from_millis(100),
            persistence: 0.25,
            carrier_detect_delay: Duration::ZERO,
            receiver_recovery: Duration::ZERO,
            full_duplex: false,
            transmission_limit: None,
            loading: Loading::AtKeyUp,
            watches: false,
            access,
            noise,
        }
    }

    /// Panics when a setting is out of its range.
    pub(super) fn assert_usable(&self) {
        assert!(self.slot_time > Duration::ZERO, "a slot takes time");
        assert!(self.persistence > 0.0 && self.persistence <= 1.0, "persistence is above 0 and up to 1");
        let limit = self.transmission_limit.unwrap_or(Duration::MAX);
        assert!(limit > self.transmit_delay, "a transmission may last longer than its delay");
    }
}
