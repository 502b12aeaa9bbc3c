//! The bus: arbitration among all that is offered, frames, and the intermission between them.

use sojourn_core::{Duration, Time};
use sojourn_model::slab::NONE;
use sojourn_protocols::can::controller::{Entry, ErrorState, RECESSIVE_BITS};
use sojourn_protocols::can::frame::{AFTER_ACK, INTERMISSION, Length, SUSPEND};

use crate::bus::{Bus, End, Last, State, Transmission};
use crate::event::{Event, Events};
use crate::latency_budget::Component;
use crate::lengths::Bits;
use crate::node::SUSPENDED;
use crate::offers::Winner;
use crate::world::Simulation;

impl Simulation<'_, '_> {
    /// A bus is due, unless what it waited for has been overtaken.
    #[inline]
    pub(super) fn bus_due(&mut self, now: Time, medium: u16, events: &mut Events) {
        let bus = &mut self.buses[usize::from(medium)];
        if bus.due != now {
            return;
        }
        bus.due = Time::NEVER;
        match bus.state {
            State::Sending(transmission) => match transmission.end {
                End::Received => self.sent(now, medium, transmission, events),
                _ => self.failed(now, medium, transmission, events),
            },
            State::Intermission => {
                bus.count_busy(now);
                self.charge_waiting(now, medium);
                self.arbitrate(now, medium, events);
                self.note_busy(now);
            }
            State::Idle(since) => {
                let sequence = self.site.media[usize::from(medium)].bits.nominal(RECESSIVE_BITS as u16);
                bus.sequences += now.since(since).whole(sequence);
                bus.busy_from = now;
                self.charge_idle(now, medium);
                self.arbitrate(now, medium, events);
                self.note_busy(now);
            }
        }
    }

    /// The bus is free: the frame of the highest priority among those offered is sent.
    #[inline]
    fn arbitrate(&mut self, now: Time, medium: u16, events: &mut Events) {
        let site = self.site;
        let settings = &site.media[usize::from(medium)];
        let first = settings.ports[0];
        let bus = &mut self.buses[usize::from(medium)];
        let Some(Winner { port, twin, contenders }) = bus.offers.winner() else {
            bus.state = State::Idle(now);
            return;
        };
        bus.counters.losses += contenders - 1;
        bus.state = State::Intermission; // until the transmission is known
        let waiting = bus.waiting - 1;
        bus.wait(now, waiting);
        let entry = self.take(now, first + port, events);
        // of two remote frames with one identifier both are the same bits
        let is_remote = self.in_flight.frames[entry.frame].is_remote();
        let twin = twin.filter(|_| !is_remote).map(|port| {
            let bus = &mut self.buses[usize::from(medium)];
            let waiting = bus.waiting - 1;
            bus.wait(now, waiting);
            (port, self.take(now, first + port, events))
        });
        let length = self.in_flight.frames[entry.frame].length;
        let (end, bits) = self.outcome(medium, port, twin, length);
        let bus = &mut self.buses[usize::from(medium)];
        bus.last = Last { port: first + port, priority: entry.priority, is_error: end != End::Received };
        bus.state = State::Sending(Transmission { port, entry, twin, end });
        bus.due = now + time_of(&settings.bits, length, end, bits);
        events.at(bus.due, Event::Bus(medium));
    }

    /// Takes the frame that a port offers.
    #[inline]
    fn take(&mut self, now: Time, port: u32, events: &mut Events) -> Entry {
        let entry = self.ports[port as usize].queue.take().expect("a port that takes part offers a frame");
        self.offer(now, port, events);
        entry
    }

    /// How a transmission ends, and after how many bits where that is before its end.
    #[inline]
    fn outcome(&mut self, medium: u16, port: u32, twin: Option<(u32, Entry)>, length: Length) -> (End, u16) {
        let settings = &self.site.media[usize::from(medium)];
        let sender = self.site.ports[(settings.ports[0] + port) as usize].station;
        let acknowledges = u32::from(self.site.stations[sender as usize].class.acknowledges);
        let bus = &mut self.buses[usize::from(medium)];
        let bits = length.bits() - INTERMISSION;
        if bus.bits_to_error < bits.into() {
            let wrong = bus.bits_to_error as u16 + 1;
            bus.draw_error();
            return (End::Error, wrong);
        }
        if bus.bits_to_error != u64::MAX {
            bus.bits_to_error -= u64::from(bits);
        }
        if twin.is_some() {
            // their data differ somewhere
            return (End::Error, bits / 2 + bus.stream.below(u32::from(bits / 4)) as u16);
        }
        match bus.is_up && bus.acknowledging > acknowledges {
            true => (End::Received, bits),
            false => (End::NotAcknowledged, bits - AFTER_ACK),
        }
    }

    /// A frame has been sent and received.
    #[inline]
    fn sent(&mut self, now: Time, medium: u16, transmission: Transmission, events: &mut Events) {
        let Transmission { port, entry, .. } = transmission;
        let settings = &self.site.media[usize::from(medium)];
        let number = settings.ports[0] + port;
        self.forget_probe(medium, entry.frame);
        let frame = &self.in_flight.frames[entry.frame];
        let (budget, flow) = (frame.budget, self.sources[frame.source as usize].flow);
        let (id, is_remote, bytes) = (frame.id(&self.site.hops[frame.hop as usize]), frame.is_remote(), frame.bytes);
        self.in_flight.account(budget, Component::Transmission, now);
        let intermission = settings.bits.nominal(INTERMISSION);
        let bus = &mut self.buses[usize::from(medium)];
        bus.sequences += 1;
        bus.state = State::Intermission;
        bus.due = now + intermission;
        events.at(bus.due, Event::Bus(medium));
        bus.counters.frames += 1;
        let flow = &self.site.flows[flow as usize];
        let (bytes, brs) = if is_remote { (0, None) } else { (bytes, flow.brs) };
        bus.counters.bytes += u64::from(bytes);
        let worst = Length::worst(id, bytes.into(), brs);
        bus.counters.worst += settings.bits.whole(worst);
        if bus.has_errors {
            self.received_by_all(now, medium, port);
        }
        let state = &mut self.ports[number as usize];
        state.queue.done();
        if state.counters.state() == ErrorState::Passive {
            self.suspend(now + intermission, number, events);
        }
        self.offer(now, number, events);
        if let Some(tap) = self.capture.as_mut() {
            tap.frame(now, &self.in_flight.frames[entry.frame], flow, id);
        }
        self.arrived(now, entry.frame, events);
    }

    /// A node that is error passive waits after its transmission, from the end of the intermission on.
    pub(super) fn suspend(&mut self, from: Time, port: u32, events: &mut Events) {
        let medium = self.site.ports[port as usize].medium;
        let until = from + self.site.media[usize::from(medium)].bits.nominal(SUSPEND);
        let state = &mut self.ports[port as usize];
        state.blocked |= SUSPENDED;
        state.suspended_until = until;
        events.at(until, Event::Release(port));
    }

    /// A node has waited after its transmission.
    pub(super) fn release_port(&mut self, now: Time, port: u32, events: &mut Events) {
        let state = &mut self.ports[port as usize];
        if state.suspended_until == now {
            state.blocked &= !SUSPENDED;
            self.offer(now, port, events);
        }
    }

    /// What waited while something was on the bus knows for what.
    #[inline]
    fn charge_waiting(&mut self, now: Time, medium: u16) {
        let bus: &Bus = &self.buses[usize::from(medium)];
        for &number in &bus.probes {
            let frame = &self.in_flight.frames[number];
            let hop = &self.site.hops[frame.hop as usize];
            let component = match bus.last {
                Last { is_error: true, .. } => Component::Errors,
                Last { port, .. } if port == hop.port => Component::OwnQueue,
                Last { priority, .. } if priority > frame.id(hop).arbitration(frame.is_remote()) => Component::Blocking,
                _ => Component::Interference,
            };
            if frame.budget != NONE {
                self.in_flight.budgets[frame.budget].account(component, now);
            }
        }
    }

    /// What waited while nothing was on the bus did not take part.
    fn charge_idle(&mut self, now: Time, medium: u16) {
        for &number in &self.buses[usize::from(medium)].probes {
            let frame = &self.in_flight.frames[number];
            if frame.budget != NONE {
                self.in_flight.budgets[frame.budget].account(Component::Errors, now);
            }
        }
    }
}

/// When a transmission ends.
#[inline]
fn time_of(bits: &Bits, length: Length, end: End, after: u16) -> Duration {
    if end == End::Received { bits.frame(length) } else { bits.part(length, after) }
}
