//! Applies a scenario's events to media and flows. A replication without events has none of this.

use sojourn_core::Time;

use super::changes::Changes;
use super::event::{Event, Events};
use super::world::Simulation;
use sojourn_model::branches::Branching;
use sojourn_model::effect::{Effect, MediumChange, Timeline};
use sojourn_model::muted::{OFF, STOPPED};
use sojourn_model::timed::Step;

impl Branching for Simulation<'_, '_> {
    fn branch(&mut self, number: usize, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        events.retain(|event| !matches!(event, Event::Step(step) if !changes.timed.is_of(number, *step)));
        changes.branch(number);
    }
}

impl<'a> Simulation<'a, '_> {
    /// Schedules the first events of a scenario; stations that are off at first lose power.
    pub(super) fn start_timeline(&mut self, timeline: &'a Timeline, mut changes: Changes<'a>, events: &mut Events) {
        for (at, step) in changes.timed.begin() {
            events.at(at, Event::Step(step));
        }
        self.changes = Some(Box::new(changes));
        self.round_trips.observe();
        timeline.off.iter().for_each(|&station| self.power_down(Time::ZERO, station, events));
        timeline.silent.iter().for_each(|&flow| self.silence(flow));
    }

    /// An event of the scenario begins or ends.
    #[inline(never)]
    pub(super) fn step(&mut self, now: Time, step: Step, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        let (next, effects) = changes.timed.take(now, step);
        if let Some((at, step)) = next {
            events.at(at, Event::Step(step));
        }
        for effect in effects {
            match effect {
                Effect::Power(station, true, spread) => self.power_up(now, station, spread, events),
                Effect::Power(station, false, _) => self.power_down(now, station, events),
                Effect::Restart(station, spread) => self.restart(now, station, spread, events),
                Effect::Line(medium, up) => self.media[medium as usize].channel.set_up(now, up),
                Effect::Set(medium, [MediumChange::BitErrorRate(rate), _]) => {
                    self.media[medium as usize].channel.set_bit_error_rate(rate);
                }
                Effect::Set(..) => unreachable!("of a packet-radio medium the bit error rate alone can change"),
                Effect::Sending(flow, true) => self.sound(now, flow, events),
                Effect::Sending(flow, false) => self.silence(flow),
                Effect::Burst(flow, size) => self.burst(now, flow, size, events),
            }
        }
    }

    /// Passes round trips that began or ended to the windows of events.
    #[cold]
    pub(super) fn observe_round_trips(&mut self) {
        if let Some(changes) = &mut self.changes {
            changes.observe(self.round_trips.observed());
        }
    }

    /// Sources of a flow.
    fn sources_of_flow(&self, flow: u32) -> Vec<u32> {
        (0..).zip(&self.site.sources).filter(|(_, source)| source.number == flow).map(|(number, _)| number).collect()
    }

    fn silence(&mut self, flow: u32) {
        for source in self.sources_of_flow(flow) {
            self.sources[source as usize].mute(STOPPED);
        }
        for session in self.sessions_of_flow(flow) {
            self.mute_session(session, STOPPED);
        }
    }

    fn sound(&mut self, now: Time, flow: u32, events: &mut Events) {
        for source in self.sources_of_flow(flow) {
            self.unmute_source(now, source, STOPPED, events);
        }
        for session in self.sessions_of_flow(flow) {
            self.unmute_session(now, session, STOPPED, events);
        }
    }

    /// A reason for a source to be silent is gone: without another it begins anew, at `at`.
    pub(super) fn unmute_source(&mut self, at: Time, number: u32, reason: u8, events: &mut Events) {
        let source = &mut self.sources[number as usize];
        if source.unmute(reason, &self.site.sources[number as usize].process.0) {
            self.schedule_next(at, number, events);
        }
    }

    fn burst(&mut self, now: Time, flow: u32, size: u32, events: &mut Events) {
        for source in self.sources_of_flow(flow) {
            if self.sources[source as usize].silent & OFF == 0 {
                (0..size).for_each(|_| self.offer(now, source, events));
            }
        }
        for session in self.sessions_of_flow(flow) {
            self.want_sessions(now, session, size, events);
        }
    }
}
