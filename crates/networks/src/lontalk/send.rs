//! From an application to the queue of a medium: messages are handed over, packets formed.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::StreamRange;
use sojourn_protocols::lontalk::machine::{Input, Message as Request, Node, Outcome, Output, Purpose, Service, Ticket};
use sojourn_protocols::lontalk::wire::{Apdu, ApduKind, Body, Direction, Packet};

use super::budget::Component;
use super::costs::Costs;
use super::site::{FlowSettings, MessageKind, ServiceKind};
use super::slab::NONE;
use super::sources::Source;
use super::station::{Frame, Station, Work};
use super::world::{Event, Events, Simulation};

/// What made a machine speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A message was handed over.
    Message(u32),
    /// A packet came in.
    Frame(u32),
    /// A timer expired.
    Timer,
}

impl Simulation<'_, '_> {
    /// The application has built a message.
    #[inline(never)]
    pub(super) fn built(&mut self, now: Time, message: u32, events: &mut Events) {
        let source = &self.sources[self.messages[message].source as usize];
        let (station, flow) = (source.station, &self.site.flows[usize::from(source.flow)]);
        let class = usize::from(flow.priority);
        let buffers = &self.stations[station as usize].class.buffers;
        let limit = [buffers.application_output, buffers.application_output_priority][class];
        let work = self.work(station);
        if work.waiting[class].len() >= limit {
            work.counts.refused += 1;
            self.messages[message].failed = true;
            self.close(now, message, false, 0, events);
            return;
        }
        let mut waiting = work.waiting[class];
        waiting.push_back(message, &mut self.messages);
        self.work(station).waiting[class] = waiting;
        self.pump(now, station, class, events);
    }

    /// Hands waiting messages of a class over, if there are any, as far as the network takes them.
    #[inline]
    pub(super) fn pump(&mut self, now: Time, station: u32, class: usize, events: &mut Events) {
        let work = self.stations[station as usize].work.as_deref();
        if work.is_some_and(|work| work.waiting[class].len() > 0) {
            self.hand_over(now, station, class, events);
        }
    }

    fn hand_over(&mut self, now: Time, station: u32, class: usize, events: &mut Events) {
        loop {
            let Station { class: settings, work: Some(work), .. } = &self.stations[station as usize] else { return };
            let Some(message) = work.waiting[class].front() else { return };
            let buffers = [settings.buffers.network_output, settings.buffers.network_output_priority][class];
            let has_room = work.output[class] < buffers;
            let source = &self.sources[self.messages[message].source as usize];
            let flow = &self.site.flows[usize::from(source.flow)];
            let busy = work.node.is_busy(class == 1);
            if !has_room || (busy && flow.service != ServiceKind::Unacknowledged) {
                return;
            }
            let request = request(flow, source, &self.messages[message]);
            let behind = self.messages[message].behind;
            let work = self.work(station);
            work.waiting[class].pop_front(behind);
            if flow_opens(request.service) {
                work.open[class] = message;
            }
            let trip = self.messages[message].trip;
            self.account(trip, Component::Queues, now);
            self.tell(now, station, Input::Send { reference: message, message: request });
            self.drain(now, station, Cause::Message(message), events);
        }
    }

    /// A machine's timer may be due.
    #[inline(never)]
    pub(super) fn wake(&mut self, now: Time, station: u32, events: &mut Events) {
        self.work(station).wakeup = Time::NEVER;
        if self.work(station).node.next_wakeup().is_some_and(|due| due <= now) {
            self.speak(station, |node| node.wake(now));
            self.drain(now, station, Cause::Timer, events);
        } else {
            self.follow_timer(station, events);
        }
    }

    /// Sees to it that the machine is woken in time.
    pub(super) fn follow_timer(&mut self, station: u32, events: &mut Events) {
        let work = self.work(station);
        let Some(due) = work.node.next_wakeup() else { return };
        if due < work.wakeup {
            work.wakeup = due;
            events.at(due, Event::Wake(station));
        }
    }

    /// Tells a machine something. What it asks for in return waits behind what it has asked for before.
    pub(super) fn tell(&mut self, now: Time, station: u32, input: Input<StreamRange>) {
        self.speak(station, |node| node.handle(now, input));
    }

    /// Lets a machine speak. All share one queue of outputs, since no other has its turn before the queue is empty.
    fn speak(&mut self, station: u32, turn: impl FnOnce(&mut Node<StreamRange>)) {
        let Self { stations, outputs, .. } = self;
        let Some(Work { node, .. }) = stations[station as usize].work.as_deref_mut() else {
            unreachable!("only a station that has something to do speaks")
        };
        node.exchange_outputs(outputs);
        turn(node);
        node.exchange_outputs(outputs);
    }

    /// Does what a machine asks for.
    pub(super) fn drain(&mut self, now: Time, station: u32, cause: Cause, events: &mut Events) {
        while let Some(output) = self.outputs.pop_front() {
            match output {
                Output::Transmit { ticket, packet, purpose, .. } => {
                    self.transmit(now, station, cause, ticket, packet, purpose, events);
                }
                Output::Withdraw { ticket } => {
                    let work = self.work(station);
                    work.withdrawn = [work.withdrawn[1], ticket];
                    self.withdraw(now, station, ticket, events);
                }
                Output::Deliver(delivery) => {
                    let Cause::Frame(frame) = cause else { continue };
                    self.deliver(now, frame, &delivery, events);
                }
                Output::Response { reference, apdu, .. } => {
                    let Cause::Frame(frame) = cause else { continue };
                    self.answered(now, frame, reference, &apdu, events);
                }
                Output::Finished { reference, outcome, retries } => {
                    let source = &self.sources[self.messages[reference].source as usize];
                    let service = self.site.flows[usize::from(source.flow)].service;
                    let refused = matches!(outcome, Outcome::Refused(_));
                    assert!(!refused, "the model hands over only what a node can send: {outcome:?}");
                    if service != ServiceKind::Unacknowledged {
                        self.close(now, reference, outcome == Outcome::Success, retries, events);
                    }
                }
            }
        }
        // the next go where the last were, which is still in the processor's cache
        self.outputs.clear();
        self.follow_timer(station, events);
    }

    /// Forms a packet, if there is a buffer for it.
    #[expect(clippy::too_many_arguments, reason = "the parts of an output and where it came from")]
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
        let settings = self.stations[station as usize].class;
        let buffers = [settings.buffers.network_output, settings.buffers.network_output_priority][class];
        let work = self.work(station);
        let repeats = matches!(purpose, Purpose::Retry | Purpose::Repetition | Purpose::Reminder);
        let limit = match purpose {
            _ if repeats => buffers,
            // an answer that is not sent is asked for again
            _ if answers(purpose) => settings.buffers.network_output_answers,
            _ => u16::MAX,
        };
        if work.output[class] >= limit {
            work.counts.refused += 1;
            work.node.handle(now, Input::Transmitted { ticket });
            return;
        }
        work.output[class] += 1;
        let open = work.open[class];
        let (message, trip) = match cause {
            Cause::Frame(frame) => (self.frames[frame].message, self.frames[frame].trip),
            Cause::Message(message) => (message, self.messages[message].trip),
            Cause::Timer => (open, self.messages[open].trip),
        };
        let trip = if purpose == Purpose::Acknowledgement { NONE } else { self.clone_trip(trip) };
        let length = packet.length() as u16;
        // stations on several media send by their first one
        let port = self.stations[station as usize].first_port;
        let frame = Frame { packet, station, port, message, trip, length, ticket, purpose, request: None };
        if repeats {
            self.charge_leg(&frame, Component::Retransmission, now);
        }
        self.engage(station);
        let cost = forming_cost(&settings.costs, &packet, purpose);
        let (start, done) = self.stations[station as usize].intake.network.serve(now, cost);
        self.charge_leg(&frame, Component::Queues, start);
        self.charge_leg(&frame, Component::PacketFormation, done);
        let frame = self.insert_frame(frame);
        events.at(done, Event::Formed(frame));
    }

    /// The network processor has formed a packet.
    #[inline(never)]
    pub(super) fn formed(&mut self, now: Time, frame: u32, events: &mut Events) {
        let Frame { station, ticket, .. } = self.frames[frame];
        if ticket != Ticket::NONE && self.work(station).withdrawn.contains(&ticket) {
            self.left(now, frame, events);
        } else {
            self.enqueue(now, frame, events);
        }
    }
}

/// Whether a packet answers one that came in.
const fn answers(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Acknowledgement | Purpose::Response | Purpose::Challenge | Purpose::Reply)
}

/// Whether the machine keeps a transaction open for the service.
const fn flow_opens(service: Service) -> bool {
    !matches!(service, Service::Unacknowledged)
}

/// A message as the machine is given it.
fn request(flow: &FlowSettings, source: &Source, message: &super::station::Message) -> Request<StreamRange> {
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

/// What the network processor spends on forming a packet.
fn forming_cost(costs: &Costs, packet: &Packet<StreamRange>, purpose: Purpose) -> Duration {
    let bytes = packet.body.apdu().map_or(0, |apdu| u64::from(apdu.data.length));
    let copied = costs.form + costs.form_copy.times(bytes);
    match purpose {
        Purpose::Acknowledgement => costs.acknowledge,
        Purpose::Message if !matches!(packet.body, Body::Application(_)) => copied + costs.transmit_record,
        _ => copied,
    }
}
