//! Stations with nothing to send, and what they believe of the backlog.

use super::backlog_group::Cohort;
use super::port::{ALONE, Belief, Port};
use super::slots::Slots;
use crate::lontalk::backlog::{Estimate, Fall, Rules, Span};

/// All stations of a medium with nothing to send.
///
/// Those that have heard the same since they came on share one estimate. Those that have sent hold backlogs of
/// their own until they agree with the others again, but the same idle timer: every valid packet restarts it for
/// all that hear it.
#[derive(Debug)]
pub struct Listeners {
    /// The estimate of most.
    pub common: Estimate,
    /// Stations with a backlog of their own whose idle timers run with the common one.
    in_step: Cohort<u32>,
    /// Stations whose idle timers run otherwise.
    out_of_step: Vec<(u32, Estimate)>,
}

impl Listeners {
    pub fn new(common: Estimate) -> Self {
        Listeners { common, in_step: Cohort::default(), out_of_step: Vec::new() }
    }

    /// How many hold backlogs of their own.
    pub fn apart(&self) -> usize {
        self.in_step.len() + self.out_of_step.len()
    }

    /// Brings all estimates across `span`, given how many stations share the common one; returns their integral.
    pub fn settle(&mut self, span: &Span, rules: &Rules, sharing: u64) -> u128 {
        let fall = Fall::idle(self.common.since, self.common.idle_elapsed, span, rules);
        self.common.idle_elapsed = fall.idle_left;
        let mut integral = u128::from(sharing) * fall.lower(&mut self.common.backlog);
        integral += self.in_step.lower(&fall);
        for (_, estimate) in &mut self.out_of_step {
            integral += estimate.settle_idle(span, rules);
        }
        integral
    }

    /// Applies the delta backlog of a valid packet to those apart; returns how many rises the cap cut.
    pub fn apply(&mut self, delta: u8, cap: u8) -> u64 {
        let cuts = self.in_step.apply(delta, cap);
        cuts + self.out_of_step.iter_mut().map(|(_, estimate)| u64::from(estimate.apply(delta, cap))).sum::<u64>()
    }

    /// All believe `backlog`.
    pub fn agree_on(&mut self, backlog: u8) {
        self.common.backlog = backlog;
        self.in_step.agree_on(backlog);
        self.out_of_step.iter_mut().for_each(|(_, estimate)| estimate.backlog = backlog);
    }

    /// A silence begins: those that agree with the others again share the common estimate.
    pub fn open(&mut self, slots: &Slots, ports: &mut [Port]) {
        self.common.since = slots.random_from;
        for index in (0..self.out_of_step.len()).rev() {
            let (port, mut estimate) = self.out_of_step[index];
            estimate.since = ports[port as usize].idle_from(slots);
            self.out_of_step[index].1 = estimate;
            if self.is_in_step(&estimate) {
                self.out_of_step.swap_remove(index);
                self.in_step.push(port, estimate.backlog, &mut ports[port as usize]);
            }
        }
        while let Some(place) = self.in_step.holder_of(self.common.backlog) {
            let (port, _) = self.in_step.swap_remove(place, ports);
            ports[port as usize].belief = Belief::Common;
        }
    }

    /// Whether an estimate decays as the common one.
    fn is_in_step(&self, estimate: &Estimate) -> bool {
        estimate.since == self.common.since && estimate.idle_elapsed == self.common.idle_elapsed
    }

    /// A station joins that has nothing to send any more.
    pub fn join(&mut self, port: u32, estimate: Estimate, state: &mut Port) {
        state.belief = if estimate == self.common { Belief::Common } else { Belief::Own };
        match state.belief {
            Belief::Common => {}
            _ if self.is_in_step(&estimate) => self.in_step.push(port, estimate.backlog, state),
            _ => self.out_of_step.push((port, estimate)),
        }
    }

    /// A station leaves, since it has something to send; returns its estimate.
    pub fn leave(&mut self, port: u32, ports: &mut [Port]) -> Estimate {
        let Port { belief, place, .. } = ports[port as usize];
        if belief == Belief::Common {
            return self.common;
        }
        if place != ALONE {
            let (_, backlog) = self.in_step.swap_remove(place as usize, ports);
            return Estimate { backlog, ..self.common };
        }
        let place = self.out_of_step.iter().position(|(other, _)| *other == port).expect("one with nothing to send");
        self.out_of_step.swap_remove(place).1
    }

    /// The backlog of a station.
    pub fn backlog(&self, port: u32, state: &Port) -> u8 {
        if state.place != ALONE {
            return self.in_step.backlog(state.place as usize);
        }
        let out_of_step = self.out_of_step.iter().find(|(other, _)| *other == port);
        out_of_step.map_or(self.common.backlog, |(_, estimate)| estimate.backlog)
    }
}
