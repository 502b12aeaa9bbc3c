//! Transmission, from an application to a port queue: messages are passed to the network layer, packets formed.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::{Input, Message as Request, Node, Outcome, Output, Purpose, Service, Ticket};
use sojourn_protocols::lontalk::wire::{Apdu, ApduKind, Body, Direction, Packet};

use super::costs::Costs;
use super::event::{Event, Events};
use super::latency_budget::Component;
use super::message::Frame;
use super::nodes::Station;
use super::site::{FlowSettings, MessageKind, ServiceKind};
use super::slab::NONE;
use super::sources::Source;
use super::station::ActiveState;
use super::world::Simulation;

/// Cause of a protocol machine's outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A message was passed to it.
    Message(u32),
    /// A packet was received.
    Frame(u32),
    /// A timer expired.
    Timer,
}

impl Simulation<'_, '_> {
    /// The application has built a message.
    #[inline(never)]
    pub(super) fn built(&mut self, now: Time, message: u32, events: &mut Events) {
        if self.changes.is_some() && self.was_abandoned(message) {
            return;
        }
        let source = &self.sources[self.in_flight.messages[message].source as usize];
        let (station, flow) = (source.station, &self.site.flows[usize::from(source.flow)]);
        let class = usize::from(flow.priority);
        let buffers = &self.nodes[station].class.buffers;
        let limit = [buffers.application_output, buffers.application_output_priority][class];
        let active = self.nodes.active(station);
        if active.waiting[class].len() >= limit {
            active.counts.refused += 1;
            self.in_flight.messages[message].failed = true;
            self.close(now, message, false, 0, events);
            return;
        }
        let mut waiting = active.waiting[class];
        waiting.push_back(message, &mut self.in_flight.messages);
        self.nodes.active(station).waiting[class] = waiting;
        self.send_waiting(now, station, class, events);
    }

    /// Passes queued messages of a class to the network layer, as many as it accepts.
    #[inline]
    pub(super) fn send_waiting(&mut self, now: Time, station: u32, class: usize, events: &mut Events) {
        let active = self.nodes[station].active.as_deref();
        if active.is_some_and(|active| active.waiting[class].len() > 0) {
            self.pass_to_network(now, station, class, events);
        }
    }

    fn pass_to_network(&mut self, now: Time, station: u32, class: usize, events: &mut Events) {
        loop {
            let Station { class: settings, active: Some(active), .. } = &self.nodes[station] else {
                return;
            };
            let Some(message) = active.waiting[class].front() else { return };
            let buffers = [settings.buffers.network_output, settings.buffers.network_output_priority][class];
            let has_room = active.output[class] < buffers;
            let source = &self.sources[self.in_flight.messages[message].source as usize];
            let flow = &self.site.flows[usize::from(source.flow)];
            let busy = active.node.is_busy(class == 1);
            if !has_room || (busy && flow.service != ServiceKind::Unacknowledged) {
                return;
            }
            let request = request(flow, source, &self.in_flight.messages[message]);
            let behind = self.in_flight.messages[message].behind;
            let active = self.nodes.active(station);
            active.waiting[class].pop_front(behind);
            if opens_transaction(request.service) {
                active.open[class] = message;
            }
            let budget = self.in_flight.messages[message].budget;
            self.in_flight.account(budget, Component::Queues, now);
            self.input(now, station, Input::Send { reference: message, message: request });
            self.process_outputs(now, station, Cause::Message(message), events);
        }
    }

    /// A timer of the protocol machine may be due.
    #[inline(never)]
    pub(super) fn wake(&mut self, now: Time, station: u32, events: &mut Events) {
        self.nodes.active(station).wakeup = Time::NEVER;
        if self.nodes.active(station).node.next_wakeup().is_some_and(|due| due <= now) {
            self.run_machine(station, |node| node.wake(now));
            self.process_outputs(now, station, Cause::Timer, events);
        } else {
            self.schedule_wakeup(station, events);
        }
    }

    /// Schedules the next wake-up of the protocol machine.
    pub(super) fn schedule_wakeup(&mut self, station: u32, events: &mut Events) {
        let active = self.nodes.active(station);
        let Some(due) = active.node.next_wakeup() else { return };
        if due < active.wakeup {
            active.wakeup = due;
            events.at(due, Event::Wake(station));
        }
    }

    /// Passes an input to a protocol machine; its outputs are queued behind earlier ones.
    pub(super) fn input(&mut self, now: Time, station: u32, input: Input<StreamRange>) {
        self.run_machine(station, |node| node.handle(now, input));
    }

    /// Runs a protocol machine. All share one output queue, since it is drained before another machine runs.
    fn run_machine(&mut self, station: u32, step: impl FnOnce(&mut Node<StreamRange>)) {
        let Self { nodes, outputs, .. } = self;
        let Some(ActiveState { node, .. }) = nodes[station].active.as_deref_mut() else {
            unreachable!("only an active station runs its machine")
        };
        node.exchange_outputs(outputs);
        step(node);
        node.exchange_outputs(outputs);
    }

    /// Processes the outputs of a protocol machine.
    pub(super) fn process_outputs(&mut self, now: Time, station: u32, cause: Cause, events: &mut Events) {
        while let Some(output) = self.outputs.pop_front() {
            match output {
                Output::Transmit { ticket, packet, purpose, .. } => {
                    self.transmit(now, station, cause, ticket, packet, purpose, events);
                }
                Output::Withdraw { ticket } => {
                    let active = self.nodes.active(station);
                    active.withdrawn = [active.withdrawn[1], ticket];
                    self.withdraw(now, station, ticket, events);
                }
                Output::Deliver(delivery) => {
                    let Cause::Frame(frame) = cause else { continue };
                    self.deliver(now, frame, &delivery, events);
                }
                Output::Response { reference, apdu, .. } => {
                    let Cause::Frame(frame) = cause else { continue };
                    self.deliver_response(now, frame, reference, &apdu, events);
                }
                Output::Finished { reference, outcome, retries } => {
                    let source = &self.sources[self.in_flight.messages[reference].source as usize];
                    let service = self.site.flows[usize::from(source.flow)].service;
                    let refused = matches!(outcome, Outcome::Refused(_));
                    assert!(!refused, "the model sends only what a node can send: {outcome:?}");
                    if service != ServiceKind::Unacknowledged {
                        self.close(now, reference, outcome == Outcome::Success, retries, events);
                    }
                }
            }
        }
        // the next outputs reuse the same memory, which is cached
        self.outputs.clear();
        self.schedule_wakeup(station, events);
    }

    /// Forms a packet, if there is a buffer for it.
    #[expect(clippy::too_many_arguments, reason = "the parts of an output and its cause")]
    fn transmit(
        &mut self,
        now: Time,
        station: u32,
        cause: Cause,
        ticket: Ticket,
        packet: Packet<StreamRange>,
        purpose: Purpose,
        events: &mut Events,
    ) {
        let class = usize::from(packet.link.priority);
        let settings = self.nodes[station].class;
        let buffers = [settings.buffers.network_output, settings.buffers.network_output_priority][class];
        let active = self.nodes.active(station);
        let repeats = matches!(purpose, Purpose::Retry | Purpose::Repetition | Purpose::Reminder);
        let limit = match purpose {
            _ if repeats => buffers,
            // an acknowledgement or response that is dropped is requested again by a retry
            _ if is_answer(purpose) => settings.buffers.network_output_answers,
            _ => u16::MAX,
        };
        if active.output[class] >= limit {
            active.counts.refused += 1;
            active.node.handle(now, Input::Transmitted { ticket });
            return;
        }
        active.output[class] += 1;
        let open = active.open[class];
        let (message, budget) = match cause {
            Cause::Frame(frame) => (self.in_flight.frames[frame].message, self.in_flight.frames[frame].budget),
            Cause::Message(message) => (message, self.in_flight.messages[message].budget),
            Cause::Timer => (open, self.in_flight.messages[open].budget),
        };
        let budget = if purpose == Purpose::Acknowledgement { NONE } else { self.in_flight.clone_budget(budget) };
        let length = packet.length() as u16;
        // stations on several media send by their first one
        let port = self.nodes[station].first_port;
        let frame = Frame { packet, station, port, message, budget, length, ticket, purpose, request: None };
        if repeats {
            self.in_flight.account_step(&frame, Component::Retransmission, now);
        }
        self.nodes.unshare_cpu(station, &mut self.access);
        let cost = forming_cost(&settings.costs, &packet, purpose);
        let (start, done) = self.nodes[station].receive_queue.network.serve(now, cost);
        self.in_flight.account_step(&frame, Component::Queues, start);
        self.in_flight.account_step(&frame, Component::PacketFormation, done);
        let frame = self.in_flight.insert_frame(frame);
        events.at(done, Event::Formed(frame));
    }

    /// The network processor has formed a packet.
    #[inline(never)]
    pub(super) fn formed(&mut self, now: Time, frame: u32, events: &mut Events) {
        if self.changes.is_some() && self.was_lost(frame) {
            return;
        }
        let Frame { station, ticket, .. } = self.in_flight.frames[frame];
        if ticket != Ticket::NONE && self.nodes.active(station).withdrawn.contains(&ticket) {
            self.packet_done(now, frame, events);
        } else {
            self.access.enqueue(now, frame, &self.in_flight, events);
        }
    }
}

/// Whether a packet acknowledges, responds to or challenges a received one.
const fn is_answer(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Acknowledgement | Purpose::Response | Purpose::Challenge | Purpose::Reply)
}

/// Whether the service opens a transaction.
const fn opens_transaction(service: Service) -> bool {
    !matches!(service, Service::Unacknowledged)
}

/// A message as input of the protocol machine.
fn request(flow: &FlowSettings, source: &Source, message: &super::message::Message) -> Request<StreamRange> {
    let data = StreamRange { stream: message.source, offset: message.number, length: message.data };
    Request {
        service: match flow.service {
            ServiceKind::Unacknowledged => Service::Unacknowledged,
            ServiceKind::Repeated => Service::UnacknowledgedRepeated,
            ServiceKind::Acknowledged => Service::Acknowledged,
            ServiceKind::Request => Service::Request,
        },
        recipient: source.recipients[message.point as usize],
        priority: flow.priority,
        authenticated: flow.authenticated,
        retries: flow.retries,
        timer: flow.timer,
        apdu: outgoing(flow, source.flow, data),
    }
}

/// The APDU of a flow's message. A variable is polled without data.
fn outgoing(flow: &FlowSettings, number: u16, data: StreamRange) -> Apdu<StreamRange> {
    // selectors from 0x3000 on belong to unbound network variables (ISO/IEC 14908-1)
    let selector = number & 0x2fff;
    match (flow.message, flow.service) {
        (MessageKind::NetworkVariable, ServiceKind::Request) => {
            let kind = ApduKind::NetworkVariable { direction: Direction::ToOutput, selector };
            Apdu { kind, data: StreamRange { length: 0, ..data } }
        }
        (MessageKind::NetworkVariable, _) => Apdu::update(selector, data),
        _ => Apdu::explicit(0, data),
    }
}

/// CPU time of the network processor to form a packet.
fn forming_cost(costs: &Costs, packet: &Packet<StreamRange>, purpose: Purpose) -> Duration {
    let bytes = packet.body.apdu().map_or(0, |apdu| u64::from(apdu.data.length));
    let copied = costs.form + costs.form_copy.times(bytes);
    match purpose {
        Purpose::Acknowledgement => costs.acknowledge,
        Purpose::Message if !matches!(packet.body, Body::Application(_)) => copied + costs.transmit_record,
        _ => copied,
    }
}
