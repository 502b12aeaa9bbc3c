//! Media access: the media, the transmit queues of the stations' ports, and the scheduling of media.

use std::hint::cold_path;
use std::sync::Arc;

use sojourn_core::{Streams, Time, clone_fields, rekey_fields};
use sojourn_protocols::lontalk::machine::Ticket;

use super::event::{Event, Events};
use super::in_flight::InFlight;
use super::ip852::IpChannels;
use super::latency_budget::Component;
use super::medium::{Head, Medium, Parameters};
use super::message::Frame;
use super::receive_queue::Listeners;
use super::site::{MediumSettings, Site};
use super::slab::NONE;
use super::station::PortQueues;

/// A medium, its stations, and its scheduled event.
#[derive(Debug)]
pub struct Segment {
    /// Contention of the ports that have a packet to send.
    pub medium: Medium,
    /// Ports of the simulation on the medium.
    pub ports: Vec<u32>,
    /// Idle stations.
    pub listeners: Listeners,
    /// Stations on several media.
    pub routers: Vec<u32>,
    /// Whether the route to a station may lead over others of them than the installation's gateway.
    pub has_choices: bool,
    /// Whether any of them learns.
    pub learns: bool,
    /// Correct acknowledgements, responses, challenges and replies since the warm-up.
    pub answers: u64,
    /// When its next event is scheduled.
    pub scheduled: Time,
}

clone_fields!([] Segment { medium, ports, listeners, routers, has_choices, learns, answers, scheduled });

/// All media and ports of a site.
#[derive(Debug)]
pub struct Access {
    /// All media, by their index in the site.
    pub segments: Vec<Segment>,
    /// The ports of all stations.
    pub ports: Vec<PortQueues>,
    /// Those of the media that are channels over IP networks; none without.
    pub ip: Option<Box<IpChannels>>,
}

clone_fields!([] Access { segments, ports, ip });

impl Access {
    /// Idle media of a site, without stations.
    pub fn new(site: &Site, streams: &Streams) -> Self {
        let mut kinds: Vec<Arc<Parameters>> = Vec::new();
        let segments = site.media.iter().map(|settings| {
            let noise = streams.stream(&format!("medium/{}/noise", settings.name));
            Segment {
                medium: Medium::new(parameters(settings, &mut kinds), noise),
                ports: Vec::new(),
                listeners: Listeners::default(),
                routers: Vec::new(),
                answers: 0,
                has_choices: false,
                learns: false,
                scheduled: Time::NEVER,
            }
        });
        let media = site.media.iter().map(|medium| (medium.name.as_str(), medium.ip.as_ref()));
        let ip = IpChannels::new(media, streams);
        Access { segments: segments.collect(), ports: Vec::with_capacity(site.stations.len()), ip }
    }

    /// Whether a medium is a channel over an IP network.
    #[inline]
    pub fn is_ip(&self, segment: usize) -> bool {
        self.ip.as_ref().is_some_and(|ip| ip.has(segment as u16))
    }

    /// Whether a port is transmitting.
    pub fn transmits(&self, port: u32) -> bool {
        let PortQueues { medium, port: medium_port, .. } = self.ports[port as usize];
        match &self.ip {
            Some(ip) if ip.has(medium) => ip.transmits(port),
            _ => self.segments[usize::from(medium)].medium.transmits(medium_port),
        }
    }

    /// Offers the medium the packet at the head of a port's queue.
    #[inline]
    fn offer(&mut self, now: Time, port: u32, head: Head) {
        let PortQueues { medium, port: medium_port, .. } = self.ports[port as usize];
        match &mut self.ip {
            Some(ip) if ip.has(medium) => ip.offer(now, port),
            _ => self.segments[usize::from(medium)].medium.offer(now, medium_port, head),
        }
    }

    /// The queue of a port that does not transmit has become empty.
    fn withdraw(&mut self, now: Time, port: u32) {
        let PortQueues { medium, port: medium_port, .. } = self.ports[port as usize];
        match &mut self.ip {
            Some(ip) if ip.has(medium) => ip.withdraw(port),
            _ => self.segments[usize::from(medium)].medium.withdraw(now, medium_port),
        }
    }

    /// Schedules the next event of `segment`, unless it is scheduled.
    #[inline]
    pub fn schedule(&mut self, segment: usize, events: &mut Events) {
        if let Some(ip) = &mut self.ip {
            ip.take_offered().for_each(|(at, port)| events.at(at, Event::Interface(port)));
        }
        let Segment { medium, scheduled, .. } = &mut self.segments[segment];
        let due = medium.next_event();
        if due != *scheduled {
            *scheduled = due;
            if due != Time::NEVER {
                events.at(due, Event::Medium(segment as u16));
            }
        }
    }

    /// A packet is ready for transmission: queues it at its port.
    pub fn enqueue(&mut self, now: Time, frame: u32, in_flight: &InFlight, events: &mut Events) {
        let Frame { port, length, packet, .. } = in_flight.frames[frame];
        let (segment, head) = (usize::from(self.ports[port as usize].medium), self.ports[port as usize].head);
        let link = packet.link;
        let overtakes =
            head != NONE && link.priority && !in_flight.frames[head].packet.link.priority && !self.transmits(port);
        let queues = &mut self.ports[port as usize];
        if head != NONE && !overtakes {
            queues.queues()[usize::from(link.priority)].push_back(frame);
            return;
        }
        if overtakes {
            cold_path();
            queues.queues()[0].push_front(head);
        }
        queues.head = frame;
        self.offer(now, port, Head { length, delta: link.delta_backlog, priority: link.priority });
        self.schedule(segment, events);
    }

    /// Offers the medium the next packet of a port.
    pub fn next_head(&mut self, now: Time, port: u32, in_flight: &mut InFlight) {
        let queues = &mut self.ports[port as usize];
        let Some([ordinary, priority]) = queues.queues.as_deref_mut() else { return };
        let Some(next) = priority.pop_front().or_else(|| ordinary.pop_front()) else { return };
        queues.head = next;
        let frame = in_flight.frames[next];
        let link = frame.packet.link;
        let head = Head { length: frame.length, delta: link.delta_backlog, priority: link.priority };
        self.offer(now, port, head);
        in_flight.account_step(&frame, Component::Queues, now);
    }

    /// Removes the packets behind the head of a port.
    pub fn clear_queue(&mut self, port: u32) -> Vec<u32> {
        let queues = self.ports[port as usize].queues.as_deref_mut();
        queues.into_iter().flatten().flat_map(|queue| queue.drain(..)).collect()
    }

    /// Removes the head of a port that does not transmit it and has nothing behind it.
    pub fn withdraw_head(&mut self, now: Time, port: u32, events: &mut Events) {
        let queues = &mut self.ports[port as usize];
        queues.head = NONE;
        let segment = usize::from(queues.medium);
        self.withdraw(now, port);
        self.schedule(segment, events);
    }

    /// Removes one packet of a transaction from a port's queues.
    pub fn take_waiting(
        &mut self,
        now: Time,
        port: u32,
        ticket: Ticket,
        in_flight: &mut InFlight,
        events: &mut Events,
    ) -> Option<u32> {
        let frames = &in_flight.frames;
        let queues = &mut self.ports[port as usize];
        for queue in queues.queues.iter_mut().flat_map(|queues| queues.iter_mut()) {
            if let Some(place) = queue.iter().position(|&frame| frames[frame].ticket == ticket) {
                return queue.remove(place);
            }
        }
        let (segment, head) = (usize::from(queues.medium), queues.head);
        if head == NONE || frames[head].ticket != ticket || self.transmits(port) {
            return None;
        }
        self.withdraw(now, port);
        self.ports[port as usize].head = NONE;
        self.next_head(now, port, in_flight);
        self.schedule(segment, events);
        Some(head)
    }
}

/// Parameters of a medium, shared with earlier media of the same type.
fn parameters(settings: &MediumSettings, kinds: &mut Vec<Arc<Parameters>>) -> Arc<Parameters> {
    let same = |kind: &&Arc<Parameters>| kind.channel == settings.channel && kind.rule == settings.backlog_rule;
    if let Some(kind) = kinds.iter().find(same) {
        return Arc::clone(kind);
    }
    let kind = Arc::new(Parameters::new(settings.channel.clone(), settings.backlog_rule));
    kinds.push(Arc::clone(&kind));
    kind
}

rekey_fields!(Segment { medium });

rekey_fields!(Access { segments, ip });
