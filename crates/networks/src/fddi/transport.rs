//! The XTP machine of a host in virtual time: associations are opened before the run, writes and packets go in,
//! packets and deliveries come out.

use sojourn_core::{Machine, Time};
use sojourn_protocols::StreamRange;
use sojourn_protocols::xtp::machine::{
    AddressFilter, Cast, ContextId, Event as ContextEvent, Input, Output, Purpose, Reason, Refusal,
};
use sojourn_protocols::xtp::wire::{Address, Body, Hosts};

use super::event::{Event, Events};
use super::frame::{Destination, FRAME_OVERHEAD, Frame, Kind, SIZING, XtpPacket};
use super::job::Job;
use super::latency_budget::{Component, LatencyBudget};
use super::receiving::Delivery;
use super::ring::Class;
use super::site::{Acknowledges, Flow, Transport};
use super::world::Simulation;
use crate::common::slab::NONE;

/// What one call of a machine gave, before it is acted on.
#[derive(Debug, Default)]
pub struct Scratch {
    frames: Vec<u32>,
    deliveries: Vec<Delivery>,
    writable: Vec<u32>,
}

/// A packet that the processor has taken.
#[derive(Debug)]
pub struct Received {
    /// Who sent it.
    pub from: u32,
    /// The packet.
    pub packet: XtpPacket,
    /// Whether it is acknowledged.
    pub answer: bool,
    /// What it carries.
    pub kind: Kind,
}

impl Simulation<'_, '_> {
    /// Lets the receivers of a flow (and its sender, for answers) accept associations.
    pub(super) fn listen(&mut self, flow: u16) {
        let settings = &self.site.flows[usize::from(flow)];
        let Some(configuration) = settings.configuration() else { return };
        for host in settings.to.iter().copied().chain([settings.from]) {
            let filter = AddressFilter::Port(port(flow));
            let input = Input::Listen { listener: u32::from(flow), filter, configuration: configuration.clone() };
            self.hosts[host as usize].endpoint.handle(Time::ZERO, input);
        }
    }

    /// Opens the association of a stream.
    pub(super) fn open(&mut self, now: Time, stream: u32, events: &mut Events) {
        let state = &self.streams[stream as usize];
        let (host, flow) = (state.host, state.flow);
        let Some(configuration) = self.site.flows[usize::from(flow)].configuration() else { return };
        let to = self.destination(stream);
        let cast = match to {
            Destination::Group(flow) => {
                Cast::Multicast { receivers: self.site.flows[usize::from(flow)].to.len() as u32 }
            }
            _ => Cast::Unicast,
        };
        let address = Address {
            domain: 0,
            hosts: Hosts::Ipv4 {
                destination: destination_address(to),
                source: host_address(host),
                destination_port: port(flow),
                source_port: stream as u16,
            },
        };
        let input = Input::Open { reference: stream, to, address, cast, configuration, data: None };
        self.hosts[host as usize].endpoint.handle(now, input);
        self.drain(now, host, events);
        self.act(now, host, events);
    }

    /// Passes a user's data to XTP; true if XTP accepted it. The resulting packets are sent at once.
    pub(super) fn write_xtp(&mut self, now: Time, stream: u32, data: StreamRange, events: &mut Events) -> bool {
        let Some(context) = self.streams[stream as usize].context else { return false };
        let host = self.streams[stream as usize].host;
        let input = Input::Write { context, data, end_of_message: true };
        self.hosts[host as usize].endpoint.handle(now, input);
        let accepted = self.drain(now, host, events);
        for frame in self.scratch.frames.drain(..).rev() {
            self.hosts[host as usize].cpu.push_front(Job::Send(frame));
        }
        accepted
    }

    /// A packet goes to the machine, which delivers data, acknowledges them, and sends what the packet permits.
    pub(super) fn receive_xtp(&mut self, now: Time, host: u32, received: Received, events: &mut Events) {
        let Received { from, packet, answer, kind } = received;
        let input = Input::Receive { from: Destination::Host(from), packet, answer };
        self.hosts[host as usize].endpoint.handle(now, input);
        self.drain(now, host, events);
        let acknowledges = self.hosts[host as usize].settings.acknowledges;
        match acknowledges {
            Acknowledges::AtDelivery if kind == Kind::Data => self.acknowledge_beside(now, host, events),
            Acknowledges::BeforeDelivery if kind == Kind::Data => self.acknowledge_first(now, host, events),
            _ => self.act(now, host, events),
        }
    }

    pub(super) fn wake(&mut self, now: Time, host: u32, events: &mut Events) {
        let state = &mut self.hosts[host as usize];
        if state.scheduled == now {
            state.scheduled = Time::NEVER;
        }
        if state.endpoint.next_wakeup().is_none_or(|due| due > now) {
            return self.schedule_wake(host, events);
        }
        state.endpoint.wake(now);
        self.drain(now, host, events);
        self.act(now, host, events);
    }

    /// A packet with data has left the processor: where packets wait in XTP, the next one may come.
    pub(super) fn transmitted(&mut self, now: Time, host: u32, events: &mut Events) {
        if !self.hosts[host as usize].settings.hands_over_singly {
            return;
        }
        self.hosts[host as usize].endpoint.handle(now, Input::Transmitted);
        self.drain(now, host, events);
        self.act(now, host, events);
    }

    /// The user acts on what it is given, then the packets wait for the processor.
    fn act(&mut self, now: Time, host: u32, events: &mut Events) {
        let mut frames = std::mem::take(&mut self.scratch.frames);
        self.deliver_all(now, events);
        for frame in frames.drain(..) {
            let last = self.frames[frame].message;
            self.hosts[host as usize].cpu.push(Job::Send(frame), last);
        }
        self.scratch.frames = frames;
        self.serve(now, host, events);
    }

    /// The acknowledgement leaves at once, the user acts, and the processor spends the time for the acknowledgement
    /// afterwards. Data that the packet permits waits for the processor as ever.
    fn acknowledge_beside(&mut self, now: Time, host: u32, events: &mut Events) {
        let mut frames = std::mem::take(&mut self.scratch.frames);
        self.deliver_all(now, events);
        let spent = self.hosts[host as usize].settings.costs.send_control;
        for frame in frames.drain(..) {
            let (kind, last) = (self.frames[frame].kind, self.frames[frame].message);
            let job = if kind == Kind::Control { Job::Spend(spent) } else { Job::Send(frame) };
            self.hosts[host as usize].cpu.push(job, last);
            if kind == Kind::Control {
                self.copy_out(now, host, frame, events);
            }
        }
        self.scratch.frames = frames;
        self.serve(now, host, events);
    }

    /// The acknowledgement is paid for and sent; only then the user gets the data.
    fn acknowledge_first(&mut self, now: Time, host: u32, events: &mut Events) {
        let cpu = &mut self.hosts[host as usize].cpu;
        for delivery in self.scratch.deliveries.drain(..).rev() {
            cpu.push_front(Job::Deliver(self.late.insert(delivery)));
        }
        for frame in self.scratch.frames.drain(..).rev() {
            cpu.push_front(Job::Send(frame));
        }
        self.deliver_all(now, events);
        self.serve(now, host, events);
    }

    /// The user gets data that waited for their acknowledgement.
    pub(super) fn deliver_late(&mut self, now: Time, place: u32, events: &mut Events) {
        let delivery = self.late.remove(place);
        self.deliver(now, Delivery { held_by: Component::ReceiverProcessor, ..delivery }, events);
    }

    fn deliver_all(&mut self, now: Time, events: &mut Events) {
        let mut writable = std::mem::take(&mut self.scratch.writable);
        for stream in writable.drain(..) {
            self.streams[stream as usize].blocked = false;
            self.ask(now, stream, events);
        }
        self.scratch.writable = writable;
        let mut deliveries = std::mem::take(&mut self.scratch.deliveries);
        for delivery in deliveries.drain(..) {
            self.deliver(now, delivery, events);
        }
        self.scratch.deliveries = deliveries;
    }

    /// Handles all outputs of a host's machine; false if it refused an input.
    fn drain(&mut self, now: Time, host: u32, events: &mut Events) -> bool {
        let mut accepted = true;
        while let Some(output) = self.hosts[host as usize].endpoint.poll_output() {
            match output {
                Output::Transmit { to, packet, purpose } => {
                    let frame = self.frame(now, host, to, packet, purpose);
                    let frame = self.frames.insert(frame);
                    self.scratch.frames.push(frame);
                }
                Output::Deliver { context, data, .. } => {
                    let held_by = Component::Retransmission;
                    self.scratch.deliveries.push(Delivery { host, context: Some(context), data, held_by });
                }
                Output::Opened { reference, context } => {
                    self.streams[reference as usize].context = Some(context);
                    self.hosts[host as usize].contexts.insert(context, reference);
                }
                Output::Writable { context } => {
                    if let Some(stream) = self.hosts[host as usize].contexts.get(&context) {
                        self.scratch.writable.push(*stream);
                    }
                }
                Output::Refused { refusal, .. } => {
                    assert!(
                        matches!(refusal, Refusal::BufferFull | Refusal::UnknownContext | Refusal::Closed),
                        "XTP refuses a checked request: {refusal}"
                    );
                    accepted = false;
                }
                Output::Closed { context, reason } => self.closed(host, context, reason),
                Output::Report { event: ContextEvent::Handshake, .. } => self.metrics.handshake(),
                Output::Report { .. }
                | Output::Accepted { .. }
                | Output::Established { .. }
                | Output::EndOfStream { .. } => {}
            }
        }
        self.schedule_wake(host, events);
        accepted
    }

    /// The frame of a packet that leaves the machine.
    fn frame(&mut self, now: Time, host: u32, to: Destination, packet: XtpPacket, purpose: Purpose) -> Frame {
        let data = packet.body.data().copied().unwrap_or_default();
        let carries = data.length > 0 || matches!(packet.body, Body::First { .. });
        let length = FRAME_OVERHEAD + SIZING.length(&packet) as u32;
        let (mut stream, mut latency, mut message) = (NONE, LatencyBudget::new(now), false);
        if data.length > 0 {
            stream = data.stream;
            let again = purpose == Purpose::Retransmission;
            let waited = if again { Component::Retransmission } else { Component::Queues };
            latency = self.latency_of(now, stream, data.offset, waited);
            message = self.is_last(host, stream);
            if again {
                self.metrics.retransmitted(self.streams[stream as usize].flow);
            }
        }
        let class = if data.length > 0 { self.flow(stream).class } else { self.answer_class(host, to) };
        let kind = if carries { Kind::Data } else { Kind::Control };
        Frame {
            from: host,
            to,
            at: host,
            port: self.out_port(host, to),
            kind,
            data,
            stream,
            length,
            class,
            message,
            latency,
            packet: Some(packet),
        }
    }

    /// The class of a packet without data: the most urgent of the flows between two hosts.
    fn answer_class(&self, host: u32, to: Destination) -> Class {
        let between = |flow: &&Flow| match to {
            Destination::Host(peer) => {
                (flow.from == host && flow.to.contains(&peer)) || (flow.from == peer && flow.to.contains(&host))
            }
            Destination::Group(_) => flow.from == host,
            Destination::NoReceiver => false,
        };
        let urgency = |class: &Class| match class {
            Class::Synchronous => u8::MAX,
            Class::Asynchronous(priority) => *priority,
        };
        let flows = self.site.flows.iter().filter(|flow| matches!(flow.transport, Transport::Xtp(_)));
        flows.filter(between).map(|flow| flow.class).max_by_key(urgency).unwrap_or(Class::Synchronous)
    }

    fn schedule_wake(&mut self, host: u32, events: &mut Events) {
        let state = &mut self.hosts[host as usize];
        let due = state.endpoint.next_wakeup().unwrap_or(Time::NEVER).max(events.now());
        // an earlier wake-up finds that nothing is due and schedules the next one
        if due != Time::NEVER && (state.scheduled == Time::NEVER || due < state.scheduled) {
            state.scheduled = due;
            events.at(due, Event::Wake(host));
        }
    }

    fn closed(&mut self, host: u32, context: ContextId, reason: Reason) {
        let Some(stream) = self.hosts[host as usize].contexts.remove(&context) else { return };
        if reason != Reason::Finished {
            self.end_stream(stream);
        }
    }
}

/// The port that a flow's receivers listen on.
fn port(flow: u16) -> u16 {
    flow + 1
}

/// A host's IPv4 address, as captures show it.
pub fn host_address(host: u32) -> [u8; 4] {
    let [_, high, middle, low] = (host + 1).to_be_bytes();
    [10, high, middle, low]
}

/// The address of a host or a group.
pub fn destination_address(to: Destination) -> [u8; 4] {
    match to {
        Destination::Host(host) => host_address(host),
        Destination::Group(flow) => {
            let [high, low] = flow.to_be_bytes();
            [239, 0, high, low]
        }
        Destination::NoReceiver => [0; 4],
    }
}
