//! A trunk to a neighbour switch: its restart procedure (X.25 section 4.5) and its logical channels.

use std::collections::BTreeMap;

use sojourn_core::Time;

use super::channel::Channel;
use super::context::Context;
use super::endpoint::Endpoint;
use super::output::{InterfaceRole, Output};
use crate::rose::wire::{Body, Cause, Diagnostic};

/// The restart state of a trunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readiness {
    /// The AX.25 link is down.
    Down,
    /// r2: RESTART REQUEST awaits its confirmation.
    Restarting,
    /// r1: the packet layer is ready for calls.
    Ready,
}

/// The channels of a trunk by number.
pub(super) type Channels<D> = BTreeMap<u16, Channel<D, Endpoint>>;

/// The X.25 interface to a neighbouring switch.
#[derive(Clone, Debug)]
pub(super) struct Trunk<D> {
    readiness: Readiness,
    pub role: InterfaceRole,
    /// The channels that are not free.
    pub channels: Channels<D>,
    /// When T20 expires, the restart request timer (ITU-T X.25, Annex D).
    pub deadline: Time,
    /// Transmissions of RESTART REQUEST.
    tries: u8,
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

    /// Whether the packet layer is ready for calls (r1).
    pub fn is_ready(&self) -> bool {
        self.readiness == Readiness::Ready
    }

    /// The AX.25 link is down; returns the channels that were in use.
    pub fn down(&mut self) -> Channels<D> {
        self.readiness = Readiness::Down;
        self.deadline = Time::NEVER;
        self.tries = 0;
        std::mem::take(&mut self.channels)
    }

    /// Sends RESTART REQUEST.
    pub fn restart(&mut self, context: &mut Context<'_, D>) {
        self.readiness = Readiness::Restarting;
        self.deadline = context.after(context.settings.t20);
        self.tries = self.tries.saturating_add(1);
        context.transmit(Body::RestartRequest { cause: Cause::DTE_ORIGINATED, diagnostic: Diagnostic::NONE });
    }

    /// T20 has expired: repeats RESTART REQUEST; `false` if it was transmitted as often as permitted.
    pub fn repeat_restart(&mut self, context: &mut Context<'_, D>) -> bool {
        let again = self.tries < context.settings.max_transmissions;
        if again {
            self.restart(context);
        }
        again
    }

    /// Processes a packet on channel 0. If it completes the restart, returns the channels whose circuits it clears, after
    /// which the trunk is [`ready`](Trunk::ready).
    pub fn receive(&mut self, context: &mut Context<'_, D>, body: &Body<D>) -> Option<Channels<D>> {
        match (self.readiness, body) {
            (Readiness::Restarting | Readiness::Ready, Body::RestartRequest { .. }) => {
                // confirmed even in a restart collision, so that the loss of either request is recovered
                context.transmit(Body::RestartConfirmation);
                context.counters.restarts += 1;
                Some(std::mem::take(&mut self.channels))
            }
            (Readiness::Restarting, Body::RestartConfirmation) => Some(Channels::new()),
            _ => {
                context.counters.protocol_errors += 1;
                None
            }
        }
    }

    /// The restart is complete.
    pub fn ready(&mut self, context: &mut Context<'_, D>) {
        self.deadline = Time::NEVER;
        self.tries = 0;
        if std::mem::replace(&mut self.readiness, Readiness::Ready) != Readiness::Ready {
            context.outputs.push_back(Output::TrunkReady { trunk: context.trunk });
        }
    }
}
