//! The simulation: state of a replication, and what each event does.

use sojourn_core::{Duration, Streams, Time, clone_fields, rekey_fields};
use sojourn_engine::World;
use sojourn_engine::splitting::Copied;
use sojourn_metrics::frames::FrameSink;
use sojourn_model::not_copied::NotCopied;
use sojourn_model::slab::{NONE, Slab};
use sojourn_protocols::modbus::machine::{Carrier, Server};

use super::bus::{Bus, Frame};
use super::capture::Capture;
use super::changes::Changes;
use super::connection::Connection;
use super::device::Timing;
use super::event::{Event, Events};
use super::link::{Packet, Port};
use super::metrics::Metrics;
use super::poll::InFlight;
use super::site::Site;
use super::sources::Source;

/// Units behind a gateway, and its connection to their line.
pub type UnitsOfLine = ([bool; 256], u32);

/// A replication in progress.
#[derive(Debug)]
pub struct Simulation<'a, 'c> {
    pub(super) site: &'a Site,
    /// By medium, the lines.
    pub(super) buses: Vec<Option<Bus>>,
    /// By medium, the delay of links.
    pub(super) link_delays: Vec<Duration>,
    /// By station, its link.
    pub(super) ports: Vec<Port>,
    /// Clients on lines and connections.
    pub(super) connections: Vec<Connection>,
    /// By station, its lines as a gateway.
    pub(super) gateway_lines: std::sync::Arc<[Vec<UnitsOfLine>]>,
    /// By station, the server that it is.
    pub(super) servers: Vec<Option<Machine>>,
    pub(super) sources: Vec<Source>,
    /// Requests in flight.
    pub(super) polls: Slab<InFlight>,
    /// Requests so far.
    pub(super) requests: u32,
    /// Frames on lines.
    pub(super) frames: Slab<Frame>,
    /// Packets of TCP.
    pub(super) packets: Slab<Packet>,
    pub(super) metrics: Metrics<'a>,
    pub(super) capture: NotCopied<Capture<'c>>,
    pub(super) streams: Streams,
    /// What the scenario's events have changed; none without events.
    pub(super) changes: Option<Box<Changes>>,
}

/// A server of the site.
pub type Machine = Server<Timing>;

clone_fields!(['a, 'c] Simulation<'a, 'c> {
    site, buses, link_delays, ports, connections, gateway_lines, servers, sources, polls, requests, frames, packets, metrics,
    capture, streams, changes
});

impl<'a, 'c> Simulation<'a, 'c> {
    /// A site at rest, with its first events scheduled.
    pub fn new(site: &'a Site, streams: Streams, metrics: Metrics<'a>, events: &mut Events) -> Self {
        let buses = (0..site.media.len()).map(|medium| Some(Bus::new(site, medium, site.line(medium)?, &streams)));
        let link_delays =
            (0..site.media.len()).map(|medium| site.links(medium).map_or(Duration::ZERO, |links| links.delay));
        let connections = site.connections.iter().map(|settings| {
            let (station, medium) = (&site.stations[settings.station].name, &site.media[settings.medium].name);
            let host = settings.host.map_or("", |host| &site.stations[host].name);
            Connection::new(site, settings, streams.stream(&format!("station/{station}/{medium}/{host}/host")))
        });
        let mut simulation = Simulation {
            site,
            buses: buses.collect(),
            link_delays: link_delays.collect(),
            ports: vec![Port::default(); site.stations.len()],
            connections: connections.collect(),
            gateway_lines: gateway_lines(site).into(),
            servers: servers(site, &streams),
            sources: Vec::new(),
            polls: Slab::new(),
            requests: 0,
            frames: Slab::new(),
            packets: Slab::new(),
            metrics,
            capture: NotCopied::new(None),
            streams,
            changes: None,
        };
        simulation.start_sources(events);
        simulation
    }

    /// Sends frames to `sink`: those of TCP where there are links, else those of lines.
    pub fn capture_to(&mut self, sink: Option<&'c mut dyn FrameSink>) {
        let is_of_tcp = self.site.has_links();
        self.capture = NotCopied::new(sink.map(|sink| Capture::new(sink, is_of_tcp)));
    }

    /// Whether a station has no power.
    #[inline]
    pub(super) fn is_off(&self, station: usize) -> bool {
        self.changes.as_ref().is_some_and(|changes| changes.off[station])
    }

    /// Whether a medium carries nothing.
    #[inline]
    pub(super) fn is_down(&self, medium: usize) -> bool {
        self.changes.as_ref().is_some_and(|changes| changes.down[medium])
    }
}

/// The servers of a site, each with its random numbers.
fn servers(site: &Site, streams: &Streams) -> Vec<Option<Machine>> {
    let mut servers: Vec<Option<Machine>> = site.stations.iter().map(|_| None).collect();
    for item in site.sources.iter().flat_map(|source| &source.items) {
        let station = &site.stations[item.server];
        let carrier = match site.connections[item.via.unwrap_or(item.connection)].host {
            None => Carrier::Serial,
            Some(_) => Carrier::Tcp { outstanding: station.class.queue },
        };
        servers[item.server].get_or_insert_with(|| {
            let stream = streams.stream(&format!("station/{}/server", station.name));
            Server::new(carrier, Timing::new(&station.class, stream))
        });
    }
    servers
}

/// By station, the units of each line that it leads to.
fn gateway_lines(site: &Site) -> Vec<Vec<UnitsOfLine>> {
    let mut lines: Vec<Vec<UnitsOfLine>> = vec![Vec::new(); site.stations.len()];
    for item in site.sources.iter().flat_map(|source| &source.items) {
        let Some(via) = item.via else { continue };
        let of_station = &mut lines[site.connections[via].station];
        let place = of_station.iter().position(|(_, known)| *known == via as u32).unwrap_or_else(|| {
            of_station.push(([false; 256], via as u32));
            of_station.len() - 1
        });
        of_station[place].0[usize::from(item.unit)] = true;
    }
    debug_assert!(lines.iter().flatten().all(|(_, connection)| *connection != NONE));
    lines
}

impl World for Simulation<'_, '_> {
    type Event = Event;

    #[inline]
    fn handle(&mut self, now: Time, event: Event, events: &mut Events) {
        match event {
            Event::LineEnd(medium, sender) => self.line_end(now, medium, sender, events),
            Event::Received(frame) => self.received(now, frame, events),
            Event::Start(connection) => self.start(now, connection, events),
            Event::Arrive(packet) => self.arrive(now, packet, events),
            Event::Taken(packet) => self.taken(now, packet, events),
            Event::Serve(server) => self.serve(now, server, false, events),
            Event::Wake(connection) => self.wake(now, connection, events),
            Event::Fire(source) => self.fire(now, source, events),
            Event::Step(step) => self.step(now, step, events),
        }
    }

    fn end_warm_up(&mut self, now: Time, _events: &mut Events) {
        self.buses.iter_mut().flatten().for_each(|bus| bus.reset_counters(now));
        self.ports.iter_mut().for_each(|port| port.busy = Duration::ZERO);
        self.metrics.end_warm_up();
    }
}

impl Copied for Simulation<'_, '_> {
    /// Each station and each connection is copied.
    fn cost_of_copy(&self) -> u64 {
        (self.site.stations.len() + self.connections.len()) as u64
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
    }
}

rekey_fields!(Simulation<'_, '_> { buses, connections, servers, sources, streams });
