//! The simulation: media, stations, sources, and the handling of events.

use sojourn_core::{Streams, Time, clone_fields, rekey_fields};
use sojourn_engine::{World, sample};
use sojourn_metrics::frames::FrameSink;
use sojourn_model::not_copied::NotCopied;
use sojourn_model::slab::Slab;
use sojourn_protocols::mstp::machine::Counter;

use super::capture::Capture;
use super::changes::Changes;
use super::event::{Event, Events};
use super::metrics::Metrics;
use super::node::{Node, Outputs};
use super::port::{Port, StationState};
use super::request::{Packet, Request};
use super::routes::Routes;
use super::site::{MediumKind, Site};
use super::sources::Source;
use super::trunk::TrunkState;

/// State of a replication.
pub struct Simulation<'a, 'c> {
    pub(super) site: &'a Site,
    pub(super) routes: &'a Routes,
    /// By medium; none of an IP network.
    pub(super) trunks: Vec<Option<TrunkState>>,
    pub(super) ports: Vec<Port>,
    pub(super) stations: Vec<StationState>,
    pub(super) sources: Vec<Source>,
    pub(super) requests: Slab<Request>,
    /// Requests that are not complete: those of the slab, and those that wait in clients.
    pub(super) serial: u32,
    pub(super) packets: Slab<Packet>,
    pub(super) metrics: Metrics<'a>,
    pub(super) capture: NotCopied<Capture<'c>>,
    pub(super) streams: Streams,
    /// What the scenario's events have changed; none without events.
    pub(super) changes: Option<Box<Changes>>,
    /// What had been counted of the failures of tokens at the end of the warm-up.
    pub(super) counted: [u64; 3],
    /// Scratch: outputs of the running protocol machine.
    pub(super) outputs: Outputs,
    /// Scratch: ports that hear the end of a frame.
    pub(super) hearing: Vec<u32>,
    /// Scratch: whether the application took the frame that was passed to its node.
    pub(super) is_taken: bool,
    /// Scratch: from when to when the frame that is being delivered was on the line.
    pub(super) carried: [Time; 2],
}

clone_fields!(['a, 'c] Simulation<'a, 'c> {
    site, routes, trunks, ports, stations, sources, requests, serial, packets, metrics, capture, streams, changes, counted,
    outputs, hearing, is_taken, carried
});
rekey_fields!(Simulation<'_, '_> { trunks, stations, sources, streams });

impl<'a, 'c> Simulation<'a, 'c> {
    /// What masters count of the failures of tokens.
    pub(super) fn token_failures(&self) -> [u64; 3] {
        [Counter::TokensGenerated, Counter::TokenRetries, Counter::SuccessorsLost].map(|counter| {
            let of_node = |port: &Port| port.node.as_ref().map_or(0, |node| node.counters().get(counter));
            self.ports.iter().map(of_node).sum()
        })
    }

    /// A site whose stations have just got power, with its first events scheduled.
    pub fn new(
        site: &'a Site,
        routes: &'a Routes,
        streams: Streams,
        metrics: Metrics<'a>,
        events: &mut Events,
    ) -> Self {
        let trunk = |medium| {
            let medium: &super::site::Medium = medium;
            match &medium.kind {
                MediumKind::Trunk(trunk) => Some(TrunkState::new(site, medium, trunk, &streams)),
                MediumKind::Ip { .. } => None,
            }
        };
        let mut simulation = Simulation {
            site,
            routes,
            trunks: site.media.iter().map(trunk).collect(),
            ports: (0..site.ports.len()).map(|port| new_port(site, port, &streams)).collect(),
            stations: site.stations.iter().map(|station| new_station(station, &streams)).collect(),
            sources: Vec::new(),
            requests: Slab::new(),
            serial: 0,
            packets: Slab::new(),
            metrics,
            capture: NotCopied::new(None),
            streams,
            changes: None,
            counted: [0; 3],
            outputs: Outputs::new(),
            hearing: Vec::new(),
            is_taken: false,
            carried: [Time::ZERO; 2],
        };
        simulation.start_sources(events);
        (0..site.media.len()).for_each(|medium| simulation.arm_again(medium as u16, events));
        simulation
    }

    /// Sends every frame that ends whole to `sink`.
    pub fn capture_to(&mut self, sink: Option<&'c mut dyn FrameSink>) {
        self.capture = NotCopied::new(sink.map(Capture::new));
    }

    /// The trunk of a medium that is one.
    #[inline]
    pub(super) fn trunk(&mut self, medium: u16) -> &mut TrunkState {
        self.trunks[usize::from(medium)].as_mut().expect("the medium of a node is a trunk")
    }
}

fn new_port(site: &Site, number: usize, streams: &Streams) -> Port {
    let settings = &site.ports[number];
    let station = &site.stations[settings.station as usize];
    let medium = &site.media[usize::from(settings.medium)].name;
    let mut phase = streams.stream(&format!("station/{}/timers/{medium}", station.name));
    Port {
        station: settings.station,
        medium: settings.medium,
        node: settings.node.as_ref().map(|node| Node::new(node, Time::ZERO)),
        pending: None,
        ready: None,
        on_line: None,
        is_cut: false,
        is_active: false,
        epoch: 0,
        phase: sample::uniform(&mut phase, station.timer_resolution),
        free_at: Time::ZERO,
        polls: 0,
    }
}

fn new_station(station: &super::site::Station, streams: &Streams) -> StationState {
    StationState {
        token_latency: station.token_latency.clone(),
        reply_latency: station.reply_latency.clone(),
        tokens: streams.stream(&format!("station/{}/token", station.name)),
        replies: streams.stream(&format!("station/{}/reply", station.name)),
        is_off: false,
    }
}

impl World for Simulation<'_, '_> {
    type Event = Event;

    #[inline]
    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        match event {
            Event::LineEnd(port) => self.line_end(now, port, events),
            Event::Start(port) => self.start(now, port, events),
            Event::Notice(port, epoch) => self.notice(now, port, epoch, events),
            Event::Timer(medium) => self.timer(now, medium, events),
            Event::Fire(source) => self.fire(now, source, events),
            Event::Ready(packet) => self.ready(now, packet, events),
            Event::Postpone(port, epoch) => self.postpone(now, port, epoch, events),
            Event::Forward(packet) => self.forward(now, packet, events),
            Event::Arrive(packet) => self.arrive(now, packet, events),
            Event::Expire(number, serial) => self.expire(now, number, serial, events),
            Event::Step(step) => self.step(now, step, events),
        }
    }

    fn end_warm_up(&mut self, _now: Time, _events: &mut Events) {
        self.trunks.iter_mut().flatten().for_each(TrunkState::end_warm_up);
        self.ports.iter_mut().for_each(|port| port.polls = 0);
        self.counted = self.token_failures();
        self.metrics.end_warm_up();
    }
}
