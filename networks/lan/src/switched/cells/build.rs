//! Builds lines, queues and paths from settings.

use std::collections::VecDeque;

use sojourn_core::time::UnitTime;
use sojourn_core::{Duration, Streams, Time};
use sojourn_metrics::TimeWeighted;
use sojourn_protocols::atm::aal5;
use sojourn_protocols::atm::abr::{Destination, Source};

use crate::fabric::Unloaded;
use crate::topology::{Port, Topology};

use super::adapter::Adapter;
use super::cell::{STEPS, Step};
use super::control::Control;
use super::crossbar::{Buffers, Crossbar};
use super::discard::PacketState;
use super::line::{After, CELL_BITS, Line};
use super::losses::Losses;
use super::marking::Marker;
use super::matching::Matcher;
use super::output::{Output, Pool};
use super::schedule::Schedule;
use super::settings::{
    Architecture, ConnectionSettings, Discard, LatencyFrom, Matching, Service, Settings, SwitchSettings, Victim,
};
use super::transit::{CellCounts, Connection, Transit};
use super::waiting::{RoundRobin, Waiting};
use super::{Cells, Feeder};

impl Cells {
    /// An idle network. Panics when the settings do not fit the topology: a station without settings on the path of a
    /// connection, more than 64 ports of an input-buffered switch, a connection whose paths in the two directions differ.
    pub fn new(topology: &Topology, settings: &Settings, streams: &Streams) -> Self {
        let mut builder = Builder {
            topology,
            settings,
            feeders: topology.ports.iter().map(|_| Feeder::Adapter(Adapter::default())).collect(),
            pools: Vec::new(),
            crossbars: Vec::new(),
        };
        for (station, switch) in (0..).zip(&settings.switches) {
            if let Some(switch) = switch {
                builder.switch(station, switch, streams);
            }
        }
        let origins = builder.origins();
        let steps = builder.steps();
        assert!(steps.len() <= STEPS, "paths of at most {STEPS} links together");
        let lines: Vec<Line> = (0..topology.ports.len()).map(|port| builder.line(port, streams)).collect();
        let at_switch = |port: &Port| settings.switches[port.from as usize].as_ref();
        let connections = settings.connections.len();
        let control = |port: &Port| {
            let cell_rate = port.rate as f64 / CELL_BITS as f64;
            at_switch(port).and_then(|switch| Control::new(switch.rate_control, cell_rate, connections))
        };
        let discard = |port: &Port| at_switch(port).map_or(Discard::Tail, |switch| switch.discard);
        Cells {
            schedule: Schedule::new(lines.len()),
            controls: topology.ports.iter().map(control).collect(),
            discards: topology.ports.iter().map(discard).collect(),
            packets: vec![PacketState::default(); steps.len()],
            loads: (0..connections).map(|connection| Load::new(topology, settings, connection)).collect(),
            transit: Transit::new(steps, settings.connections.iter().map(connection).collect()),
            feeders: builder.feeders,
            pools: builder.pools,
            crossbars: builder.crossbars,
            reports_rm_cells: false,
            origins,
            lines,
        }
    }
}

/// What is being put together.
struct Builder<'a> {
    topology: &'a Topology,
    settings: &'a Settings,
    feeders: Vec<Feeder>,
    pools: Vec<Pool>,
    crossbars: Vec<Crossbar>,
}

impl Builder<'_> {
    /// Gives a switch's outputs their queues.
    fn switch(&mut self, station: u32, switch: &SwitchSettings, streams: &Streams) {
        let ports: Vec<u32> =
            (0..).zip(&self.topology.ports).filter(|(_, port)| port.from == station).map(|(port, _)| port).collect();
        match switch.architecture {
            Architecture::OutputFifo(pool) => self.outputs(&ports, switch, pool, || Waiting::Fifo(VecDeque::new())),
            Architecture::OutputPerConnection(pool, _) => {
                self.outputs(&ports, switch, pool, || Waiting::PerConnection(RoundRobin::default()));
            }
            Architecture::InputFifo(matching) => {
                let buffers = Buffers::Fifo(vec![VecDeque::new(); ports.len()]);
                self.crossbar(ports, switch, buffers, matching, streams);
            }
            Architecture::InputPerConnection(matching) => {
                let buffers = Buffers::PerConnection(vec![RoundRobin::default(); ports.len() * ports.len()]);
                self.crossbar(ports, switch, buffers, matching, streams);
            }
        }
    }

    fn outputs(
        &mut self,
        ports: &[u32],
        switch: &SwitchSettings,
        sharing: super::settings::Pool,
        waiting: impl Fn() -> Waiting,
    ) {
        let victim = match switch.architecture {
            Architecture::OutputPerConnection(_, victim) => victim,
            _ => Victim::Arriving,
        };
        let limit = switch.buffer.unwrap_or(u32::MAX);
        let carefree = match switch.discard {
            _ if sharing.share.is_some() => 0,
            Discard::EarlyPacket(threshold) => threshold.min(limit),
            Discard::Tail | Discard::PartialPacket => limit,
        };
        for module in ports.chunks(sharing.ports as usize) {
            let pool = self.pools.len();
            let share = sharing.share;
            self.pools.push(Pool { ports: module.to_vec(), occupied: 0, limit, carefree, share });
            for port in module {
                let marker = switch.marking.map(Marker::new);
                self.feeders[*port as usize] = Feeder::Output(Output { waiting: waiting(), pool, victim, marker });
            }
        }
    }

    fn crossbar(
        &mut self,
        ports: Vec<u32>,
        switch: &SwitchSettings,
        buffers: Buffers,
        matching: Matching,
        streams: &Streams,
    ) {
        for (output, port) in (0..).zip(&ports) {
            self.feeders[*port as usize] = Feeder::Crossbar(self.crossbars.len() as u32, output);
        }
        let rate = |port: &u32| {
            let (out, back) = (&self.topology.ports[*port as usize], &self.topology.ports[(*port ^ 1) as usize]);
            out.rate.max(back.rate)
        };
        let fastest = ports.iter().map(rate).max().unwrap_or(1);
        let matcher = Matcher::new(matching, ports.len(), streams.stream(&format!("switch/{}/matching", switch.name)));
        let markers = vec![switch.marking.map(Marker::new); ports.len()];
        let buffers = (buffers, switch.buffer.unwrap_or(u32::MAX));
        self.crossbars.push(Crossbar::new(ports, fastest, matching.free_running, buffers, matcher, markers));
    }

    /// Opens each connection at its host's adapter.
    fn origins(&mut self) -> Vec<(u32, u32)> {
        let mut step = 0;
        let mut origins = Vec::new();
        for (connection, (route, settings)) in (0..).zip(self.topology.routes.iter().zip(&self.settings.connections)) {
            let Feeder::Adapter(adapter) = &mut self.feeders[route[0] as usize] else {
                panic!("a path begins at a host");
            };
            let (source, bypasses) = match &settings.service {
                Service::Unspecified => (None, false),
                Service::Available(abr) => (Some(Source::new(abr.parameters.clone())), abr.backward_bypasses),
            };
            origins.push((route[0], adapter.add(connection, step, source, bypasses)));
            step += route.len() as u32;
        }
        origins
    }

    /// All paths, one after the other, with a queue for each connection wherever there are such.
    fn steps(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        for (connection, route) in (0..).zip(&self.topology.routes) {
            let back = &self.topology.routes[connection as usize ^ 1];
            assert!(
                route.iter().rev().map(|port| port ^ 1).eq(back.iter().copied()),
                "the same path in both directions"
            );
            for (number, port) in route.iter().enumerate() {
                let queue = match &mut self.feeders[*port as usize] {
                    Feeder::Output(Output { waiting: Waiting::PerConnection(queues), .. }) => queues.add(),
                    Feeder::Output(_) | Feeder::Adapter(_) => 0,
                    &mut Feeder::Crossbar(crossbar, output) => {
                        let input = super::input(&self.feeders, route[number - 1] as usize);
                        self.crossbars[crossbar as usize].add(input, output)
                    }
                };
                steps.push(Step { port: *port, queue, connection, is_last: number + 1 == route.len() });
            }
        }
        steps
    }

    fn line(&self, port: usize, streams: &Streams) -> Line {
        let Port { rate, propagation, to, .. } = self.topology.ports[port];
        let settings = &self.settings.ports[port];
        let after = match &self.settings.switches[to as usize] {
            None => After { last_bit: propagation, first_bit: Duration::ZERO },
            Some(switch) => match switch.latency_from {
                LatencyFrom::LastBit => After { last_bit: propagation + switch.latency, first_bit: Duration::ZERO },
                LatencyFrom::FirstBit => After { last_bit: propagation, first_bit: propagation + switch.latency },
            },
        };
        let stream = streams.stream(&format!("port/{}/loss", settings.name));
        let losses = match settings.changes {
            true => Losses::changing(settings.loss, stream),
            false => Losses::new(settings.loss, stream),
        };
        let from_switch = !matches!(self.feeders[port], Feeder::Adapter(_));
        let leaves_to_host = from_switch && self.settings.switches[to as usize].is_none();
        Line::new(rate, settings.slotted, after, losses, leaves_to_host)
    }
}

fn connection(settings: &ConnectionSettings) -> Connection {
    let available = match &settings.service {
        Service::Unspecified => None,
        Service::Available(available) => Some(available),
    };
    let destination = available.map(|available| match available.keeps_indication {
        true => Destination::latching_efci(),
        false => Destination::default(),
    });
    Connection {
        header: settings.header,
        assembled: 0,
        delivered: Time::ZERO,
        destination,
        coded_rates: available.is_some_and(|available| available.coded_rates),
        allowed: available.map(|available| TimeWeighted::new(Time::ZERO, available.parameters.icr)),
        allowed_trace: None,
        cells: CellCounts::default(),
        lost: 0,
        lost_cells: 0,
    }
}

/// How long a connection's path takes unloaded.
#[derive(Clone, Debug)]
pub struct Load {
    header: u32,
    /// One cell over each link.
    cell: Duration,
    /// Bits a second of the first link, and of the slowest.
    first: u64,
    slowest: u64,
    switching: Duration,
    propagation: Duration,
}

impl Load {
    fn new(topology: &Topology, settings: &Settings, connection: usize) -> Self {
        let ports = || topology.routes[connection].iter().map(|port| &topology.ports[*port as usize]);
        let cell = |port: &Port| UnitTime::of_bits(CELL_BITS, port.rate).shortest();
        let switching = |port: &Port| match &settings.switches[port.to as usize] {
            None => Duration::ZERO,
            Some(switch) if switch.latency_from == LatencyFrom::FirstBit => switch.latency.saturating_sub(cell(port)),
            Some(switch) => switch.latency,
        };
        Load {
            header: settings.connections[connection].header,
            cell: ports().map(cell).sum(),
            first: ports().map(|port| port.rate).next().expect("a path has a link"),
            slowest: ports().map(|port| port.rate).min().expect("a path has a link"),
            switching: ports().map(switching).sum(),
            propagation: ports().map(|port| port.propagation).sum(),
        }
    }

    /// The last cell follows the first at the pace of the slowest link.
    pub fn unloaded(&self, octets: u32) -> Unloaded {
        let others = aal5::cells((octets + self.header) as usize) as u64 - 1;
        Unloaded {
            transmission: self.cell + Duration::from_units(others * CELL_BITS, self.slowest),
            switching: self.switching,
            propagation: self.propagation,
            leaving: Duration::from_units(others * CELL_BITS, self.first),
        }
    }
}
