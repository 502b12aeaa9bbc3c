//! A link to a neighbour switch: its restart and its channels.

use std::collections::BTreeMap;

use sojourn_core::Time;

use super::channel::Channel;
use super::end::End;
use super::output::InterfaceRole;

/// Whether a link takes calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    /// The AX.25 link is down.
    Down,
    /// r2: a restart waits for its confirmation.
    Restarting,
    /// r1: calls are taken.
    Ready,
}

/// A link.
#[derive(Debug)]
pub(super) struct Trunk<D> {
    pub readiness: Readiness,
    pub role: InterfaceRole,
    /// The channels that are not free.
    pub channels: BTreeMap<u16, Channel<D, End>>,
    /// T20.
    pub deadline: Time,
    /// How often the restart has been sent.
    pub tries: u8,
}

impl<D> Trunk<D> {
    pub const fn new() -> Self {
        Trunk {
            readiness: Readiness::Down,
            role: InterfaceRole::Dce,
            channels: BTreeMap::new(),
            deadline: Time::NEVER,
            tries: 0,
        }
    }

    /// The channel that the switch's next call takes.
    pub fn free_channel(&self, limit: u16) -> Option<u16> {
        let free = |number: &u16| !self.channels.contains_key(number);
        match self.role {
            InterfaceRole::Dce => (1..=limit).find(free),
            InterfaceRole::Dte => (1..=limit).rev().find(free),
        }
    }
}
