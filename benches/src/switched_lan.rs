//! Cells through ATM switches: three bulk transfers and an echo that share a link between two switches.

use sojourn_core::{Duration, Streams, Time};
use sojourn_lan::fabric::{Fabric, FabricEvent};
use sojourn_lan::frame::Frame;
use sojourn_lan::switched::cells::Cells;
use sojourn_lan::switched::cells::settings::*;
use sojourn_lan::topology::{Port, StationKind, Topology};
use sojourn_protocols::atm::abr::{IdleRule, Parameters};
use sojourn_protocols::ip::Ecn;

use crate::clock::timed;

/// What cells may use of an OC-3c link, bit/s.
const RATE: u64 = 149_760_000;
/// Pairs of hosts: the first has the echo.
const PAIRS: u32 = 4;
/// Datagrams of a transfer that are in flight: 64 KiB.
const WINDOW: u32 = 7;

/// Cells over a link a second of processor time, for one of the switches.
pub fn cells(architecture: &str, transmissions: u64) -> Option<f64> {
    let (switch, service) = switch(architecture)?;
    let (topology, settings) = site(&switch, &service);
    let mut network = Cells::new(&topology, &settings, &Streams::new(1, 0));
    for pair in 0..PAIRS {
        let (datagrams, octets) = if pair == 0 { (1, 540) } else { (WINDOW, 9188) };
        (0..datagrams).for_each(|packet| {
            network.send(Time::ZERO, Frame { packet, octets, connection: 2 * pair, ecn: Ecn::NotEct })
        });
    }
    let (seconds, ()) = timed(|| {
        let mut end = Time::ZERO;
        while network.transmissions() < transmissions {
            end += Duration::from_millis(1);
            while let Some(event) = network.advance(end) {
                if let FabricEvent::Delivered(delivered) = event {
                    answer(&mut network, delivered.at, delivered.frame);
                }
            }
        }
    });
    Some(network.transmissions() as f64 / seconds)
}

/// An echo goes back and forth; each datagram of a transfer is acknowledged, and followed by another.
fn answer(network: &mut Cells, now: Time, frame: Frame) {
    let back = Frame { connection: frame.connection ^ 1, ..frame };
    match (frame.connection / 2, frame.connection % 2) {
        (0, _) => network.send(now, back),
        (_, 0) => network.send(now, Frame { octets: 40, ..back }),
        _ => network.send(now, Frame { octets: 9188, ..back }),
    }
}

fn switch(architecture: &str) -> Option<(SwitchSettings, Service)> {
    let pool = Pool { ports: 4, share: None };
    let matching = Matching { iterations: 4, grants: Choice::Random, accepts: Choice::Random, free_running: false };
    let marking = EfciSettings { above: 500, until: 500, at: MarkAt::Departure };
    let (architecture, buffer, marking) = match architecture {
        "output-fifo" => (Architecture::OutputFifo(pool), Some(13_000), None),
        "output-per-connection" => (Architecture::OutputPerConnection(pool, Victim::Arriving), Some(13_000), None),
        "input-per-connection" => (Architecture::InputPerConnection(matching), Some(2_000), None),
        "input-fifo" => (Architecture::InputFifo(matching), None, None),
        "output-fifo-efci" => (Architecture::OutputFifo(pool), None, Some(marking)),
        _ => return None,
    };
    let service = if marking.is_some() { Service::Available(available()) } else { Service::Unspecified };
    let settings = SwitchSettings {
        name: String::new(),
        latency: Duration::from_micros(12),
        latency_from: LatencyFrom::LastBit,
        architecture,
        buffer,
        discard: Discard::Tail,
        marking,
        rate_control: RateControl::None,
    };
    Some((settings, service))
}

/// The parameter set for LANs of ATM Forum 95-1328R1.
fn available() -> Available {
    let megabits = |rate: f64| rate * 1e6 / 424.0;
    let parameters = Parameters {
        mcr: megabits(0.5),
        icr: megabits(10.0),
        air: megabits(0.01892),
        cdf: 0.5,
        idle: IdleRule::Decay { tof: 2.0, tdf: 512.0 },
        ..Parameters::traffic_management_4(megabits(155.0))
    };
    Available { parameters, keeps_indication: false, backward_bypasses: false, coded_rates: false }
}

/// Two switches, a link between them, and on each a host of every pair.
fn site(switch: &SwitchSettings, service: &Service) -> (Topology, Settings) {
    let mut topology = Topology::default();
    let mut settings = Settings { switches: Vec::new(), ports: Vec::new(), connections: Vec::new() };
    let mut link = |one: u32, other: u32| {
        for (from, to) in [(one, other), (other, one)] {
            topology.ports.push(Port { from, to, rate: RATE, propagation: Duration::from_nanos(50) });
            settings.ports.push(PortSettings::default());
        }
    };
    link(0, 1);
    for pair in 0..PAIRS {
        link(2 + 2 * pair, 0);
        link(1, 3 + 2 * pair);
    }
    topology.stations = vec![StationKind::Host; 2 + 2 * PAIRS as usize];
    topology.stations[..2].fill(StationKind::Switch);
    settings.switches = vec![None; topology.stations.len()];
    settings.switches[..2].fill(Some(switch.clone()));
    for pair in 0..PAIRS {
        let (access, exit) = (2 + 4 * pair, 4 + 4 * pair);
        topology.routes.extend([vec![access, 0, exit], vec![exit + 1, 1, access + 1]]);
        let connection = ConnectionSettings { header: LLC_HEADER, service: service.clone() };
        settings.connections.extend([connection.clone(), connection]);
    }
    (topology, settings)
}
