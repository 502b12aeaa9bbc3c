//! The simulation: the hosts, the rings between them, and the handling of events.

use sojourn_core::{Streams, Time, rekey_fields};
use sojourn_engine::World;

use super::capture::Capture;
use super::context::Context;
use super::event::{Event, Events};
use super::frame::{Destination, Frame};
use super::hosts::Hosts;
use super::media::Rings;
use super::metrics::{Metrics, Run};
use super::port::Port;
use super::ring::{Carried, Outcome};
use super::routes::Routes;
use super::site::{Mode, Site};
use super::users::Users;
use sojourn_model::not_copied::NotCopied;
use sojourn_model::slab::Slab;

/// State of a run.
#[derive(Clone)]
pub struct Simulation<'a, 'c> {
    pub(super) site: &'a Site,
    pub(super) routes: &'a Routes,
    mode: Mode,
    pub(super) rings: Rings<'a>,
    pub(super) hosts: Hosts<'a>,
    pub(super) users: Users<'a>,
    pub(super) frames: Slab<Frame>,
    capture: NotCopied<Capture<'c>>,
}

impl<'a, 'c> Simulation<'a, 'c> {
    /// A site at rest, with its first events scheduled.
    pub fn new(
        site: &'a Site,
        routes: &'a Routes,
        mode: Mode,
        streams: &Streams,
        metrics: Metrics<'a>,
        capture: Option<Capture<'c>>,
        events: &mut Events,
    ) -> Self {
        let mut simulation = Simulation {
            site,
            routes,
            mode,
            rings: Rings::new(site, streams, events),
            hosts: Hosts::new(site, streams),
            users: Users::new(site, mode, metrics, streams, events),
            frames: Slab::new(),
            capture: NotCopied::new(capture),
        };
        let (hosts, mut context) = simulation.parts(Time::ZERO, events);
        hosts.open_associations(&mut context);
        simulation.expect_events(events);
        simulation
    }

    /// The hosts, and the context they work with.
    #[inline]
    pub(super) fn parts<'w>(&'w mut self, now: Time, events: &'w mut Events) -> (&'w mut Hosts<'a>, Context<'w, 'a>) {
        let Simulation { site, routes, rings, hosts, users, frames, .. } = self;
        (hosts, Context { now, site, routes, rings, users, frames, events })
    }

    /// Frames in flight, without those of generators.
    pub fn frames_in_flight(&self) -> u64 {
        self.frames.len() as u64
    }

    /// Probed exchanges without a response.
    pub fn failures(&self) -> u64 {
        self.users.streams.metrics.failures
    }

    /// What the run has observed when the clock stands at `end`, after this many events.
    pub fn finish(mut self, end: Time, events: u64) -> Run<'a> {
        self.users.censor_open(end);
        let streams = &mut self.users.streams;
        streams.metrics.check_conservation(streams.unsettled());
        let (fifos, calls) = (streams.fifos(end), streams.calls(end));
        Run {
            mode: self.mode,
            end,
            events,
            rings: self.rings.finish(end),
            busy: self.hosts.busy(end),
            metrics: self.users.streams.metrics,
            fifos,
            calls,
        }
    }

    /// A ring may be due. A frame that begins has its end known, and is captured and sent on to its receivers.
    fn ring_due(&mut self, now: Time, ring: u16, events: &mut Events) {
        let Some(carried) = self.rings.due(now, ring, events) else { return };
        let frame = &mut self.frames[carried.tag];
        let arrives = self.rings.carry(ring, &carried, frame);
        if let Some(capture) = self.capture.as_mut()
            && carried.outcome == Outcome::Sent
        {
            capture.frame(carried.end, frame);
        }
        if !arrives {
            return self.lose(carried.tag);
        }
        match frame.to {
            Destination::Host(host) => match self.routes.mac(ring, host) {
                Some(mac) => self.arrive(&carried, carried.tag, Port { ring, mac }, events),
                None => self.lose(carried.tag),
            },
            Destination::Group(_) => self.broadcast(&carried, ring, events),
            Destination::NoReceiver => self.users.streams.settle_unheard(&self.frames.remove(carried.tag)),
        }
    }

    /// Every other host of the ring hears the frame, each its own copy.
    fn broadcast(&mut self, carried: &Carried, ring: u16, events: &mut Events) {
        for (mac, owner) in (0..).zip(&self.site.rings[usize::from(ring)].owners) {
            if owner.is_some() && mac != carried.mac {
                let copy = self.frames.insert(self.frames[carried.tag].clone());
                self.arrive(carried, copy, Port { ring, mac }, events);
            }
        }
        self.frames.remove(carried.tag);
    }

    /// A frame comes to the host of a port.
    fn arrive(&mut self, carried: &Carried, frame: u32, port: Port, events: &mut Events) {
        let owner = self.site.rings[usize::from(port.ring)].owners[port.mac as usize];
        let host = owner.expect("routes lead to hosts");
        let arrival = self.rings.arrival(carried, port);
        if self.users.changes.is_some() && !self.is_heard(host, arrival, port, frame, events.now()) {
            return;
        }
        let received = self.hosts.copy_in(host, arrival, port, &mut self.frames[frame]);
        events.at(received, Event::Received(frame));
    }

    /// A frame is lost. XTP detects that itself; a datagram is lost with it if its path to the receiver whose
    /// deliveries count went here.
    fn lose(&mut self, frame: u32) {
        let Frame { stream, packet, data, port, .. } = self.frames.remove(frame);
        if stream == sojourn_model::slab::NONE || packet.is_some() {
            return;
        }
        let recorder = self.users.streams[stream].recorder;
        if self.routes.mac(port.ring, recorder).is_some_and(|mac| mac != port.mac) {
            self.users.streams.settle_lost(data);
        }
    }
}

impl World for Simulation<'_, '_> {
    type Event = Event;

    #[inline]
    fn is_finished(&self) -> bool {
        self.users.is_finished()
    }

    fn end_warm_up(&mut self, now: Time, events: &mut Events) {
        self.rings.end_warm_up(now);
        self.hosts.end_warm_up(now);
        self.users.streams.metrics.end_warm_up();
        let (hosts, mut context) = self.parts(now, events);
        if let Some(write) = context.users.start_probe(now, context.events) {
            hosts.want(write, &mut context);
        }
    }

    #[inline]
    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        if self.users.changes.is_none() || !self.is_void(now, event) {
            self.happen(now, event, events);
        }
        self.users.go_round(now, events);
    }
}

impl Simulation<'_, '_> {
    #[inline]
    fn happen(&mut self, now: Time, event: Event, events: &mut Events) {
        let (hosts, mut context) = self.parts(now, events);
        let write = match event {
            Event::Processor(host) => return hosts.processor_done(host, &mut context),
            Event::Received(frame) => return hosts.received(frame, &mut context),
            Event::Wake(host) => return hosts.wake(host, &mut context),
            Event::Offer(frame) => return context.offer(frame),
            Event::Forward(frame) => return context.forward(frame),
            Event::Arrival(stream) => context.users.arrival(now, stream, context.events),
            Event::Filled(stream) => context.users.filled(now, stream, context.events),
            Event::Speak(stream) => {
                context.users.speak(now, stream, context.events);
                None
            }
            Event::Overdue(number) => context.users.overdue(now, number, context.events),
            Event::Ring(ring) => return self.ring_due(now, ring, events),
            Event::LoseToken(ring) => return self.rings.lose_token(now, ring, events),
            Event::Load(load) => return self.rings.load(now, load, events),
            Event::Step(step) => return self.step(now, step, events),
            Event::Bypassed(ring, mac) => return self.bypassed(now, ring, mac, events),
            Event::Reopen(stream) => return self.reopen(now, stream, events),
        };
        if let Some(write) = write {
            hosts.want(write, &mut context);
        }
    }
}

rekey_fields!(Simulation<'_, '_> { rings, hosts, users });
