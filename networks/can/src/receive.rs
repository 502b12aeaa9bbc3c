//! From the bus to applications.

use sojourn_core::{Duration, Time};
use sojourn_model::slab::NONE;

use crate::event::Events;
use crate::in_flight::{Carried, Frame};
use crate::node::{BUS_OFF, Job};
use crate::site::Receiving;
use crate::world::Simulation;

/// How long a closed loop waits at least after a message that was lost.
const PAUSE: Duration = Duration::from_micros(100);

impl Simulation<'_, '_> {
    /// A frame has been received by all nodes of its hop: those it is for take it, and gateways forward it.
    #[inline]
    pub(super) fn arrived(&mut self, now: Time, number: u32, events: &mut Events) {
        let site = self.site;
        let frame = self.in_flight.frames[number];
        let hop = &site.hops[frame.hop as usize];
        if frame.confirms {
            self.transmitted(now, &frame, events);
        }
        let medium = site.ports[hop.port as usize].medium;
        let copies = hop.receivers.len() + hop.next.len();
        let mut taken = 0;
        for &Receiving { station, number: receiver } in &hop.receivers {
            taken += 1;
            let copy = self.copy(number, taken == copies);
            let received = &mut self.in_flight.frames[copy];
            if !frame.is_back {
                received.receiver = receiver;
            }
            received.is_received = true;
            self.receive(now, (station, medium), Job::Receive(copy), events);
        }
        for &next in &hop.next {
            taken += 1;
            let copy = self.copy(number, taken == copies);
            let forwarded = &mut self.in_flight.frames[copy];
            (forwarded.hop, forwarded.confirms) = (next, false);
            let gateway = site.ports[site.hops[next as usize].port as usize].station;
            self.receive(now, (gateway, medium), Job::Forward(copy), events);
        }
        if copies == 0 {
            self.in_flight.release(number);
        }
    }

    /// A frame for another receiver: the last is the frame itself.
    #[inline]
    fn copy(&mut self, number: u32, is_last: bool) -> u32 {
        if is_last {
            return number;
        }
        let frame = self.in_flight.frames[number];
        let budget = self.in_flight.copy_budget(frame.budget);
        self.in_flight.frames.insert(Frame { budget, ..frame })
    }

    /// A station takes a frame from the bus, if its receive FIFO has room.
    #[inline]
    fn receive(&mut self, now: Time, (station, medium): (u32, u16), job: Job, events: &mut Events) {
        let is_off = self.changes.as_ref().is_some_and(|changes| changes.off[station as usize]);
        if is_off || self.buses[usize::from(medium)].off > 0 && self.is_bus_off(station, medium) {
            return self.drop_frame(now, job.frame(), events);
        }
        let node = &mut self.nodes[station as usize];
        if node.received >= self.site.stations[station as usize].class.receive_fifo {
            self.metrics.overflowed(1);
            return self.drop_frame(now, job.frame(), events);
        }
        node.received += 1;
        self.process(now, station, job, events);
    }

    /// Whether the port of a station on a bus is bus off: it receives nothing.
    #[cold]
    fn is_bus_off(&self, station: u32, medium: u16) -> bool {
        let mut ports = self.site.stations[station as usize].ports.iter().map(|&port| port as usize);
        ports.any(|port| self.site.ports[port].medium == medium && self.ports[port].blocked & BUS_OFF != 0)
    }

    /// An application has a frame.
    #[inline]
    pub(super) fn handle(&mut self, now: Time, number: u32, events: &mut Events) {
        let frame = self.in_flight.frames[number];
        if frame.message == NONE {
            self.answer(now, &frame, events);
            self.in_flight.release(number);
            return;
        }
        self.handled(now, frame.message, frame.budget, events);
        self.in_flight.release(number);
    }

    /// A receiver has acted on a message, whose delay budget is this.
    #[inline]
    pub(super) fn handled(&mut self, now: Time, message: u32, budget: u32, events: &mut Events) {
        let state = &mut self.in_flight.messages[message];
        state.handled += 1;
        let state = *state;
        let source = &self.sources[state.source as usize];
        let budget = (budget != NONE).then(|| &self.in_flight.budgets[budget]);
        self.metrics.handled(now, self.site, source, &state, budget);
        self.settle(now, message, 1, events);
    }

    /// A frame will not arrive: nor will what it carries to the receivers behind it.
    #[cold]
    pub(super) fn drop_frame(&mut self, now: Time, number: u32, events: &mut Events) {
        let frame = self.in_flight.release(number);
        if frame.message == NONE {
            return;
        }
        debug_assert_eq!(frame.carried, Carried::Data);
        let hop = &self.site.hops[frame.hop as usize];
        let lost = if frame.is_received { 1 } else { hop.reach };
        self.lose(now, frame.message, lost, events);
    }

    /// Receivers will not have a message.
    pub(super) fn lose(&mut self, now: Time, message: u32, receivers: u32, events: &mut Events) {
        let state = self.in_flight.messages[message];
        let source = &self.sources[state.source as usize];
        self.metrics.unreached(self.site, source, &state, receivers);
        self.settle(now, message, receivers, events);
    }

    /// This many receivers of a message are settled; with the last it is removed.
    #[inline]
    fn settle(&mut self, now: Time, message: u32, receivers: u32, events: &mut Events) {
        let state = &mut self.in_flight.messages[message];
        state.left -= receivers;
        if state.left > 0 {
            return;
        }
        let state = self.in_flight.messages.remove(message);
        let source = &mut self.sources[state.source as usize];
        source.open -= 1;
        self.metrics.settled(source.flow, &state);
        if let Some(begun) = source.end_round() {
            self.metrics.round_ended(now, source.flow, begun);
        }
        if source.is_closed_loop()
            && source.open == 0
            && let Some(next) = source.next(now)
        {
            // what was lost at once would be lost again at once
            let earliest = if state.handled > 0 { now } else { now + PAUSE };
            self.schedule_fire(next.max(earliest), state.source, events);
        }
    }
}
