//! Converts the keys of switches and of `[abr]` to settings.

use sojourn_protocols::atm::abr::{Decrease, IdleRule, MarkingSettings, Parameters};
use sojourn_scenario::Table;

use super::settings::*;

/// Bits of a cell, and of its payload.
const CELL: f64 = 424.0;
const PAYLOAD: f64 = 384.0;
/// From this share of its buffer on, early discard refuses packets by default.
const EARLY: f64 = 0.8;

/// What `[station.switch]` of the station `name` says.
pub fn switch(name: &str, table: &Table) -> SwitchSettings {
    let buffer = cells(table, "buffer");
    SwitchSettings {
        name: name.to_owned(),
        latency: table.duration("latency"),
        latency_from: match table.word("latency_from") {
            "first-bit" => LatencyFrom::FirstBit,
            _ => LatencyFrom::LastBit,
        },
        architecture: architecture(table),
        buffer,
        discard: match table.word("discard") {
            "partial-packet" => Discard::PartialPacket,
            "early-packet" => Discard::EarlyPacket(early(table, buffer)),
            _ => Discard::Tail,
        },
        marking: table.flag("marking").then(|| efci(table)),
        rate_control: rate_control(table),
    }
}

fn architecture(table: &Table) -> Architecture {
    let pool = Pool { ports: table.integer("module_ports") as u32, share: table.optional_number("buffer_share") };
    match table.word("architecture") {
        "output-per-connection" => Architecture::OutputPerConnection(pool, victim(table)),
        "input-per-connection" => Architecture::InputPerConnection(matching(table)),
        "input-fifo" => Architecture::InputFifo(matching(table)),
        _ => Architecture::OutputFifo(pool),
    }
}

fn victim(table: &Table) -> Victim {
    match table.word("victim") {
        "head-of-longest" => Victim::HeadOfLongest,
        "tail-of-longest" => Victim::TailOfLongest,
        _ => Victim::Arriving,
    }
}

fn matching(table: &Table) -> Matching {
    let choice = |key| match table.word(key) {
        "rotating" => Choice::Rotating,
        _ => Choice::Random,
    };
    Matching {
        iterations: table.integer("matching_iterations") as u32,
        grants: choice("matching_grants"),
        accepts: choice("matching_accepts"),
        free_running: table.word("crossbar_slots") == "free-running",
    }
}

fn early(table: &Table, buffer: Option<u32>) -> u32 {
    let share = || buffer.map_or(u32::MAX, |buffer| (f64::from(buffer) * EARLY) as u32);
    cells(table, "discard_threshold").unwrap_or_else(share)
}

fn efci(table: &Table) -> EfciSettings {
    let above = table.number("marking_threshold") as u32;
    EfciSettings {
        above,
        until: cells(table, "marking_ends").unwrap_or(above),
        at: match table.word("mark_at") {
            "arrival" => MarkAt::Arrival,
            _ => MarkAt::Departure,
        },
    }
}

fn rate_control(table: &Table) -> RateControl {
    match table.word("rate_control") {
        "intelligent-marking" => {
            let table = table.table("intelligent_marking");
            RateControl::IntelligentMarking(MarkingSettings {
                av: table.number("av"),
                dpf: table.number("dpf"),
                erf: table.number("erf"),
                mrf: table.number("mrf"),
                qt: table.number("qt") as u32,
                dqt: table.number("dqt") as u32,
            })
        }
        "erica" => {
            let table = table.table("erica");
            RateControl::Explicit {
                interval: table.duration("interval"),
                utilisation: table.number("utilisation"),
                queue_target: table.optional_duration("queue_target"),
            }
        }
        _ => RateControl::None,
    }
}

fn cells(table: &Table, key: &str) -> Option<u32> {
    table.optional_number(key).map(|cells| cells as u32)
}

/// The parameters of the table `[abr]`.
pub fn available(table: &Table) -> Available {
    Available {
        parameters: parameters(table),
        keeps_indication: table.flag("keeps_indication"),
        backward_bypasses: table.flag("backward_bypasses"),
        coded_rates: table.flag("coded_rates"),
    }
}

fn parameters(table: &Table) -> Parameters {
    let bits = if table.word("rates_count") == "payload" { PAYLOAD } else { CELL };
    let cell_rate = |key| table.number(key) / bits;
    let rdf = table.number("rdf");
    Parameters {
        pcr: cell_rate("pcr"),
        mcr: cell_rate("mcr"),
        icr: cell_rate("icr"),
        air: cell_rate("air"),
        rdf,
        decrease: match table.word("decreases") {
            "with-every-cell" => Decrease::PerCell,
            _ => Decrease::OnCi,
        },
        nrm: table.integer("nrm") as u32,
        mrm: table.integer("mrm") as u32,
        trm: table.duration("trm"),
        frm_without_data: table.flag("forward_without_data"),
        tcr: table.number("tcr"),
        crm: table.integer("crm") as u32,
        cdf: table.number("cdf"),
        idle: idle(table, cell_rate("pcr"), rdf),
        reschedules: table.flag("reschedules"),
        keeps_ci: table.flag("keeps_congestion"),
    }
}

fn idle(table: &Table, pcr: f64, rdf: f64) -> IdleRule {
    match table.word("idle") {
        "reset" => IdleRule::Reset(table.duration("adtf")),
        "keep" => IdleRule::Keep,
        _ => {
            // TDF (ATM Forum glossary): TDFF/RDF times the smallest power of two from PCR on
            let power = (libm::ceil(pcr) as u64).next_power_of_two();
            let tdf = table.number("tdff") / rdf * power as f64;
            IdleRule::Decay { tof: table.number("tof"), tdf }
        }
    }
}
