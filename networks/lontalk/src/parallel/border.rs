//! What a group of media exchanges with the others: packets that pass a router, and what routers hear.

use std::sync::Arc;

use sojourn_core::Time;

use super::operation::{Operation, Owner};
use super::partition::{CORE, Partition};
use crate::event::Event;
use crate::in_flight::InFlight;
use crate::latency_budget::LatencyBudget;
use crate::message::{Frame, Message};
use crate::slab::Slab;

/// A packet that passes to another group.
#[derive(Clone, Copy, Debug)]
pub struct Packet {
    /// When it arrives at a router's CPU, or is queued at a router's port.
    pub at: Time,
    /// The router's port by which it is received or sent.
    pub port: u32,
    /// Whether it is to be sent by the port.
    pub is_queued: bool,
    /// The packet; its message and its delay budget are those below.
    pub frame: Frame,
    /// Its message, if it has one.
    pub message: Option<(Message, Owner)>,
    /// Its delay budget, if it belongs to a probe.
    pub budget: Option<LatencyBudget>,
}

/// What one group announces to another.
#[derive(Clone, Debug, Default)]
pub struct Mailbox {
    /// Events of stations there.
    pub events: Vec<(Time, Event)>,
    /// Packets.
    pub packets: Vec<Packet>,
}

/// A busy period of which other stations may still begin to transmit in.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    /// When it began.
    pub at: Time,
    /// Its end, unless others transmit; it ends no earlier.
    pub ends: Time,
    /// Its medium.
    pub medium: u16,
}

/// The state that only a group of media has.
#[derive(Clone, Debug)]
pub struct Border {
    /// The groups.
    pub partition: Arc<Partition>,
    /// The number of this one.
    pub group: u8,
    /// Busy periods whose transmissions are not certain yet.
    pub begun: Vec<Begun>,
    /// By station, packets that a router has accepted and not yet forwarded.
    pub routing: Vec<u16>,
    /// Those of them that another group knows already.
    pub announced: Vec<u32>,
    /// When those are forwarded that another group is to know, but may find no buffer.
    pub uncertain: Vec<Time>,
    /// By group, what has not been announced to it yet.
    pub outgoing: Vec<Mailbox>,
    /// Packets from other groups that are not due yet.
    pub arriving: Slab<Packet>,
    /// By number of a shared message, whose it is.
    pub owners: Vec<Owner>,
    /// By group, what has happened to its messages since the last exchange.
    pub operations: Vec<Vec<Operation>>,
    /// Nothing that happens before will be announced to the other groups any more.
    pub promised: Time,
    /// Nothing that happens before will be announced by the other groups any more, as far as was seen.
    pub limit: Time,
    /// By group, how often it had put something into a mailbox when that of this one was emptied last.
    pub emptied: Vec<u64>,
    /// Whether something from another group happened in the same picosecond as something here, so that their order is unknown.
    pub tied: bool,
}

impl InFlight {
    /// A busy period begins on a medium.
    #[inline]
    pub(crate) fn began(&mut self, at: Time, ends: Time, medium: usize) {
        if let Some(border) = &mut self.border {
            border.began(Begun { at, ends, medium: medium as u16 });
        }
    }
}

impl Border {
    /// The state of a group before the run.
    pub fn new(partition: Arc<Partition>, group: u8, stations: usize) -> Self {
        let groups = partition.groups();
        Border {
            group,
            begun: Vec::new(),
            routing: if group == CORE { vec![0; stations] } else { Vec::new() },
            announced: Vec::new(),
            uncertain: Vec::new(),
            outgoing: vec![Mailbox::default(); groups],
            arriving: Slab::new(),
            owners: Vec::new(),
            operations: vec![Vec::new(); groups],
            promised: Time::ZERO,
            limit: Time::ZERO,
            emptied: vec![0; groups],
            tied: false,
            partition,
        }
    }

    /// Whether a medium belongs to another group.
    pub fn is_foreign(&self, medium: u16) -> bool {
        self.partition.of_medium[usize::from(medium)] != self.group
    }

    fn began(&mut self, begun: Begun) {
        if self.group != CORE && self.partition.routers[usize::from(begun.medium)].is_some() {
            self.begun.push(begun);
        }
    }

    /// Announces an event to the group where it happens.
    pub fn announce(&mut self, group: u8, at: Time, event: Event) {
        assert!(at >= self.promised, "announced at {at} what was due by {}", self.promised);
        self.outgoing[usize::from(group)].events.push((at, event));
    }

    /// Sends a packet to the group of its port's medium.
    pub fn send(&mut self, group: u8, packet: Packet) {
        assert!(packet.at >= self.promised, "sent at {} what was due by {}", packet.at, self.promised);
        self.outgoing[usize::from(group)].packets.push(packet);
    }

    /// Whether this group owns a shared message.
    pub fn owns(&self, message: u32) -> bool {
        self.owners[message as usize].group == self.group
    }

    /// The instant before which nothing will be announced any more, if all before `through` has been handled.
    pub fn promise(&self, through: Time) -> Time {
        let lookahead = self.partition.lookahead[usize::from(self.group)];
        let from = Time::from_picoseconds(through.picoseconds().saturating_add(lookahead.picoseconds()));
        let from = self.begun.iter().map(|begun| begun.ends).fold(from, Time::min);
        self.uncertain.iter().copied().fold(from, Time::min)
    }
}
