//! Writes the scenario of Modbus lines: media, the client and the servers of each, their outages.

use sojourn_core::Time;

use super::delay::delay;
use super::framing::Framing;
use super::keys::{event, medium, station};
use super::line::Line;
use super::names::{Names, units};
use super::rounds::rounds;
use super::write_flow::FlowWriter;
use crate::document::{Document, rounded_up, span};
use crate::scenario::{Options, Twin};

/// Lost attempts from which on a bit error rate is inferred.
const FEWEST_LOST: u64 = 3;

/// The scenario of surveyed lines, from `begin` to `end`.
pub(super) fn twin(lines: &[&Line], (begin, end): (Time, Time), options: &Options) -> Twin {
    let mut document = Document::default();
    let duration = end.since(begin).seconds();
    let frames: u64 = lines.iter().map(|line| line.frames()).sum();
    document.comment(format!(
        "Inferred from a capture of {frames} frames of Modbus RTU in {}. A comment before a value says how it was inferred, from \
         how much, and how sure that is.",
        span(duration),
    ));
    document.title("Twin of a captured Modbus line", "modbus");
    let named: Vec<(Names, &Line, Framing)> = (1..)
        .zip(lines)
        .map(|(number, line)| {
            let suffix = if lines.len() > 1 { format!("-{number}") } else { String::new() };
            (Names::new(suffix), *line, Framing::of(line, options.bit_rate))
        })
        .collect();
    named.iter().for_each(|(names, line, framing)| media(names, line, framing, &mut document));
    named.iter().for_each(|(names, line, framing)| stations(names, line, framing, &mut document));
    let mut flows = FlowWriter::new(begin, &mut document);
    named.iter().for_each(|(names, line, framing)| flows.write(names, line, framing, &rounds(line)));
    named.iter().for_each(|(names, line, _)| outages(names, line, begin, &mut document));
    let doubts = doubts(lines, &mut document);
    document.run(duration, 0.0, Some("Flows begin when they did in the capture."));
    Twin { scenario: document.finish(), traces: Vec::new(), doubts }
}

/// A line: its bit rate, its characters, its errors.
fn media(names: &Names, line: &Line, framing: &Framing, document: &mut Document) {
    document.table(medium::TABLE);
    document.set(medium::NAME, names.line());
    document.set(medium::MODE, "rtu");
    document.set_because(medium::BIT_RATE, framing.bit_rate as f64, &framing.reason);
    if framing.bits < 11 {
        document.set(medium::PARITY, "none");
        document.set(medium::STOP_BITS, 1_u64);
    } else {
        document.comment("Parity, or a second stop bit in its place, which take as long.");
        document.set(medium::PARITY, "even");
    }
    let lost: u64 = line.units.values().map(|unit| unit.lost).sum();
    let attempts: u64 = line.units.values().map(|unit| unit.attempts).sum();
    if lost >= FEWEST_LOST && lost < attempts {
        let share = lost as f64 / attempts as f64;
        document.set_because(
            medium::BIT_ERROR_RATE,
            -libm::log1p(-share) / bits(line, framing),
            format!("{lost} of {attempts} requests to units that were on had no valid answer, whose bits are counted."),
        );
    }
}

/// Bits of an answer, in the mean: a request that was damaged is not in the capture.
fn bits(line: &Line, framing: &Framing) -> f64 {
    let shapes = line.polls.iter().filter_map(|(key, poll)| Some((key.shape()?, poll.times.count() as f64)));
    let (octets, requests) = shapes.fold((0.0, 0.0), |(octets, requests), (shape, count)| {
        (octets + count * shape.response as f64, requests + count)
    });
    (framing.bits as f64 * octets / f64::max(requests, 1.0)).max(1.0)
}

/// The client and the servers of a line.
fn stations(names: &Names, line: &Line, framing: &Framing, document: &mut Document) {
    document.table(station::TABLE);
    document.set(station::NAME, names.client());
    document.set(station::ON, vec![names.line()]);
    for unit in units(line) {
        document.table(station::TABLE);
        document.set(station::NAME, names.unit(unit));
        document.set(station::ON, vec![names.line()]);
        document.set(station::UNIT, u64::from(unit));
        match delay(unit, line, framing) {
            Some((value, about)) => document.set_because(station::DELAY, value, about),
            None => document.comment("It answered no request: its delay has the default."),
        }
    }
}

/// Units that were off.
fn outages(names: &Names, line: &Line, begin: Time, document: &mut Document) {
    for unit in units(line) {
        let Some(found) = line.units.get(&unit) else { continue };
        let name = names.unit(unit);
        let power_down = |document: &mut Document, label: String, about: &str, at: f64| {
            document.table_of(event::TABLE, about);
            document.set(event::NAME, &label);
            document.set(event::AT, at);
            document.set(event::ACTION, "power-down");
            document.set(event::STATIONS, vec![name.clone()]);
        };
        if found.is_dead() {
            if found.outages().is_empty() && found.attempts == 0 {
                continue;
            }
            power_down(document, format!("{name}-dead"), "It answered none of its requests.", 0.0);
            continue;
        }
        for (number, (from, until)) in (1..).zip(found.outages()) {
            let label = format!("{name}-off-{number}");
            let since = |time: Time| time.since(begin).seconds();
            power_down(document, label, "Requests in a row without an answer.", off(since(*from)));
            if let Some(until) = until {
                document.set(event::UNTIL, rounded_up(off(since(*until)).max(off(since(*from)) + 1e-3)));
            }
        }
    }
}

/// A little before a request ended.
fn off(end: f64) -> f64 {
    (end - 1e-3).max(0.0)
}

/// What of the capture the scenario has not.
fn doubts(lines: &[&Line], document: &mut Document) -> Vec<String> {
    let sum = |count: fn(&Line) -> u64| lines.iter().map(|line| count(line)).sum::<u64>();
    let (left_out, exceptions) = (sum(|line| line.left_out), sum(|line| line.exceptions));
    let mut doubts = Vec::new();
    if left_out > 0 {
        doubts.push(format!("{left_out} requests of functions that the kind has not, or of polls above 4096"));
    }
    if exceptions > 0 {
        doubts.push(format!("{exceptions} exceptions, in place of which the twin has answers"));
    }
    doubts.iter().for_each(|doubt| document.note(format!("Left out: {doubt}.")));
    doubts
}
