//! A trunk to a neighbour switch: its restart state and its logical channels.

use std::collections::BTreeMap;

use sojourn_core::Time;

use super::channel::Channel;
use super::endpoint::Endpoint;
use super::output::InterfaceRole;

/// The restart state of a trunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Readiness {
    /// The AX.25 link is down.
    Down,
    /// r2: RESTART REQUEST awaits its confirmation.
    Restarting,
    /// r1: the packet layer is ready for calls.
    Ready,
}

/// A trunk.
#[derive(Debug)]
pub(super) struct Trunk<D> {
    pub readiness: Readiness,
    pub role: InterfaceRole,
    /// The channels that are not free.
    pub channels: BTreeMap<u16, Channel<D, Endpoint>>,
    /// T20.
    pub deadline: Time,
    /// Transmissions of RESTART REQUEST.
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

    /// The logical channel for the switch's next call.
    pub fn free_channel(&self, limit: u16) -> Option<u16> {
        let free = |number: &u16| !self.channels.contains_key(number);
        match self.role {
            InterfaceRole::Dce => (1..=limit).find(free),
            InterfaceRole::Dte => (1..=limit).rev().find(free),
        }
    }
}
