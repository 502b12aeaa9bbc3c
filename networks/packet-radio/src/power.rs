//! Power of stations: a station without power loses its AX.25 links, NET/ROM routes and circuits, ROSE calls, queued
//! frames and the data of its programs, and leaves the air at once. When power returns, it starts anew.

use sojourn_core::{Duration, Time};
use sojourn_engine::sample;

use super::event::{Event, Events};
use super::media::schedule;
use super::station::Station;
use super::world::Simulation;
use sojourn_model::muted::OFF;

impl Simulation<'_, '_> {
    /// Whether a station is off.
    pub(super) fn is_off(&self, station: u32) -> bool {
        self.changes.as_ref().is_some_and(|changes| changes.off[station as usize])
    }

    /// A station loses power.
    pub(super) fn power_down(&mut self, now: Time, station: u32, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if std::mem::replace(&mut changes.off[station as usize], true) {
            return;
        }
        self.reset_station(now, station, events);
        for number in self.sources_of[station as usize].clone() {
            let source = &mut self.sources[number as usize];
            source.mute(OFF);
            source.lose_link();
        }
        self.lose_sessions(now, station, OFF);
        self.round_trips.lost_at(self.site, station);
    }

    /// It has power again; its flows begin after a random delay within `spread`.
    pub(super) fn power_up(&mut self, now: Time, station: u32, spread: Duration, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if !std::mem::replace(&mut changes.off[station as usize], false) {
            return;
        }
        self.reset_station(now, station, events);
        let (kind, mut context) = self.stations[station as usize].parts(now, &mut self.round_trips);
        kind.start(&mut context);
        self.process_outputs(now, station, events);
        let begin = now + self.power_up_delay(now, station, spread);
        for number in self.sources_of[station as usize].clone() {
            if self.site.sources[number as usize].connected {
                events.at(begin, Event::Connect(number));
            }
            self.unmute_source(begin, number, OFF, events);
        }
        for session in self.sessions_at(station) {
            self.unmute_session(begin, session, OFF, events);
        }
    }

    /// A station resets. One without power stays off.
    pub(super) fn restart(&mut self, now: Time, station: u32, spread: Duration, events: &mut Events) {
        if !self.is_off(station) {
            self.power_down(now, station, events);
            self.power_up(now, station, spread, events);
        }
    }

    /// The initial state of a station, whose transmitters go off.
    fn reset_station(&mut self, now: Time, station: u32, events: &mut Events) {
        let Some(changes) = &self.changes else { return };
        for port in 0..self.stations[station as usize].ports.len() {
            let site = self.stations[station as usize].ports[port].site;
            let medium_state = &mut self.media[site.medium as usize];
            medium_state.channel.switch_off(now, site.member);
            schedule(medium_state, site.medium, events);
        }
        let from = self.metrics.from().max(now);
        let mut fresh = Station::new(self.site, station as usize, [now, from], &changes.streams);
        let old = &mut self.stations[station as usize];
        old.cpu.switch_off(now);
        std::mem::swap(&mut fresh.cpu, &mut old.cpu);
        fresh.scheduled = old.scheduled;
        *old = fresh;
    }

    /// The time until a station's flows begin, uniform between 0 and `spread`; a stream for each time.
    fn power_up_delay(&self, now: Time, station: u32, spread: Duration) -> Duration {
        let Some(changes) = self.changes.as_ref().filter(|_| spread > Duration::ZERO) else { return Duration::ZERO };
        let name = &self.site.stations[station as usize].name;
        let mut stream = changes.streams.stream(&format!("station/{name}/power-up/{}", now.picoseconds()));
        sample::uniform(&mut stream, spread)
    }
}
