//! From an application to a transmit queue.

use sojourn_core::Time;
use sojourn_engine::law::Law;
use sojourn_model::slab::NONE;
use sojourn_protocols::can::controller::Pushed;
use sojourn_protocols::can::frame::{CLASSIC_LIMIT, Content, Length, fd_length};

use crate::bus::State;
use crate::contents::bytes_of;
use crate::event::{Event, Events};
use crate::in_flight::{Carried, Frame, Message};
use crate::latency_budget::{Component, LatencyBudget};
use crate::lengths::{self, Stuffing};
use crate::node::Job;
use crate::site::{Service, StationClass};
use crate::world::Simulation;

impl Simulation<'_, '_> {
    /// A source's next message is due.
    #[inline]
    pub(super) fn fire(&mut self, now: Time, number: u32, events: &mut Events) {
        if self.changes.as_mut().is_some_and(|changes| !changes.sources.fires(now, number)) {
            return;
        }
        let source = &mut self.sources[number as usize];
        let size = source.size(&self.site.flows[source.flow as usize]);
        if !source.is_closed_loop()
            && let Some(next) = source.next(now)
        {
            self.schedule_fire(next, number, events);
        }
        self.begin(now, number, size, events);
    }

    /// An application sends a message of this many bytes.
    #[inline]
    pub(super) fn begin(&mut self, now: Time, number: u32, size: u16, events: &mut Events) {
        let site = self.site;
        let source = &mut self.sources[number as usize];
        source.open += 1;
        let flow = &site.flows[source.flow as usize];
        let sender = &flow.senders[source.place as usize];
        let receivers = flow.receivers(sender);
        let counted = self.metrics.offered(now, source.flow, flow.probe, receivers);
        let message = Message { source: number, started: now, left: receivers as u32, handled: 0, size, counted };
        let message = self.in_flight.messages.insert(message);
        if flow.service != Service::Broadcast {
            return self.open(now, number, message, events);
        }
        let hops = match flow.is_poll() {
            true => std::slice::from_ref(&sender.forth[source.point(now, flow)]),
            false => &sender.forth[..],
        };
        for &hop in hops {
            let budget = if flow.probe { self.in_flight.budgets.insert(LatencyBudget::new(now)) } else { NONE };
            let bytes = size as u8;
            self.send_frame(now, Frame { source: number, message, hop, budget, bytes, ..Frame::default() }, events);
        }
    }

    /// A station sends a frame.
    #[inline]
    pub(super) fn send_frame(&mut self, now: Time, frame: Frame, events: &mut Events) {
        let source = &mut self.sources[frame.source as usize];
        source.number = source.number.wrapping_add(1);
        let number = source.number;
        let station = self.site.ports[self.site.hops[frame.hop as usize].port as usize].station;
        let frame = self.in_flight.frames.insert(Frame { number, ..frame });
        self.process(now, station, Job::Send(frame), events);
    }

    /// A station's processor takes a job.
    #[inline]
    pub(super) fn process(&mut self, now: Time, station: u32, job: Job, events: &mut Events) {
        let class = &*self.site.stations[station as usize].class;
        let node = &mut self.nodes[station as usize];
        let cost = law(class, job).draw(&mut node.stream);
        let was_idle = node.cpu.done() == Time::NEVER;
        match node.cpu.submit(now, job, cost) {
            Some(job) => self.processed(now, station, job, events),
            None if was_idle => events.at(node.cpu.done(), Event::Cpu(station)),
            None => {}
        }
    }

    /// A processor may have done its job.
    #[inline]
    pub(super) fn cpu_done(&mut self, now: Time, station: u32, events: &mut Events) {
        let node = &mut self.nodes[station as usize];
        let Some((job, _)) = node.cpu.complete(now) else { return };
        let next = node.cpu.done();
        if next != Time::NEVER {
            events.at(next, Event::Cpu(station));
        }
        self.processed(now, station, job, events);
    }

    /// A job is done.
    #[inline]
    fn processed(&mut self, now: Time, station: u32, job: Job, events: &mut Events) {
        match job {
            Job::Send(frame) => {
                self.in_flight.account(self.in_flight.frames[frame].budget, Component::Send, now);
                self.queue(now, frame, events);
            }
            Job::Receive(frame) => {
                self.nodes[station as usize].received -= 1;
                self.in_flight.account(self.in_flight.frames[frame].budget, Component::Receive, now);
                self.handle(now, frame, events);
            }
            Job::Forward(frame) => {
                self.nodes[station as usize].received -= 1;
                self.in_flight.account(self.in_flight.frames[frame].budget, Component::Gateways, now);
                self.queue(now, frame, events);
            }
        }
    }

    /// A frame comes to the transmit queue of the port of its hop.
    #[inline]
    pub(super) fn queue(&mut self, now: Time, number: u32, events: &mut Events) {
        let frame = &self.in_flight.frames[number];
        let hop = &self.site.hops[frame.hop as usize];
        let (port, medium) = (hop.port, self.site.ports[hop.port as usize].medium);
        if let Some(link) = self.site.media[usize::from(medium)].link {
            return self.collect(now, number, port, link, events);
        }
        let length = self.length(number, medium);
        let frame = &mut self.in_flight.frames[number];
        frame.length = length;
        let (priority, budget) = (frame.id(hop).arbitration(frame.is_remote()), frame.budget);
        let waiting = self.buses[usize::from(medium)].waiting;
        match self.ports[port as usize].queue.push(priority, number) {
            Pushed::Queued => self.buses[usize::from(medium)].wait(now, waiting + 1),
            Pushed::Replaced(old) => {
                self.forget_probe(medium, old);
                self.drop_frame(now, old, events);
            }
            Pushed::Full => {
                self.metrics.overflowed(1);
                return self.drop_frame(now, number, events);
            }
        }
        if budget != NONE {
            self.buses[usize::from(medium)].probes.push(number);
        }
        self.offer(now, port, events);
    }

    /// What a port offers may have changed.
    #[inline]
    pub(super) fn offer(&mut self, now: Time, port: u32, events: &mut Events) {
        let medium = self.site.ports[port as usize].medium;
        let first = self.site.media[usize::from(medium)].ports[0];
        let state = &self.ports[port as usize];
        let head = if state.blocked == 0 { state.queue.head() } else { None };
        let bus = &mut self.buses[usize::from(medium)];
        bus.offers.set(port - first, head.map(|entry| entry.priority));
        if head.is_some() && matches!(bus.state, State::Idle(_)) && bus.due != now {
            bus.due = now;
            events.at(now, Event::Bus(medium));
        }
    }

    /// A frame of a probe waits no more.
    #[inline]
    pub(super) fn forget_probe(&mut self, medium: u16, frame: u32) {
        if self.in_flight.frames[frame].budget != NONE {
            let probes = &mut self.buses[usize::from(medium)].probes;
            if let Some(place) = probes.iter().position(|probe| *probe == frame) {
                probes.swap_remove(place);
            }
        }
    }

    /// The bits of a frame on a bus.
    #[inline]
    fn length(&mut self, number: u32, medium: u16) -> Length {
        let frame = &self.in_flight.frames[number];
        let flow = &self.site.flows[self.sources[frame.source as usize].flow as usize];
        let hop = &self.site.hops[frame.hop as usize];
        let id = frame.id(hop);
        if frame.is_remote() {
            return match self.site.media[usize::from(medium)].stuffing {
                Stuffing::Worst => Length::worst(id, 0, None),
                _ => Length::exact(id, Content::<[u8; 0]>::Remote(frame.bytes.min(CLASSIC_LIMIT as u8))),
            };
        }
        let bytes = if flow.brs.is_some() { fd_length(frame.bytes.into()) } else { frame.bytes.into() };
        match self.site.media[usize::from(medium)].stuffing {
            Stuffing::Worst => Length::worst(id, bytes, flow.brs),
            Stuffing::Random if !hop.table.is_empty() && frame.carried == Carried::Data => {
                let payload = &mut self.sources[frame.source as usize].payload;
                lengths::drawn(&hop.table, Length::unstuffed(id, bytes, flow.brs), payload)
            }
            stuffing => {
                let mut data = [0; 64];
                bytes_of(frame, flow, stuffing == Stuffing::Random, &mut data);
                Length::exact(id, lengths::content(&data[..bytes], flow.brs))
            }
        }
    }
}

/// The cost of a job.
fn law(class: &StationClass, job: Job) -> &Law {
    match job {
        Job::Send(_) => &class.send,
        Job::Receive(_) => &class.receive,
        Job::Forward(_) => &class.forward,
    }
}
