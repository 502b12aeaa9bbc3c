//! Applies a scenario's events to media, flows and stations. A replication without events has none of this.

use sojourn_core::{Duration, Time};
use sojourn_engine::sample;
use sojourn_metrics::timeline::LevelWindows;
use sojourn_model::effect::{Effect, MediumChange};
use sojourn_model::muted::{OFF, STOPPED};
use sojourn_model::timed::Step;

use super::changes::Changes;
use super::event::{Event, Events};
use super::world::Simulation;

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
                Effect::Restart(station, spread) => {
                    if !self.stations[station as usize].is_off {
                        self.power_down(now, station, events);
                        self.power_up(now, station, spread, events);
                    }
                }
                Effect::Line(medium, is_up) => self.line(now, medium, is_up),
                Effect::Set(medium, [change, _]) => self.set(medium, change),
                Effect::Sending(flow, true) => self.sound(now, flow, events),
                Effect::Sending(flow, false) => self.silence(flow),
                Effect::Burst(flow, size) => self.burst(now, flow, size, events),
            }
        }
    }

    fn line(&mut self, now: Time, medium: u32, is_up: bool) {
        if let Some(trunk) = &mut self.trunks[medium as usize] {
            trunk.line.interrupt(now, !is_up);
        }
        if let Some(changes) = &mut self.changes {
            changes.lines[medium as usize].is_up = is_up;
        }
    }

    fn set(&mut self, medium: u32, change: MediumChange) {
        match change {
            MediumChange::BitErrorRate(rate) => {
                if let Some(trunk) = &mut self.trunks[medium as usize] {
                    trunk.line.set_bit_error_rate(rate);
                }
            }
            MediumChange::Delay(delay) => {
                if let Some(changes) = &mut self.changes {
                    changes.lines[medium as usize].delay = delay;
                }
            }
            MediumChange::Jitter(_) | MediumChange::Loss(_) => {}
        }
    }

    /// A station loses power: its requests are lost, frames that wait or are being sent as well.
    fn power_down(&mut self, now: Time, station: u32, events: &mut Events) {
        if std::mem::replace(&mut self.stations[station as usize].is_off, true) {
            return;
        }
        for source in self.sources_at(station) {
            self.mute(source, OFF);
        }
        for number in self.site.stations[station as usize].ports.clone() {
            let port = &mut self.ports[number as usize];
            port.epoch = port.epoch.wrapping_add(1);
            port.is_cut = port.on_line.is_some();
            let medium = port.medium;
            let mut held: Vec<_> = port.pending.take().map(|(frame, _)| frame.data).into_iter().collect();
            held.extend(port.ready.take().map(|frame| frame.data));
            held.extend(port.node.as_mut().map(|node| node.restart(now)).unwrap_or_default());
            if std::mem::take(&mut port.is_active) {
                self.trunk(medium).active.retain(|&other| other != number);
            }
            held.iter().for_each(|npdu| self.lose(now, npdu, events));
        }
        self.abandon(station);
    }

    /// It has power again; its applications begin after a random delay within `spread`.
    fn power_up(&mut self, now: Time, station: u32, spread: Duration, events: &mut Events) {
        if !std::mem::replace(&mut self.stations[station as usize].is_off, false) {
            return;
        }
        for number in self.site.stations[station as usize].ports.clone() {
            let port = &mut self.ports[number as usize];
            let medium = port.medium;
            if let Some(node) = &mut port.node {
                node.restart(now);
                self.arm_again(medium, events);
            }
        }
        let begin = now + self.power_up_delay(now, station, spread);
        for source in self.sources_at(station) {
            self.unmute(begin, source, OFF, events);
        }
    }

    /// The time until a station's applications begin, uniform between 0 and `spread`; a stream for each time.
    fn power_up_delay(&self, now: Time, station: u32, spread: Duration) -> Duration {
        if spread == Duration::ZERO {
            return spread;
        }
        let name = &self.site.stations[station as usize].name;
        let mut stream = self.streams.stream(&format!("station/{name}/power-up/{}", now.picoseconds()));
        sample::uniform(&mut stream, spread)
    }

    fn sources_at(&self, station: u32) -> Vec<u32> {
        (0..).zip(&self.sources).filter(|(_, source)| source.station == station).map(|(number, _)| number).collect()
    }

    fn sources_of(&self, flow: u32) -> Vec<u32> {
        let of_flow = (0..).zip(&self.sources).filter(|(_, source)| u32::from(source.flow) == flow);
        of_flow.map(|(number, _)| number).collect()
    }

    fn silence(&mut self, flow: u32) {
        for source in self.sources_of(flow) {
            self.mute(source, STOPPED);
        }
    }

    /// A source sends nothing more, for one more reason; what waits in its client is sent all the same.
    fn mute(&mut self, source: u32, reason: u8) {
        let Some(changes) = &mut self.changes else { return };
        changes.sources.mute(source, reason);
    }

    fn sound(&mut self, now: Time, flow: u32, events: &mut Events) {
        for source in self.sources_of(flow) {
            self.unmute(now, source, STOPPED, events);
        }
    }

    /// A reason for a source to be silent is gone: without another it begins anew, at `at`.
    fn unmute(&mut self, at: Time, source: u32, reason: u8, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        let begins = changes.sources.unmute(source, reason);
        let state = &mut self.sources[source as usize];
        // a closed loop goes on when its request is complete
        let waits = state.is_closed_loop() && state.open > 0;
        if !begins || waits {
            return;
        }
        if let Some(first) = state.restart(&self.site.flows[usize::from(state.flow)], at, reason == OFF) {
            self.schedule_fire(first, source, events);
        }
    }

    fn burst(&mut self, now: Time, flow: u32, size: u32, events: &mut Events) {
        let data = self.site.flows[flow as usize].data;
        for source in self.sources_of(flow) {
            if !self.changes.as_ref().is_some_and(|changes| changes.sources.is_off(source)) {
                (0..size).for_each(|_| self.offer(now, source, data, events));
            }
        }
    }
}
