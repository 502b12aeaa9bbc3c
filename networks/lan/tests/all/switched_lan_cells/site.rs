//! Networks for the tests: stations, links, and connections over the shortest route.

use std::collections::VecDeque;

use sojourn_core::{Duration, Streams, Time};
use sojourn_lan::fabric::{Delivered, Fabric, FabricEvent};
use sojourn_lan::frame::Frame;
use sojourn_lan::switched::cells::Cells;
use sojourn_lan::switched::cells::settings::*;
use sojourn_lan::topology::{Port, StationKind, Topology};
use sojourn_protocols::ip::Ecn;

/// What cells may use of an OC-3c link, bit/s.
pub const RATE: u64 = 149_760_000;
/// Exactly a cell's time on it: 1325/468 µs, in picoseconds times 468.
const CELL_TIMES_468: u64 = 1_325_000_000;

/// `cells` times a cell's time, rounded down to the picosecond.
pub fn cells(cells: u64) -> Duration {
    Duration::from_picoseconds(cells * CELL_TIMES_468 / 468)
}

/// The instant `span` after the start.
pub fn at(span: Duration) -> Time {
    Time::ZERO + span
}

/// A network that is being put together.
#[derive(Clone, Debug, Default)]
pub struct Site {
    pub topology: Topology,
    pub settings: Option<Settings>,
}

impl Site {
    pub fn new() -> Self {
        let settings = Settings { switches: Vec::new(), ports: Vec::new(), connections: Vec::new() };
        Site { topology: Topology::default(), settings: Some(settings) }
    }

    pub fn settings(&mut self) -> &mut Settings {
        self.settings.as_mut().expect("it has settings")
    }

    pub fn host(&mut self) -> u32 {
        self.station(StationKind::Host, None)
    }

    pub fn switch(&mut self, settings: SwitchSettings) -> u32 {
        self.station(StationKind::Switch, Some(settings))
    }

    fn station(&mut self, kind: StationKind, switch: Option<SwitchSettings>) -> u32 {
        self.topology.stations.push(kind);
        self.settings().switches.push(switch);
        self.topology.stations.len() as u32 - 1
    }

    /// A link of 149.76 Mbit/s without length; the port from `one` to `other`.
    pub fn link(&mut self, one: u32, other: u32) -> u32 {
        for (from, to) in [(one, other), (other, one)] {
            let name = format!("{from}-{to}");
            self.topology.ports.push(Port { from, to, rate: RATE, propagation: Duration::ZERO });
            self.settings().ports.push(PortSettings { name, slotted: false, loss: 0.0, changes: false });
        }
        self.topology.ports.len() as u32 - 2
    }

    /// A connection and its reverse; the number of the first.
    pub fn connect(&mut self, from: u32, to: u32, service: Service) -> u32 {
        let route = self.route(from, to);
        let back = route.iter().rev().map(|port| port ^ 1).collect();
        self.topology.routes.extend([route, back]);
        let settings = ConnectionSettings { header: LLC_HEADER, service };
        self.settings().connections.extend([settings.clone(), settings]);
        self.topology.routes.len() as u32 - 2
    }

    /// A connection of unspecified bit rate.
    pub fn plain(&mut self, from: u32, to: u32) -> u32 {
        self.connect(from, to, Service::Unspecified)
    }

    pub fn build(&mut self) -> Cells {
        let settings = self.settings().clone();
        Cells::new(&self.topology, &settings, &Streams::new(1, 0))
    }

    /// The fewest ports from one station to another.
    fn route(&self, from: u32, to: u32) -> Vec<u32> {
        let mut routes = VecDeque::from([(from, Vec::new())]);
        while let Some((station, route)) = routes.pop_front() {
            if station == to {
                return route;
            }
            for (port, next) in (0..).zip(&self.topology.ports) {
                if next.from == station && !route.contains(&(port ^ 1)) && route.len() < self.topology.ports.len() {
                    routes.push_back((next.to, [route.as_slice(), &[port]].concat()));
                }
            }
        }
        panic!("station {to} is out of reach")
    }
}

/// A switch of 12 µs that never drops a cell.
pub fn switch(architecture: Architecture) -> SwitchSettings {
    SwitchSettings {
        name: "switch".into(),
        latency: Duration::from_micros(12),
        latency_from: LatencyFrom::LastBit,
        architecture,
        buffer: None,
        discard: Discard::Tail,
        marking: None,
        rate_control: RateControl::None,
    }
}

pub const POOL: Pool = Pool { ports: 4, share: None };
pub const FIFO: Architecture = Architecture::OutputFifo(POOL);
pub const PER_CONNECTION: Architecture = Architecture::OutputPerConnection(POOL, Victim::Arriving);
pub const RANDOM: Matching =
    Matching { iterations: 4, grants: Choice::Random, accepts: Choice::Random, free_running: false };
pub const INPUT: Architecture = Architecture::InputPerConnection(RANDOM);
pub const INPUT_FIFO: Architecture = Architecture::InputFifo(RANDOM);
/// All of them.
pub const ARCHITECTURES: [Architecture; 4] = [FIFO, PER_CONNECTION, INPUT, INPUT_FIFO];

/// A datagram that fills this many cells with an LLC header.
pub fn frame(packet: u32, connection: u32, cells: u32) -> Frame {
    Frame { packet, octets: cells * 48 - 16, connection, ecn: Ecn::NotEct }
}

/// All events up to `until`.
pub fn run(network: &mut Cells, until: Time) -> Vec<FabricEvent> {
    std::iter::from_fn(|| network.advance(until)).collect()
}

/// The deliveries up to `until`; panics when anything else happens.
pub fn deliveries(network: &mut Cells, until: Time) -> Vec<Delivered> {
    let delivered = |event| match event {
        FabricEvent::Delivered(delivered) => delivered,
        other => panic!("{other:?}"),
    };
    run(network, until).into_iter().map(delivered).collect()
}
