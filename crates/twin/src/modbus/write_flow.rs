//! Writes the flows of a Modbus line.

use sojourn_core::Time;
use sojourn_protocols::modbus::BROADCAST;

use super::framing::Framing;
use super::keys::flow;
use super::line::Line;
use super::names::{Names, units};
use super::poll::{Poll, PollKey, Shape};
use super::rounds::{Cycle, Round, median};
use crate::arrivals::{arrivals, of_stream};
use crate::document::{Document, Inline, arrivals as laws, span};

/// Resolution of stamps, s.
const SMEAR: f64 = 1e-6;
/// The shortest pause of a client that is written, s.
const SHORTEST_PAUSE: f64 = 1e-4;
/// A repeated request later than this many times the longest response waited for its timeout.
const DAMAGED: f64 = 1.1;
/// The most retries of a scenario.
const MOST_RETRIES: u32 = 20;
/// The shortest timeout, s.
const SHORTEST_TIMEOUT: f64 = 1e-3;

/// What the client of a line does with every flow.
struct Habits {
    /// Its pause, s.
    between: Option<f64>,
    /// Its timeout where a flow does not show it, and how it was inferred.
    timeout: Option<(f64, String)>,
}

impl Habits {
    fn of(line: &Line, framing: &Framing) -> Habits {
        let pauses = line.turnarounds.iter().filter_map(|(octets, gaps)| {
            let mut gaps = gaps.values().to_vec();
            gaps.sort_by(f64::total_cmp);
            Some(gaps.get(gaps.len() / 10)? - framing.followed(*octets))
        });
        let between = pauses.min_by(f64::total_cmp).filter(|pause| *pause >= SHORTEST_PAUSE);
        Habits { between, timeout: timeout(line.polls.iter().map(|(key, poll)| (*key, poll)), framing) }
    }
}

/// Writes flows, numbered through.
pub(super) struct FlowWriter<'a> {
    begin: Time,
    number: usize,
    document: &'a mut Document,
}

impl<'a> FlowWriter<'a> {
    /// None yet; the capture begins at `begin`.
    pub fn new(begin: Time, document: &'a mut Document) -> Self {
        FlowWriter { begin, number: 0, document }
    }

    /// The flows of a line.
    pub fn write(&mut self, names: &Names, line: &Line, framing: &Framing, rounds: &[Round<'_>]) {
        let habits = Habits::of(line, framing);
        for round in rounds {
            let servers = if round.key.unit == BROADCAST { units(line) } else { round.units.clone() };
            let Some(shape) = round.key.shape().filter(|_| !servers.is_empty()) else { continue };
            self.number += 1;
            self.head(names, round, shape, &servers);
            if round.key.unit == BROADCAST {
                self.turnaround(line, framing);
            } else {
                self.tries(&habits, round, framing);
                self.between(&habits);
            }
            self.arrivals(round, framing, shape);
            self.document.set(flow::PROBE, round.key.unit != BROADCAST);
        }
    }

    /// Who asks whom for what.
    fn head(&mut self, names: &Names, round: &Round<'_>, shape: Shape, servers: &[u8]) {
        let requests: u64 = round.polls.iter().map(|(_, poll)| poll.times.count()).sum();
        let PollKey { function, count, .. } = round.key;
        let about = match round.key.unit {
            BROADCAST => format!("{requests} broadcasts of function {function}."),
            _ => format!("{requests} requests of function {function} to {} units.", servers.len()),
        };
        let document = &mut *self.document;
        document.table_of(flow::TABLE, about);
        document.set(flow::NAME, format!("poll-{}", self.number));
        document.set(flow::FROM, names.client());
        document.set(flow::TO, servers.iter().map(|unit| names.unit(*unit)).collect::<Vec<String>>());
        document.set(flow::FUNCTION, shape.word);
        document.set(flow::COUNT, u64::from(count));
        if round.blocks > 1 {
            document.set(flow::BLOCKS, round.blocks);
            document.set(flow::GAP, round.gap);
        }
        if round.key.unit == BROADCAST {
            document.set(flow::BROADCAST, true);
        }
    }

    /// How long a client waits after a broadcast.
    fn turnaround(&mut self, line: &Line, framing: &Framing) {
        match line.behind_broadcasts {
            Some((gap, octets)) => {
                let wait = (gap - octets as f64 * framing.silence().character.seconds()).max(SHORTEST_TIMEOUT);
                let about = "The shortest time to the next request, less its characters.";
                self.document.set_because(flow::TURNAROUND, wait, about);
            }
            None => self.document.comment("No request followed a broadcast: its turnaround has the default."),
        }
    }

    /// Timeout and retries, as far as they show: those of the round, else of the line.
    fn tries(&mut self, habits: &Habits, round: &Round<'_>, framing: &Framing) {
        let of_round = round.polls.iter().map(|(key, poll)| (*key, *poll));
        let found = timeout(of_round, framing).or_else(|| habits.timeout.clone());
        match found {
            Some((timeout, about)) => self.document.set_because(flow::TIMEOUT, timeout, about),
            None => self.document.comment("No request waited for its timeout, which has its default."),
        }
        let most = |of: fn(&Poll) -> u32| round.polls.iter().map(|(_, poll)| of(poll)).max().unwrap_or(0);
        let unanswered: u64 = round.polls.iter().map(|(_, poll)| poll.unanswered).sum();
        let (attempts, all) = (most(|poll| poll.attempts), most(|poll| poll.attempts_unanswered));
        if unanswered > 0 {
            let about = format!("{unanswered} requests were not answered, after {all} attempts at most.");
            let retries = all.max(attempts).saturating_sub(1).min(MOST_RETRIES);
            self.document.set_because(flow::RETRIES, u64::from(retries), about);
        } else if attempts > 1 {
            let about = format!("No request was given up, one took {attempts} attempts: there may be more.");
            self.document.set_because(flow::RETRIES, u64::from((attempts - 1).min(MOST_RETRIES)), about);
        }
    }

    /// The pause of a client.
    fn between(&mut self, habits: &Habits) {
        let Some(pause) = habits.between else { return };
        let about = "From the answer before to a request, at the 10th percentile, less t3.5 and its characters.";
        self.document.set_because(flow::BETWEEN, pause, about);
    }

    /// When rounds begin.
    fn arrivals(&mut self, round: &Round<'_>, framing: &Framing, shape: Shape) {
        let lead = round.polls.iter().filter(|(key, _)| key.unit == round.key.unit);
        let Some((_, lead)) = lead.min_by_key(|(_, poll)| poll.first()) else { return };
        let on_line = shape.request as f64 * framing.silence().character.seconds();
        let delay = (lead.first().since(self.begin).seconds() - on_line).max(0.0);
        let begun = |value: Inline| value.with(laws::START, "at-once").with(laws::DELAY, delay);
        let poll = Inline::default().with(laws::KIND, "poll");
        let (value, reason) = match round.pace {
            Cycle::AtOnce => {
                let reason = "A round follows the last at once: no request of it waits longer than the others.";
                (begun(poll), reason.to_owned())
            }
            Cycle::Every { interval, near, of } => {
                let reason = format!(
                    "The median of {of} intervals between requests to the first unit, {near} of which are within a tenth of {}.",
                    span(interval)
                );
                (begun(poll.with(laws::CYCLE, interval)), reason)
            }
            Cycle::Law => {
                let found = arrivals(&lead.times, 1, lead.times.mean_gap() * lead.times.count() as f64, SMEAR);
                let found = of_stream(&found, &lead.times);
                (found.value.with(laws::DELAY, delay), found.reason)
            }
        };
        self.document.set_because(flow::ARRIVALS, value, reason);
    }
}

/// The response timeout, from attempts that follow each other, else from requests behind those that were given up.
fn timeout<'p>(polls: impl Iterator<Item = (PollKey, &'p Poll)>, framing: &Framing) -> Option<(f64, String)> {
    let character = framing.silence().character.seconds();
    let (mut repeats, mut given_up): (Vec<f64>, Option<f64>) = (Vec::new(), None);
    for (key, poll) in polls {
        let Some(shape) = key.shape() else { continue };
        let on_line = shape.request as f64 * character;
        // behind an answer that was damaged a client does not wait
        let longest = poll.responses.values().iter().copied().fold(0.0, f64::max) + framing.followed(shape.request);
        let waits = poll.repeats.values().iter().filter(|gap| **gap > DAMAGED * longest);
        repeats.extend(waits.map(|gap| gap - on_line));
        let wait = poll.given_up.map(|(gap, octets)| gap - octets as f64 * character);
        given_up = wait.into_iter().chain(given_up).min_by(f64::total_cmp);
    }
    if let Some(wait) = median(&repeats) {
        let about = format!("The median of {} times from an attempt to the next, less its characters.", repeats.len());
        return Some((wait.max(SHORTEST_TIMEOUT), about));
    }
    let wait = given_up?.max(SHORTEST_TIMEOUT);
    Some((wait, "The shortest time from a request that was given up to the next, less its characters.".to_owned()))
}
