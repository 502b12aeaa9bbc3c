//! The simulation: media, stations and sources, and the handling of events.
//!
//! The code path of a packet exceeds the instruction cache. Rare paths are therefore marked cold, or are functions of
//! their own, here and in the protocol machine, so that the common path is contiguous.

use std::collections::VecDeque;
use std::hint::cold_path;

use sojourn_core::{Machine, Streams, Time, clone_fields, rekey_fields};
use sojourn_engine::World;
use sojourn_engine::splitting::Copied;
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::{Input, Output, Purpose, Ticket};
use sojourn_protocols::lontalk::wire::Body;

use super::access::Access;
use super::capture::Capture;
use super::changes::Changes;
use super::event::{Event, Events};
use super::in_flight::InFlight;
use super::installation::Installation;
use super::latency_budget::Component;
use super::medium::{Transmission, TransmitResult};
use super::message::Frame;
use super::metrics::Metrics;
use super::nodes::Nodes;
use super::repeats::Repeats;
use super::site::Site;
use super::slab::NONE;
use super::sources::Source;
use sojourn_model::not_copied::NotCopied;

/// State of a replication.
pub struct Simulation<'a, 'c> {
    pub(super) site: &'a Site,
    pub(super) access: Access,
    pub(super) nodes: Nodes<'a>,
    pub(super) sources: Vec<Source>,
    pub(super) in_flight: InFlight,
    pub(super) metrics: Metrics<'a>,
    pub(super) capture: NotCopied<Capture<'c>>,
    pub(super) streams: Streams,
    /// What a gauge of repeats has seen; empty without one.
    pub(super) repeats: Repeats,
    /// What the scenario's events have changed; none without events.
    pub(super) changes: Option<Box<Changes>>,
    /// Scratch: outputs of the running protocol machine.
    pub(super) outputs: VecDeque<Output<StreamRange>>,
}

clone_fields!(['a, 'c] Simulation<'a, 'c> { site, access, nodes, sources, in_flight, metrics, capture, streams, repeats, changes, outputs });

impl<'a, 'c> Simulation<'a, 'c> {
    /// The initial state of a site, with its first events scheduled.
    pub fn new(
        site: &'a Site,
        installation: &'a Installation,
        streams: Streams,
        metrics: Metrics<'a>,
        events: &mut Events,
    ) -> Self {
        let mut access = Access::new(site, &streams);
        let nodes = Nodes::new(site, installation, streams, &mut access);
        let mut simulation = Simulation {
            site,
            access,
            nodes,
            sources: Vec::new(),
            in_flight: InFlight::new(),
            metrics,
            capture: NotCopied::new(None),
            streams,
            repeats: Repeats::default(),
            changes: None,
            outputs: VecDeque::new(),
        };
        simulation.start_sources(events);
        simulation
    }

    /// Sends every correct packet to `sink`.
    pub fn capture_to(&mut self, sink: Option<&'c mut dyn FrameSink>) {
        let streams = self.streams;
        self.capture = NotCopied::new(sink.map(|sink| Capture::new(sink, &streams)));
    }

    /// Removes a packet, and its message if nothing else of it is left.
    pub(super) fn release(&mut self, frame: u32) {
        self.in_flight.release(frame, &self.sources, &mut self.metrics);
    }

    /// A medium's event is due, unless it has been rescheduled.
    #[inline(never)]
    fn medium_due(&mut self, now: Time, segment: usize, events: &mut Events) {
        let medium = &mut self.access.segments[segment].medium;
        if medium.next_event() == now {
            if medium.is_busy() {
                self.end_busy_period(now, segment, events);
            } else {
                medium.start(now);
                if let Some(changes) = &mut self.changes {
                    changes.busy(now, true);
                }
            }
        }
        self.access.schedule(segment, events);
    }

    /// The busy period of a medium ends.
    #[inline(never)]
    fn end_busy_period(&mut self, now: Time, segment: usize, events: &mut Events) {
        let medium = &mut self.access.segments[segment].medium;
        let received = medium.end(now);
        let ended = medium.ended().len();
        if self.changes.is_some() {
            self.repair(now, segment);
        }
        let medium = &self.access.segments[segment].medium;
        if let Some(index) = received {
            let Transmission { port, start, .. } = medium.ended()[index];
            let port = medium.owner(port);
            self.receive_packet(now, segment, port, start, events);
        }
        for index in 0..ended {
            let medium = &self.access.segments[segment].medium;
            let Transmission { port, result, .. } = medium.ended()[index];
            let port = medium.owner(port);
            self.transmission_ended(now, port, result, events);
        }
    }

    /// A valid packet is received by all stations; `port` began to send it at `start`.
    fn receive_packet(&mut self, now: Time, segment: usize, port: u32, start: Time, events: &mut Events) {
        let (sender, head) = (self.access.ports[port as usize].station, self.access.ports[port as usize].head);
        let frame = self.in_flight.frames[head];
        self.access.segments[segment].answers += u64::from(is_answer(frame.purpose));
        self.in_flight.account_step(&frame, Component::WaitingForMedium, start);
        self.in_flight.account_step(&frame, Component::Transmission, now);
        if let Some(tap) = self.capture.as_mut() {
            tap.packet(now, segment, &frame.packet);
        }
        self.nodes.receive(now, segment, sender, &frame, &mut self.access, &mut self.metrics);
        let receivers = std::mem::take(&mut self.nodes.receivers);
        for &receiver in &receivers {
            self.arrive(now, receiver, &frame, events);
        }
        self.nodes.receivers = receivers;
    }

    /// A sender's transmission has ended.
    pub(super) fn transmission_ended(&mut self, now: Time, port: u32, result: TransmitResult, events: &mut Events) {
        let (station, head) = (self.access.ports[port as usize].station, self.access.ports[port as usize].head);
        if self.changes.is_some() && self.was_cut(now, port, head) {
            return;
        }
        let active = self.nodes.active(station);
        active.counts.sent += 1;
        if result == TransmitResult::Collided {
            cold_path();
            active.counts.collisions += 1;
            let frame = self.in_flight.frames[head];
            self.in_flight.account_step(&frame, Component::Retransmission, now);
            return;
        }
        self.access.ports[port as usize].head = NONE;
        self.access.next_head(now, port, &mut self.in_flight);
        self.packet_done(now, head, events);
    }

    /// A packet has left its station's output buffer: sent, dropped or withdrawn.
    pub(super) fn packet_done(&mut self, now: Time, frame: u32, events: &mut Events) {
        let Frame { station, ticket, message, packet, .. } = self.in_flight.frames[frame];
        let class = usize::from(packet.link.priority);
        self.nodes.active(station).output[class] -= 1;
        if ticket != Ticket::NONE {
            self.nodes.active(station).node.handle(now, Input::Transmitted { ticket });
            self.schedule_wakeup(station, events);
        }
        // an unacknowledged message is complete at its sender
        if matches!(packet.body, Body::Application(_)) && self.is_sender(station, message) {
            self.close(now, message, true, 0, events);
        }
        self.release(frame);
        self.send_waiting(now, station, class, events);
    }

    /// Removes the packets of a transaction from its station's queues, except one in transmission.
    pub(super) fn withdraw(&mut self, now: Time, station: u32, ticket: Ticket, events: &mut Events) {
        let state = &self.nodes[station];
        for port in state.first_port..state.first_port + u32::from(state.ports) {
            while let Some(frame) = self.access.take_waiting(now, port, ticket, &mut self.in_flight, events) {
                self.packet_done(now, frame, events);
            }
        }
    }
}

impl Copied for Simulation<'_, '_> {
    /// Each station and each of its sources is copied and rekeyed: 110 µs for the 157 of the three-floor site, where an event
    /// takes 0.31 µs.
    fn cost_of_copy(&self) -> u64 {
        2 * self.site.stations.len() as u64
    }

    fn drop_samples(&mut self) {
        self.forget_samples();
    }

    fn redraw(&mut self, now: Time, events: &mut Events) {
        let sources = &mut self.sources;
        events.reschedule(|due, event| match *event {
            Event::Fire(source) => sources[source as usize].redraw(now, due),
            _ => due,
        });
    }
}

impl World for Simulation<'_, '_> {
    type Event = Event;

    #[inline]
    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        match event {
            Event::Medium(segment) => self.medium_due(now, usize::from(segment), events),
            Event::Fire(source) => self.fire(now, source, events),
            Event::Built(message) => self.built(now, message, events),
            Event::Formed(frame) => self.formed(now, frame, events),
            Event::Processed(frame) => self.processed(now, frame, events),
            Event::Handled(frame) => self.handled(now, frame, events),
            Event::Wake(station) => self.wake(now, station, events),
            Event::Step(step) => self.step(now, step, events),
            Event::Interface(port) => self.interface_due(now, port, events),
            Event::Datagram(datagram) => self.datagram_due(now, datagram, events),
            Event::Escrow(session) => self.escrow_due(now, session, events),
        }
    }

    fn end_warm_up(&mut self, now: Time, _events: &mut Events) {
        self.begin_repeats_anew();
        for segment in &mut self.access.segments {
            segment.medium.reset_counters(now);
            segment.answers = 0;
        }
        if let Some(ip) = &mut self.access.ip {
            ip.reset_counters(now);
        }
        self.metrics.end_warm_up();
    }
}

/// Whether a packet acknowledges, responds to or challenges another.
pub(super) const fn is_answer(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Acknowledgement | Purpose::Response | Purpose::Challenge | Purpose::Reply)
}

rekey_fields!(Simulation<'_, '_> { access, nodes, sources, streams });
