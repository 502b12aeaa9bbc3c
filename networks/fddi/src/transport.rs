//! The XTP machine of a host in virtual time: inputs go in, packets and deliveries come out.

use std::collections::BTreeMap;

use sojourn_core::{Machine, Time};
use sojourn_protocols::StreamRange;
use sojourn_protocols::xtp::machine::{
    AddressFilter, Cast, ContextId, Endpoint, Event as ContextEvent, Input, Limits, Output, Purpose, Reason, Refusal,
};
use sojourn_protocols::xtp::wire::{Address, Body, Hosts};

use super::context::Context;
use super::event::{Event, Events};
use super::frame::{Destination, FRAME_OVERHEAD, Frame, Kind, SIZING, XtpPacket, host_address};
use super::latency_budget::{Component, LatencyBudget};
use super::ring::Class;
use super::site::{Flow, Site, Transport};
use super::streams::Delivery;
use sojourn_model::slab::NONE;

/// Bits of a serial number that count the contexts of an index between two losses of power.
const SERIALS_OF_A_BOOT: u32 = 16;

/// The XTP machine of a host.
#[derive(Clone)]
pub struct Xtp {
    host: u32,
    endpoint: Endpoint<StreamRange, Destination>,
    /// The instant it was scheduled to wake.
    scheduled: Time,
    /// The streams it writes, by context.
    contexts: BTreeMap<ContextId, u32>,
}

/// Outputs of a machine that its host has not acted on.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// Frames to send, in order, by their key.
    pub frames: Vec<u32>,
    /// Data to deliver to users, in order.
    pub deliveries: Vec<Delivery>,
    /// Streams whose window has opened.
    pub writable: Vec<u32>,
}

impl Xtp {
    /// The machine of a host, which accepts the associations of all flows that the host receives, or sends and is
    /// answered on. After a loss of power the keys of its contexts are others.
    pub fn new(site: &Site, host: u32, boots: u32) -> Self {
        let mut endpoint = Endpoint::new(Limits {
            contexts: u32::MAX,
            // a peer may still hold contexts from before the loss of power
            first_serial: boots << SERIALS_OF_A_BOOT,
            packets_in_flight: site.hosts[host as usize].hands_over_singly.then_some(1),
        });
        for (flow, settings) in (0..).zip(&site.flows).filter(|(_, flow)| flow.from == host || flow.to.contains(&host))
        {
            let Some(configuration) = settings.configuration() else { continue };
            let filter = AddressFilter::Port(port(flow));
            endpoint.handle(Time::ZERO, Input::Listen { listener: u32::from(flow), filter, configuration });
        }
        Xtp { host, endpoint, scheduled: Time::NEVER, contexts: BTreeMap::new() }
    }

    /// Opens the association of a stream.
    pub fn open(&mut self, stream: u32, context: &mut Context<'_, '_>, outputs: &mut Outputs) {
        let (to, flow) = (context.users.streams.destination(stream), context.users.streams[stream].flow);
        let cast = match to {
            Destination::Group(flow) => {
                Cast::Multicast { receivers: context.site.flows[usize::from(flow)].to.len() as u32 }
            }
            _ => Cast::Unicast,
        };
        let hosts = Hosts::Ipv4 {
            destination: to.address(),
            source: host_address(self.host),
            destination_port: port(flow),
            source_port: stream as u16,
        };
        let address = Address { domain: 0, hosts };
        let configuration = context.users.streams.flow(stream).configuration().expect("only XTP opens associations");
        let input = Input::Open { reference: stream, to, address, cast, configuration, data: None };
        self.handle(input, context, outputs);
    }

    /// Passes an input to the machine; false if it refused it.
    #[inline]
    pub fn handle(
        &mut self,
        input: Input<StreamRange, Destination>,
        context: &mut Context<'_, '_>,
        outputs: &mut Outputs,
    ) -> bool {
        self.endpoint.handle(context.now, input);
        self.drain(context, outputs)
    }

    /// A timer of the machine may be due; returns whether one was.
    pub fn wake(&mut self, context: &mut Context<'_, '_>, outputs: &mut Outputs) -> bool {
        if self.scheduled == context.now {
            self.scheduled = Time::NEVER;
        }
        let due = self.endpoint.next_wakeup().is_some_and(|due| due <= context.now);
        if due {
            self.endpoint.wake(context.now);
            self.drain(context, outputs);
        } else {
            self.schedule_wake(context.events);
        }
        due
    }

    /// Handles all outputs of the machine; false if it refused an input.
    fn drain(&mut self, context: &mut Context<'_, '_>, outputs: &mut Outputs) -> bool {
        let mut accepted = true;
        while let Some(output) = self.endpoint.poll_output() {
            match output {
                Output::Transmit { to, packet, purpose } => {
                    let frame = self.frame(to, packet, purpose, context);
                    outputs.frames.push(context.frames.insert(frame));
                }
                Output::Deliver { context: id, data, .. } => {
                    let held_by = Component::Retransmission;
                    outputs.deliveries.push(Delivery { host: self.host, context: Some(id), data, held_by });
                }
                Output::Opened { reference, context: id } => {
                    context.users.streams[reference].context = Some(id);
                    self.contexts.insert(id, reference);
                }
                Output::Writable { context: id } => outputs.writable.extend(self.contexts.get(&id)),
                Output::Refused { refusal, .. } => {
                    assert!(
                        matches!(refusal, Refusal::BufferFull | Refusal::UnknownContext | Refusal::Closed),
                        "XTP refuses a checked request: {refusal}"
                    );
                    accepted = false;
                }
                Output::Closed { context: id, reason } => {
                    if let Some(stream) = self.contexts.remove(&id)
                        && reason != Reason::Finished
                    {
                        context.users.end(context.now, stream, context.events);
                    }
                }
                Output::Report { event: ContextEvent::Handshake, .. } => context.users.streams.metrics.handshake(),
                Output::Report { .. }
                | Output::Accepted { .. }
                | Output::Established { .. }
                | Output::EndOfStream { .. } => {}
            }
        }
        self.schedule_wake(context.events);
        accepted
    }

    /// The frame of a packet that leaves the machine.
    fn frame(&self, to: Destination, packet: XtpPacket, purpose: Purpose, context: &mut Context<'_, '_>) -> Frame {
        let data = packet.body.data().copied().unwrap_or_default();
        let carries = data.length > 0 || matches!(packet.body, Body::First { .. });
        let (stream, latency, class) = if data.length > 0 {
            let again = purpose == Purpose::Retransmission;
            let waited = if again { Component::Retransmission } else { Component::Queues };
            let latency = context.users.streams.latency_of(context.now, data, waited);
            let streams = &mut context.users.streams;
            if again {
                streams.metrics.retransmitted(streams[data.stream].flow);
            }
            (data.stream, latency, streams.flow(data.stream).class)
        } else {
            (NONE, LatencyBudget::new(context.now), answer_class(context.site, self.host, to))
        };
        Frame {
            from: self.host,
            to,
            at: self.host,
            port: context.routes.out_port(context.site, self.host, to),
            kind: if carries { Kind::Data } else { Kind::Control },
            data,
            stream,
            length: FRAME_OVERHEAD + SIZING.length(&packet) as u32,
            class,
            latency,
            packet: Some(packet),
        }
    }

    fn schedule_wake(&mut self, events: &mut Events) {
        let due = self.endpoint.next_wakeup().unwrap_or(Time::NEVER).max(events.now());
        // an earlier wake-up finds that nothing is due and schedules the next one
        if due != Time::NEVER && (self.scheduled == Time::NEVER || due < self.scheduled) {
            self.scheduled = due;
            events.at(due, Event::Wake(self.host));
        }
    }
}

/// The class of a packet without data: the most urgent of the flows between two hosts.
fn answer_class(site: &Site, host: u32, to: Destination) -> Class {
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
    let flows = site.flows.iter().filter(|flow| matches!(flow.transport, Transport::Xtp(_)));
    flows.filter(between).map(|flow| flow.class).max_by_key(urgency).unwrap_or(Class::Synchronous)
}

/// The port that a flow's receivers listen on.
fn port(flow: u16) -> u16 {
    flow + 1
}
