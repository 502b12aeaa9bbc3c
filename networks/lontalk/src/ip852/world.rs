//! The event handlers of IP-852 channels: departures, arrivals, and waits for earlier packets.

use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::machine::Ticket;

use super::session::{Arrived, Taken};
use super::{Datagram, IpChannels};
use crate::event::{Event, Events};
use crate::latency_budget::Component;
use crate::medium::TransmitResult;
use crate::message::Frame;
use crate::slab::NONE;
use crate::world::{Simulation, is_answer};

impl Simulation<'_, '_> {
    pub(crate) fn ip(&mut self) -> &mut IpChannels {
        self.access.ip.as_mut().expect("a site with a channel over an IP network")
    }

    /// A member of a channel begins to send a packet, or has sent it to all.
    #[inline(never)]
    pub(crate) fn interface_due(&mut self, now: Time, port: u32, events: &mut Events) {
        let medium = self.access.ports[port as usize].medium;
        if self.ip().interface(port).due != now {
            return;
        }
        if self.ip().transmits(port) {
            self.ip().end(now, port, medium);
            self.observe_sending(now, medium, false);
            self.transmission_ended(now, port, TransmitResult::Sent, events);
            self.access.schedule(usize::from(medium), events);
        } else {
            self.send_copies(now, port, medium, events);
        }
    }

    /// A member sends its packet to each that it concerns, one after the other.
    fn send_copies(&mut self, now: Time, port: u32, medium: u16, events: &mut Events) {
        let head = self.access.ports[port as usize].head;
        let frame = self.in_flight.frames[head];
        let length = u64::from(frame.length);
        let copy_time = self.ip().channel(medium).settings.copy_time(length);
        let mut members = std::mem::take(&mut self.nodes.receivers);
        members.clear();
        self.nodes.concerned(medium, frame.station, &frame.packet, &self.access, &mut members);
        let mut begin = now;
        for &member in &members {
            let departs = begin + copy_time;
            let ip = self.ip();
            let session = ip.session(port, member);
            let arrival = ip.arrival(medium, session, departs);
            let number = ip.sessions[session as usize].number;
            let sequence = ip.sessions[session as usize].next_sequence();
            if arrival != Time::NEVER {
                let budget = self.in_flight.clone_budget(frame.budget);
                let copy = Frame { station: NONE, port: member, budget, ticket: Ticket::NONE, ..frame };
                self.in_flight.account_step(&copy, Component::Queues, begin);
                self.in_flight.account_step(&copy, Component::Transmission, departs);
                let frame = self.in_flight.insert_frame(copy);
                let (from, stamp, is_lost) = (port, now, false);
                let datagram = Datagram { frame, medium, from, session, number, sequence, stamp, departs, is_lost };
                let datagram = self.ip().datagrams.insert(datagram);
                events.at(arrival, Event::Datagram(datagram));
            }
            begin = departs;
        }
        self.nodes.receivers = members;
        self.ip().begin(now, port, medium, begin);
        self.observe_sending(now, medium, true);
        events.at(begin, Event::Interface(port));
    }

    /// A datagram arrives at a member.
    #[inline(never)]
    pub(crate) fn datagram_due(&mut self, now: Time, datagram: u32, events: &mut Events) {
        let Datagram { frame, medium, from, session, number, sequence, stamp, is_lost, .. } =
            self.ip().datagrams.remove(datagram);
        let port = self.in_flight.frames[frame].port;
        let station = self.access.ports[port as usize].station;
        if is_lost || self.nodes[station].ports == 0 {
            self.ip().channel(medium).counters.lost += 1;
            self.release(frame);
            return;
        }
        self.capture_datagram(now, [from, port], (medium, (number, sequence), stamp), frame);
        let ip = self.ip();
        let mut taken = std::mem::take(&mut ip.taken);
        let settings = &ip.channel(medium).settings;
        let escrow = settings.escrow;
        let is_stale = settings.timeout.is_some_and(|timeout| now.since(stamp) > timeout);
        let until = (escrow > Duration::ZERO).then(|| now + escrow);
        let state = &mut ip.sessions[session as usize];
        let waited = state.due();
        state.arrive((number, sequence), Arrived { frame, is_stale }, until, &mut taken);
        let due = state.due();
        // what is held is lost with the station's power
        self.in_flight.frames[frame].station = station;
        if due != waited && due != Time::NEVER {
            events.at(due, Event::Escrow(session));
        }
        self.take(now, medium, taken, events);
    }

    /// A member may have waited long enough for a packet.
    #[inline(never)]
    pub(crate) fn escrow_due(&mut self, now: Time, session: u32, events: &mut Events) {
        let ip = self.ip();
        if ip.sessions[session as usize].due() != now {
            return;
        }
        let mut taken = std::mem::take(&mut ip.taken);
        ip.sessions[session as usize].give_up(now, &mut taken);
        let due = ip.sessions[session as usize].due();
        if due != Time::NEVER {
            events.at(due, Event::Escrow(session));
        }
        let port = taken.passed.iter().chain(&taken.discarded).map(|&frame| self.in_flight.frames[frame].port).next();
        if let Some(port) = port {
            self.take(now, self.access.ports[port as usize].medium, taken, events);
        }
    }

    /// A member receives packets in order, and discards others.
    fn take(&mut self, now: Time, medium: u16, mut taken: Taken, events: &mut Events) {
        for frame in taken.passed.drain(..) {
            let packet = self.in_flight.frames[frame];
            self.in_flight.account_step(&packet, Component::IpNetwork, now);
            let counters = &mut self.ip().channel(medium).counters;
            counters.received += 1;
            counters.bytes += u64::from(packet.length);
            self.access.segments[usize::from(medium)].answers += u64::from(is_answer(packet.purpose));
            self.nodes.hear(now, packet.port, packet.packet.source.subnet, &self.access);
            self.nodes.unshare_cpu(packet.station, &mut self.access);
            self.arrive(now, packet.port, &packet, events);
            self.release(frame);
        }
        for frame in taken.discarded.drain(..) {
            self.ip().channel(medium).counters.late += 1;
            self.release(frame);
        }
        self.ip().taken = taken;
    }

    fn capture_datagram(
        &mut self,
        now: Time,
        ports: [u32; 2],
        (medium, of, stamp): (u16, (u32, u64), Time),
        frame: u32,
    ) {
        if let Some(tap) = self.capture.as_mut() {
            let stations = ports.map(|port| self.access.ports[port as usize].station);
            let hosts = stations.map(|station| self.nodes.installation.nodes[station as usize].address);
            tap.datagram(now, hosts, (usize::from(medium), of, stamp), &self.in_flight.frames[frame].packet);
        }
    }

    /// A channel is busy while any member sends.
    fn observe_sending(&mut self, now: Time, medium: u16, begins: bool) {
        let others = self.ip().channel(medium).sending - u32::from(begins);
        if let Some(changes) = &mut self.changes
            && others == 0
        {
            changes.busy(now, begins);
        }
    }

    /// A member loses power: what it has not sent to the end is lost. Returns the frames that it held on this port.
    #[cold]
    pub(crate) fn cut_interface(&mut self, now: Time, port: u32) -> Vec<u32> {
        let medium = self.access.ports[port as usize].medium;
        let was_sending = self.ip().transmits(port);
        let mut held = self.ip().power_down(now, port, medium);
        if was_sending {
            self.observe_sending(now, medium, false);
        }
        let head = std::mem::replace(&mut self.access.ports[port as usize].head, NONE);
        held.extend((head != NONE).then_some(head));
        held
    }
}
