//! A station's place on a medium: its packet, its estimate of the backlog, its choice of a slot.

use std::hint::cold_path;

use sojourn_core::{Duration, Stream, Time};

use super::Head;
use super::contenders::Draw;
use super::slots::Slots;
use crate::lontalk::channel::Channel;

/// A station as the medium is told of it.
#[derive(Clone, Debug)]
pub struct PortSettings {
    /// What its owner knows it by.
    pub owner: u32,
    /// Its priority slot, from 1; 0 for none.
    pub priority_slot: u8,
    /// Whether its transceiver detects collisions.
    pub collision_detection: bool,
    /// Draws its slots.
    pub stream: Stream,
    /// How late its slots lie.
    pub skew: Duration,
}

/// What a station believes of the backlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Belief {
    /// What all listeners believe.
    Common,
    /// Something of its own, with nothing to send.
    Own,
    /// Something of its own, while it has a packet to send.
    Contending,
}

/// The access state of a station. What it believes of the backlog lies with those it decays with.
#[derive(Debug)]
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
    pub belief: Belief,
    /// Sent in the last busy period.
    pub sent_last: bool,
    /// Its place among those whose estimates decay alike; [`ALONE`] where its own decays otherwise.
    pub place: u32,
    /// While it contends, its place in the order in which transmissions of one busy period are told.
    pub turn: u32,
}

/// The place of a station whose estimate decays like nobody else's.
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
            belief: Belief::Common,
            sent_last: false,
            place: ALONE,
            turn: 0,
        }
    }

    /// Chooses when to fire, if the channel stays silent.
    pub fn draw(&mut self, now: Time, backlog: u8, channel: &Channel, slots: &Slots) -> Draw {
        if self.head.priority {
            cold_path();
            if let Some(fire) = slots.priority_fire(now, channel, self) {
                return Draw::at(fire);
            }
        }
        let since = now.max(slots.random_from(self.sent_last, self.skew));
        let slot = self.stream.below(u32::from(backlog) * channel.base_window);
        Draw { fire: channel.slot(since, slot), since, slot }
    }

    /// Whether it draws among the random slots of most stations when a silence begins.
    pub fn draws_with_others(&self) -> bool {
        !self.head.priority && self.skew == Duration::ZERO
    }

    /// From when the idle timer runs in the present silence.
    #[inline(always)]
    pub fn idle_from(&self, slots: &Slots) -> Time {
        slots.random_from(self.sent_last, self.skew)
    }
}
