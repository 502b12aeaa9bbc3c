//! Applies a scenario's events to media, flows and stations. A replication without events has none of this.

use sojourn_core::Time;
use sojourn_metrics::timeline::LevelWindows;
use sojourn_model::branches::Branching;
use sojourn_model::effect::{Effect, MediumChange};
use sojourn_model::muted::STOPPED;
use sojourn_model::timed::Step;

use super::changes::Changes;
use super::event::{Event, Events};
use super::world::Simulation;

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
        self.changes = Some(Box::new(Changes::new(self.site, LevelWindows::new(timed.edges()))));
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
                Effect::Line(medium, up) => self.set_up(now, medium as usize, up),
                Effect::Set(medium, [change, _]) => self.set(medium as usize, change),
                Effect::Sending(flow, true) => self.sound(now, flow, events),
                Effect::Sending(flow, false) => self.silence(flow),
                Effect::Burst(flow, size) => self.burst(now, flow, size, events),
            }
        }
    }

    /// A medium carries frames again, or nothing.
    fn set_up(&mut self, now: Time, medium: usize, up: bool) {
        let Some(changes) = &mut self.changes else { return };
        changes.down[medium] = !up;
        if let Some(bus) = &mut self.buses[medium] {
            bus.line_mut().interrupt(now, !up);
        }
    }

    fn set(&mut self, medium: usize, change: MediumChange) {
        match (change, &mut self.buses[medium]) {
            (MediumChange::BitErrorRate(rate), Some(bus)) => bus.line_mut().set_bit_error_rate(rate),
            (MediumChange::Delay(delay), None) => self.link_delays[medium] = delay,
            _ => unreachable!("a checked key of the medium"),
        }
    }

    /// A line has become busy or silent.
    #[cold]
    pub(super) fn line_is_busy(&mut self, now: Time, is_busy: bool) {
        if let Some(changes) = &mut self.changes {
            changes.busy(now, is_busy);
        }
    }

    /// Sources of a flow, with their numbers.
    fn sources_of(&self, flow: u32) -> Vec<u32> {
        let sources = (0..).zip(&self.site.sources);
        sources.filter(|(_, source)| source.flow == flow as usize).map(|(number, _)| number).collect()
    }

    fn silence(&mut self, flow: u32) {
        self.sources_of(flow).into_iter().for_each(|source| self.mute(source, STOPPED));
    }

    /// A source asks for nothing more, for one more reason.
    pub(super) fn mute(&mut self, source: u32, reason: u8) {
        let Some(changes) = &mut self.changes else { return };
        changes.sources.mute(source, reason);
        let items = self.site.sources[source as usize].items.len();
        if let Some(state) = self.sources.get_mut(source as usize) {
            state.abandon(items);
        }
    }

    fn sound(&mut self, now: Time, flow: u32, events: &mut Events) {
        self.sources_of(flow).into_iter().for_each(|source| self.unmute(now, source, STOPPED, events));
    }

    /// A reason for a source to be silent is gone: without another it begins anew, at `at`.
    pub(super) fn unmute(&mut self, at: Time, source: u32, reason: u8, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if !changes.sources.unmute(source, reason) {
            return;
        }
        let state = &mut self.sources[source as usize];
        let flow = &self.site.flows[self.site.sources[source as usize].flow];
        // a closed loop goes on when its request has ended
        let waits = state.is_closed_loop() && state.open > 0;
        if !waits && let Some(first) = state.first(flow, at) {
            self.schedule_fire(first, source, events);
        }
    }

    fn burst(&mut self, now: Time, flow: u32, size: u32, events: &mut Events) {
        for number in self.sources_of(flow) {
            if self.is_off(self.site.sources[number as usize].station) {
                continue;
            }
            let source = &mut self.sources[number as usize];
            source.waiting.extend((0..size).map(|_| now));
            let is_idle = !source.is_in_round() && source.open == 0;
            if is_idle && let Some(due) = source.waiting.pop_front() {
                self.begin_round(now, due, number, events);
            }
        }
    }

    /// A probe is asked for now.
    #[cold]
    pub(super) fn probe_sent(&mut self, now: Time) {
        if let Some(timed) = &mut self.metrics.timed {
            timed.sent(now);
        }
    }
}
