//! The slots of an idle period: beta 1, priority slots, random slots (ISO/IEC 14908-1, 5).

use sojourn_core::{Duration, Time};

use crate::channel::Channel;

/// No slot.
pub const NO_SLOT: u32 = u32::MAX;

/// The slots of an idle period, from the end of the busy period before it.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// End of beta 1: start of the first priority slot.
    pub priority_from: Time,
    /// Start of the random slots.
    pub random_from: Time,
    /// Their start for the senders of the last busy period, which wait longer on channels with priority slots (fairness).
    senders_from: Time,
    /// Whether the last packet was valid.
    pub after_valid: bool,
}

impl Slots {
    /// Before the first packet: random slots since the start of the run.
    pub const START: Slots =
        Slots { priority_from: Time::ZERO, random_from: Time::ZERO, senders_from: Time::ZERO, after_valid: true };

    /// The slots after a busy period that ended at `now`.
    pub fn after(now: Time, channel: &Channel, after_valid: bool) -> Self {
        let priority_from = now + channel.beta1;
        let random_from = priority_from + channel.beta2.times(u64::from(channel.priority_slots));
        let pause = if channel.priority_slots > 0 { channel.post_transmission_pause } else { 0 };
        let senders_from = random_from + channel.beta2.times(u64::from(pause));
        Slots { priority_from, random_from, senders_from, after_valid }
    }

    /// Start of the random slots of a station, from whether it sent last and its skew.
    #[inline(always)]
    pub fn random_from(&self, sent_last: bool, skew: Duration) -> Time {
        let from = if sent_last { self.senders_from } else { self.random_from };
        from + skew
    }
}

/// When a contender transmits, and since when it waits in the random slots.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    /// When it transmits.
    pub fire: Time,
    /// Since when its estimate decays; never unless it waits in the random slots.
    pub since: Time,
    /// The slot since then in which it transmits.
    pub slot: u32,
}

impl Draw {
    /// A station that found the channel busy.
    pub const HELD: Draw = Draw::at(Time::NEVER);

    /// A station that transmits at a given instant.
    pub const fn at(fire: Time) -> Self {
        Draw { fire, since: Time::NEVER, slot: 0 }
    }
}
