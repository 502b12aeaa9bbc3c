//! When messages are sent: by a clock, by a law, or as they were recorded.

use sojourn_capture::arrivals::SendTimes;
use sojourn_core::{Duration, Time};

use super::clock::Clock;
use super::exchange::{Asked, Exchange};
use super::moments::is_alike;
use super::seen::{RESOLUTION, Rates, Start, since};
use crate::arrivals::{Pace as Paced, arrivals};
use crate::document::{Inline, Time as Span, arrivals as keys, span};

/// Intervals before the first message and behind the last that a flow which goes on all the time may have: of a clock, and of a law.
const CLOCK_ENDS: f64 = 2.0;
const LAW_ENDS: f64 = 5.0;
/// How far access to the bus moves a message, in frames.
const FRAMES: f64 = 2.0;
/// Times that differ by as many bits are the same.
const BITS: f64 = 2.0;

/// A capture as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// Its first packet.
    pub begin: Time,
    /// Its length, s.
    pub end: f64,
    /// The longest frame of the bus, s.
    pub frame: f64,
    pub rates: Rates,
}

impl Run {
    /// Times that differ by less are the same, s.
    pub fn alike(&self) -> f64 {
        self.rates.bits(BITS).max(2.0 * RESOLUTION)
    }
}

/// Messages of a flow, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Sent {
    pub starts: Vec<Start>,
    /// Bytes of each, where they vary.
    pub sizes: Option<Vec<u16>>,
    /// When each was answered in full, s from the first packet; empty of messages without answers.
    pub completed: Vec<Option<f64>>,
    /// Whether these are all.
    pub is_whole: bool,
}

impl Sent {
    /// Requests, with what completed them.
    pub fn of_requests(asked: &Asked, run: &Run) -> Sent {
        let complete = |exchange: &Exchange| exchange.complete.map(|time| since(run.begin, time));
        Sent {
            starts: asked.exchanges.iter().map(|exchange| exchange.request.start(run.begin, &run.rates)).collect(),
            sizes: None,
            completed: asked.exchanges.iter().map(complete).collect(),
            is_whole: asked.is_whole(),
        }
    }
}

/// What begins them.
#[derive(Clone, Debug)]
pub(super) enum Pace {
    Clock(Clock),
    /// A law, from when on it holds, and how it was found.
    Law {
        value: Inline,
        begin: Option<f64>,
        reason: String,
    },
    /// They were sent at these times, s, for this reason.
    Recorded {
        starts: Vec<f64>,
        reason: String,
    },
}

impl Pace {
    /// Of messages, of which there is one at least.
    pub fn of(sent: &Sent, run: &Run) -> Pace {
        let varies = sent.sizes.is_some() && sent.is_whole;
        let clock = Clock::of(&sent.starts, run.alike(), run.frame);
        let clock = clock.filter(|clock| covers(sent, run, CLOCK_ENDS * clock.interval) || !sent.is_whole);
        if let Some(clock) = clock.filter(|_| !varies) {
            return Pace::Clock(clock);
        }
        let times = times(sent);
        let found = arrivals(&times, 1, run.end, FRAMES * run.frame);
        let is_always = covers(sent, run, LAW_ENDS * times.mean_gap());
        let is_law = found.is_good && is_always && is_alike(&times, FRAMES * run.frame);
        if is_law && !varies || !sent.is_whole {
            let begin = sent.starts.first().map(|start| start.at).filter(|_| found.pace == Paced::Completion);
            return Pace::Law { value: found.value, begin, reason: found.reason };
        }
        let starts = sent.starts.iter().map(|start| start.at).collect();
        let reason = match () {
            () if varies => "Their lengths vary: each is sent when it was, with the bytes that it had.".to_owned(),
            () if !is_always => "They were not sent all the time: each is sent when it was.".to_owned(),
            () if !found.is_good => format!("{} Each is sent when it was.", found.reason),
            () => "From few gaps, or gaps that vary otherwise, no law is sure: each is sent when it was.".to_owned(),
        };
        Pace::Recorded { starts, reason }
    }

    /// When the first message is due, s from the first packet; none where that does not matter.
    pub fn first(&self) -> Option<f64> {
        match self {
            Pace::Clock(clock) => Some(clock.phase),
            Pace::Law { begin, .. } => *begin,
            Pace::Recorded { starts, .. } => starts.first().copied(),
        }
    }

    /// The inline table and how it was found, in a run that begins `shift` seconds before the first packet; none of recorded messages.
    pub fn written(&self, shift: f64) -> Option<(Inline, String)> {
        match self {
            Pace::Clock(clock) => Some(of_clock(clock, shift)),
            Pace::Law { value, begin: Some(begin), reason } => {
                let begun = value.clone().with(keys::START, "at-once");
                Some((begun.with(keys::DELAY, Span::Exact((begin + shift).max(0.0))), reason.clone()))
            }
            Pace::Law { value, begin: None, reason } => Some((value.clone(), reason.clone())),
            Pace::Recorded { .. } => None,
        }
    }
}

fn of_clock(clock: &Clock, shift: f64) -> (Inline, String) {
    let Clock { interval, phase, jitter, frames, free, .. } = *clock;
    let value = Inline::default().with(keys::KIND, "periodic").with(keys::INTERVAL, Span::Exact(interval));
    let value = if jitter > 0.0 { value.with(keys::JITTER, jitter) } else { value };
    let value = value.with(keys::START, "at-once").with(keys::DELAY, Span::Exact((phase + shift).max(0.0)));
    let late = match jitter > 0.0 {
        true => format!("late by up to {}", span(jitter)),
        false => "punctual but for the bus".to_owned(),
    };
    let reason = format!("A clock that keeps its phase: of {frames} messages {free} found the bus idle, {late}.");
    (value, reason)
}

/// Whether messages began and ended with the capture, up to this time in seconds.
fn covers(sent: &Sent, run: &Run, within: f64) -> bool {
    let (first, last) = (sent.starts.first(), sent.starts.last());
    let ends = |start: &Start| run.end - start.at <= within;
    first.is_some_and(|start| start.at <= within) && last.is_some_and(ends)
}

/// The send times from the first on, with what was completed between.
fn times(sent: &Sent) -> SendTimes {
    let mut times = SendTimes::default();
    let first = sent.starts.first().map_or(0.0, |start| start.at);
    let mut last = 0.0_f64;
    let at = |seconds: f64| Time::ZERO + Duration::from_seconds(seconds.max(0.0)).unwrap_or_default();
    for (number, start) in sent.starts.iter().enumerate() {
        last = last.max(start.at - first);
        times.sent(at(last));
        if let Some(completed) = sent.completed.get(number).copied().flatten() {
            times.completed(at((completed - first).max(last)));
        }
    }
    times
}
