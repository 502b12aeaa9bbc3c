//! Listening stations and their backlog estimates.

use super::backlog_group::BacklogGroup;
use super::port::{ALONE, BacklogState, Port};
use super::slots::Slots;
use crate::backlog::{Decay, Estimate, Rules, Span};

/// All stations of a medium with nothing to send.
///
/// Stations that have received the same packets since power-up share one estimate. Stations that have sent have backlogs of
/// their own until they equal the shared one again, but the same idle timer: every valid packet restarts it for all
/// receivers.
#[derive(Clone, Debug)]
pub struct Listeners {
    /// The estimate that most stations share.
    pub shared: Estimate,
    /// Stations with a backlog of their own whose idle timers equal the shared one.
    synced_timers: BacklogGroup<u32>,
    /// Stations with an idle timer of their own.
    own_timers: Vec<(u32, Estimate)>,
}

impl Listeners {
    pub fn new(shared: Estimate) -> Self {
        Listeners { shared, synced_timers: BacklogGroup::default(), own_timers: Vec::new() }
    }

    /// Number of stations with backlogs of their own.
    pub fn own_count(&self) -> usize {
        self.synced_timers.len() + self.own_timers.len()
    }

    /// Updates all estimates over `span`, given how many stations share one; returns their integral.
    pub fn settle(&mut self, span: &Span, rules: &Rules, sharing: u64) -> u128 {
        let fall = Decay::idle(self.shared.since, self.shared.idle_elapsed, span, rules);
        self.shared.idle_elapsed = fall.idle_left;
        let mut integral = u128::from(sharing) * fall.lower(&mut self.shared.backlog);
        integral += self.synced_timers.lower(&fall);
        for (_, estimate) in &mut self.own_timers {
            integral += estimate.settle_idle(span, rules);
        }
        integral
    }

    /// Applies the delta backlog of a valid packet to stations with backlogs of their own; returns how many increases the cap
    /// limited.
    pub fn apply(&mut self, delta: u8, cap: u8) -> u64 {
        let cuts = self.synced_timers.apply(delta, cap);
        cuts + self.own_timers.iter_mut().map(|(_, estimate)| u64::from(estimate.apply(delta, cap))).sum::<u64>()
    }

    /// Sets all estimates to `backlog`.
    pub fn set_all(&mut self, backlog: u8) {
        self.shared.backlog = backlog;
        self.synced_timers.set_all(backlog);
        self.own_timers.iter_mut().for_each(|(_, estimate)| estimate.backlog = backlog);
    }

    /// An idle period begins: stations whose estimate equals the shared one share it again.
    pub fn begin_idle_period(&mut self, slots: &Slots, ports: &mut [Port]) {
        self.shared.since = slots.random_from;
        for index in (0..self.own_timers.len()).rev() {
            let (port, mut estimate) = self.own_timers[index];
            estimate.since = ports[port as usize].idle_from(slots);
            self.own_timers[index].1 = estimate;
            if self.has_synced_timer(&estimate) {
                self.own_timers.swap_remove(index);
                self.synced_timers.push(port, estimate.backlog, &mut ports[port as usize]);
            }
        }
        while let Some(place) = self.synced_timers.place_of(self.shared.backlog) {
            let (port, _) = self.synced_timers.swap_remove(place, ports);
            ports[port as usize].backlog_state = BacklogState::Shared;
        }
    }

    /// Whether an estimate decays as the shared one.
    fn has_synced_timer(&self, estimate: &Estimate) -> bool {
        estimate.since == self.shared.since && estimate.idle_elapsed == self.shared.idle_elapsed
    }

    /// A station has nothing more to send.
    pub fn join(&mut self, port: u32, estimate: Estimate, state: &mut Port) {
        state.backlog_state = if estimate == self.shared { BacklogState::Shared } else { BacklogState::Own };
        match state.backlog_state {
            BacklogState::Shared => {}
            _ if self.has_synced_timer(&estimate) => self.synced_timers.push(port, estimate.backlog, state),
            _ => self.own_timers.push((port, estimate)),
        }
    }

    /// A station has something to send; returns its estimate.
    pub fn leave(&mut self, port: u32, ports: &mut [Port]) -> Estimate {
        let Port { backlog_state, place, .. } = ports[port as usize];
        if backlog_state == BacklogState::Shared {
            return self.shared;
        }
        if place != ALONE {
            let (_, backlog) = self.synced_timers.swap_remove(place as usize, ports);
            return Estimate { backlog, ..self.shared };
        }
        let place = self.own_timers.iter().position(|(other, _)| *other == port).expect("one with nothing to send");
        self.own_timers.swap_remove(place).1
    }

    /// The backlog estimate of a station.
    pub fn backlog(&self, port: u32, state: &Port) -> u8 {
        if state.place != ALONE {
            return self.synced_timers.backlog(state.place as usize);
        }
        let own_timers = self.own_timers.iter().find(|(other, _)| *other == port);
        own_timers.map_or(self.shared.backlog, |(_, estimate)| estimate.backlog)
    }
}
