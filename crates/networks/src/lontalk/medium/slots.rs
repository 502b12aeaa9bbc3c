//! The slots of a silence: Beta1, priority slots, random slots.

use sojourn_core::{Duration, Time};

use super::port::Port;
use crate::lontalk::channel::Channel;

/// No slot that anyone draws.
pub const NO_SLOT: u32 = u32::MAX;
/// Collisions after which a packet may no longer use its station's priority slot.
const PRIORITY_COLLISION_LIMIT: u8 = 1;

/// The slots of a silence, counted from the end of the busy period before it.
#[derive(Clone, Copy, Debug)]
pub struct Slots {
    /// End of Beta1: where the first priority slot begins.
    priority_from: Time,
    /// Where the random slots begin.
    pub random_from: Time,
    /// Where they begin for those that sent in the last busy period: with priority slots on the channel they sit
    /// out some more (fairness).
    senders_from: Time,
    /// Whether the last packet was valid.
    after_valid: bool,
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

    /// Where the random slots of a station begin, given whether it sent last and how late its slots lie.
    #[inline(always)]
    pub fn random_from(&self, sent_last: bool, skew: Duration) -> Time {
        let from = if sent_last { self.senders_from } else { self.random_from };
        from + skew
    }

    /// When a priority packet may be sent in its station's slot, if it may.
    pub fn priority_fire(&self, now: Time, channel: &Channel, port: &Port) -> Option<Time> {
        let from = self.priority_from + port.skew;
        let entitled = port.priority_slot >= 1
            && u32::from(port.priority_slot) <= channel.priority_slots
            && !port.sent_last
            && port.collisions <= PRIORITY_COLLISION_LIMIT
            && (self.after_valid || !channel.priority_needs_crc)
            && self.priority_from > Time::ZERO;
        let slot = from + channel.beta2.times(u64::from(port.priority_slot.max(1)) - 1);
        let in_time = if channel.late_priority_upgrade { now <= slot } else { now < from };
        (entitled && in_time).then_some(slot)
    }
}
