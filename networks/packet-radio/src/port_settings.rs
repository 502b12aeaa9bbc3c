//! Settings of a port: its location, medium and channel access parameters.

use sojourn_core::Duration;

use super::medium::{FirstSlot, Loading};

/// A port of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortPlace {
    /// Index of the station.
    pub station: u32,
    /// Index of its port.
    pub port: u32,
}

/// A port of a station.
#[derive(Clone, Copy, Debug)]
pub struct PortSettings {
    /// Index of its medium.
    pub medium: u32,
    /// Its member number there.
    pub member: u32,
    /// Channel access parameters.
    pub access: Access,
}

/// Channel access parameters of a port; see the keys of `[[medium]]`.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Key-up to first frame (TXDELAY).
    pub txdelay: Duration,
    /// Last frame to key-off (TXTAIL).
    pub txtail: Duration,
    /// Idle time before the first slot (DWAIT).
    pub dwait: Duration,
    /// Probability of transmitting in a slot, (PERSIST + 1) / 256.
    pub persistence: f64,
    /// Slot time (SLOTTIME).
    pub slottime: Duration,
    /// When it decides first.
    pub first_slot: FirstSlot,
    /// Delay of carrier detection (DCD).
    pub dcd_delay: Duration,
    /// How long it detects a carrier that has gone off.
    pub dcd_hold: Hold,
    /// From its own key-off until it can receive.
    pub receiver_recovery: Duration,
    /// Whether it transmits without carrier sense and receives meanwhile (FULLDUP).
    pub full_duplex: bool,
    /// Longest transmission its watchdog timer allows.
    pub transmission_limit: Option<Duration>,
    /// When the frames of a burst are taken from the queue.
    pub loading: Loading,
    /// Share of its frames that it sends with a wrong FCS.
    pub frame_error_rate: f64,
}

/// How long a carrier that has gone off is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// So long.
    Constant(Duration),
    /// Until this many random bits in a row are 1.
    Ones(u32),
}
