//! A host: its CPU, its adapter, its router function, and its XTP.

use sojourn_core::{Duration, Streams, Time};
use sojourn_engine::sample;

use super::context::Context;
use super::event::Event;
use super::frame::{Destination, Frame, Kind};
use super::job::Job;
use super::latency_budget::Component;
use super::port::Port;
use super::site::{self, Router, Site};
use super::transport::Xtp;
use sojourn_model::cpu::{Cpu, TimerInterrupts};

/// State of a host.
#[derive(Clone)]
pub struct Host<'a> {
    /// Its parameters in the scenario.
    pub settings: &'a site::Host,
    /// Serves the jobs of its users, its XTP and its adapter.
    pub cpu: Cpu<Job>,
    /// The XTP endpoint of its users.
    pub xtp: Xtp,
    /// When its adapter is free to copy out of the host.
    copying_out: Time,
    /// When its adapter is free to copy into the host.
    copying_in: Time,
    /// When it may forward the next packet.
    forwards: Time,
}

impl<'a> Host<'a> {
    /// Host number `index` of a site, at rest.
    pub fn new(site: &'a Site, index: u32, streams: &Streams) -> Self {
        let settings = &site.hosts[index as usize];
        Host {
            settings,
            cpu: Cpu::new(interrupts(settings, streams)),
            xtp: Xtp::new(site, index, 0),
            copying_out: Time::ZERO,
            copying_in: Time::ZERO,
            forwards: Time::ZERO,
        }
    }

    /// It loses power for the `boots`-th time: the jobs of its CPU and the state of its XTP are lost.
    pub fn reset(&mut self, now: Time, site: &Site, index: u32, boots: u32) {
        self.cpu.reset(now);
        self.xtp = Xtp::new(site, index, boots);
        (self.copying_out, self.copying_in, self.forwards) = (now, now, now);
    }

    /// CPU time of sending or receiving a frame.
    #[inline]
    pub fn work(&self, job: Job, frame: &Frame) -> Duration {
        let costs = &self.settings.costs;
        match (job, frame.kind) {
            (Job::Send(_), Kind::Control) => costs.send_control,
            (Job::Send(_), _) => costs.send(frame.bytes(), frame.is_multicast()),
            (_, Kind::Control) => costs.receive_control,
            (_, _) => costs.receive(frame.bytes(), frame.is_multicast()),
        }
    }

    /// The adapter copies a frame out of the host from `now` on, or when it is free; returns when it has.
    #[inline]
    pub fn copy_out(&mut self, now: Time, frame: &mut Frame) -> Time {
        copy(&mut self.copying_out, now, self.settings.costs.copy(frame.bytes()), frame)
    }

    /// The last bit of a frame comes in by a port: the adapter copies the frame, a router's port keeps it. Returns when
    /// the host has it.
    #[inline]
    pub fn copy_in(&mut self, arrival: Time, port: Port, frame: &mut Frame) -> Time {
        frame.latency.account(Component::Propagation, arrival);
        if self.settings.router.is_some() {
            frame.port = port;
            return arrival;
        }
        copy(&mut self.copying_in, arrival, self.settings.costs.copy(frame.bytes()), frame)
    }

    /// Forwards a frame that has come in, where the host is a router; true if the frame is not also for this host.
    pub fn route(&mut self, frame: u32, context: &mut Context<'_, '_>) -> bool {
        let Some(router) = self.settings.router else { return false };
        let (site, routes) = (context.site, context.routes);
        let &Frame { at: host, to, port: came, .. } = &context.frames[frame];
        let port = |receiver| routes.port(site, host, receiver);
        match to {
            Destination::Host(receiver) if receiver == host => false,
            Destination::Host(receiver) => {
                let out = port(receiver).expect("a route leads through the routers on it");
                self.forward(router, frame, out, context);
                true
            }
            Destination::Group(flow) => {
                let members = &site.flows[usize::from(flow)].to;
                for &out in self.settings.ports.iter().filter(|port| port.ring != came.ring) {
                    if members.iter().any(|&member| member != host && port(member) == Some(out)) {
                        let copy = context.frames.insert(context.frames[frame].clone());
                        self.forward(router, copy, out, context);
                    }
                }
                let is_end = members.contains(&host);
                if !is_end {
                    context.frames.remove(frame);
                }
                !is_end
            }
            Destination::NoReceiver => false,
        }
    }

    /// A router serves a frame that leaves by the port `out`.
    fn forward(&mut self, router: Router, frame: u32, out: Port, context: &mut Context<'_, '_>) {
        let begin = self.forwards.max(context.now);
        self.forwards = begin + router.gap;
        context.frames[frame].port = out;
        context.events.at(begin + router.delay, Event::Forward(frame));
    }
}

/// An adapter that is free from `free` on copies a frame in `work`; returns when it has.
#[inline]
fn copy(free: &mut Time, now: Time, work: Duration, frame: &mut Frame) -> Time {
    let begin = (*free).max(now);
    *free = begin + work;
    frame.latency.account(Component::Queues, begin);
    frame.latency.account(Component::Adapters, *free);
    *free
}

/// A host's timer, at a random moment of its interval.
fn interrupts(host: &site::Host, streams: &Streams) -> TimerInterrupts {
    let mut phase = streams.stream(&format!("station/{}/timer", host.name));
    let first = Time::ZERO + sample::uniform(&mut phase, host.timer_interval);
    TimerInterrupts { first, interval: host.timer_interval, cost: host.costs.timer_interrupt }
}
