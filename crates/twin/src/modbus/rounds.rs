//! Polls that belong together: rounds over units, and their blocks.

use std::collections::BTreeMap;

use sojourn_capture::arrivals::Polls;
use sojourn_core::Time;
use sojourn_protocols::modbus::BROADCAST;

use super::line::Line;
use super::poll::{Poll, PollKey};
use crate::rounds::near;

/// Largest distance of intervals from their median, as a share of it, of polls that are regular.
const REGULAR: f64 = 0.1;
/// The same of what a clock begins, where a round has one request alone and its pauses may be those of a client.
const CLOCK: f64 = 0.02;
/// Rounds from which on there is an order.
const ROUNDS: u64 = 3;
/// A gap longer than this multiple of the usual gap is the wait for the next round.
const WAIT: f64 = 1.5;
/// Share of the time that the requests of a closed loop take, at least.
const BUSY: f64 = 0.7;
/// Resolution of stamps, s.
const SMEAR: f64 = 1e-6;

/// Polls by their keys.
pub(super) type Polled<'a> = Vec<(PollKey, &'a Poll)>;

/// A flow: what is asked of units in turn.
#[derive(Debug)]
pub(super) struct Round<'a> {
    pub key: PollKey,
    /// The units in order.
    pub units: Vec<u8>,
    pub polls: Polled<'a>,
    /// Blocks of each unit, and the registers between two.
    pub blocks: u64,
    pub gap: u64,
    pub pace: Cycle,
}

/// When a round begins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Cycle {
    /// As soon as the last has ended.
    AtOnce,
    /// After an interval, s, which `near` of `of` intervals are within a tenth of.
    Every { interval: f64, near: usize, of: usize },
    /// By a law of its own.
    Law,
}

/// The rounds of a line.
pub(super) fn rounds(line: &Line) -> Vec<Round<'_>> {
    let usual = usual(line);
    alike(line).into_iter().flat_map(|polls| split(usual, polls)).collect()
}

/// Polls of one function and count that are asked equally often, of units with equally many blocks.
fn alike(line: &Line) -> Vec<Polled<'_>> {
    let mut groups: BTreeMap<(u8, u16, bool, u64), Polled<'_>> = BTreeMap::new();
    for (key, poll) in &line.polls {
        let is_broadcast = key.unit == BROADCAST;
        let group = near(&groups, poll.times.count(), |count| (key.function, key.count, is_broadcast, count));
        groups.entry(group).or_default().push((*key, poll));
    }
    let mut found = Vec::new();
    for polls in groups.into_values() {
        let mut blocks: BTreeMap<u8, usize> = BTreeMap::new();
        polls.iter().for_each(|(key, _)| *blocks.entry(key.unit).or_default() += 1);
        let mut by_blocks: BTreeMap<usize, Polled<'_>> = BTreeMap::new();
        polls.into_iter().for_each(|member| by_blocks.entry(blocks[&member.0.unit]).or_default().push(member));
        found.extend(by_blocks.into_values());
    }
    found
}

/// The rounds of polls that are alike: one where their units are asked in turn.
fn split<'a>(usual: f64, polls: Polled<'a>) -> Vec<Round<'a>> {
    let rounds = polls.iter().map(|(_, poll)| poll.times.count()).max().unwrap_or(0);
    match order(&polls) {
        Some(units) => vec![round(usual, units, polls)],
        None if rounds < ROUNDS => {
            let units = by_first(&polls);
            vec![round(usual, units, polls)]
        }
        None => polls.into_iter().map(|member| round(usual, vec![member.0.unit], vec![member])).collect(),
    }
}

/// Units by when they were asked first.
fn by_first(polls: &[(PollKey, &Poll)]) -> Vec<u8> {
    let mut firsts: BTreeMap<u8, Time> = BTreeMap::new();
    for (key, poll) in polls {
        let first = firsts.entry(key.unit).or_insert(poll.first());
        *first = (*first).min(poll.first());
    }
    let mut units: Vec<(Time, u8)> = firsts.into_iter().map(|(unit, first)| (first, unit)).collect();
    units.sort_unstable();
    units.into_iter().map(|(_, unit)| unit).collect()
}

/// The units in the order of a round; `None` where there is none.
fn order(polls: &[(PollKey, &Poll)]) -> Option<Vec<u8>> {
    let first = by_first(polls);
    if let [only] = first[..] {
        return Some(vec![only]);
    }
    let mut asked: Vec<(Time, u8)> =
        polls.iter().flat_map(|(key, poll)| poll.times.in_order().iter().map(|at| (*at, key.unit))).collect();
    asked.sort_unstable();
    // blocks of a unit follow each other
    asked.dedup_by_key(|(_, unit)| *unit);
    let mut in_turn = Polls::default();
    asked.iter().for_each(|(at, unit)| in_turn.sent((*unit).into(), *at));
    let mut units: Vec<u8> = in_turn.cycle(SMEAR)?.receivers.iter().map(|unit| *unit as u8).collect();
    let start = units.iter().position(|unit| *unit == first[0]).unwrap_or(0);
    units.rotate_left(start);
    Some(units)
}

/// The round over units, in a line whose client usually asks again `usual` seconds after an answer.
fn round<'a>(usual: f64, mut units: Vec<u8>, polls: Polled<'a>) -> Round<'a> {
    // the wait for a round is before its first unit
    let waits: Vec<f64> = units.iter().map(|unit| before(&polls, *unit)).collect();
    let longest = (0..units.len()).max_by(|a, b| waits[*a].total_cmp(&waits[*b]).then(b.cmp(a))).unwrap_or(0);
    let waits_for_round = waits.get(longest).is_some_and(|wait| *wait > WAIT * usual);
    if waits_for_round {
        units.rotate_left(longest);
    }
    let lead = polls.iter().filter(|(key, _)| key.unit == units[0]).min_by_key(|(_, poll)| poll.first());
    let (key, pace) = match lead {
        Some((key, poll)) => (*key, cycle(poll, [waits_for_round, polls.len() == 1], taken(&polls, usual))),
        None => (polls[0].0, Cycle::Law),
    };
    let mut addresses: Vec<u64> =
        polls.iter().filter(|(other, _)| other.unit == key.unit).map(|(key, _)| key.address.into()).collect();
    addresses.sort_unstable();
    let steps: Vec<u64> = addresses.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let step = steps.first().copied().filter(|step| steps.iter().all(|other| other == step));
    let gap = step.map_or(0, |step| step.saturating_sub(key.count.into())).min(2000);
    Round { key, units, polls, blocks: addresses.len() as u64, gap, pace }
}

/// The gap from an answer to the next request of a line whose client has more to ask, s: the 5th percentile.
fn usual(line: &Line) -> f64 {
    let mut gaps: Vec<f64> = line.turnarounds.values().flat_map(|gaps| gaps.values().iter().copied()).collect();
    gaps.sort_by(f64::total_cmp);
    gaps.get(gaps.len() / 20).copied().unwrap_or(0.0)
}

/// The median gap before requests to a unit, s: of blocks the first has the longest.
fn before(polls: &[(PollKey, &Poll)], unit: u8) -> f64 {
    let of_unit = polls.iter().filter(|(key, _)| key.unit == unit);
    of_unit.filter_map(|(_, poll)| median(poll.turnarounds.values())).fold(0.0, f64::max)
}

/// The time that all requests of polls take together, s.
fn taken(polls: &[(PollKey, &Poll)], turnaround: f64) -> f64 {
    let of = |poll: &Poll| {
        let answered = median(poll.responses.values()).unwrap_or(0.0);
        let attempt = median(poll.repeats.values()).or(poll.given_up.map(|(gap, _)| gap)).unwrap_or(0.0);
        let attempts = poll.unanswered as f64 * f64::from(poll.attempts_unanswered);
        poll.times.count() as f64 * turnaround + poll.responses.seen() as f64 * answered + attempts * attempt
    };
    polls.iter().map(|(_, poll)| of(poll)).sum()
}

/// When rounds begin, by the requests of the first in them, whose polls take `taken` seconds.
fn cycle(first: &Poll, [waits_for_round, is_alone]: [bool; 2], taken: f64) -> Cycle {
    let gaps = first.times.gaps().values();
    let Some(interval) = median(gaps).filter(|interval| *interval > 0.0) else { return Cycle::Law };
    let within = |share: f64| gaps.iter().filter(|gap| libm::fabs(**gap - interval) <= share * interval).count();
    let is_clock = within(CLOCK) * 10 >= gaps.len() * 9 && is_alone;
    let is_busy = taken >= BUSY * interval * first.times.count() as f64;
    if !waits_for_round && is_busy && !is_clock && first.times.count() >= ROUNDS {
        return Cycle::AtOnce;
    }
    let near = within(REGULAR);
    if near * 10 < gaps.len() * 8 {
        return Cycle::Law;
    }
    Cycle::Every { interval, near, of: gaps.len() }
}

/// The median of values.
pub(super) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied()
}
