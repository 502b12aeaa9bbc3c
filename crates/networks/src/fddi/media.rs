//! The rings: frames are offered, carried and heard, and routers pass them on.

use sojourn_core::{Streams, Time};
use sojourn_engine::sample;

use super::event::{Event, Events};
use super::frame::{Destination, Frame, LOAD_TAG};
use super::latency_budget::Component;
use super::port::Port;
use super::ring::{Carried, Outcome, Outgoing};
use super::world::Simulation;
use crate::common::slab::NONE;

/// Frames that a generator keeps waiting; what it makes beyond is never offered.
const WAITING_LOAD: u32 = 10_000;

impl Simulation<'_, '_> {
    pub(super) fn start_rings(&mut self, events: &mut Events) {
        for ring in 0..self.rings.len() as u16 {
            self.schedule_ring(ring, events);
            self.schedule_token_loss(Time::ZERO, ring, events);
        }
    }

    pub(super) fn start_loads(&mut self, streams: &Streams, events: &mut Events) {
        for (index, load) in (0..).zip(&self.site.loads) {
            let mut random = streams.stream(&format!("load/{}/arrivals", load.name));
            let mut process = load.arrivals.clone();
            if let Some(first) = process.next(Time::ZERO, &mut random) {
                events.at(first, Event::Load(index));
            }
            self.loads.push((process, random));
        }
    }

    /// Schedules a ring for when it is due, unless that is done.
    #[inline]
    fn schedule_ring(&mut self, ring: u16, events: &mut Events) {
        let state = &mut self.rings[usize::from(ring)];
        let due = state.ring.next_event();
        if due != state.scheduled {
            state.scheduled = due;
            if due != Time::NEVER {
                events.at(due, Event::Ring(ring));
            }
        }
    }

    pub(super) fn ring_due(&mut self, now: Time, ring: u16, events: &mut Events) {
        let state = &mut self.rings[usize::from(ring)];
        // an offer has changed what is due
        if state.ring.next_event() != now {
            return;
        }
        let carried = state.ring.handle(now);
        self.schedule_ring(ring, events);
        if let Some(carried) = carried {
            self.carried(now, ring, &carried, events);
        }
    }

    fn schedule_token_loss(&mut self, now: Time, ring: u16, events: &mut Events) {
        if let Some(mean) = self.site.impairment.token_loss {
            let next = now + sample::exponential(&mut self.rings[usize::from(ring)].losses, mean);
            events.at(next, Event::LoseToken(ring));
        }
    }

    pub(super) fn lose_token(&mut self, now: Time, ring: u16, events: &mut Events) {
        self.rings[usize::from(ring)].ring.lose_token(now);
        self.schedule_ring(ring, events);
        self.schedule_token_loss(now, ring, events);
    }

    pub(super) fn load(&mut self, now: Time, index: u16, events: &mut Events) {
        let load = &self.site.loads[usize::from(index)];
        let Port { ring, mac } = load.port;
        let state = &mut self.rings[usize::from(ring)];
        for _ in 0..load.burst {
            if state.ring.queue_length(mac, load.class) < WAITING_LOAD {
                let frame = Outgoing { tag: LOAD_TAG, length: load.frame };
                state.ring.offer(now, mac, load.class, frame).expect("a checked frame fits the ring");
            }
        }
        let (process, random) = &mut self.loads[usize::from(index)];
        if let Some(next) = process.next(now, random) {
            events.at(next, Event::Load(index));
        }
        self.schedule_ring(ring, events);
    }

    /// A frame joins the queue of its MAC.
    pub(super) fn offer(&mut self, now: Time, frame: u32, events: &mut Events) {
        let &Frame { port, class, length, .. } = &self.frames[frame];
        let state = &mut self.rings[usize::from(port.ring)];
        let outgoing = Outgoing { tag: frame, length };
        state.ring.offer(now, port.mac, class, outgoing).expect("a checked frame fits the ring");
        self.schedule_ring(port.ring, events);
    }

    /// A frame has begun, and its end is known.
    fn carried(&mut self, now: Time, ring: u16, carried: &Carried, events: &mut Events) {
        if carried.tag == LOAD_TAG {
            return;
        }
        let state = &mut self.rings[usize::from(ring)];
        let before = std::mem::replace(&mut state.last_end[carried.mac as usize], carried.end);
        let noisy = self.site.impairment.frame_loss;
        let corrupted = noisy > 0.0 && state.noise.unit() < noisy;
        let frame = &mut self.frames[carried.tag];
        // behind other frames of the same station, then at the head of its queue
        frame.latency.account(Component::Queues, before);
        frame.latency.account(Component::WaitingForToken, carried.start);
        frame.latency.account(Component::Transmission, carried.end);
        if let Some(tap) = &mut self.capture
            && carried.outcome == Outcome::Sent
        {
            tap.frame(carried.end, frame);
        }
        if corrupted || carried.outcome != Outcome::Sent {
            return self.lose(now, carried.tag, events);
        }
        match self.frames[carried.tag].to {
            Destination::Host(host) => match self.routes.mac(ring, host) {
                Some(mac) => self.arrive(ring, carried, carried.tag, mac, events),
                None => self.lose(now, carried.tag, events),
            },
            Destination::Group(_) => self.broadcast(ring, carried, events),
            Destination::NoReceiver => self.settle_unheard(carried.tag),
        }
    }

    /// Every other host of the ring hears the frame, each its own copy.
    fn broadcast(&mut self, ring: u16, carried: &Carried, events: &mut Events) {
        let owners = &self.site.rings[usize::from(ring)].owners;
        for (mac, owner) in (0..).zip(owners) {
            if owner.is_some() && mac != carried.mac {
                let copy = self.frames.insert(self.frames[carried.tag].clone());
                self.arrive(ring, carried, copy, mac, events);
            }
        }
        self.frames.remove(carried.tag);
    }

    /// The last bit reaches a MAC, and the adapter copies the frame; a router's port keeps it.
    fn arrive(&mut self, ring: u16, carried: &Carried, frame: u32, mac: u32, events: &mut Events) {
        let arrival = self.rings[usize::from(ring)].ring.arrival(carried, mac);
        let Some(host) = self.site.rings[usize::from(ring)].owners[mac as usize] else {
            unreachable!("routes lead to hosts")
        };
        let state = &mut self.hosts[host as usize];
        let frame_state = &mut self.frames[frame];
        frame_state.at = host;
        frame_state.latency.account(Component::Propagation, arrival);
        if state.settings.router.is_some() {
            frame_state.port = Port { ring, mac };
            return events.at(arrival, Event::Received(frame));
        }
        let begin = state.copying_in.max(arrival);
        state.copying_in = begin + state.settings.costs.copy(frame_state.bytes());
        frame_state.latency.account(Component::Queues, begin);
        frame_state.latency.account(Component::Adapters, state.copying_in);
        events.at(state.copying_in, Event::Received(frame));
    }

    /// A router serves a frame that goes on to another ring.
    pub(super) fn route(&mut self, now: Time, frame: u32, out: Port, events: &mut Events) {
        let state = &mut self.hosts[self.frames[frame].at as usize];
        let router = state.settings.router.expect("only routers are asked to forward");
        let begin = state.forwards.max(now);
        state.forwards = begin + router.gap;
        self.frames[frame].port = out;
        events.at(begin + router.delay, Event::Forward(frame));
    }

    pub(super) fn forward(&mut self, now: Time, frame: u32, events: &mut Events) {
        self.frames[frame].latency.account(Component::Routers, now);
        self.offer(now, frame, events);
    }

    /// A frame is lost. XTP detects that itself; a datagram is lost with it if its path to the receiver whose
    /// deliveries count went here.
    fn lose(&mut self, _now: Time, frame: u32, _events: &mut Events) {
        let Frame { stream, packet, data, port, .. } = self.frames.remove(frame);
        if stream == NONE || packet.is_some() {
            return;
        }
        let recorder = self.streams[stream as usize].recorder;
        let towards = self.routes.mac(port.ring, recorder).is_some_and(|mac| mac != port.mac);
        if towards {
            self.settle_lost(stream, data.offset);
        }
    }
}
