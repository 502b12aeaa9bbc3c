//! State of a station on a medium: its packet, the place of its backlog estimate, and the draw of its slots.

use std::hint::cold_path;

use sojourn_core::{Duration, Stream, Time, rekey_fields};

use super::slots::{Draw, Slots};
use super::transmission::Head;
use crate::channel::Channel;

/// Collisions after which a packet may not use its station's priority slot.
const PRIORITY_COLLISION_LIMIT: u8 = 1;

/// Settings of a port.
#[derive(Clone, Debug)]
pub struct PortSettings {
    /// The caller's identifier of the port.
    pub owner: u32,
    /// Its priority slot, from 1; 0 for none.
    pub priority_slot: u8,
    /// Whether its transceiver detects collisions.
    pub collision_detection: bool,
    /// Random stream of its slots.
    pub stream: Stream,
    /// Delay of its slots.
    pub skew: Duration,
}

/// Where a station's backlog estimate is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BacklogState {
    /// Shared with the other listeners.
    Shared,
    /// Its own, with nothing to send.
    Own,
    /// Its own, while it contends.
    Contending,
}

/// Access state of a station. Its backlog estimate is kept with those that decay equally.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub struct Port {
    pub stream: Stream,
    pub skew: Duration,
    pub owner: u32,
    pub head: Head,
    /// Collisions of the head packet.
    pub collisions: u8,
    pub priority_slot: u8,
    pub collision_detection: bool,
    pub backlog_state: BacklogState,
    /// Whether it sent in the last busy period.
    pub sent_last: bool,
    /// Its place in the group whose estimates decay equally; [`ALONE`] if its own decays differently.
    pub place: u32,
    /// While it contends, its rank in the order in which transmissions of one busy period are reported.
    pub rank: u32,
}

/// The place of a station outside any group.
pub const ALONE: u32 = u32::MAX;

impl Port {
    /// A station that has only listened so far.
    pub fn new(settings: PortSettings) -> Self {
        let PortSettings { owner, priority_slot, collision_detection, stream, skew } = settings;
        Port {
            stream,
            skew,
            owner,
            head: Head::default(),
            collisions: 0,
            priority_slot,
            collision_detection,
            backlog_state: BacklogState::Shared,
            sent_last: false,
            place: ALONE,
            rank: 0,
        }
    }

    /// Draws when to transmit, if the channel stays idle.
    pub fn draw(&mut self, now: Time, backlog: u8, channel: &Channel, slots: &Slots) -> Draw {
        if self.head.priority {
            cold_path();
            if let Some(fire) = self.priority_fire(now, channel, slots) {
                return Draw::at(fire);
            }
        }
        let since = now.max(slots.random_from(self.sent_last, self.skew));
        let slot = self.stream.below(u32::from(backlog) * channel.base_window);
        Draw { fire: channel.slot(since, slot), since, slot }
    }

    /// Whether it draws among the random slots of most stations when an idle period begins.
    pub fn draws_with_others(&self) -> bool {
        !self.head.priority && self.skew == Duration::ZERO
    }

    /// Since when the idle timer runs in the current idle period.
    #[inline(always)]
    pub fn idle_from(&self, slots: &Slots) -> Time {
        slots.random_from(self.sent_last, self.skew)
    }

    /// When a priority packet may be sent in the station's priority slot, if it may.
    fn priority_fire(&self, now: Time, channel: &Channel, slots: &Slots) -> Option<Time> {
        let from = slots.priority_from + self.skew;
        // priority slots are counted from the end of a packet, so there are none before the first one
        let entitled = self.priority_slot >= 1
            && u32::from(self.priority_slot) <= channel.priority_slots
            && !self.sent_last
            && self.collisions <= PRIORITY_COLLISION_LIMIT
            && (slots.after_valid || !channel.priority_needs_crc)
            && slots.priority_from > Time::ZERO;
        let slot = from + channel.beta2.times(u64::from(self.priority_slot.max(1)) - 1);
        let in_time = if channel.late_priority_upgrade { now <= slot } else { now < from };
        (entitled && in_time).then_some(slot)
    }
}

rekey_fields!(Port { stream });
