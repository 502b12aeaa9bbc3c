//! Idle periods: one begins after each busy period; stations start and stop contending.

use std::hint::cold_path;

use sojourn_core::Time;

use super::Medium;
use super::parameters::Parameters;
use super::port::BacklogState;
use super::slots::Slots;
use super::transmission::{BacklogRule, TransmitResult};
use crate::backlog::{Estimate, Span};

impl Medium {
    /// Updates all estimates except the senders' at the end of a busy period.
    pub(super) fn update_others(&mut self, span: &Span, received: Option<usize>) {
        let sharing = self.sharing();
        let Self { listeners, contenders, conditions, counters, transmissions, senders, .. } = self;
        let Parameters { rules, rule, .. } = &**conditions;
        counters.backlog += listeners.settle(span, rules, sharing) + contenders.settle(span, rules);
        counters.backlog -= u128::from(std::mem::take(&mut self.not_counted));
        self.settled = span.now;
        if let Some(index) = received.filter(|_| *rule != BacklogRule::Fixed) {
            let delta = transmissions[index].head.delta;
            let cuts = sharing * u64::from(listeners.shared.apply(delta, rules.cap));
            counters.backlog_overflows += cuts + listeners.apply(delta, rules.cap) + contenders.apply(delta, rules.cap);
            counters.backlog_max = counters.backlog_max.max(listeners.shared.backlog);
        }
        if *rule == BacklogRule::Consistent {
            cold_path();
            let (_, Estimate { backlog, .. }) = senders[0];
            listeners.set_all(backlog);
            contenders.set_all(backlog);
            senders.iter_mut().for_each(|(_, estimate)| estimate.backlog = backlog);
        }
    }

    /// Begins an idle period at `now`: contenders draw slots, and so do senders that retry.
    pub(super) fn begin_idle_period(&mut self, now: Time, received: Option<usize>) {
        self.slots = Slots::after(now, &self.conditions.channel, received.is_some());
        self.sensed = Time::NEVER;
        let Self { ports, listeners, contenders, conditions, slots, transmissions, senders, .. } = self;
        let channel = &conditions.channel;
        listeners.begin_idle_period(slots, ports);
        self.next = contenders.begin_idle_period(now, channel, slots, ports);
        for (&(port, mut estimate), transmission) in senders.iter().zip(transmissions) {
            if transmission.result == TransmitResult::Collided {
                let state = &mut ports[port as usize];
                let draw = state.draw(now, estimate.backlog, channel, slots);
                contenders.put(port, estimate, draw, state);
                self.next = self.next.min(draw.fire);
            } else {
                contenders.sent(port, ports);
                let state = &mut ports[port as usize];
                estimate.since = state.idle_from(slots);
                listeners.join(port, estimate, state);
            }
        }
    }

    /// Updates all estimates to `now`, at any time.
    pub(super) fn settle_backlogs(&mut self, now: Time) {
        let (span, sharing) = (self.span(now), self.sharing());
        self.counters.backlog += self.listeners.settle(&span, &self.conditions.rules, sharing);
        self.counters.backlog += self.contenders.settle(&span, &self.conditions.rules);
        self.counters.backlog -= u128::from(std::mem::take(&mut self.not_counted));
        self.settled = now;
    }

    /// A station starts to contend at `now`; returns its estimate.
    pub(super) fn leave_listeners(&mut self, now: Time, port: u32) -> Estimate {
        let span = self.span(now);
        let mut estimate = self.listeners.leave(port, &mut self.ports);
        self.counters.backlog += estimate.settle_idle(&span, &self.conditions.rules);
        self.ports[port as usize].backlog_state = BacklogState::Contending;
        self.not_counted += not_counted(&estimate, &span);
        estimate
    }

    /// A station has nothing to send at `now`.
    pub(super) fn join_listeners(&mut self, now: Time, port: u32) {
        let span = self.span(now);
        let mut estimate = self.contenders.take(port, &mut self.ports);
        self.contenders.withdrawn(port, &mut self.ports);
        self.counters.backlog += estimate.settle_waiting(&span, &self.conditions.rules);
        self.not_counted += not_counted(&estimate, &span);
        let state = &mut self.ports[port as usize];
        estimate.since = now.max(state.idle_from(&self.slots));
        self.listeners.join(port, estimate, state);
        self.find_next();
    }

    /// The estimate of a station with nothing to send begins anew.
    pub(super) fn restart_estimate(&mut self, now: Time, port: u32) {
        let span = self.span(now);
        let mut before = self.listeners.leave(port, &mut self.ports);
        self.counters.backlog += before.settle_idle(&span, &self.conditions.rules);
        let mut estimate = Estimate::new(self.conditions.channel.backlog_start);
        self.not_counted += not_counted(&estimate, &span);
        let state = &mut self.ports[port as usize];
        estimate.since = now.max(state.idle_from(&self.slots));
        self.listeners.join(port, estimate, state);
    }

    /// `port` draws its slot again.
    pub(super) fn draw_again(&mut self, now: Time, port: u32) {
        let estimate = self.contenders.take(port, &mut self.ports);
        let state = &mut self.ports[port as usize];
        let draw = state.draw(now, estimate.backlog, &self.conditions.channel, &self.slots);
        self.contenders.put(port, estimate, draw, state);
        self.find_next();
    }

    /// Stations that share the shared estimate.
    fn sharing(&self) -> u64 {
        self.stations - (self.listeners.own_count() + self.contenders.len()) as u64
    }

    /// Finds the first transmission of the current idle period.
    fn find_next(&mut self) {
        if !self.is_busy() {
            self.next = self.contenders.first(&self.conditions.channel);
        }
    }
}

/// Integral over `span` of an estimate that was updated at its end.
fn not_counted(estimate: &Estimate, span: &Span) -> u64 {
    span.now.since(span.from).picoseconds() * u64::from(estimate.backlog)
}
