//! Power of stations: a station without power loses its transactions, receive records, messages and packets. When
//! power returns, it resets (ISO/IEC 14908-1: transaction numbers start at 0, the backlog at its power-up value).

use sojourn_core::{Duration, Time};
use sojourn_engine::sample;
use sojourn_model::muted::OFF;

use super::event::Events;
use super::slab::NONE;
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// A station loses power.
    pub(super) fn power_down(&mut self, now: Time, station: u32, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if std::mem::replace(&mut changes.off[station as usize], true) {
            return;
        }
        for source in self.sources_at(station) {
            self.mute(source, OFF);
        }
        let unfinished = self.unfinished(station);
        self.drop_frames(now, station, events);
        for (message, is_being_built) in unfinished {
            self.abandon(now, message, is_being_built);
        }
        self.nodes.power_down(station, &mut self.access);
    }

    /// It has power again; its applications begin after a random delay within `spread`.
    pub(super) fn power_up(&mut self, now: Time, station: u32, spread: Duration, events: &mut Events) {
        let Some(changes) = &mut self.changes else { return };
        if !std::mem::replace(&mut changes.off[station as usize], false) {
            return;
        }
        self.nodes.power_up(now, station, &mut self.access);
        let begin = now + self.power_up_delay(now, station, spread);
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

    /// The time until a station's applications begin, uniform between 0 and `spread`; a stream for each time.
    fn power_up_delay(&self, now: Time, station: u32, spread: Duration) -> Duration {
        if spread == Duration::ZERO {
            return spread;
        }
        let name = self.site.stations[station as usize].name();
        let mut stream = self.streams.stream(&format!("station/{name}/power-up/{}", now.picoseconds()));
        sample::uniform(&mut stream, spread)
    }

    fn sources_at(&self, station: u32) -> Vec<u32> {
        (0..).zip(&self.sources).filter(|(_, source)| source.station == station).map(|(number, _)| number).collect()
    }

    /// Messages of a station's applications that are not complete, and whether the application is still building each.
    fn unfinished(&self, station: u32) -> Vec<(u32, bool)> {
        let mut waiting = Vec::new();
        let Some(active) = &self.nodes[station].active else { return waiting };
        let mut known = Vec::new();
        for class in [0, 1] {
            known.extend(active.node.is_busy(class == 1).then_some(active.open[class]));
            known.extend(active.waiting[class].iter(&self.in_flight.messages));
        }
        for (number, message) in self.in_flight.messages.entries() {
            if self.sources[message.source as usize].station == station && !message.closed {
                waiting.push((number, message.copies == 0 && !known.contains(&number)));
            }
        }
        waiting
    }

    /// The packets that a station holds are lost; one that it is sending is damaged.
    fn drop_frames(&mut self, now: Time, station: u32, events: &mut Events) {
        let held = self.in_flight.frames.entries().filter(|(_, frame)| frame.station == station);
        let held: Vec<u32> = held.map(|(number, _)| number).collect();
        let mut queued = Vec::new();
        let first = self.nodes[station].first_port;
        for port in first..first + self.nodes[station].class.on.len() as u32 {
            queued.extend(self.access.clear_queue(port));
            if self.access.is_ip(usize::from(self.access.ports[port as usize].medium)) {
                queued.extend(self.cut_interface(now, port));
                continue;
            }
            let head = self.access.ports[port as usize].head;
            if head == NONE {
                continue;
            }
            let segment = usize::from(self.access.ports[port as usize].medium);
            if self.access.transmits(port) {
                self.damage(segment);
                self.changes.as_mut().expect("events change it").cut.insert(head);
            } else {
                self.access.withdraw_head(now, port, events);
                queued.push(head);
            }
        }
        for frame in held {
            let changes = self.changes.as_mut().expect("events change it");
            if queued.contains(&frame) {
                self.release(frame);
            } else if !changes.cut.contains(&frame) {
                changes.void_frames.insert(frame);
            }
        }
    }

    /// A message will not be completed by its sender.
    fn abandon(&mut self, now: Time, place: u32, is_being_built: bool) {
        let message = &mut self.in_flight.messages[place];
        message.closed = true;
        message.failed |= message.handled == 0;
        let message = *message;
        let source = &mut self.sources[message.source as usize];
        source.open -= 1;
        if message.counted {
            self.metrics.ended(source.flow, now - message.started, false, 0);
        }
        if is_being_built {
            self.changes.as_mut().expect("events change it").void_messages.insert(place);
        } else {
            self.in_flight.remove_if_done(place, &self.sources, &mut self.metrics);
        }
    }

    /// The event of a packet is due; whether the packet was lost with its station.
    #[cold]
    pub(super) fn was_lost(&mut self, frame: u32) -> bool {
        let is_void = self.changes.as_mut().is_some_and(|changes| changes.void_frames.remove(&frame));
        if is_void {
            self.release(frame);
        }
        is_void
    }

    /// A message is built; whether it was lost with its station.
    #[cold]
    pub(super) fn was_abandoned(&mut self, message: u32) -> bool {
        let is_void = self.changes.as_mut().is_some_and(|changes| changes.void_messages.remove(&message));
        if is_void {
            self.in_flight.remove_if_done(message, &self.sources, &mut self.metrics);
        }
        is_void
    }

    /// A transmission has ended; whether its sender lost power meanwhile. The port then serves what has come since.
    #[cold]
    pub(super) fn was_cut(&mut self, now: Time, port: u32, head: u32) -> bool {
        let is_cut = self.changes.as_mut().is_some_and(|changes| changes.cut.remove(&head));
        if is_cut {
            let queues = &mut self.access.ports[port as usize];
            queues.head = NONE;
            let (segment, medium_port) = (usize::from(queues.medium), queues.port);
            let medium = &mut self.access.segments[segment].medium;
            medium.withdraw(now, medium_port);
            medium.reset_port(now, medium_port);
            self.access.next_head(now, port, &mut self.in_flight);
            self.release(head);
        }
        is_cut
    }
}
