//! Writes the `arrivals` of a flow in scenario form, and the sentence that explains how they were inferred.

use super::document::{Inline, arrivals as keys, digits};
use sojourn_capture::arrivals::{Fit, Law, PollCycle, SendTimes, fit};

/// An interval of a scenario is longer than 0: messages at one instant are a microsecond apart.
const SHORTEST: f64 = 1e-6;
/// Largest spread of a think time, as a share of it, that the constant think time of `saturating` stands for.
const NARROW: f64 = 0.2;
/// Largest deviation of a normal law, as a share of its mean; rounded, it is below what scenarios take.
const NORMAL: f64 = 0.29;

/// An inline table, and why.
#[derive(Debug)]
pub(super) struct Arrivals {
    pub value: Inline,
    /// How messages are paced; laws of another kind answer to something else than time.
    pub pace: Pace,
    pub reason: String,
    /// Whether the law agrees with the gaps.
    pub is_good: bool,
    /// Interval after which the flow has reached its long-run rate, s.
    pub settles: f64,
}

/// What messages are sent by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pace {
    /// The clock alone.
    Time,
    /// The completion of the message before.
    Completion,
    /// Changes of a value, with a heartbeat.
    Change,
}

/// The arrivals of send times from `senders` stations that send alike, captured for `duration` seconds.
pub(super) fn arrivals(times: &SendTimes, senders: usize, duration: f64, smear: f64) -> Arrivals {
    let of = match senders {
        1 => "one station".to_owned(),
        several => format!("{several} stations together"),
    };
    let Some(fit) = fit(times, smear) else {
        let interval = if times.gaps().seen() > 0 { times.mean_gap().max(SHORTEST) } else { duration.max(1.0) };
        let reason = format!(
            "{} messages of {of} are too few to fit a law: a Poisson process of their rate is an assumption.",
            times.count(),
        );
        return Arrivals { value: poisson(interval), pace: Pace::Time, reason, is_good: false, settles: interval };
    };
    let sure = match (fit.is_good(), fit.gaps) {
        (false, _) => "no law fits well; this is the nearest",
        (true, gaps) if gaps >= 200 => "well determined",
        (true, gaps) if gaps >= 50 => "determined to about a tenth",
        (true, _) => "rough, from few gaps",
    };
    let (value, pace, about) = law(&fit, times);
    let reason = format!("{about}, from {} messages of {of}: {fit}; {sure}.", times.count());
    Arrivals { value, pace, reason, is_good: fit.is_good(), settles: settles(&fit) }
}

/// The arrivals of a flow that waits for no answers and begins with its first message: laws that answer to something else than
/// time are replaced by a Poisson process of their rate.
pub(super) fn of_stream(found: &Arrivals, times: &SendTimes) -> Arrivals {
    let (value, reason) = match found.pace {
        Pace::Time => (found.value.clone(), found.reason.clone()),
        Pace::Completion | Pace::Change => {
            let reason = format!("{} The kind has no such arrivals: a Poisson process of their rate.", found.reason);
            (poisson(times.mean_gap().max(SHORTEST)), reason)
        }
    };
    Arrivals { value: value.with(keys::START, "at-once"), pace: Pace::Time, reason, ..*found }
}

/// The arrivals of a poll cycle.
pub(super) fn polls(cycle: &PollCycle) -> Arrivals {
    let PollCycle { interval, cycle: round, in_order, at_interval, requests, receivers } = cycle;
    let value = regular("poll", *interval);
    let value = if *round > 0.0 { value.with(keys::CYCLE, *round) } else { value };
    let reason = format!(
        "Polls in turn: {} % of {requests} requests follow the order of {} receivers, and {} % of the gaps are the interval; \
         others waited for a response or the next round.",
        digits(100.0 * in_order),
        receivers.len(),
        digits(100.0 * at_interval),
    );
    Arrivals { value, pace: Pace::Time, reason, is_good: true, settles: *interval }
}

/// A Poisson process of this mean interval, s.
pub(super) fn poisson(interval: f64) -> Inline {
    regular("poisson", interval)
}

/// The messages of a file.
pub(super) fn trace(file: &str) -> Inline {
    Inline::default().with(keys::KIND, "trace").with(keys::FILE, file)
}

fn regular(kind: &str, interval: f64) -> Inline {
    Inline::default().with(keys::KIND, kind).with(keys::INTERVAL, interval)
}

/// The inline table of a law, and what it is in words.
fn law(fit: &Fit, times: &SendTimes) -> (Inline, Pace, String) {
    let timed = |value: Inline, about: &str| (value, Pace::Time, about.to_owned());
    match fit.law {
        Law::Poisson { interval } => timed(poisson(interval), "Poisson process"),
        Law::Periodic { interval, jitter } => {
            let value = regular("periodic", interval);
            let value = if jitter > 0.0 { value.with(keys::JITTER, jitter) } else { value };
            timed(value, "Period that keeps its phase")
        }
        // a normal law of a scenario varies by 0.3 of its mean at most; the gamma law of this deviation is never negative
        Law::Normal { interval, deviation } if deviation > NORMAL * interval => {
            let shape = (interval / deviation) * (interval / deviation);
            timed(regular("gamma", interval).with(keys::SHAPE, shape), "Independent gaps around a mean")
        }
        Law::Normal { interval, deviation } => {
            timed(regular("normal", interval).with(keys::DEVIATION, deviation), "Independent gaps around a mean")
        }
        Law::Saturating { think, spread } if spread <= NARROW * think || times.mean_gap() <= 0.0 => {
            let value = Inline::default().with(keys::KIND, "saturating").with(keys::THINK, think + 0.5 * spread);
            (value, Pace::Completion, "Closed loop: a message follows the completion of the last one".to_owned())
        }
        // the think time of `saturating` is constant
        Law::Saturating { .. } => {
            timed(poisson(times.mean_gap()), "Closed loop with a think time that varies, as a Poisson process")
        }
        Law::Burst { size, gap, interval } => {
            let value = Inline::default().with(keys::KIND, "burst").with(keys::SIZE, size);
            timed(value.with(keys::GAP, gap).with(keys::INTERVAL, interval), "Groups of one size")
        }
        Law::OnOff { interval, on, off } => {
            timed(regular("on-off", interval).with(keys::ON, on).with(keys::OFF, off), "On and off periods")
        }
        Law::Heartbeat { max_interval, max_seen, min_interval, change_interval } => {
            let value = Inline::default().with(keys::KIND, "heartbeat").with(keys::MAX_INTERVAL, max_interval);
            let value = value.with(keys::MIN_INTERVAL, min_interval).with(keys::CHANGE_INTERVAL, change_interval);
            let heartbeat = if max_seen { "" } else { " (no gap shows the max send time: it is this long or longer)" };
            (value, Pace::Change, format!("Sent on change, with throttle and heartbeat{heartbeat}"))
        }
    }
}

fn settles(fit: &Fit) -> f64 {
    match fit.law {
        Law::Poisson { interval } | Law::Periodic { interval, .. } | Law::Normal { interval, .. } => interval,
        Law::Burst { interval, .. } => interval,
        Law::Saturating { think, .. } => think,
        Law::OnOff { on, off, .. } => on + off,
        Law::Heartbeat { max_interval, .. } => max_interval,
    }
}
