//! One station's place on a channel.

use sojourn_core::Time;

use super::burst::Loaded;
use super::draws::{Errors, Slots};
use super::settings::MemberSettings;

/// What a member is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Nothing to send.
    Quiet,
    /// It waits for the channel.
    Waiting,
    /// It has the channel and must load.
    Granted,
    /// Its carrier is on.
    Keyed,
}

/// A member's state.
#[derive(Debug)]
pub struct Member {
    pub settings: MemberSettings,
    /// Whom it listens with; none transmits whatever it hears.
    pub ear: Option<u32>,
    pub phase: Phase,
    /// Whether it has asked for the channel again.
    pub wants: bool,
    /// From when it may contend after its last transmission.
    pub resumes: Time,
    /// The frames of the burst, their storage kept.
    pub frames: Vec<Loaded>,
    slots: Slots,
    errors: Errors,
}

impl Member {
    pub fn new(settings: MemberSettings, ear: Option<u32>, bit_error_rate: f64) -> Self {
        Member {
            ear,
            phase: Phase::Quiet,
            wants: false,
            resumes: Time::ZERO,
            frames: Vec::new(),
            slots: Slots::new(settings.persistence),
            errors: Errors::new(bit_error_rate, settings.noise.clone()),
            settings,
        }
    }

    /// Draws how many slots it lets pass: each goes by with chance 1 - p.
    pub fn draw_slots(&mut self) -> u64 {
        self.slots.draw(&mut self.settings.access)
    }

    /// Whether bit errors spoil a frame of so many units of air time.
    pub fn spoils(&mut self, units: u64) -> bool {
        self.errors.strike(units)
    }
}
