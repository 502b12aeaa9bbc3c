//! Errors: the frame that is destroyed, what nodes count of it, bus-off and recovery.

use sojourn_core::{Duration, Time};
use sojourn_engine::sample;
use sojourn_protocols::can::controller::{Entry, ErrorState, RECESSIVE_BITS, RECOVERY};
use sojourn_protocols::can::frame::{ERROR_DELIMITER, ERROR_FLAG, INTERMISSION};

use crate::bus::{End, State, Transmission};
use crate::event::{Event, Events};
use crate::node::{BUS_OFF, NO_POWER};
use crate::world::Simulation;

impl Simulation<'_, '_> {
    /// A transmission has met an error: error flags follow, a delimiter and the intermission, then arbitration.
    #[cold]
    pub(super) fn failed(&mut self, now: Time, medium: u16, transmission: Transmission, events: &mut Events) {
        let settings = &self.site.media[usize::from(medium)];
        let first = settings.ports[0];
        let is_seen = transmission.end != End::NotAcknowledged;
        let bus = &mut self.buses[usize::from(medium)];
        // others send their flags when they see six dominant bits at the latest
        let flags = ERROR_FLAG + if is_seen { bus.stream.below(u32::from(ERROR_FLAG) + 1) as u16 } else { 0 };
        let free = now + settings.bits.nominal(flags + ERROR_DELIMITER + INTERMISSION);
        bus.sequences += 1;
        bus.counters.errors += 1;
        bus.has_errors = true;
        bus.last.is_error = true;
        bus.state = State::Intermission;
        bus.due = free;
        events.at(free, Event::Bus(medium));
        if is_seen {
            self.seen_by_others(now, medium, transmission.port);
        }
        let twin = transmission.twin.map(|(port, entry)| (first + port, entry));
        for (port, entry) in [(first + transmission.port, transmission.entry)].into_iter().chain(twin) {
            self.charge_sender(now, free, port, is_seen, events);
            self.give_back(now, port, entry, events);
        }
    }

    /// A node counts the error of its transmission.
    fn charge_sender(&mut self, now: Time, free: Time, port: u32, is_seen: bool, events: &mut Events) {
        let state = &mut self.ports[port as usize];
        if state.blocked & NO_POWER != 0 {
            return;
        }
        let before = state.counters.state();
        match is_seen {
            true => state.counters.transmit_error(),
            false => state.counters.not_acknowledged(),
        };
        state.changed(now, before);
        match state.counters.state() {
            ErrorState::Active => {}
            ErrorState::Passive => self.suspend(free, port, events),
            ErrorState::BusOff => self.go_off(now, port, events),
        }
    }

    /// The frame is sent again, unless its node sends each only once or has lost power.
    fn give_back(&mut self, now: Time, port: u32, entry: Entry, events: &mut Events) {
        let settings = &self.site.ports[port as usize];
        let (station, medium) = (settings.station, settings.medium);
        let state = &mut self.ports[port as usize];
        let is_lost = state.blocked & NO_POWER != 0 || !self.site.stations[station as usize].class.retransmits;
        let dropped = if is_lost { Some(entry.frame) } else { state.queue.put_back(entry) };
        match dropped {
            None => {
                let bus = &mut self.buses[usize::from(medium)];
                let waiting = bus.waiting + 1;
                bus.wait(now, waiting);
            }
            Some(frame) => {
                state.queue.done();
                self.forget_probe(medium, frame);
                self.drop_frame(now, frame, events);
            }
        }
        self.offer(now, port, events);
    }

    /// All other nodes count an error of a frame that they received.
    fn seen_by_others(&mut self, now: Time, medium: u16, sender: u32) {
        self.others(medium, sender, |port| {
            let before = port.counters.state();
            port.counters.receive_error(false);
            port.changed(now, before);
        });
    }

    /// All nodes count a frame without error, while any has counted one with.
    #[cold]
    pub(super) fn received_by_all(&mut self, now: Time, medium: u16, sender: u32) {
        let first = self.site.media[usize::from(medium)].ports[0];
        let state = &mut self.ports[(first + sender) as usize];
        let before = state.counters.state();
        state.counters.sent();
        state.changed(now, before);
        let mut left = state.counters.transmit() > 0 || state.counters.receive() > 0;
        self.others(medium, sender, |port| {
            let before = port.counters.state();
            port.counters.received();
            port.changed(now, before);
            left |= port.counters.transmit() > 0 || port.counters.receive() > 0;
        });
        self.buses[usize::from(medium)].has_errors = left;
    }

    fn others(&mut self, medium: u16, sender: u32, mut each: impl FnMut(&mut crate::node::Port)) {
        let [first, count] = self.site.media[usize::from(medium)].ports;
        for port in (first..first + count).filter(|port| *port != first + sender) {
            let state = &mut self.ports[port as usize];
            if state.blocked & (NO_POWER | BUS_OFF) == 0 {
                each(state);
            }
        }
    }

    /// A node goes bus off: it neither sends nor acknowledges until its controller is restarted and has seen enough recessive bits.
    fn go_off(&mut self, now: Time, port: u32, events: &mut Events) {
        let state = &mut self.ports[port as usize];
        state.blocked |= BUS_OFF;
        let settings = self.site.ports[port as usize];
        let class = &self.site.stations[settings.station as usize].class;
        (state.back_at, state.recover_at) = (None, now + class.restart);
        events.at(state.recover_at, Event::Recover(port));
        let bus = &mut self.buses[usize::from(settings.medium)];
        bus.acknowledging -= u32::from(class.acknowledges);
        bus.off += 1;
    }

    /// A node that is bus off has been restarted, or has waited long enough for recessive bits on an idle bus.
    pub(super) fn recover(&mut self, now: Time, port: u32, events: &mut Events) {
        let settings = self.site.ports[port as usize];
        let medium = &self.site.media[usize::from(settings.medium)];
        let seen = self.buses[usize::from(settings.medium)].sequences_at(now, medium);
        let state = &mut self.ports[port as usize];
        if state.blocked & BUS_OFF == 0 || state.recover_at != now {
            return;
        }
        let back_at = *state.back_at.get_or_insert(seen + RECOVERY);
        if seen < back_at {
            let sequence = medium.bits.nominal(RECESSIVE_BITS as u16);
            state.recover_at = now + sequence.times(back_at - seen);
            return events.at(state.recover_at, Event::Recover(port));
        }
        let before = state.counters.state();
        state.counters.recover();
        state.blocked &= !BUS_OFF;
        state.changed(now, before);
        let class = &self.site.stations[settings.station as usize].class;
        let bus = &mut self.buses[usize::from(settings.medium)];
        bus.acknowledging += u32::from(class.acknowledges);
        bus.off -= 1;
        self.offer(now, port, events);
    }

    /// Schedules the next fault of a bus that has some: the first at a random time.
    pub(super) fn schedule_fault(&mut self, now: Time, medium: u16, is_first: bool, events: &mut Events) {
        let Some(interval) = self.site.media[usize::from(medium)].fault_interval else { return };
        let stream = &mut self.buses[usize::from(medium)].stream;
        let wait = if is_first { sample::uniform(stream, interval) } else { interval };
        // at once would be again and again
        events.at(now + wait.max(Duration::from_picoseconds(1)), Event::Fault(medium));
    }

    /// A fault hits a bus: a frame that is on it is destroyed.
    pub(super) fn fault(&mut self, now: Time, medium: u16, events: &mut Events) {
        self.schedule_fault(now, medium, false, events);
        self.destroy(now, medium, events);
    }

    /// The frame on a bus, if there is one, is found wrong with the next bit.
    pub(super) fn destroy(&mut self, now: Time, medium: u16, events: &mut Events) {
        let bit = self.site.media[usize::from(medium)].bits.nominal(1);
        let bus = &mut self.buses[usize::from(medium)];
        if let State::Sending(transmission) = &mut bus.state
            && now + bit < bus.due
        {
            transmission.end = End::Error;
            bus.last.is_error = true;
            bus.due = now + bit;
            events.at(bus.due, Event::Bus(medium));
        }
    }
}
