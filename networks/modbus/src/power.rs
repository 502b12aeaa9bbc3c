//! Power of stations: a client or gateway without power loses its requests, a server the one that it carries out.

use sojourn_core::{Duration, Machine, Time};
use sojourn_engine::sample::uniform;
use sojourn_model::muted::OFF;
use sojourn_protocols::modbus::machine::ClientInput;

use super::event::Events;
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// A station loses power.
    pub(super) fn power_down(&mut self, now: Time, station: u32, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if std::mem::replace(&mut changes.off[station as usize], true) {
            return;
        }
        self.sources_at(station).into_iter().for_each(|source| self.mute(source, OFF));
        self.cut_frames(station);
        for connection in self.connections_at(station) {
            let state = &mut self.connections[connection as usize];
            state.waiting = None;
            state.client.handle(now, ClientInput::Closed);
            self.drive(now, connection, false, events);
        }
        if let Some(server) = &mut self.servers[station as usize] {
            server.reset();
        }
    }

    /// It has power again; its flows begin after a random delay within `spread`.
    pub(super) fn power_up(&mut self, now: Time, station: u32, spread: Duration, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if !std::mem::replace(&mut changes.off[station as usize], false) {
            return;
        }
        let begin = now + self.power_up_delay(now, station, spread);
        for source in self.sources_at(station) {
            self.unmute(begin, source, OFF, events);
        }
    }

    /// A station resets. One without power stays off.
    pub(super) fn restart(&mut self, now: Time, station: u32, spread: Duration, events: &mut Events) {
        if !self.is_off(station as usize) {
            self.power_down(now, station, events);
            self.power_up(now, station, spread, events);
        }
    }

    /// The time until a station's flows begin, uniform between 0 and `spread`; a stream for each time.
    fn power_up_delay(&self, now: Time, station: u32, spread: Duration) -> Duration {
        if spread == Duration::ZERO {
            return spread;
        }
        let name = &self.site.stations[station as usize].name;
        let mut stream = self.streams.stream(&format!("station/{name}/power-up/{}", now.picoseconds()));
        uniform(&mut stream, spread)
    }

    fn sources_at(&self, station: u32) -> Vec<u32> {
        let sources = (0..).zip(&self.site.sources);
        sources.filter(|(_, source)| source.station == station as usize).map(|(number, _)| number).collect()
    }

    fn connections_at(&self, station: u32) -> Vec<u32> {
        let connections = (0..).zip(&self.site.connections);
        let own = connections.filter(|(_, connection)| connection.station == station as usize);
        own.map(|(number, _)| number).collect()
    }
}
