//! From a ring to a user: the adapter has copied a frame in, the processor takes it, the user gets its data.

use sojourn_core::Time;
use sojourn_protocols::StreamRange;
use sojourn_protocols::xtp::machine::ContextId;

use super::event::Events;
use super::frame::{Destination, Frame, Kind};
use super::job::Job;
use super::latency_budget::{Component, LatencyBudget};
use super::stream::User;
use super::transport::Received;
use super::world::Simulation;
use crate::common::slab::NONE;

/// Data that a user is given.
#[derive(Clone, Copy, Debug)]
pub struct Delivery {
    /// To which host.
    pub host: u32,
    /// By which context, of XTP.
    pub context: Option<ContextId>,
    /// Which data.
    pub data: StreamRange,
    /// What the time since its packet was taken goes to.
    pub held_by: Component,
}

impl Simulation<'_, '_> {
    /// A frame is in its host: for it, for others beyond it, or for neither.
    pub(super) fn received(&mut self, now: Time, frame: u32, events: &mut Events) {
        let host = self.frames[frame].at;
        let stream = self.frames[frame].stream;
        if self.settle_routing(now, frame, events) {
            return;
        }
        let is_member = match self.frames[frame].to {
            Destination::Host(to) => to == host,
            Destination::Group(flow) => self.site.flows[usize::from(flow)].to.contains(&host),
            Destination::NoReceiver => false,
        };
        let job = if is_member {
            Job::Receive(frame)
        } else {
            self.frames.remove(frame);
            Job::Spend(self.hosts[host as usize].settings.costs.discard)
        };
        let last = self.is_last(host, stream);
        self.hosts[host as usize].cpu.push(job, last);
        self.serve(now, host, events);
    }

    /// Forwards a frame where its host is a router; true if the frame is not also for this host.
    fn settle_routing(&mut self, now: Time, frame: u32, events: &mut Events) -> bool {
        let (host, to, came) = (self.frames[frame].at, self.frames[frame].to, self.frames[frame].port);
        let settings = self.hosts[host as usize].settings;
        if settings.router.is_none() {
            return false;
        }
        match to {
            Destination::Host(receiver) if receiver == host => false,
            Destination::Host(receiver) => {
                if let Some(out) = self.routes.port(self.site, host, receiver) {
                    self.route(now, frame, out, events);
                }
                true
            }
            Destination::Group(flow) => {
                let members = &self.site.flows[usize::from(flow)].to;
                for out in settings.ports.iter().filter(|port| port.ring != came.ring) {
                    let leads = |member: &u32| self.routes.port(self.site, host, *member) == Some(*out);
                    if members.iter().any(|member| *member != host && leads(member)) {
                        let copy = self.frames.insert(self.frames[frame].clone());
                        self.route(now, copy, *out, events);
                    }
                }
                let is_end = members.contains(&host);
                if !is_end {
                    self.frames.remove(frame);
                }
                !is_end
            }
            Destination::NoReceiver => false,
        }
    }

    /// The processor has taken a frame.
    pub(super) fn take(&mut self, now: Time, host: u32, frame: u32, events: &mut Events) {
        let Frame { from, kind, data, stream, latency, packet, .. } = self.frames.remove(frame);
        let Some(packet) = packet else {
            self.arrived(host, stream, data.offset, latency);
            return self.deliver(
                now,
                Delivery { host, context: None, data, held_by: Component::Retransmission },
                events,
            );
        };
        let mut answer = true;
        if kind == Kind::Data && stream != NONE {
            if self.is_unacknowledged(now, host, stream) {
                if self.site.impairment.lost {
                    return;
                }
                answer = false;
            }
            self.arrived(host, stream, data.offset, latency);
        }
        self.receive_xtp(now, host, Received { from, packet, answer, kind }, events);
    }

    /// Draws whether a probed packet goes unacknowledged.
    fn is_unacknowledged(&mut self, now: Time, host: u32, stream: u32) -> bool {
        let share = self.site.impairment.unacknowledged;
        let state = &self.streams[stream as usize];
        let probed = self.probe().is_some_and(|probe| probe.flow == state.flow) && host != self.flow(stream).from;
        probed && now >= self.metrics.from() && share > 0.0 && self.impair.unit() < share
    }

    /// A copy of a message has arrived where its delivery counts: its account is kept until it is delivered.
    fn arrived(&mut self, host: u32, stream: u32, offset: u32, latency: LatencyBudget) {
        let state = &mut self.streams[stream as usize];
        if state.recorder == host
            && let Some(index) = state.find(offset)
        {
            state.messages[index].latency.get_or_insert(latency);
        }
    }

    /// The user gets data.
    pub(super) fn deliver(&mut self, now: Time, delivery: Delivery, events: &mut Events) {
        let Delivery { host, data, .. } = delivery;
        let length = u64::from(data.length);
        let state = &mut self.streams[data.stream as usize];
        if let User::Voice { sinks, .. } = &mut state.user
            && let Some((_, sink)) = sinks.iter_mut().find(|(receiver, _)| *receiver == host)
        {
            sink.deliver(now, length);
        }
        if state.recorder != host {
            return;
        }
        let end = data.offset.wrapping_add(u32::from(data.length)).wrapping_sub(1);
        let Some(last) = state.find(end) else { return };
        // over XTP all that is before has been delivered too, datagrams may overtake
        let first = if delivery.context.is_some() { 0 } else { last };
        for index in first..=last {
            let message = &mut self.streams[data.stream as usize].messages[index];
            if message.settled || index == last && message.end as u32 != end.wrapping_add(1) {
                continue;
            }
            message.settled = true;
            let mut latency = message.latency.unwrap_or_else(|| LatencyBudget::new(message.started));
            // held until what was lost before it had come, or until it was acknowledged
            latency.account(delivery.held_by, now);
            self.complete(now, delivery, index, &latency, events);
        }
        self.streams[data.stream as usize].trim();
    }
}
