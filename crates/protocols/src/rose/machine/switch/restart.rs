//! Trunks up and down, and restarts.

use sojourn_core::Time;

use super::Switch;
use crate::StreamData;
use crate::rose::machine::channel::Closing;
use crate::rose::machine::endpoint::ChannelId;
use crate::rose::machine::output::{InterfaceRole, Output, TrunkId};
use crate::rose::machine::trunk::Readiness;
use crate::rose::wire::{Body, Cause, Diagnostic};

impl<D: StreamData> Switch<D> {
    pub(super) fn trunk_up(&mut self, now: Time, name: TrunkId, role: InterfaceRole) {
        self.trunk_down(now, name);
        let Some(trunk) = self.trunk(name) else { return };
        trunk.role = role;
        self.restart(now, name);
    }

    pub(super) fn trunk_down(&mut self, now: Time, name: TrunkId) {
        let Some(trunk) = self.trunk(name) else { return };
        trunk.readiness = Readiness::Down;
        trunk.deadline = Time::NEVER;
        trunk.tries = 0;
        self.end_all(now, name);
    }

    /// Sends RESTART REQUEST.
    fn restart(&mut self, now: Time, name: TrunkId) {
        let deadline = now + self.settings.t20;
        let Some(trunk) = self.trunk(name) else { return };
        trunk.readiness = Readiness::Restarting;
        trunk.deadline = deadline;
        trunk.tries = trunk.tries.saturating_add(1);
        let (cause, diagnostic) = (Cause::DTE_ORIGINATED, Diagnostic::NONE);
        self.transmit(ChannelId { trunk: name, number: 0 }, Body::RestartRequest { cause, diagnostic });
    }

    pub(super) fn restart_timed_out(&mut self, now: Time, name: TrunkId) {
        let limit = self.settings.max_transmissions;
        let Some(trunk) = self.trunk(name) else { return };
        if trunk.tries < limit {
            return self.restart(now, name);
        }
        self.trunk_down(now, name);
        self.outputs.push_back(Output::TrunkFailed { trunk: name });
    }

    /// A packet on channel 0.
    pub(super) fn receive_restart(&mut self, now: Time, name: TrunkId, body: Body<D>) {
        let Some(readiness) = self.trunk(name).map(|trunk| trunk.readiness) else { return };
        match (readiness, body) {
            (Readiness::Restarting | Readiness::Ready, Body::RestartRequest { .. }) => {
                // confirmed even in a restart collision, so that the loss of either request is recovered
                self.transmit(ChannelId { trunk: name, number: 0 }, Body::RestartConfirmation);
                self.counters.restarts += 1;
                self.end_all(now, name);
                self.became_ready(name);
            }
            (Readiness::Restarting, Body::RestartConfirmation) => self.became_ready(name),
            _ => self.counters.protocol_errors += 1,
        }
    }

    fn became_ready(&mut self, name: TrunkId) {
        let Some(trunk) = self.trunk(name) else { return };
        trunk.deadline = Time::NEVER;
        trunk.tries = 0;
        if std::mem::replace(&mut trunk.readiness, Readiness::Ready) != Readiness::Ready {
            self.outputs.push_back(Output::TrunkReady { trunk: name });
        }
    }

    /// Clears all circuits of a trunk without sending on it.
    fn end_all(&mut self, now: Time, name: TrunkId) {
        let Some(trunk) = self.trunk(name) else { return };
        for channel in std::mem::take(&mut trunk.channels).into_values() {
            self.counters.lost += u64::from({ channel.sending }.reset());
            if let Some(other) = channel.other {
                let closing = self.with_address(Closing::new(Cause::OUT_OF_ORDER, Diagnostic::NONE));
                self.close(now, other, closing);
            }
        }
    }
}
