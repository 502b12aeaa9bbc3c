//! Media access: transmissions begin and end, and port queues are served.

use std::hint::cold_path;

use sojourn_core::{Machine, Time};
use sojourn_protocols::lontalk::machine::{Input, Purpose, Ticket};
use sojourn_protocols::lontalk::wire::Body;

use super::event::Events;
use super::latency_budget::Component;
use super::medium::{Head, Transmission, TransmitResult};
use super::slab::NONE;
use super::station::Frame;
use super::world::Simulation;

impl Simulation<'_, '_> {
    /// A medium's event is due, unless it has been rescheduled.
    #[inline(never)]
    pub(super) fn medium_due(&mut self, now: Time, segment: usize, events: &mut Events) {
        let medium = &mut self.segments[segment].medium;
        if medium.next_event() == now {
            if medium.is_busy() {
                self.end_busy_period(now, segment, events);
            } else {
                medium.start(now);
            }
        }
        self.schedule_medium(segment, events);
    }

    /// The busy period of a medium ends.
    #[inline(never)]
    fn end_busy_period(&mut self, now: Time, segment: usize, events: &mut Events) {
        let medium = &mut self.segments[segment].medium;
        let received = medium.end(now);
        let ended = medium.ended().len();
        if let Some(index) = received {
            let Transmission { port, start, .. } = medium.ended()[index];
            let port = medium.owner(port);
            self.receive_packet(now, segment, port, start, events);
        }
        for index in 0..ended {
            let medium = &self.segments[segment].medium;
            let Transmission { port, result, .. } = medium.ended()[index];
            let port = medium.owner(port);
            self.transmission_ended(now, port, result, events);
        }
    }

    /// A valid packet is received by all stations; `port` began to send it at `start`.
    fn receive_packet(&mut self, now: Time, segment: usize, port: u32, start: Time, events: &mut Events) {
        let (sender, head) = (self.ports[port as usize].station, self.ports[port as usize].head);
        let frame = self.frames[head];
        self.segments[segment].answers += u64::from(is_answer(frame.purpose));
        self.account_step(&frame, Component::WaitingForMedium, start);
        self.account_step(&frame, Component::Transmission, now);
        if let Some(tap) = &mut self.capture {
            tap.packet(now, &frame.packet);
        }
        self.find_and_discard(now, segment, sender, &frame);
        let receivers = std::mem::take(&mut self.receivers);
        for &receiver in &receivers {
            self.arrive(now, receiver, &frame, events);
        }
        self.receivers = receivers;
    }

    /// A sender's transmission has ended.
    fn transmission_ended(&mut self, now: Time, port: u32, result: TransmitResult, events: &mut Events) {
        let (station, head) = (self.ports[port as usize].station, self.ports[port as usize].head);
        let active = self.active(station);
        active.counts.sent += 1;
        if result == TransmitResult::Collided {
            cold_path();
            active.counts.collisions += 1;
            let frame = self.frames[head];
            self.account_step(&frame, Component::Retransmission, now);
            return;
        }
        self.ports[port as usize].head = NONE;
        self.next_head(now, port);
        self.packet_done(now, head, events);
    }

    /// A packet has left its station's output buffer: sent, dropped or withdrawn.
    pub(super) fn packet_done(&mut self, now: Time, frame: u32, events: &mut Events) {
        let Frame { station, ticket, message, packet, .. } = self.frames[frame];
        let class = usize::from(packet.link.priority);
        self.active(station).output[class] -= 1;
        if ticket != Ticket::NONE {
            self.active(station).node.handle(now, Input::Transmitted { ticket });
            self.schedule_wakeup(station, events);
        }
        // an unacknowledged message is complete at its sender
        if matches!(packet.body, Body::Application(_)) && self.is_sender(station, message) {
            self.close(now, message, true, 0, events);
        }
        self.release(frame);
        self.send_waiting(now, station, class, events);
    }

    /// A packet is ready for transmission: queues it at its port.
    pub(super) fn enqueue(&mut self, now: Time, frame: u32, events: &mut Events) {
        let Frame { port, length, packet, .. } = self.frames[frame];
        let queues = &mut self.ports[port as usize];
        let (segment, medium_port, head) = (usize::from(queues.medium), queues.port, queues.head);
        let medium = &mut self.segments[segment].medium;
        let link = packet.link;
        let overtakes =
            head != NONE && link.priority && !self.frames[head].packet.link.priority && !medium.transmits(medium_port);
        if head != NONE && !overtakes {
            queues.queues()[usize::from(link.priority)].push_back(frame);
            return;
        }
        if overtakes {
            cold_path();
            queues.queues()[0].push_front(head);
        }
        queues.head = frame;
        medium.offer(now, medium_port, Head { length, delta: link.delta_backlog, priority: link.priority });
        self.schedule_medium(segment, events);
    }

    /// Offers the medium the next packet of a port.
    fn next_head(&mut self, now: Time, port: u32) {
        let queues = &mut self.ports[port as usize];
        let Some([ordinary, priority]) = queues.queues.as_deref_mut() else { return };
        let Some(next) = priority.pop_front().or_else(|| ordinary.pop_front()) else { return };
        queues.head = next;
        let (segment, medium_port) = (usize::from(queues.medium), queues.port);
        let frame = self.frames[next];
        let link = frame.packet.link;
        let head = Head { length: frame.length, delta: link.delta_backlog, priority: link.priority };
        self.segments[segment].medium.offer(now, medium_port, head);
        self.account_step(&frame, Component::Queues, now);
    }

    /// Removes the packets of a transaction from its station's queues, except one in transmission.
    pub(super) fn withdraw(&mut self, now: Time, station: u32, ticket: Ticket, events: &mut Events) {
        let state = &self.stations[station as usize];
        for port in state.first_port..state.first_port + u32::from(state.ports) {
            while let Some(frame) = self.take_waiting(now, port, ticket, events) {
                self.packet_done(now, frame, events);
            }
        }
    }

    /// Removes one packet of a transaction from a port's queues.
    fn take_waiting(&mut self, now: Time, port: u32, ticket: Ticket, events: &mut Events) -> Option<u32> {
        let Self { ports, frames, segments, .. } = self;
        let queues = &mut ports[port as usize];
        for queue in queues.queues.iter_mut().flat_map(|queues| queues.iter_mut()) {
            if let Some(place) = queue.iter().position(|&frame| frames[frame].ticket == ticket) {
                return queue.remove(place);
            }
        }
        let (segment, head) = (usize::from(queues.medium), queues.head);
        let medium = &mut segments[segment].medium;
        if head == NONE || frames[head].ticket != ticket || medium.transmits(queues.port) {
            return None;
        }
        medium.withdraw(now, queues.port);
        queues.head = NONE;
        self.next_head(now, port);
        self.schedule_medium(segment, events);
        Some(head)
    }

    /// Accounts a step of a packet; all steps of challenges and replies are authentication.
    #[inline]
    pub(super) fn account_step(&mut self, frame: &Frame, component: Component, until: Time) {
        if frame.budget != NONE {
            self.account_step_of_probe(frame, component, until);
        }
    }

    #[cold]
    #[inline(never)]
    fn account_step_of_probe(&mut self, frame: &Frame, component: Component, until: Time) {
        let component = match frame.purpose {
            Purpose::Challenge | Purpose::Reply => Component::Authentication,
            _ => component,
        };
        self.account(frame.budget, component, until);
    }
}

/// Whether a packet acknowledges, responds to or challenges another.
const fn is_answer(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Acknowledgement | Purpose::Response | Purpose::Challenge | Purpose::Reply)
}
