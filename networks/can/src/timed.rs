//! Applies a scenario's events to buses, flows and stations. A replication without events has none of this.

use sojourn_core::Time;
use sojourn_metrics::timeline::LevelWindows;
use sojourn_model::branches::Branching;
use sojourn_model::effect::{Effect, MediumChange};
use sojourn_model::muted::{OFF, STOPPED};
use sojourn_model::timed::Step;

use crate::bus::State;
use crate::changes::Changes;
use crate::event::{Event, Events};
use crate::world::Simulation;

impl Branching for Simulation<'_, '_> {
    fn branch(&mut self, number: usize, events: &mut Events) {
        let (Some(timed), Some(changes)) = (&mut self.metrics.timed, &mut self.changes) else { return };
        events.retain(|event| !matches!(event, Event::Step(step) if !timed.is_of(number, *step)));
        timed.branch(number);
        changes.busy.set_edges(timed.edges());
    }
}

impl Simulation<'_, '_> {
    /// Schedules the first events of a scenario that has any; stations that are off at first lose power.
    pub(super) fn start_timeline(&mut self, events: &mut Events) {
        let Some(timed) = &mut self.metrics.timed else { return };
        let first = timed.begin();
        self.changes = Some(Box::new(Changes::new(self.site, self.sources.len(), LevelWindows::new(timed.edges()))));
        first.into_iter().for_each(|(at, step)| events.at(at, Event::Step(step)));
        let Some(timeline) = &self.site.timeline else { return };
        timeline.off.iter().for_each(|&station| self.power_down(Time::ZERO, station, events));
        timeline.silent.iter().for_each(|&flow| self.silence(flow));
    }

    /// An event of the scenario begins or ends.
    #[inline(never)]
    pub(super) fn step(&mut self, now: Time, step: Step, events: &mut Events) {
        let Some(timed) = &mut self.metrics.timed else { return };
        let (next, effects) = timed.take(now, step);
        if let Some((at, step)) = next {
            events.at(at, Event::Step(step));
        }
        for effect in effects {
            match effect {
                Effect::Power(station, true, spread) => self.power_up(now, station, spread, events),
                Effect::Power(station, false, _) => self.power_down(now, station, events),
                Effect::Restart(station, spread) => self.restart(now, station, spread, events),
                Effect::Line(medium, up) => self.set_line(now, medium as u16, up, events),
                Effect::Set(medium, [MediumChange::BitErrorRate(rate), _]) => {
                    self.buses[medium as usize].set_bit_error_rate(rate);
                }
                Effect::Set(..) => unreachable!("a bus has no other key that changes"),
                Effect::Sending(flow, true) => self.sound(now, flow, events),
                Effect::Sending(flow, false) => self.silence(flow),
                Effect::Burst(flow, size) => self.burst(now, flow, size, events),
            }
        }
    }

    /// A bus has become busy, or idle.
    #[inline]
    pub(super) fn note_busy(&mut self, now: Time) {
        if let Some(changes) = &mut self.changes {
            let busy = self.buses.iter().filter(|bus| !matches!(bus.state, State::Idle(_))).count();
            changes.busy.set(now, busy as f64 / self.site.buses().max(1) as f64);
        }
    }

    /// A line is cut, or mended; the frame on it is destroyed.
    fn set_line(&mut self, now: Time, medium: u16, up: bool, events: &mut Events) {
        self.buses[usize::from(medium)].is_up = up;
        self.destroy(now, medium, events);
    }

    fn sources_of(&self, flow: u32) -> Vec<u32> {
        (0..).zip(&self.sources).filter(|(_, source)| source.flow == flow).map(|(number, _)| number).collect()
    }

    fn silence(&mut self, flow: u32) {
        for source in self.sources_of(flow) {
            self.mute(source, STOPPED);
        }
    }

    /// A source sends nothing more, for one more reason.
    pub(super) fn mute(&mut self, number: u32, reason: u8) {
        let Some(changes) = &mut self.changes else { return };
        changes.sources.mute(number, reason);
    }

    fn sound(&mut self, now: Time, flow: u32, events: &mut Events) {
        for source in self.sources_of(flow) {
            self.unmute(now, source, STOPPED, events);
        }
    }

    /// A reason for a source to be silent is gone: without another it begins anew, at `at`.
    pub(super) fn unmute(&mut self, at: Time, number: u32, reason: u8, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        let begins = changes.sources.unmute(number, reason);
        let source = &mut self.sources[number as usize];
        // a closed loop goes on when its message is settled
        let waits = source.is_closed_loop() && source.open > 0;
        if !begins || waits {
            return;
        }
        if let Some(first) = source.restart(&self.site.flows[source.flow as usize], at, reason == OFF) {
            self.schedule_fire(first.max(at), number, events);
        }
    }

    fn burst(&mut self, now: Time, flow: u32, size: u32, events: &mut Events) {
        let data = self.site.flows[flow as usize].data;
        for source in self.sources_of(flow) {
            if !self.changes.as_ref().is_some_and(|changes| changes.sources.is_off(source)) {
                (0..size).for_each(|_| self.begin(now, source, data, events));
            }
        }
    }
}
