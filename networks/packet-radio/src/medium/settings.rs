//! Settings of a channel and of the stations on it.

use sojourn_core::{Duration, Stream, rekey_fields};

use super::Framing;
use super::dcd_hold::DcdHold;
use super::draws::FrameErrors;

/// Settings that all members of a channel share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChannelSettings {
    /// Bit rate in bit/s, more than zero.
    pub bit_rate: u64,
    /// Bit error rate, 0 to below 1; errors are independent, also between listeners.
    pub bit_error_rate: f64,
    /// Whether a receiver keeps the first carrier that it hears (FM capture), so that later ones do not collide with it.
    pub capture: bool,
    /// How frames are sent.
    pub framing: Framing,
}

impl ChannelSettings {
    /// A channel without bit errors, capture and error correction.
    pub const fn new(bit_rate: u64) -> Self {
        ChannelSettings { bit_rate, bit_error_rate: 0.0, capture: false, framing: Framing::Hdlc }
    }
}

/// When the frames of a burst are taken from the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loading {
    /// At key-up.
    #[default]
    AtKeyUp,
    /// After TXDELAY: frames queued meanwhile are included.
    AfterTxdelay,
}

/// What a station does first when it may contend.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FirstSlot {
    /// It decides at once (KISS).
    #[default]
    AtOnce,
    /// It waits for a slot time (Dire Wolf, Linux hdlcdrv, Kantronics).
    AfterSlottime,
}

/// Channel access parameters of a station. The name of TNCs stands in brackets, then that of AX.25 v2.2; defaults are those
/// of KISS (Chepponis and Karn, 1987).
#[derive(Clone, Debug)]
pub struct MemberSettings {
    /// From the key-up to the first frame (TXDELAY, T103). Default 500 ms.
    pub txdelay: Duration,
    /// From the last frame to key-off (TXTAIL). Default 0.
    pub txtail: Duration,
    /// Idle time after a carrier, its own included, before the first slot (DWAIT). Default 0.
    pub dwait: Duration,
    /// Slot time, more than zero (SLOTTIME, T102). Default 100 ms.
    pub slottime: Duration,
    /// Probability of transmitting in a slot, above 0 and up to 1 ((PERSIST + 1) / 256). Default 64 / 256.
    pub persistence: f64,
    /// When it decides first: once the channel is idle, or a slot time later. Default at once.
    pub first_slot: FirstSlot,
    /// From key-up of another station until this one detects the carrier; a decision by then does not see it. Default 0.
    pub dcd_delay: Duration,
    /// How long it detects a carrier that has gone off. Default not at all.
    pub dcd_hold: DcdHold,
    /// From the end of its own transmission until it can receive and detect carriers. Default 0.
    pub receiver_recovery: Duration,
    /// Whether it transmits without carrier sense, and receives while it transmits (FULLDUP). Default no.
    pub full_duplex: bool,
    /// Longest transmission that its watchdog timer allows, more than TXDELAY; the rest is cut off. Default none.
    pub transmission_limit: Option<Duration>,
    /// When the frames of a burst are taken from the queue.
    pub loading: Loading,
    /// Which of its frames leave it with a wrong FCS. Default none.
    pub frame_errors: Option<FrameErrors>,
    /// Whether carrier changes are signalled to it ([`ChannelEvent::Carrier`](super::ChannelEvent::Carrier)). Default no.
    pub watches: bool,
    /// Random stream of its slots.
    pub access: Stream,
    /// Random stream of its bit errors.
    pub noise: Stream,
}

impl MemberSettings {
    /// The defaults, with the random streams of slots and bit errors.
    pub fn new(access: Stream, noise: Stream) -> Self {
        MemberSettings {
            txdelay: Duration::from_millis(500),
            txtail: Duration::ZERO,
            dwait: Duration::ZERO,
            slottime: Duration::from_millis(100),
            persistence: 0.25,
            first_slot: FirstSlot::AtOnce,
            dcd_delay: Duration::ZERO,
            dcd_hold: DcdHold::NONE,
            receiver_recovery: Duration::ZERO,
            full_duplex: false,
            transmission_limit: None,
            loading: Loading::AtKeyUp,
            frame_errors: None,
            watches: false,
            access,
            noise,
        }
    }

    /// Panics when a setting is out of its range.
    pub(super) fn assert_usable(&self) {
        assert!(self.slottime > Duration::ZERO, "a slot takes time");
        assert!(self.persistence > 0.0 && self.persistence <= 1.0, "persistence is above 0 and up to 1");
        assert!(
            self.frame_errors.as_ref().is_none_or(|errors| (0.0..=1.0).contains(&errors.rate)),
            "a frame error rate is 0 to 1"
        );
        let limit = self.transmission_limit.unwrap_or(Duration::MAX);
        assert!(limit > self.txdelay, "the transmission limit exceeds TXDELAY");
    }
}

rekey_fields!(MemberSettings { access, noise, frame_errors });
