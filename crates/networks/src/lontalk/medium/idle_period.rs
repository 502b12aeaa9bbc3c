//! Silences: one begins after each busy period; meanwhile stations begin to contend, or stop.

use std::hint::cold_path;

use sojourn_core::Time;

use super::parameters::Conditions;
use super::port::Belief;
use super::slots::Slots;
use super::{BacklogRule, Fate, Medium};
use crate::lontalk::backlog::{Estimate, Span};

impl Medium {
    /// What all but the senders believe at the end of a busy period.
    pub(super) fn conclude_others(&mut self, span: &Span, received: Option<usize>) {
        let sharing = self.sharing();
        let Self { listeners, contenders, conditions, tally, transmissions, senders, .. } = self;
        let Conditions { rules, rule, .. } = &**conditions;
        tally.backlog += listeners.settle(span, rules, sharing) + contenders.settle(span, rules);
        tally.backlog -= u128::from(std::mem::take(&mut self.not_held));
        self.settled = span.now;
        if let Some(index) = received.filter(|_| *rule != BacklogRule::Fixed) {
            let delta = transmissions[index].head.delta;
            let cuts = sharing * u64::from(listeners.common.apply(delta, rules.cap));
            tally.backlog_overflows += cuts + listeners.apply(delta, rules.cap) + contenders.apply(delta, rules.cap);
            tally.backlog_max = tally.backlog_max.max(listeners.common.backlog);
        }
        if *rule == BacklogRule::Consistent {
            cold_path();
            let (_, Estimate { backlog, .. }) = senders[0];
            listeners.agree_on(backlog);
            contenders.agree_on(backlog);
            senders.iter_mut().for_each(|(_, estimate)| estimate.backlog = backlog);
        }
    }

    /// Begins a silence at `now`: contenders draw, and senders with them if they keep their packets.
    pub(super) fn open_silence(&mut self, now: Time, received: Option<usize>) {
        self.slots = Slots::after(now, &self.conditions.channel, received.is_some());
        self.sensed = Time::NEVER;
        let Self { ports, listeners, contenders, conditions, slots, transmissions, senders, .. } = self;
        let channel = &conditions.channel;
        listeners.open(slots, ports);
        self.next = contenders.open(now, channel, slots, ports);
        for (&(port, mut estimate), transmission) in senders.iter().zip(transmissions) {
            if transmission.fate == Fate::Detected {
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

    /// Brings all estimates to `now`, in the midst of whatever goes on.
    pub(super) fn settle_backlogs(&mut self, now: Time) {
        let (span, sharing) = (self.span(now), self.sharing());
        self.tally.backlog += self.listeners.settle(&span, &self.conditions.rules, sharing);
        self.tally.backlog += self.contenders.settle(&span, &self.conditions.rules);
        self.tally.backlog -= u128::from(std::mem::take(&mut self.not_held));
        self.settled = now;
    }

    /// A station is to contend from `now` on; returns its estimate.
    pub(super) fn leave_listeners(&mut self, now: Time, port: u32) -> Estimate {
        let span = self.span(now);
        let mut estimate = self.listeners.leave(port, &mut self.ports);
        self.tally.backlog += estimate.settle_idle(&span, &self.conditions.rules);
        self.ports[port as usize].belief = Belief::Contending;
        self.not_held += not_held(&estimate, &span);
        estimate
    }

    /// A station has nothing to send from `now` on.
    pub(super) fn join_listeners(&mut self, now: Time, port: u32) {
        let span = self.span(now);
        let mut estimate = self.contenders.take(port, &mut self.ports);
        self.contenders.withdrawn(port, &mut self.ports);
        self.tally.backlog += estimate.settle_waiting(&span, &self.conditions.rules);
        self.not_held += not_held(&estimate, &span);
        let state = &mut self.ports[port as usize];
        estimate.since = now.max(state.idle_from(&self.slots));
        self.listeners.join(port, estimate, state);
        self.find_next();
    }

    /// Lets `port` choose anew when it fires.
    pub(super) fn draw_again(&mut self, now: Time, port: u32) {
        let estimate = self.contenders.take(port, &mut self.ports);
        let state = &mut self.ports[port as usize];
        let draw = state.draw(now, estimate.backlog, &self.conditions.channel, &self.slots);
        self.contenders.put(port, estimate, draw, state);
        self.find_next();
    }

    /// Stations that share the common estimate.
    fn sharing(&self) -> u64 {
        self.stations - (self.listeners.apart() + self.contenders.len()) as u64
    }

    /// Finds who fires first in the present silence.
    fn find_next(&mut self) {
        if !self.is_busy() {
            self.next = self.contenders.first(&self.conditions.channel);
        }
    }
}

/// What an estimate that has just been settled at the end of `span` would add over it.
fn not_held(estimate: &Estimate, span: &Span) -> u64 {
    span.now.since(span.from).picoseconds() * u64::from(estimate.backlog)
}
