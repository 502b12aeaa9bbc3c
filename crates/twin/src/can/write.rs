//! Writes the scenario of buses of CAN.

use std::collections::BTreeSet;

use sojourn_core::Time;

use super::answer::Answers;
use super::bit_rate::BitRate;
use super::bus::Bus;
use super::keys::{costs, medium, station};
use super::names::Names;
use super::pace::{Pace, Run};
use super::plan::{Paced, Planned, plan};
use super::seen::since;
use super::write_flow::FlowWriter;
use crate::document::{Document, Inline, Varying, span};
use crate::scenario::{Options, Twin};

/// Errors from which on a bit error rate is inferred, and the largest that a scenario has.
const FEWEST_ERRORS: u64 = 3;
const MOST_ERRORS: f64 = 0.1;

/// A bus with what its scenario is written from.
struct Named<'a> {
    bus: &'a Bus,
    names: Names,
    bit_rate: BitRate,
    run: Run,
    planned: Vec<Planned>,
    /// Remote frames that nothing answered.
    unanswered: u64,
}

impl<'a> Named<'a> {
    fn of(bus: &'a Bus, suffix: String, (begin, end): (Time, Time), options: &Options) -> Named<'a> {
        let bit_rate = bus.gaps.bit_rate(options.bit_rate, options.data_bit_rate);
        let (names, rates) = (Names::of(bus, suffix), bit_rate.rates());
        let run = Run { begin, end: since(begin, end), frame: rates.whole(bus.longest), rates };
        let (planned, unanswered) = plan(bus, &names, &run);
        Named { bus, names, bit_rate, run, planned, unanswered }
    }
}

/// The scenario of surveyed buses, from the end of the first frame to that of the last.
pub(super) fn twin(buses: &[&Bus], (begin, end): (Time, Time), options: &Options) -> Twin {
    let mut document = Document::default();
    let frames: u64 = buses.iter().map(|bus| bus.frames).sum();
    document.comment(format!(
        "Inferred from a capture of {frames} frames of CAN in {}. A comment before a value says how it was inferred, from how much, \
         and how sure that is.",
        span(since(begin, end)),
    ));
    document.title("Twin of a captured CAN bus", "can");
    let named: Vec<Named<'_>> = (1..)
        .zip(buses)
        .map(|(number, bus)| {
            let suffix = if buses.len() > 1 { format!("-{number}") } else { String::new() };
            Named::of(bus, suffix, (begin, end), options)
        })
        .collect();
    // messages were due before the first frame had ended
    let firsts = named.iter().flat_map(|named| named.planned.iter().filter_map(Planned::first));
    let shift = -firsts.fold(0.0, f64::min);
    named.iter().for_each(|named| media(named, &mut document));
    named.iter().for_each(|named| stations(named, &mut document));
    let mut writer = FlowWriter::new(shift, options, &mut document);
    for named in &named {
        named.planned.iter().for_each(|planned| writer.write(planned));
    }
    let traces = writer.finish();
    let doubts = doubts(&named);
    doubts.iter().for_each(|doubt| document.note(format!("Left out: {doubt}.")));
    let why = "Messages are due when they were in the capture.";
    document.run(since(begin, end) + shift, 0.0, Some(why));
    Twin { scenario: document.finish(), traces, doubts }
}

/// A bus: its bit rates, its stuff bits, its errors.
fn media(named: &Named<'_>, document: &mut Document) {
    let Named { bus, names, bit_rate, .. } = named;
    document.table(medium::TABLE);
    document.set(medium::NAME, names.bus());
    document.set_because(medium::BIT_RATE, bit_rate.nominal as f64, &bit_rate.reason);
    if let Some(data) = bit_rate.data {
        document.set(medium::DATA_BIT_RATE, data as f64);
    }
    let about =
        "As many as the bytes of each flow have, which are those of a captured frame with the mean of its stuff bits.";
    document.set_because(medium::STUFFING, "exact", about);
    if bus.errors >= FEWEST_ERRORS {
        let frames = (bus.frames + bus.errors) as f64;
        let bits = bus.bits as f64 / bus.frames.max(1) as f64;
        let rate = -libm::log1p(-(bus.errors as f64 / frames).min(0.99)) / bits.max(1.0);
        let about = format!("{} errors that the driver reported, as if by independent bits.", bus.errors);
        document.set_because(medium::BIT_ERROR_RATE, rate.min(MOST_ERRORS), about);
    }
}

/// Who sends and answers, and who listens.
fn stations(named: &Named<'_>, document: &mut Document) {
    let Named { names, run, .. } = named;
    document.note(format!(
        "{} What applications and processors take is not seen: but for answers it is 0 s.",
        names.assumption()
    ));
    let ends = named.planned.iter().flat_map(|planned| planned.to.iter().chain([&planned.from]));
    let mut all: BTreeSet<String> = ends.cloned().collect();
    all.insert(names.listener());
    let mut answers = Answers::default();
    for (key, asked) in &named.bus.asked {
        if let Some(id) = asked.answer_id.filter(|_| !asked.in_packets) {
            let [_, server] = names.ends(key, asked.id, id);
            answers.add(server, &asked.exchanges, run);
        }
    }
    for name in &all {
        document.table(station::TABLE);
        document.set(station::NAME, name);
        document.set(station::ON, vec![names.bus()]);
        let costs = processor(answers.of(name, run), document);
        document.set(station::COSTS, costs);
    }
}

/// What a station's processor and applications take.
fn processor(answer: Option<(Varying, String)>, document: &mut Document) -> Inline {
    let inline = Inline::default().with(costs::SEND, 0.0).with(costs::RECEIVE, 0.0);
    match answer {
        Some((value, about)) => {
            document.comment(about);
            inline.with(costs::ANSWER, value)
        }
        None => inline,
    }
}

/// What of the capture the scenario has not.
fn doubts(named: &[Named<'_>]) -> Vec<String> {
    let sum = |count: &dyn Fn(&Named<'_>) -> u64| named.iter().map(count).sum::<u64>();
    let left_out = sum(&|named| named.bus.left_out);
    let unanswered = sum(&|named| named.unanswered);
    let lost = sum(&|named| {
        let asked = named.bus.asked.values().filter(|asked| asked.answered > 0);
        asked.map(|asked| asked.count - asked.answered).sum()
    });
    let refused = sum(&|named| named.bus.asked.values().map(|asked| asked.refused).sum());
    let bus_offs = sum(&|named| named.bus.bus_offs);
    let bent = named.iter().flat_map(|named| &named.planned);
    let bent = bent.filter(
        |planned| matches!(&planned.pace, Paced::One(Pace::Law { reason, .. }) if reason.contains("no law fits")),
    );
    let rows = [
        (left_out, "frames of more identifiers than are kept apart"),
        (unanswered, "remote frames that nothing answered"),
        (lost, "requests without an answer, to servers that answered others: in the twin they answer all"),
        (refused, "refusals, in place of which the twin has answers"),
        (bus_offs, "times that a controller was bus off"),
        (bent.count() as u64, "flows whose arrivals no law fits, and of which not all messages are kept"),
    ];
    rows.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect()
}
