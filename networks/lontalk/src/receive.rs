//! Reception, from a medium to an application: packets are queued, acknowledged, delivered, forwarded.

use std::hint::cold_path;

use sojourn_core::{Duration, Time};
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::{Delivery, Input, Purpose, Ticket};
use sojourn_protocols::lontalk::wire::{Apdu, ApduKind, Body, Direction, Spdu, Tpdu};

use super::costs::Costs;
use super::event::{Event, Events};
use super::in_flight::InFlight;
use super::latency_budget::Component;
use super::message::Frame;
use super::nodes::Station;
use super::send::Cause;
use super::site::{MessageKind, Role};
use super::slab::NONE;
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// A valid packet for a station, or for a router to pass on, has come in by a port.
    pub(super) fn arrive(&mut self, now: Time, port: u32, frame: &Frame, events: &mut Events) {
        let station = self.access.ports[port as usize].station;
        let costs = &self.nodes[station].class.costs;
        let segment = usize::from(self.access.ports[port as usize].medium);
        let is_mine = self.nodes.active(station).node.configuration().accepts(&frame.packet)
            && self.nodes.takes(station, segment, &frame.packet.destination);
        let cost = if is_mine { self.receive_cost(costs, frame) } else { routing_cost(costs, frame) };
        let Station { receive_queue, active, .. } = &mut self.nodes[station];
        let Some((start, done)) = receive_queue.push(now, cost, active) else {
            self.metrics.missed_packet();
            return;
        };
        self.nodes.active(station).counts.received += 1;
        let budget = self.in_flight.clone_budget(frame.budget);
        let copy = Frame { station, port, budget, ticket: Ticket::NONE, ..*frame };
        self.in_flight.account(budget, Component::Queues, start);
        self.in_flight.account(budget, if is_mine { Component::ReceiverNetwork } else { Component::Routers }, done);
        let copy = self.in_flight.insert_frame(copy);
        events.at(done, Event::Processed(copy));
    }

    /// The network processor has processed a packet.
    #[inline(never)]
    pub(super) fn processed(&mut self, now: Time, frame: u32, events: &mut Events) {
        if self.changes.is_some() && self.was_lost(frame) {
            return;
        }
        let Frame { station, port, packet, .. } = self.in_flight.frames[frame];
        if self.nodes[station].class.role != Role::Node {
            self.forward(now, frame, events);
        }
        let segment = usize::from(self.access.ports[port as usize].medium);
        if self.nodes.active(station).node.configuration().accepts(&packet)
            && self.nodes.takes(station, segment, &packet.destination)
        {
            let limit = self.nodes[station].class.buffers.application_input;
            let application_buffer = self.nodes.active(station).application_input.has_room(now, limit);
            let challenge = if is_authenticated(&packet.body) { self.challenge(station) } else { [0; 8] };
            self.input(now, station, Input::Receive { packet, application_buffer, challenge });
            self.process_outputs(now, station, Cause::Frame(frame), events);
        }
        self.release(frame);
    }

    /// A router queues a packet on its other media.
    #[inline(never)]
    fn forward(&mut self, now: Time, frame: u32, events: &mut Events) {
        let station = &self.nodes[self.in_flight.frames[frame].station];
        let settings = station.class;
        let copy = self.in_flight.frames[frame];
        let class = usize::from(copy.packet.link.priority);
        let buffers = [settings.buffers.network_output, settings.buffers.network_output_priority][class];
        let (first, ports) = (station.first_port, u16::from(station.ports));
        for number in 0..usize::from(ports) {
            let port = first + number as u32;
            if port == copy.port || !self.nodes.forwards_to(copy.station, number, &copy.packet.destination) {
                continue;
            }
            let active = self.nodes.active(copy.station);
            // each side of a router has buffers of its own
            if active.output[class] >= buffers * (ports - 1).max(1) {
                active.counts.refused += 1;
                continue;
            }
            active.output[class] += 1;
            let budget = self.in_flight.clone_budget(copy.budget);
            let next = self.in_flight.insert_frame(Frame { port, budget, ticket: Ticket::NONE, ..copy });
            self.access.enqueue(now, next, &self.in_flight, events);
        }
    }

    /// Delivers a message to the application.
    pub(super) fn deliver(&mut self, now: Time, frame: u32, delivery: &Delivery<StreamRange>, events: &mut Events) {
        let costs = &self.nodes[self.in_flight.frames[frame].station].class.costs;
        let variable = matches!(delivery.apdu.kind, ApduKind::NetworkVariable { .. });
        let mut handling = if variable { variable_handling(costs, &delivery.apdu) } else { Duration::ZERO };
        if delivery.request.is_some() {
            handling += costs.send_call;
        }
        let budget = self.in_flight.clone_budget(self.in_flight.frames[frame].budget);
        let copy = Frame { budget, request: delivery.request, ticket: Ticket::NONE, ..self.in_flight.frames[frame] };
        self.handle_in_application(now, copy, handling, Component::ReceiverApplication, events);
    }

    /// Delivers a response to the requesting application.
    pub(super) fn deliver_response(
        &mut self,
        now: Time,
        frame: u32,
        reference: u32,
        apdu: &Apdu<StreamRange>,
        events: &mut Events,
    ) {
        let costs = &self.nodes[self.in_flight.frames[frame].station].class.costs;
        let variable = matches!(apdu.kind, ApduKind::NetworkVariable { .. });
        let handling = if variable { variable_handling(costs, apdu) } else { Duration::ZERO };
        let budget = self.in_flight.clone_budget(self.in_flight.frames[frame].budget);
        let copy =
            Frame { budget, request: None, message: reference, ticket: Ticket::NONE, ..self.in_flight.frames[frame] };
        self.handle_in_application(now, copy, handling, Component::SenderApplication, events);
    }

    /// The application takes a message out of its buffer after its latency, and handles it. Handling delays the response
    /// but does not occupy the application processor: the published rates were measured without processing at the
    /// receiver.
    fn handle_in_application(
        &mut self,
        now: Time,
        frame: Frame,
        handling: Duration,
        component: Component,
        events: &mut Events,
    ) {
        let notice = self.application_latency(frame.station);
        let active = self.nodes.active(frame.station);
        let (start, taken) = active.application.serve(now, notice);
        active.application_input.push(now, taken);
        let handled = taken + handling;
        self.in_flight.account(frame.budget, Component::Queues, start);
        self.in_flight.account(frame.budget, component, handled);
        let frame = self.in_flight.insert_frame(frame);
        events.at(handled, Event::Handled(frame));
    }

    /// The application has handled a message or a response.
    #[inline(never)]
    pub(super) fn handled(&mut self, now: Time, frame: u32, events: &mut Events) {
        if self.changes.is_some() && self.was_lost(frame) {
            return;
        }
        let Frame { station, request, purpose, message, budget, .. } = self.in_flight.frames[frame];
        if let Some(request) = request {
            cold_path();
            let source = &self.sources[self.in_flight.messages[message].source as usize];
            let apdu = self.response(source.flow, message);
            self.input(now, station, Input::Respond { request, apdu });
            self.process_outputs(now, station, Cause::Frame(frame), events);
        }
        let is_handled = request.is_none() || purpose == Purpose::Response;
        if is_handled {
            let InFlight { messages, budgets, .. } = &mut self.in_flight;
            let state = &mut messages[message];
            let source = &self.sources[state.source as usize];
            self.metrics.handled(now, source, state, (budget != NONE).then(|| &budgets[budget]));
        }
        self.release(frame);
    }

    fn response(&self, flow: u16, message: u32) -> Apdu<StreamRange> {
        let settings = &self.site.flows[usize::from(flow)];
        let messages = &self.in_flight.messages;
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

    /// Eight random bytes of a challenge.
    #[cold]
    #[inline(never)]
    fn challenge(&mut self, station: u32) -> [u8; 8] {
        let streams = self.streams;
        let name = self.site.stations[station as usize].name();
        let make = || Box::new(streams.stream(&format!("station/{name}/challenge")));
        self.nodes.active(station).challenges.get_or_insert_with(make).bits().to_be_bytes()
    }

    /// The latency of the application.
    fn application_latency(&mut self, station: u32) -> Duration {
        let mean = self.nodes[station].class.costs.notice.picoseconds() as f64;
        let half_width = self.nodes[station].class.application_jitter;
        if half_width == 0.0 {
            return self.nodes[station].class.costs.notice;
        }
        let unit = self.nodes.active(station).jitter.unit();
        Duration::from_picoseconds((mean * (1.0 + half_width * (2.0 * unit - 1.0))) as u64)
    }

    /// CPU time of the network processor for a packet addressed to its station.
    fn receive_cost(&self, costs: &Costs, frame: &Frame) -> Duration {
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

    /// Bytes covered by the authentication transform of a message.
    fn apdu_length(&self, message: u32) -> usize {
        let message = &self.in_flight.messages[message];
        let flow = self.sources[message.source as usize].flow;
        let header = match self.site.flows[usize::from(flow)].message {
            MessageKind::NetworkVariable => 2,
            _ => 1,
        };
        usize::from(message.data) + header
    }
}

/// Time of a network variable update event and the copy of its value.
fn variable_handling(costs: &Costs, apdu: &Apdu<StreamRange>) -> Duration {
    costs.variable_event + costs.application_copy.times(u64::from(apdu.data.length))
}

fn routing_cost(costs: &Costs, frame: &Frame) -> Duration {
    costs.route + costs.route_copy.times(u64::from(frame.length))
}

/// Whether a receiver may challenge the sender of the packet.
fn is_authenticated(body: &Body<StreamRange>) -> bool {
    match body {
        Body::Transport(numbering, _) | Body::Session(numbering, _) => numbering.authenticated,
        _ => false,
    }
}
