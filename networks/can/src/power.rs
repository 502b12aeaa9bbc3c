//! Power of stations: one without neither sends nor acknowledges, and loses what it holds. With power it begins error active.

use sojourn_core::{Duration, Time};
use sojourn_model::effect::power_up_delay;
use sojourn_model::muted::OFF;
use sojourn_protocols::can::controller::ErrorCounters;

use crate::bus::State;
use crate::event::Events;
use crate::node::{BUS_OFF, NO_POWER};
use crate::world::Simulation;

impl Simulation<'_, '_> {
    /// A station loses power.
    pub(super) fn power_down(&mut self, now: Time, station: u32, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if std::mem::replace(&mut changes.off[station as usize], true) {
            return;
        }
        for source in self.sources_at(station) {
            self.mute(source, OFF);
            self.give_up(now, source, events);
            while let Some(message) = self.sources[source as usize].waiting.pop_front() {
                let left = self.in_flight.messages[message].left;
                self.lose(now, message, left, events);
            }
        }
        let node = &mut self.nodes[station as usize];
        let jobs: Vec<u32> = node.cpu.jobs().map(|(job, _)| job.frame()).collect();
        node.cpu.reset(now);
        node.received = 0;
        jobs.into_iter().for_each(|frame| self.drop_frame(now, frame, events));
        for &port in &self.site.stations[station as usize].ports {
            self.cut_port(now, port, events);
        }
    }

    /// A port neither sends nor acknowledges any more; its frame on the bus is cut.
    fn cut_port(&mut self, now: Time, port: u32, events: &mut Events) {
        let settings = self.site.ports[port as usize];
        let medium = usize::from(settings.medium);
        let class = &self.site.stations[settings.station as usize].class;
        let state = &mut self.ports[port as usize];
        let frames: Vec<u32> = state.queue.clear().collect();
        let collected = state.collected.clear();
        match state.blocked & BUS_OFF {
            0 => self.buses[medium].acknowledging -= u32::from(class.acknowledges),
            _ => self.buses[medium].off -= 1,
        }
        state.blocked = NO_POWER;
        let before = state.counters.state();
        state.counters = ErrorCounters::default();
        state.changed(now, before);
        let bus = &mut self.buses[medium];
        let waiting = bus.waiting - frames.len() as u64;
        bus.wait(now, waiting);
        for frame in frames {
            self.forget_probe(settings.medium, frame);
            self.drop_frame(now, frame, events);
        }
        collected.into_iter().for_each(|frame| self.drop_frame(now, frame, events));
        let first = self.site.media[medium].ports[0];
        if let State::Sending(transmission) = self.buses[medium].state
            && first + transmission.port == port
        {
            self.destroy(now, settings.medium, events);
        }
        self.offer(now, port, events);
    }

    /// It has power again; its applications begin after a random time within `spread`.
    pub(super) fn power_up(&mut self, now: Time, station: u32, spread: Duration, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if !std::mem::replace(&mut changes.off[station as usize], false) {
            return;
        }
        let class = &self.site.stations[station as usize].class;
        for &port in &self.site.stations[station as usize].ports {
            let state = &mut self.ports[port as usize];
            state.blocked = 0;
            let medium = usize::from(self.site.ports[port as usize].medium);
            self.buses[medium].acknowledging += u32::from(class.acknowledges);
            self.offer(now, port, events);
        }
        let begin = now + power_up_delay(&self.streams, &self.site.stations[station as usize].name, now, spread);
        for source in self.sources_at(station) {
            self.unmute(begin, source, OFF, events);
        }
    }

    /// A station resets. One without power stays off.
    pub(super) fn restart(&mut self, now: Time, station: u32, spread: Duration, events: &mut Events) {
        if self.changes.as_ref().is_some_and(|changes| !changes.off[station as usize]) {
            self.power_down(now, station, events);
            self.power_up(now, station, spread, events);
        }
    }

    fn sources_at(&self, station: u32) -> Vec<u32> {
        (0..).zip(&self.sources).filter(|(_, source)| source.station == station).map(|(number, _)| number).collect()
    }
}
