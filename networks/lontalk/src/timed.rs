//! Applies a scenario's events to media, flows and stations. A replication without events has none of this.

use sojourn_core::Time;
use sojourn_metrics::timeline::LevelWindows;

use super::changes::{Changes, Line};
use super::event::{Event, Events};
use super::world::Simulation;
use sojourn_model::branches::Branching;
use sojourn_model::effect::{Effect, MediumChange};
use sojourn_model::muted::{OFF, STOPPED};
use sojourn_model::timed::Step;

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

    /// A source's next message is due at `at`.
    pub(super) fn schedule_fire(&mut self, at: Time, source: u32, events: &mut Events) {
        if let Some(changes) = &mut self.changes
            && !changes.sources.schedule(at, source)
        {
            return;
        }
        events.at(at, Event::Fire(source));
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
                Effect::Line(medium, up) => match &mut self.access.ip {
                    Some(ip) if ip.has(medium as u16) => ip.set_up(medium as u16, up),
                    _ => self.change_line(medium, |line| line.up = up),
                },
                Effect::Set(medium, [MediumChange::BitErrorRate(rate), _]) => {
                    self.change_line(medium, |line| line.bit_error_rate = rate);
                }
                Effect::Set(medium, [change, _]) => self.ip().set(medium as u16, change),
                Effect::Sending(flow, true) => self.sound(now, flow, events),
                Effect::Sending(flow, false) => self.silence(flow),
                Effect::Burst(flow, size) => self.burst(now, flow, size, events),
            }
        }
    }

    /// A medium is changed. The packet on one that comes up has lost its beginning.
    fn change_line(&mut self, medium: u32, change: impl FnOnce(&mut Line)) {
        let segment = medium as usize;
        let Some(changes) = &mut self.changes else { return };
        let line = &mut changes.lines[segment];
        let was_up = line.up;
        change(line);
        line.damaged |= line.up && !was_up && self.access.segments[segment].medium.is_busy();
        self.access.segments[segment].medium.set_bit_error_rate(line.bit_error_rate());
    }

    /// The packet on a medium is damaged. One that collides with it is, too.
    pub(super) fn damage(&mut self, segment: usize) {
        self.change_line(segment as u32, |line| line.damaged = true);
    }

    /// The busy period of a medium is over, whose packet may have been damaged.
    #[cold]
    pub(super) fn repair(&mut self, now: Time, segment: usize) {
        let Some(changes) = &mut self.changes else { return };
        changes.busy(now, false);
        if changes.lines[segment].damaged {
            self.change_line(segment as u32, |line| line.damaged = false);
        }
    }

    /// Sources of a flow, with their numbers.
    fn sources_of(&self, flow: u32) -> Vec<u32> {
        (0..)
            .zip(&self.sources)
            .filter(|(_, source)| u32::from(source.flow) == flow)
            .map(|(number, _)| number)
            .collect()
    }

    fn silence(&mut self, flow: u32) {
        for source in self.sources_of(flow) {
            self.mute(source, STOPPED);
        }
    }

    /// A source sends nothing more, for one more reason.
    pub(super) fn mute(&mut self, source: u32, reason: u8) {
        let Some(changes) = &mut self.changes else { return };
        changes.sources.mute(source, reason);
        self.sources[source as usize].take_queued();
    }

    fn sound(&mut self, now: Time, flow: u32, events: &mut Events) {
        for source in self.sources_of(flow) {
            self.unmute(now, source, STOPPED, events);
        }
    }

    /// A reason for a source to be silent is gone: without another it begins anew, at `at`.
    pub(super) fn unmute(&mut self, at: Time, source: u32, reason: u8, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        let begins = changes.sources.unmute(source, reason);
        let state = &mut self.sources[source as usize];
        let flow = &self.site.flows[usize::from(state.flow)];
        // a closed loop goes on when its message is complete
        let waits = state.is_closed_loop() && state.open > 0;
        if begins
            && !waits
            && let Some(first) = state.restart(flow, at, reason == OFF)
        {
            self.schedule_fire(first, source, events);
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

    /// A probe that is sent now, once for each receiver.
    #[cold]
    pub(super) fn probe_sent(&mut self, now: Time, receivers: u16) {
        if let Some(timed) = &mut self.metrics.timed {
            (0..receivers).for_each(|_| timed.sent(now));
        }
    }
}
