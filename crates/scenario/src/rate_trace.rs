//! Files with a link's rate over time: packet-delivery opportunities as Mahimahi records them, or a CSV file of rates.

use std::ops::Range;

use sojourn_core::{Duration, RateTrace, Time};

use crate::hint;
use crate::problem::Problem;
use crate::scenario::{Resolved, Table};
use crate::source::{Place, Source};

/// The latest time in a trace, seconds: 11 days.
const LONGEST_S: u64 = 1_000_000;
/// The highest rate of a link, bit/s.
const FASTEST: f64 = 1e12;
/// The lowest long-term rate, bit/s: below it a packet would take hours.
const SLOWEST: u64 = 100;
const TITLES: [&str; 2] = ["time", "rate"];
const HELP: &str = "either the lines are milliseconds, one for each packet that may leave (Mahimahi), or the first line is \"time,rate\" and \
                    then each has a time in seconds and a rate in bit/s from then on";

/// The trace of the file that a key names; none where it names none.
pub fn of(table: &Table, key: &str) -> Result<Option<RateTrace>, Problem> {
    match table.get(key).map(|entry| &entry.value) {
        Some(Resolved::File(name, text)) => read(name, text).map(Some),
        _ => Ok(None),
    }
}

/// Reads a trace; `name` is what an error calls the file.
pub fn read(name: &str, text: &str) -> Result<RateTrace, Problem> {
    let trace = match text.lines().next() {
        None => return Err(wrong(name, text, 0..0, "the file is empty")),
        Some(first) if first.contains(|letter: char| letter.is_alphabetic() || letter == ',') => rates(name, text)?,
        Some(_) => opportunities(name, text)?,
    };
    if trace.mean_rate() < SLOWEST {
        let message = format!("the link has less than {SLOWEST} bit/s on average");
        return Err(wrong(name, text, 0..0, &message));
    }
    Ok(trace)
}

/// One whole number of milliseconds a line.
fn opportunities(name: &str, text: &str) -> Result<RateTrace, Problem> {
    let mut instants = Vec::new();
    let mut last = 0;
    for (at, line) in lines(text) {
        let place = at..at + line.len();
        let number = line.trim().parse().ok().filter(|ms: &u64| *ms <= 1000 * LONGEST_S);
        let ms = number.ok_or_else(|| {
            let message = format!("{line:?} is not a whole number of milliseconds up to {}", 1000 * LONGEST_S);
            wrong(name, text, place.clone(), &message)
        })?;
        if ms < last {
            return Err(wrong(name, text, place, &format!("{ms} is before the {last} of the line above")));
        }
        last = ms;
        instants.push(Time::ZERO + Duration::from_millis(ms));
    }
    RateTrace::of_opportunities(instants).ok_or_else(|| {
        wrong(name, text, 0..0, "all opportunities are at 0: the last line is when the trace begins again")
    })
}

/// A CSV file: each rate stays until the next time; a last line without a rate is when the trace begins again.
fn rates(name: &str, text: &str) -> Result<RateTrace, Problem> {
    let mut lines = lines(text);
    let (at, titles) = lines.next().unwrap_or((0, ""));
    let columns = columns(name, text, at, titles)?;
    let mut rates: Vec<(Time, u64)> = Vec::new();
    let (mut period, mut place) = (None, 0..0);
    for (at, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let [time, rate] = columns.map(|column| field(at, line, column));
        let error = |(place, _): &(Range<usize>, &str), message: String| wrong(name, text, place.clone(), &message);
        if period.is_some() {
            let message = "a time without a rate ends the trace, and the line above has one".to_owned();
            return Err(error(&time, message));
        }
        let instant = seconds(time.1)
            .ok_or_else(|| error(&time, format!("{:?} is not a time in seconds from 0 to {LONGEST_S}", time.1)))?;
        match rates.last() {
            None if instant > Time::ZERO => {
                return Err(error(&time, format!("the first time is {}, and a trace begins at 0", time.1)));
            }
            Some((before, _)) if instant <= *before => {
                return Err(error(&time, format!("{} s is not after the time of the line above", time.1)));
            }
            _ => {}
        }
        place = time.0.clone();
        if rate.1.is_empty() && !rates.is_empty() {
            period = Some(instant);
            continue;
        }
        let bits = rate.1.parse().ok().filter(|rate: &f64| (0.0..=FASTEST).contains(rate));
        let bits = bits.ok_or_else(|| error(&rate, format!("{:?} is not a rate in bit/s from 0 to 1e12", rate.1)))?;
        rates.push((instant, bits.round() as u64));
    }
    RateTrace::of_rates(&rates, period).ok_or_else(|| match rates.is_empty() {
        true => wrong(name, text, 0..0, "the file has no rates"),
        false => wrong(name, text, place, "from here on the link carries nothing for ever: end with a rate above 0"),
    })
}

/// Where the titles `time` and `rate` stand among those of the first line.
fn columns(name: &str, text: &str, at: usize, titles: &str) -> Result<[usize; 2], Problem> {
    let position = |title: &str| {
        let found = titles.split(',').position(|written| unquoted(written) == title);
        found.ok_or_else(|| {
            let problem = wrong(name, text, at..at + titles.len(), &format!("the first line has no title `{title}`"));
            let near = hint::suggestion(title, titles.split(',').map(unquoted));
            if near.is_some() { problem.maybe_help(near) } else { problem }
        })
    };
    let [time, rate] = TITLES.map(position);
    Ok([time?, rate?])
}

/// Each line with the byte at which it begins.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let begin = at;
        at += line.len();
        (begin, line.trim_end_matches(['\n', '\r']))
    })
}

/// A field of a line that begins at a byte, and its place; an empty one at the end of a line that is too short.
fn field(at: usize, line: &str, column: usize) -> (Range<usize>, &str) {
    let Some(field) = line.split(',').nth(column) else { return (at..at + line.len(), "") };
    let begin = at + (field.as_ptr() as usize - line.as_ptr() as usize);
    (begin..begin + field.len(), unquoted(field))
}

fn unquoted(field: &str) -> &str {
    field.trim().trim_matches('"')
}

fn seconds(field: &str) -> Option<Time> {
    let seconds = field.parse().ok().filter(|seconds: &f64| (0.0..=LONGEST_S as f64).contains(seconds))?;
    Duration::from_seconds(seconds).map(|span| Time::ZERO + span)
}

fn wrong(name: &str, text: &str, place: Range<usize>, message: &str) -> Problem {
    let source = Source::new(name, text);
    Problem::at(Some(Place::new(&source, place)), format!("rate trace: {message}")).help(HELP)
}

#[cfg(test)]
mod tests;
