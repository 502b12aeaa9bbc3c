//! The network of packets, driven through what hosts know of it.

mod active;
mod cake;
mod closed_forms;
mod conditioned;
mod controlled_delay;
mod outages;
mod priority;
mod properties;
mod sharing;
mod traced;

use sojourn_core::{Duration, Streams, Time};
use sojourn_protocols::ip::Ecn;

use super::*;
use crate::fabric::{Fabric, FabricEvent, Unloaded};
use crate::frame::Frame;
use crate::topology::{Port, StationKind, Topology};
use sojourn_model::laws::RandomTime;

/// The rate of most tests' links.
const RATE: u64 = 100_000_000;

/// Hosts at the ends of a chain of `switches`, with `flows` flows from the first to the last; connection `2 f` is flow `f`,
/// `2 f + 1` its reverse direction.
fn chain(switches: u32, flows: usize, rate: u64, propagation: Duration) -> Topology {
    let mut topology = Topology { stations: vec![StationKind::Host], ..Topology::default() };
    for station in 0..=switches {
        let (from, to) = (station, station + 1);
        topology.stations.push(if station == switches { StationKind::Host } else { StationKind::Switch });
        topology.ports.push(Port { from, to, rate, propagation });
        topology.ports.push(Port { from: to, to: from, rate, propagation });
    }
    let forth: Vec<u32> = (0..=switches).map(|link| 2 * link).collect();
    let back: Vec<u32> = (0..=switches).rev().map(|link| 2 * link + 1).collect();
    topology.routes = (0..flows).flat_map(|_| [forth.clone(), back.clone()]).collect();
    topology
}

/// Links without framing, and queues all alike.
fn settings(topology: &Topology, queue: &QueueSettings) -> Settings {
    let link = LinkSettings {
        lost: Vec::new().into(),
        unlimited: false,
        trace: None,
        framing: Framing { overhead: 0, minimum: 0, counted: 0 },
        mtu: 1500,
        loss: 0.0,
        jitter: RandomTime::Uniform(Duration::ZERO, Duration::ZERO),
        reorders: false,
    };
    let port = |number| PortSettings { name: format!("port-{number}"), link: link.clone(), queue: queue.clone() };
    Settings {
        segments: Vec::new(),
        ports: (0..topology.ports.len()).map(port).collect(),
        latencies: vec![Duration::ZERO; topology.stations.len()],
        precedences: Vec::new(),
        conditioners: Vec::new(),
    }
}

fn queue(discipline: Discipline) -> QueueSettings {
    QueueSettings { discipline, limit: Limit::NONE, shaping: None, early: None }
}

fn fifo() -> QueueSettings {
    queue(Discipline::Fifo)
}

fn packets(topology: &Topology, settings: &Settings) -> Packets {
    Packets::new(topology, settings, &Streams::new(1, 0))
}

/// Two hosts, one link, `flows` flows, this queue.
fn link(flows: usize, queue: &QueueSettings) -> Packets {
    let topology = chain(0, flows, RATE, Duration::ZERO);
    packets(&topology, &settings(&topology, queue))
}

fn frame(packet: u32, flow: u32, octets: u32) -> Frame {
    Frame { packet, octets, connection: 2 * flow, ecn: Ecn::NotEct }
}

fn ms(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

fn us(microseconds: u64) -> Time {
    Time::ZERO + Duration::from_micros(microseconds)
}

/// All that happens until nothing is in flight.
fn drain(packets: &mut Packets) -> Vec<FabricEvent> {
    std::iter::from_fn(|| packets.advance(Time::NEVER)).collect()
}

/// (when, which) of those delivered.
fn delivered(pending_events: &[FabricEvent]) -> Vec<(Time, u32)> {
    let delivered = |event: &FabricEvent| match event {
        FabricEvent::Delivered(delivered) => Some((delivered.at, delivered.frame.packet)),
        _ => None,
    };
    pending_events.iter().filter_map(delivered).collect()
}

/// (when, which) of those lost.
fn lost(pending_events: &[FabricEvent]) -> Vec<(Time, u32)> {
    let lost = |event: &FabricEvent| match event {
        FabricEvent::Lost { at, frame, .. } => Some((*at, frame.packet)),
        _ => None,
    };
    pending_events.iter().filter_map(lost).collect()
}
