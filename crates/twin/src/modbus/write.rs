//! Writes the scenario of a Modbus line.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_capture::arrivals::Reservoir;
use sojourn_protocols::modbus::timing::Silence;

use super::keys::{flow, medium, station};
use super::survey::{Modbus, Poll, PollKey};
use crate::arrivals::{Arrivals, arrivals, of_stream};
use crate::document::{Document, Inline, arrivals as laws, span};
use crate::scenario::{Options, Twin};

/// The rate that every device has (Modbus over Serial Line V1.02, 2.5.1), where none is stated.
const USUAL_BIT_RATE: u64 = 19_200;
/// Bits of a character: parity, or a second stop bit in its place.
const CHARACTER_BITS: u64 = 11;
/// Largest distance of intervals from their median, as a share of it, of polls that are regular.
const REGULAR: f64 = 0.1;
/// Fewest requests that show an interval.
const FEWEST: u64 = 3;
/// Resolution of time stamps, s.
const SMEAR: f64 = 1e-6;
/// The shortest server delay.
const SHORTEST: f64 = 0.0;

/// The scenario of a surveyed line.
pub(super) fn twin(line: &Modbus, options: &Options) -> Twin {
    let mut document = Document::default();
    let duration = line.end.since(line.begin).seconds();
    let bit_rate = options.bit_rate.unwrap_or(USUAL_BIT_RATE);
    let silence = Silence::of(bit_rate, CHARACTER_BITS);
    document.comment(format!(
        "Inferred from a capture of {} frames of Modbus RTU in {}. A comment before a value says how it was inferred, from how \
         much, and how sure that is.",
        line.packets(),
        span(duration),
    ));
    document.title("Twin of a captured Modbus line", "modbus");
    document.table(medium::TABLE);
    document.set(medium::NAME, "line");
    document.set(medium::MODE, "rtu");
    let stated = options.bit_rate.is_some();
    let why = if stated { "As --bit-rate states it." } else { "A capture does not show it: --bit-rate states it." };
    document.set_because(medium::BIT_RATE, bit_rate as f64, format!("{why} Characters have 11 bits."));
    document.table(station::TABLE);
    document.set(station::NAME, "client");
    let units: BTreeSet<u8> = line.polls.keys().map(|key| key.unit).collect();
    for unit in &units {
        server(*unit, line, silence, &mut document);
    }
    let mut settles: f64 = 0.0;
    for (number, (shape, members)) in groups(line).into_iter().enumerate() {
        settles = settles.max(poll(number + 1, shape, &members, duration, &mut document));
    }
    if line.left_out > 0 {
        document.note(format!("Left out: {} broadcasts, or requests of functions without a flow.", line.left_out));
    }
    document.run(duration, settles.min(duration), Some("Until the poll with the longest interval has begun."));
    Twin { scenario: document.finish(), traces: Vec::new(), doubts: Vec::new() }
}

/// A server, with its delay.
fn server(unit: u8, line: &Modbus, silence: Silence, document: &mut Document) {
    let mut delays: Vec<f64> = Vec::new();
    for (key, poll) in line.polls.iter().filter(|(key, _)| key.unit == unit) {
        let Some((_, _, response)) = key.shape() else { continue };
        let on_line = silence.character.seconds() * response as f64 + silence.t35.seconds();
        delays.extend(poll.responses.values().iter().map(|time| (time - on_line).max(SHORTEST)));
    }
    document.table(station::TABLE);
    document.set(station::NAME, &name(unit));
    document.set(station::UNIT, u64::from(unit));
    delays.sort_by(f64::total_cmp);
    match delays.get(delays.len() / 2) {
        Some(median) => {
            let (least, most) = (delays[0], delays[delays.len() - 1]);
            let about = format!(
                "Median of {} response times less t3.5 and the response on the line; they are {} to {}.",
                delays.len(),
                span(least),
                span(most)
            );
            document.set_because(station::DELAY, *median, about);
        }
        None => document.comment("It answered no request: its delay has the default."),
    }
}

fn name(unit: u8) -> String {
    format!("unit-{unit}")
}

/// Function and count of polls, and those of one pace.
type Group<'a> = ((u8, u16), Vec<(PollKey, &'a Poll)>);

/// Polls of one function and count whose units are asked equally often are one.
fn groups(line: &Modbus) -> Vec<Group<'_>> {
    let mut groups: BTreeMap<(u8, u16, u64), Vec<(PollKey, &Poll)>> = BTreeMap::new();
    for (key, poll) in &line.polls {
        let count = poll.times.count();
        // a round that the capture cuts asks some of them once more
        let near =
            (count.saturating_sub(1)..=count + 1).find(|near| groups.contains_key(&(key.function, key.count, *near)));
        groups.entry((key.function, key.count, near.unwrap_or(count))).or_default().push((*key, poll));
    }
    groups.into_iter().map(|((function, count, _), members)| ((function, count), members)).collect()
}

/// A flow. Returns after how long it has settled, s.
fn poll(
    number: usize,
    (_, count): (u8, u16),
    members: &[(PollKey, &Poll)],
    duration: f64,
    document: &mut Document,
) -> f64 {
    let Some(((key, first), (word, ..))) = members.first().and_then(|member| Some((member, member.0.shape()?))) else {
        return 0.0;
    };
    let requests: u64 = members.iter().map(|(_, poll)| poll.times.count()).sum();
    document
        .table_of(flow::TABLE, format!("{requests} requests of function {} to {} units.", key.function, members.len()));
    document.set(flow::NAME, &format!("poll-{number}"));
    document.set(flow::FROM, "client");
    document.set(flow::TO, members.iter().map(|(key, _)| name(key.unit)).collect::<Vec<String>>());
    document.set(flow::FUNCTION, word);
    document.set(flow::COUNT, u64::from(count));
    tries(members, document);
    let found = rounds(first, members.len()).unwrap_or_else(|| {
        let found = arrivals(&first.times, 1, duration, SMEAR);
        of_stream(&found, &first.times)
    });
    document.set_because(flow::ARRIVALS, found.value.clone(), &found.reason);
    document.set(flow::PROBE, true);
    found.settles
}

/// Timeout and retries, as far as they show.
fn tries(members: &[(PollKey, &Poll)], document: &mut Document) {
    let repeats: Vec<f64> = members.iter().flat_map(|(_, poll)| poll.repeats.values().iter().copied()).collect();
    let attempts = members.iter().map(|(_, poll)| poll.attempts).max().unwrap_or(1);
    let unanswered: u64 = members.iter().map(|(_, poll)| poll.unanswered).sum();
    match median(&repeats) {
        Some(gap) => {
            let about = format!(
                "About the time from one attempt to the next, of {} requests that were repeated.",
                repeats.len()
            );
            document.set_because(flow::TIMEOUT, gap, about);
        }
        None => document.comment("No repeated request was answered: the timeout has its default."),
    }
    if attempts > 1 || unanswered > 0 {
        let about = format!("{attempts} attempts at most; {unanswered} requests were not answered.");
        document.set_because(flow::RETRIES, u64::from(attempts - 1).min(20), about);
    }
}

/// Rounds of one cycle, where the intervals of the first unit are regular.
fn rounds(first: &Poll, units: usize) -> Option<Arrivals> {
    let gaps: &Reservoir = first.times.gaps();
    let cycle = median(gaps.values()).filter(|_| first.times.count() >= FEWEST)?;
    let near = gaps.values().iter().filter(|gap| (**gap - cycle).abs() <= REGULAR * cycle).count();
    if near * 10 < gaps.values().len() * 9 || cycle <= 0.0 {
        return None;
    }
    let reason = format!(
        "Rounds over {units} units: the median of {} intervals of the first, {near} of which are within a tenth.",
        gaps.values().len()
    );
    let value = Inline::default().with(laws::KIND, "poll").with(laws::CYCLE, cycle);
    Some(Arrivals { value, pace: crate::arrivals::Pace::Time, reason, is_good: true, settles: cycle })
}

fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
