//! The media: transmissions begin, end, and what that means for the stations that sent and heard them.

use std::hint::cold_path;

use sojourn_core::{Machine, Time};
use sojourn_protocols::lontalk::machine::{Input, Purpose, Ticket};
use sojourn_protocols::lontalk::wire::Body;

use super::budget::Component;
use super::medium::{Fate, Head, Transmission};
use super::slab::NONE;
use super::station::Frame;
use super::world::{Events, Simulation};

impl Simulation<'_, '_> {
    /// A medium is due, unless something since has changed its mind.
    #[inline(never)]
    pub(super) fn medium_due(&mut self, now: Time, segment: usize, events: &mut Events) {
        let medium = &mut self.segments[segment].medium;
        if medium.next_event() == now {
            if medium.is_busy() {
                self.silence(now, segment, events);
            } else {
                medium.start(now);
            }
        }
        self.schedule_medium(segment, events);
    }

    /// The transmissions of a medium are over.
    #[inline(never)]
    fn silence(&mut self, now: Time, segment: usize, events: &mut Events) {
        let medium = &mut self.segments[segment].medium;
        let received = medium.end(now);
        let ended = medium.ended().len();
        if let Some(index) = received {
            let Transmission { port, start, .. } = medium.ended()[index];
            let port = medium.owner(port);
            self.received(now, segment, port, start, events);
        }
        for index in 0..ended {
            let medium = &self.segments[segment].medium;
            let Transmission { port, fate, .. } = medium.ended()[index];
            let port = medium.owner(port);
            self.concluded(now, port, fate, events);
        }
    }

    /// Everyone hears a valid packet, which a port began to send at `start`.
    fn received(&mut self, now: Time, segment: usize, port: u32, start: Time, events: &mut Events) {
        let (sender, head) = (self.ports[port as usize].station, self.ports[port as usize].head);
        let frame = self.frames[head];
        self.segments[segment].answers += u64::from(is_answer(frame.purpose));
        self.charge_leg(&frame, Component::WaitingForMedium, start);
        self.charge_leg(&frame, Component::Transmission, now);
        if let Some(tap) = &mut self.capture {
            tap.packet(now, &frame.packet);
        }
        self.hear(now, segment, sender, &frame);
        let receivers = std::mem::take(&mut self.receivers);
        for &receiver in &receivers {
            self.arrive(now, receiver, &frame, events);
        }
        self.receivers = receivers;
    }

    /// What a sender does when its transmission has ended.
    fn concluded(&mut self, now: Time, port: u32, fate: Fate, events: &mut Events) {
        let (station, head) = (self.ports[port as usize].station, self.ports[port as usize].head);
        let work = self.work(station);
        work.counts.sent += 1;
        if fate == Fate::Detected {
            cold_path();
            work.counts.collisions += 1;
            let frame = self.frames[head];
            self.charge_leg(&frame, Component::Retransmission, now);
            return;
        }
        self.ports[port as usize].head = NONE;
        self.next_head(now, port);
        self.left(now, head, events);
    }

    /// A packet has left its station's output buffer: sent, given up or withdrawn.
    pub(super) fn left(&mut self, now: Time, frame: u32, events: &mut Events) {
        let Frame { station, ticket, message, packet, .. } = self.frames[frame];
        let class = usize::from(packet.link.priority);
        self.work(station).output[class] -= 1;
        if ticket != Ticket::NONE {
            self.work(station).node.handle(now, Input::Transmitted { ticket });
            self.follow_timer(station, events);
        }
        // nothing more comes of an unacknowledged message: its sender is done with it
        if matches!(packet.body, Body::Application(_)) && self.is_sender(station, message) {
            self.close(now, message, true, 0, events);
        }
        self.release(frame);
        self.pump(now, station, class, events);
    }

    /// A packet is ready for the medium.
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

    /// Offers the medium the next packet of a port whose head has gone.
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
        self.charge_leg(&frame, Component::Queues, now);
    }

    /// Takes the packets of a transaction out of its station's queues, but for one on the wire.
    pub(super) fn withdraw(&mut self, now: Time, station: u32, ticket: Ticket, events: &mut Events) {
        let state = &self.stations[station as usize];
        for port in state.first_port..state.first_port + u32::from(state.ports) {
            while let Some(frame) = self.take_waiting(now, port, ticket, events) {
                self.left(now, frame, events);
            }
        }
    }

    /// Takes one packet of a transaction out of a port's queues.
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

    /// Charges a leg of a packet's way; the whole way of challenges and replies is authentication's.
    #[inline]
    pub(super) fn charge_leg(&mut self, frame: &Frame, component: Component, until: Time) {
        if frame.trip != NONE {
            self.charge_leg_of_trip(frame, component, until);
        }
    }

    #[cold]
    #[inline(never)]
    fn charge_leg_of_trip(&mut self, frame: &Frame, component: Component, until: Time) {
        let component = match frame.purpose {
            Purpose::Challenge | Purpose::Reply => Component::Authentication,
            _ => component,
        };
        self.account(frame.trip, component, until);
    }
}

/// Whether a packet answers another.
const fn is_answer(purpose: Purpose) -> bool {
    matches!(purpose, Purpose::Acknowledgement | Purpose::Response | Purpose::Challenge | Purpose::Reply)
}
