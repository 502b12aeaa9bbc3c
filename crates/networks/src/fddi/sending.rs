//! From a write to the queue of a ring: the processor sends, the adapter copies.

use sojourn_core::{Duration, Time};
use sojourn_protocols::StreamRange;

use super::event::{Event, Events};
use super::frame::{DATAGRAM_OVERHEAD, Destination, FRAME_OVERHEAD, Frame, Kind};
use super::job::Job;
use super::latency_budget::{Component, LatencyBudget};
use super::port::Port;
use super::site::{Traffic, Transport};
use super::stream::{Message, User};
use super::world::Simulation;
use crate::common::slab::NONE;

impl Simulation<'_, '_> {
    /// A stream's user wants to write `bytes`.
    pub(super) fn want(&mut self, now: Time, stream: u32, bytes: u32, events: &mut Events) {
        let state = &mut self.streams[stream as usize];
        if !state.dead {
            state.wanted.push_back((bytes, now));
            self.ask(now, stream, events);
        }
    }

    /// Asks the processor for all writes that wait, once each, unless the window is closed.
    pub(super) fn ask(&mut self, now: Time, stream: u32, events: &mut Events) {
        let host = self.streams[stream as usize].host;
        let last = self.is_last(host, stream);
        let state = &mut self.streams[stream as usize];
        while !state.blocked && state.asked < state.wanted.len() {
            state.asked += 1;
            self.hosts[host as usize].cpu.push(Job::Write(stream), last);
        }
        self.serve(now, host, events);
    }

    /// Whether a host's processor serves a stream after all others.
    pub(super) fn is_last(&self, host: u32, stream: u32) -> bool {
        self.hosts[host as usize].settings.messages_last && stream != NONE && self.is_message(stream)
    }

    fn is_message(&self, stream: u32) -> bool {
        matches!(self.flow(stream).traffic, Traffic::Messages(..) | Traffic::AfterWrite(..))
    }

    /// Gives a free processor its next jobs, until one takes time.
    pub(super) fn serve(&mut self, now: Time, host: u32, events: &mut Events) {
        while let Some(job) = self.hosts[host as usize].cpu.next() {
            let work = match job {
                Job::Write(stream) => {
                    self.write(now, stream, events);
                    continue;
                }
                Job::Deliver(frame) => {
                    self.deliver_late(now, frame, events);
                    continue;
                }
                Job::Send(frame) | Job::Receive(frame) => {
                    self.frames[frame].latency.account(Component::Queues, now);
                    self.work(host, job, frame)
                }
                Job::Spend(work) => work,
            };
            let done = self.hosts[host as usize].cpu.begin(now, job, work);
            events.at(done, Event::Processor(host));
        }
    }

    /// What a job on a frame costs.
    fn work(&self, host: u32, job: Job, frame: u32) -> Duration {
        let costs = &self.hosts[host as usize].settings.costs;
        let frame = &self.frames[frame];
        match (job, frame.kind) {
            (Job::Send(_), Kind::Control) => costs.send_control,
            (Job::Send(_), _) => costs.send(frame.bytes(), frame.is_multicast()),
            (_, Kind::Control) => costs.receive_control,
            (_, _) => costs.receive(frame.bytes(), frame.is_multicast()),
        }
    }

    pub(super) fn processor_done(&mut self, now: Time, host: u32, events: &mut Events) {
        match self.hosts[host as usize].cpu.finish(now).0 {
            Job::Send(frame) => {
                self.frames[frame].latency.account(Component::SenderProcessor, now);
                let kind = self.frames[frame].kind;
                self.copy_out(now, host, frame, events);
                if kind == Kind::Data {
                    self.transmitted(now, host, events);
                }
            }
            Job::Receive(frame) => {
                self.frames[frame].latency.account(Component::ReceiverProcessor, now);
                self.take(now, host, frame, events);
            }
            Job::Spend(_) => {}
            Job::Write(_) | Job::Deliver(_) => unreachable!("these take no time"),
        }
        self.serve(now, host, events);
    }

    /// The adapter copies a frame out of the host.
    pub(super) fn copy_out(&mut self, now: Time, host: u32, frame: u32, events: &mut Events) {
        let state = &mut self.hosts[host as usize];
        let (stream, kind) = (self.frames[frame].stream, self.frames[frame].kind);
        let begin = state.copying_out.max(now);
        state.copying_out = begin + state.settings.costs.copy(self.frames[frame].bytes());
        let done = state.copying_out;
        let latency = &mut self.frames[frame].latency;
        latency.account(Component::Queues, begin);
        latency.account(Component::Adapters, done);
        if done == now {
            self.offer(now, frame, events);
        } else {
            events.at(done, Event::Offer(frame));
        }
        if kind != Kind::Control {
            self.sent(now, stream, events);
        }
    }

    /// A user writes the first of what waits.
    fn write(&mut self, now: Time, stream: u32, events: &mut Events) {
        let state = &mut self.streams[stream as usize];
        state.asked -= 1;
        let Some(&(bytes, since)) = state.wanted.front().filter(|_| !state.blocked) else { return };
        // a user that always has data has it when the processor is free
        let started = if matches!(state.user, User::Saturate { .. }) { now } else { since };
        let data = StreamRange { stream, offset: state.written as u32, length: bytes as u16 };
        let message =
            Message { end: state.written + u64::from(bytes), length: bytes, started, latency: None, settled: false };
        state.messages.push_back(message);
        let accepted = match self.flow(stream).transport {
            Transport::Xtp(_) => self.write_xtp(now, stream, data, events),
            Transport::Datagram => {
                self.send_datagram(now, stream, data);
                true
            }
        };
        let state = &mut self.streams[stream as usize];
        if !accepted {
            state.messages.pop_back();
            state.blocked = !state.dead;
            return;
        }
        state.wanted.pop_front();
        state.written += u64::from(bytes);
        self.written(now, stream, events);
    }

    fn send_datagram(&mut self, now: Time, stream: u32, data: StreamRange) {
        let flow = self.streams[stream as usize].flow;
        let host = self.streams[stream as usize].host;
        let to = self.destination(stream);
        let length = FRAME_OVERHEAD + DATAGRAM_OVERHEAD + u32::from(data.length);
        let latency = self.latency_of(now, stream, data.offset, Component::Queues);
        let class = self.site.flows[usize::from(flow)].class;
        let port = self.out_port(host, to);
        let message = self.is_message(stream);
        let frame = Frame {
            from: host,
            to,
            at: host,
            port,
            kind: Kind::Datagram,
            data,
            stream,
            length,
            class,
            message,
            latency,
            packet: None,
        };
        let frame = self.frames.insert(frame);
        self.hosts[host as usize].cpu.push_front(Job::Send(frame));
    }

    /// Whom a stream's packets are for.
    pub(super) fn destination(&self, stream: u32) -> Destination {
        let state = &self.streams[stream as usize];
        if matches!(state.user, User::Answer { .. }) {
            return Destination::Host(state.recorder);
        }
        match self.flow(stream).to.as_slice() {
            [] => Destination::NoReceiver,
            [host] => Destination::Host(*host),
            _ => Destination::Group(state.flow),
        }
    }

    /// The port by which a host's frames leave.
    pub(super) fn out_port(&self, host: u32, to: Destination) -> Port {
        let towards = |receiver| self.routes.port(self.site, host, receiver);
        let first = self.site.hosts[host as usize].ports[0];
        match to {
            Destination::Host(receiver) => towards(receiver).unwrap_or(first),
            Destination::Group(flow) => {
                let members = &self.site.flows[usize::from(flow)].to;
                members.iter().find_map(|member| towards(*member)).unwrap_or(first)
            }
            Destination::NoReceiver => first,
        }
    }

    /// The account of a packet that leaves now with the message at `offset`, and what the time so far went to.
    pub(super) fn latency_of(&self, now: Time, stream: u32, offset: u32, waited: Component) -> LatencyBudget {
        let state = &self.streams[stream as usize];
        let mut latency = LatencyBudget::new(state.find(offset).map_or(now, |index| state.messages[index].started));
        latency.account(waited, now);
        latency
    }
}
