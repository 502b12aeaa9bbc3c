//! From a medium to an application: packets are taken in, answered, delivered, passed on.

use std::hint::cold_path;

use sojourn_core::{Duration, Time};
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::{Delivery, Input, Purpose, Ticket};
use sojourn_protocols::lontalk::wire::{Apdu, ApduKind, Body, Direction, Spdu, Tpdu};

use super::budget::Component;
use super::costs::Costs;
use super::send::Cause;
use super::site::{MessageKind, Role};
use super::slab::NONE;
use super::station::{Frame, Station};
use super::world::{Event, Events, Simulation};

impl Simulation<'_, '_> {
    /// A valid packet for a station, or for a router to pass on, has come in by a port.
    pub(super) fn arrive(&mut self, now: Time, port: u32, frame: &Frame, events: &mut Events) {
        let station = self.ports[port as usize].station;
        let costs = &self.stations[station as usize].class.costs;
        let is_mine = self.work(station).node.configuration().accepts(&frame.packet);
        let cost = if is_mine { self.taking_cost(costs, frame) } else { routing_cost(costs, frame) };
        let Station { intake, work, .. } = &mut self.stations[station as usize];
        let Some((start, done)) = intake.take(now, cost, work) else {
            self.measure.missed_packet(now);
            return;
        };
        self.work(station).counts.received += 1;
        let trip = self.clone_trip(frame.trip);
        let copy = Frame { station, port, trip, ticket: Ticket::NONE, ..*frame };
        self.account(trip, Component::Queues, start);
        self.account(trip, if is_mine { Component::ReceiverNetwork } else { Component::Routers }, done);
        let copy = self.insert_frame(copy);
        events.at(done, Event::Processed(copy));
    }

    /// The network processor has taken a packet in.
    #[inline(never)]
    pub(super) fn processed(&mut self, now: Time, frame: u32, events: &mut Events) {
        let Frame { station, packet, .. } = self.frames[frame];
        if self.stations[station as usize].class.role != Role::Node {
            self.pass_on(now, frame, events);
        }
        if self.work(station).node.configuration().accepts(&packet) {
            let limit = self.stations[station as usize].class.buffers.application_input;
            let application_buffer = self.work(station).application_input.has_room(now, limit);
            let challenge = if asks_identity(&packet.body) { self.challenge(station) } else { [0; 8] };
            self.tell(now, station, Input::Receive { packet, application_buffer, challenge });
            self.drain(now, station, Cause::Frame(frame), events);
        }
        self.release(frame);
    }

    /// A router queues a packet on the media beyond.
    #[inline(never)]
    fn pass_on(&mut self, now: Time, frame: u32, events: &mut Events) {
        let station = &self.stations[self.frames[frame].station as usize];
        let settings = station.class;
        let copy = self.frames[frame];
        let class = usize::from(copy.packet.link.priority);
        let buffers = [settings.buffers.network_output, settings.buffers.network_output_priority][class];
        let (first, ports) = (station.first_port, u16::from(station.ports));
        for number in 0..usize::from(ports) {
            let port = first + number as u32;
            if port == copy.port || !self.passes(copy.station, number, &copy.packet.destination) {
                continue;
            }
            let work = self.work(copy.station);
            // each side of a router has buffers of its own
            if work.output[class] >= buffers * (ports - 1).max(1) {
                work.counts.refused += 1;
                continue;
            }
            work.output[class] += 1;
            let trip = self.clone_trip(copy.trip);
            let next = self.insert_frame(Frame { port, trip, ticket: Ticket::NONE, ..copy });
            self.enqueue(now, next, events);
        }
    }

    /// A message goes to the application.
    pub(super) fn deliver(&mut self, now: Time, frame: u32, delivery: &Delivery<StreamRange>, events: &mut Events) {
        let costs = &self.stations[self.frames[frame].station as usize].class.costs;
        let variable = matches!(delivery.apdu.kind, ApduKind::NetworkVariable { .. });
        let mut handling = if variable { variable_handling(costs, &delivery.apdu) } else { Duration::ZERO };
        if delivery.request.is_some() {
            handling += costs.send_call;
        }
        let trip = self.clone_trip(self.frames[frame].trip);
        let copy = Frame { trip, request: delivery.request, ticket: Ticket::NONE, ..self.frames[frame] };
        self.act_after(now, copy, handling, Component::ReceiverApplication, events);
    }

    /// A response goes to the application that asked.
    pub(super) fn answered(
        &mut self,
        now: Time,
        frame: u32,
        reference: u32,
        apdu: &Apdu<StreamRange>,
        events: &mut Events,
    ) {
        let costs = &self.stations[self.frames[frame].station as usize].class.costs;
        let variable = matches!(apdu.kind, ApduKind::NetworkVariable { .. });
        let handling = if variable { variable_handling(costs, apdu) } else { Duration::ZERO };
        let trip = self.clone_trip(self.frames[frame].trip);
        let copy = Frame { trip, request: None, message: reference, ticket: Ticket::NONE, ..self.frames[frame] };
        self.act_after(now, copy, handling, Component::SenderApplication, events);
    }

    /// The application notices a message, takes it out of its buffer, and acts once it has handled it. Handling
    /// delays the act but does not keep the application from noticing the next message: the published rates were
    /// taken without processing at the receiver.
    fn act_after(&mut self, now: Time, frame: Frame, handling: Duration, component: Component, events: &mut Events) {
        let notice = self.notice(frame.station);
        let work = self.work(frame.station);
        let (start, taken) = work.application.serve(now, notice);
        work.application_input.push(now, taken);
        let acted = taken + handling;
        self.account(frame.trip, Component::Queues, start);
        self.account(frame.trip, component, acted);
        let frame = self.insert_frame(frame);
        events.at(acted, Event::Acted(frame));
    }

    /// The application has acted on a message, or on a response.
    #[inline(never)]
    pub(super) fn acted(&mut self, now: Time, frame: u32, events: &mut Events) {
        let Frame { station, request, purpose, message, trip, .. } = self.frames[frame];
        if let Some(request) = request {
            cold_path();
            let source = &self.sources[self.messages[message].source as usize];
            let apdu = self.response(source.flow, message);
            self.tell(now, station, Input::Respond { request, apdu });
            self.drain(now, station, Cause::Frame(frame), events);
        }
        if request.is_none() || purpose == Purpose::Response {
            self.observe_response(now, message, trip);
        }
        self.release(frame);
    }

    fn response(&self, flow: u16, message: u32) -> Apdu<StreamRange> {
        let settings = &self.site.flows[usize::from(flow)];
        let Self { messages, .. } = self;
        let (stream, offset) = (messages[message].source, messages[message].number);
        let data = StreamRange { stream: stream | 1 << 31, offset, length: settings.response_data };
        match settings.message {
            MessageKind::NetworkVariable => {
                let kind = ApduKind::NetworkVariable { direction: Direction::ToInput, selector: flow & 0x2fff };
                Apdu { kind, data }
            }
            _ => Apdu::explicit(0, data),
        }
    }

    /// Eight random bytes to challenge a sender with.
    #[cold]
    #[inline(never)]
    fn challenge(&mut self, station: u32) -> [u8; 8] {
        let streams = self.streams;
        let name = self.site.stations[station as usize].name();
        let make = || Box::new(streams.stream(&format!("station/{name}/challenge")));
        self.work(station).challenges.get_or_insert_with(make).bits().to_be_bytes()
    }

    /// The time until an application notices a message.
    fn notice(&mut self, station: u32) -> Duration {
        let mean = self.stations[station as usize].class.costs.notice.picoseconds() as f64;
        let half_width = self.stations[station as usize].class.application_jitter;
        if half_width == 0.0 {
            return self.stations[station as usize].class.costs.notice;
        }
        let unit = self.work(station).jitter.unit();
        Duration::from_picoseconds((mean * (1.0 + half_width * (2.0 * unit - 1.0))) as u64)
    }

    /// What the network processor spends on a packet that is for its station.
    fn taking_cost(&self, costs: &Costs, frame: &Frame) -> Duration {
        let bytes = |apdu: &Apdu<StreamRange>| costs.receive_copy.times(u64::from(apdu.data.length));
        match &frame.packet.body {
            Body::Application(apdu) => costs.receive + bytes(apdu),
            Body::Transport(_, Tpdu::Acknowledgement) => costs.complete,
            Body::Session(_, Spdu::Response(apdu)) => costs.complete + bytes(apdu),
            Body::Transport(..) | Body::Session(..) => {
                let copied = frame.packet.body.apdu().map_or(Duration::ZERO, bytes);
                costs.receive + copied + costs.receive_record
            }
            Body::Authentication(_) => {
                let length = if frame.message == NONE { 0 } else { self.apdu_length(frame.message) };
                costs.receive + costs.authentication(length)
            }
        }
    }

    /// Bytes that the authentication transform of a message reads.
    fn apdu_length(&self, message: u32) -> usize {
        let message = &self.messages[message];
        let flow = self.sources[message.source as usize].flow;
        let header = match self.site.flows[usize::from(flow)].message {
            MessageKind::NetworkVariable => 2,
            _ => 1,
        };
        usize::from(message.data) + header
    }
}

/// What a network variable's event and the copy of its value take.
fn variable_handling(costs: &Costs, apdu: &Apdu<StreamRange>) -> Duration {
    costs.variable_event + costs.application_copy.times(u64::from(apdu.data.length))
}

fn routing_cost(costs: &Costs, frame: &Frame) -> Duration {
    costs.route + costs.route_copy.times(u64::from(frame.length))
}

/// Whether a receiver may have to ask who sent the packet.
fn asks_identity(body: &Body<StreamRange>) -> bool {
    match body {
        Body::Transport(numbering, _) | Body::Session(numbering, _) => numbering.authenticated,
        _ => false,
    }
}
