//! State of one station on a channel.

use sojourn_core::{Time, rekey_fields};
use sojourn_protocols::ax25::hdlc::air_time::UNITS_PER_BIT;

use super::correction::{Coded, Damage};
use super::draws::{BitErrors, Persistence};
use super::settings::MemberSettings;

/// Phase of channel access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing to send.
    Idle,
    /// Contending for the channel.
    Waiting,
    /// Granted the channel, must load its burst.
    Granted,
    /// Transmitting.
    Keyed,
}

/// A frame of a burst and when it ends.
#[derive(Clone, Copy, Debug)]
pub struct BurstFrame {
    pub tag: u32,
    pub octets: u32,
    /// Air time in units of `air_time`.
    pub units: u64,
    /// Its error correction, if it has one.
    pub coded: Option<Coded>,
    pub end: Time,
    /// Whether the carrier went off before the end of the frame.
    pub cut: bool,
}

/// A member's state.
#[derive(Clone, Debug)]
pub struct Member {
    pub settings: MemberSettings,
    /// Its carrier-sense group; none if full duplex.
    pub group: Option<u32>,
    pub phase: Phase,
    /// Whether it has requested the channel again.
    pub requested: bool,
    /// When it may contend after its last transmission.
    pub contends_from: Time,
    /// Frames of the burst; the allocation is reused.
    pub frames: Vec<BurstFrame>,
    persistence: Persistence,
    errors: BitErrors,
}

impl Member {
    pub fn new(settings: MemberSettings, group: Option<u32>, bit_error_rate: f64) -> Self {
        Member {
            group,
            phase: Phase::Idle,
            requested: false,
            contends_from: Time::ZERO,
            frames: Vec::new(),
            persistence: Persistence::new(settings.persistence),
            errors: BitErrors::new(bit_error_rate, settings.noise.clone()),
            settings,
        }
    }

    /// The bit error rate from now on.
    pub fn set_bit_error_rate(&mut self, rate: f64) {
        self.errors.set_rate(rate);
    }

    /// Draws how many slots it skips, each with probability 1 - p.
    pub fn draw_slots(&mut self) -> u64 {
        self.persistence.draw(&mut self.settings.access)
    }

    /// Whether a frame of `units` of air time has a bit error.
    pub fn has_bit_error(&mut self, units: u64) -> bool {
        self.errors.hit(units)
    }

    /// Damages a frame with error correction of `units` of air time. Whether bit errors destroy it.
    pub fn damage(&mut self, damage: &mut Damage, units: u64) -> bool {
        self.errors.each(units, |at| damage.bit(at as u64 / UNITS_PER_BIT))
    }
}

rekey_fields!(Member { settings, errors });
