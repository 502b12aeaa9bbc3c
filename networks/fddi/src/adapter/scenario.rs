//! Converts a checked scenario to settings.

use sojourn_core::Duration;
use sojourn_engine::law::{Law, Shape};
use sojourn_scenario::{Scenario, Table};

use super::bus::{InterferenceSettings, Operation};
use super::effect;
use super::settings::{
    BYTE_TIME, BusSettings, DropAt, Gaps, Host, Pace, Parser, Priority, Ring, Settings, StageSelection, Stages, Traffic,
};
use super::sizes::{FIVE_MODE, FOUR_MODE, Sizes, five_mode_with};
use crate::ring::BYPASS_TIME;

/// Bits a second on the fibre.
const LINE_RATE: f64 = 100e6;

/// The settings of a scenario.
pub fn settings(scenario: &Scenario) -> Settings {
    let ring = ring(scenario.table("ring"));
    let traffic = traffic(scenario.table("traffic"), &ring);
    Settings {
        bus: bus(scenario.table("bus")),
        stages: stages(scenario.table("adapter"), &traffic),
        host: host(scenario.table("host")),
        ring,
        traffic,
        timeline: effect::timeline(scenario),
    }
}

fn bus(table: &Table) -> BusSettings {
    BusSettings {
        access: table.integer("memory_access"),
        interleave: table.integer("interleave") as usize,
        memory_queue: table.integer("memory_queue") as usize,
        interference: InterferenceSettings {
            share: table.number("interference"),
            length: table.number("interference_length"),
            burst: table.integer("interference_burst") as u32,
            periodic: table.word("interference_arrivals") == "periodic",
        },
        commanders: table.integer("commanders") as u32,
        operation: match table.word("commander_transaction") {
            "longword-write" => Operation::Write(4),
            "quadword-write" => Operation::Write(8),
            "octaword-write" => Operation::Write(16),
            "hexaword-read" => Operation::Read,
            _ => Operation::Write(32),
        },
    }
}

fn stages(table: &Table, traffic: &Traffic) -> Stages {
    let buffer = table.number("buffer") as u32;
    let buffers = |key| table.number(key) as u32 / buffer;
    // a part that is tried alone sends whole frames
    let threshold = table.optional_number("transmit_threshold").filter(|_| traffic.stages == StageSelection::Adapter);
    Stages {
        receive_control: table.duration("receive_control"),
        transmit_control: table.duration("transmit_control"),
        control_per_byte: table.duration("control_per_byte"),
        discard_time: table.duration("discard_time"),
        control_queue: table.integer("control_queue") as usize,
        chip_set_latency: table.duration("chip_set_latency"),
        ring_memory_latency: table.duration("ring_memory_latency"),
        fifo_bursts: table.integer("fifo_bursts") as usize,
        burst_time: table.duration("burst_time"),
        descriptor_time: table.duration("descriptor_time"),
        parser: Parser {
            frame: table.duration("parse_frame"),
            snap: table.duration("parse_snap"),
            management: table.duration("parse_management"),
            per_byte: table.duration("parse_per_byte"),
        },
        receive_buffers: buffers("receive_buffers"),
        transmit_buffers: buffers("transmit_buffers"),
        buffer,
        drop_at: match table.word("drop_at") {
            "fifo" => DropAt::Fifo,
            "host" => DropAt::Host,
            _ => DropAt::Pool,
        },
        staging: table.integer("staging") as u32,
        outstanding_reads: table.integer("outstanding_reads") as u32,
        priority: match table.word("priority") {
            "writes-first" => Priority::WritesFirst,
            "alternate" => Priority::Alternate,
            _ => Priority::ReadsFirst,
        },
        descriptors_per_read: table.integer("descriptors_per_read") as u32,
        prefetch: table.word("descriptor_fetch") == "prefetched",
        transmit_threshold: threshold.map_or(u32::MAX, |bytes| bytes as u32),
    }
}

fn host(table: &Table) -> Host {
    Host {
        ring_entries: table.integer("ring_entries") as u32,
        segments: table.integer("segments") as u32,
        partial_lines: match table.word("alignment") {
            "quadword" | "longword" => 1,
            _ => 0,
        },
    }
}

fn ring(table: &Table) -> Ring {
    Ring {
        overhead: if table.word("accounting") == "frame-alone" { 0 } else { 8 },
        token: (table.word("kind") == "token-ring")
            .then(|| (table.number("length"), table.duration("station_latency"))),
        bypass_time: table.optional_duration("bypass_time").unwrap_or(BYPASS_TIME),
    }
}

fn traffic(table: &Table, ring: &Ring) -> Traffic {
    let direction = table.word("direction");
    let sizes = sizes(table);
    let pace = pace(table, ring, &sizes);
    Traffic {
        receive: matches!(direction, "receive" | "both"),
        transmit: matches!(direction, "transmit" | "both"),
        stages: match table.word("stages") {
            "ring-memory-controller" => StageSelection::RingMemoryController,
            "host-interface" => StageSelection::HostInterface,
            _ => StageSelection::Adapter,
        },
        sizes,
        pace,
        management_share: table.number("management_share"),
        llc_share: table.number("llc_share"),
    }
}

fn sizes(table: &Table) -> Sizes {
    let size = table.number("frame_size");
    match table.word("mix") {
        "exponential" => Sizes::Exponential(size),
        "four-mode" => Sizes::Modes(FOUR_MODE.to_vec()),
        "five-mode" => {
            Sizes::Modes(table.optional_number("middle_share").map_or_else(|| FIVE_MODE.to_vec(), five_mode_with))
        }
        _ => Sizes::Constant(size as u32),
    }
}

/// Gaps follow from the load: what is left between the mean spacing of frames and the mean time they last.
fn pace(table: &Table, ring: &Ring, sizes: &Sizes) -> Pace {
    match table.optional_word("load") {
        Some("sustainable") => return Pace::Sustainable(table.number("sustainable_share")),
        Some("single") => return Pace::Single,
        Some(_) => return Pace::Saturating,
        None => {}
    }
    let load = table.number("load");
    if load >= LINE_RATE {
        return Pace::Saturating;
    }
    let lasts = BYTE_TIME.seconds() * (sizes.mean() + f64::from(ring.overhead));
    let burst = table.integer("burst") as u32;
    let gap = Duration::from_seconds(f64::from(burst) * lasts * (LINE_RATE / load - 1.0));
    let Some(mean) = gap else { return Pace::Silent };
    let shape = match table.word("arrivals") {
        "constant" => Shape::Constant,
        "normal" => Shape::Normal(table.number("deviation")),
        _ => Shape::Exponential,
    };
    Pace::Gaps(Gaps { burst, law: Law { mean, shape } })
}
