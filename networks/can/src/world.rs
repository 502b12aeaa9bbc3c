//! The simulation: buses, stations and sources, and the handling of events.

use sojourn_core::{Duration, Streams, Time, clone_fields, rekey_fields};
use sojourn_engine::splitting::Copied;
use sojourn_engine::{World, sample};
use sojourn_metrics::frames::FrameSink;
use sojourn_model::not_copied::NotCopied;

use crate::bus::Bus;
use crate::capture::Capture;
use crate::changes::Changes;
use crate::event::{Event, Events};
use crate::in_flight::InFlight;
use crate::metrics::Metrics;
use crate::node::{Node, Port};
use crate::site::Site;
use crate::sources::Source;

/// State of a replication.
pub struct Simulation<'a, 'c> {
    pub(super) site: &'a Site,
    pub(super) nodes: Vec<Node>,
    pub(super) ports: Vec<Port>,
    pub(super) buses: Vec<Bus>,
    pub(super) sources: Vec<Source>,
    pub(super) in_flight: InFlight,
    pub(super) metrics: Metrics<'a>,
    pub(super) capture: NotCopied<Capture<'c>>,
    pub(super) streams: Streams,
    /// What events have changed; none without events.
    pub(super) changes: Option<Box<Changes>>,
}

clone_fields!(['a, 'c] Simulation<'a, 'c> { site, nodes, ports, buses, sources, in_flight, metrics, capture, streams, changes });
rekey_fields!(Simulation<'_, '_> { nodes, buses, sources, streams });

impl<'a, 'c> Simulation<'a, 'c> {
    /// The site at rest, with its first events scheduled.
    pub fn new(site: &'a Site, streams: Streams, metrics: Metrics<'a>, events: &mut Events) -> Self {
        let nodes = site.stations.iter().map(|one| Node::new(streams.stream(&format!("station/{}/costs", one.name))));
        let class = |port: &crate::site::PortSettings| &*site.stations[port.station as usize].class;
        let buses = site.media.iter().map(|medium| {
            let [first, count] = medium.ports.map(|number| number as usize);
            let acknowledging = site.ports[first..first + count].iter().filter(|port| class(port).acknowledges).count();
            Bus::new(medium, acknowledging as u32, streams.stream(&format!("medium/{}/errors", medium.name)))
        });
        let mut simulation = Simulation {
            nodes: nodes.collect(),
            ports: site.ports.iter().map(|port| Port::new(class(port))).collect(),
            buses: buses.collect(),
            sources: Vec::new(),
            in_flight: InFlight::default(),
            metrics,
            capture: NotCopied::new(None),
            streams,
            changes: None,
            site,
        };
        simulation.start(events);
        simulation
    }

    /// Sends every frame to `sink`.
    pub fn capture_to(&mut self, sink: Option<&'c mut dyn FrameSink>) {
        self.capture = NotCopied::new(sink.map(Capture::new));
    }

    /// Makes the sources and schedules their first messages, faults, and the events of the scenario.
    fn start(&mut self, events: &mut Events) {
        let site = self.site;
        let mut firsts = Vec::new();
        for (number, flow) in (0..).zip(&site.flows) {
            for (place, sender) in (0..).zip(&flow.senders) {
                let name = &site.stations[sender.station as usize].name;
                let streams = ["arrivals", "stuffing"]
                    .map(|what| self.streams.stream(&format!("flow/{}/{name}/{what}", flow.name)));
                let mut source = Source::new(number, flow, place, streams);
                let phase = sender.offset.map_or(Duration::ZERO, |offset| {
                    sample::uniform(&mut self.streams.stream(&format!("station/{name}/offsets")), offset.within)
                });
                firsts.push(source.first(flow, phase));
                self.sources.push(source);
            }
        }
        self.start_timeline(events);
        for (source, first) in (0..).zip(firsts) {
            if let Some(first) = first {
                self.schedule_fire(first, source, events);
            }
        }
        for medium in 0..site.media.len() as u16 {
            self.schedule_fault(Time::ZERO, medium, true, events);
        }
    }

    /// A source's next message is due at `at`, unless it is silent.
    #[inline]
    pub(super) fn schedule_fire(&mut self, at: Time, source: u32, events: &mut Events) {
        if let Some(changes) = &mut self.changes
            && !changes.sources.schedule(at, source)
        {
            return;
        }
        events.at(at, Event::Fire(source));
    }
}

impl Copied for Simulation<'_, '_> {
    /// Each source is copied and rekeyed, each port copied.
    fn cost_of_copy(&self) -> u64 {
        2 * self.sources.len() as u64 + self.ports.len() as u64
    }

    fn drop_samples(&mut self) {
        self.metrics.forget_samples();
    }

    fn redraw(&mut self, now: Time, events: &mut Events) {
        let sources = &mut self.sources;
        events.reschedule(|due, event| match *event {
            Event::Fire(source) => sources[source as usize].redraw(now, due),
            _ => due,
        });
        self.buses.iter_mut().for_each(Bus::draw_error);
    }
}

impl World for Simulation<'_, '_> {
    type Event = Event;

    #[inline]
    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        match event {
            Event::Fire(source) => self.fire(now, source, events),
            Event::Cpu(station) => self.cpu_done(now, station, events),
            Event::Bus(medium) => self.bus_due(now, medium, events),
            Event::Wake(source) => self.wake(now, source, events),
            Event::Answer(frame) => self.answered(now, frame, events),
            Event::Release(port) => self.release_port(now, port, events),
            Event::Recover(port) => self.recover(now, port, events),
            Event::Collected(port) => self.collected(now, port, events),
            Event::Datagram(frame) => self.unpack(now, frame, events),
            Event::Fault(medium) => self.fault(now, medium, events),
            Event::Step(step) => self.step(now, step, events),
        }
    }

    /// What is offered at the instant at which a bus becomes free takes part in arbitration.
    #[inline]
    fn class(event: &Event) -> u8 {
        match event {
            Event::Step(_) => 0,
            Event::Bus(_) => 2,
            _ => 1,
        }
    }

    fn end_warm_up(&mut self, now: Time, _events: &mut Events) {
        self.buses.iter_mut().for_each(|bus| bus.end_warm_up(now));
        self.ports.iter_mut().for_each(|port| port.end_warm_up(now));
        self.metrics.end_warm_up();
    }
}
