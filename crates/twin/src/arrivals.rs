//! Writes the `arrivals` of a flow in scenario form, and the sentence that explains how they were inferred.

use super::document::{digits, span};
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
    pub value: String,
    pub reason: String,
    /// Whether the law agrees with the gaps.
    pub is_good: bool,
    /// Interval after which the flow has reached its long-run rate, s.
    pub settles: f64,
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
        return Arrivals { value: poisson(interval), reason, is_good: false, settles: interval };
    };
    let sure = match (fit.is_good(), fit.gaps) {
        (false, _) => "no law fits well; this is the nearest",
        (true, gaps) if gaps >= 200 => "well determined",
        (true, gaps) if gaps >= 50 => "determined to about a tenth",
        (true, _) => "rough, from few gaps",
    };
    let (value, about) = law(&fit, times);
    let reason = format!("{about}, from {} messages of {of}: {fit}; {sure}.", times.count());
    Arrivals { value, reason, is_good: fit.is_good(), settles: settles(&fit) }
}

/// The arrivals of a flow that waits for no answers and begins with its first message: laws that answer to something else than
/// time are replaced by a Poisson process of their rate.
pub(super) fn of_stream(found: &Arrivals, times: &SendTimes) -> Arrivals {
    let is_timed = !["heartbeat", "saturating"].iter().any(|law| found.value.contains(law));
    let (value, reason) = match is_timed {
        true => (found.value.clone(), found.reason.clone()),
        false => {
            let reason = format!("{} The kind has no such arrivals: a Poisson process of their rate.", found.reason);
            (poisson(times.mean_gap().max(SHORTEST)), reason)
        }
    };
    let value = value.replace(" }", ", start = \"at-once\" }");
    Arrivals { value, reason, ..*found }
}

/// The arrivals of a poll cycle.
pub(super) fn polls(cycle: &PollCycle) -> Arrivals {
    let PollCycle { interval, cycle: round, in_order, at_interval, requests, receivers } = cycle;
    let wait = if *round > 0.0 { format!(", cycle = \"{}\"", span(*round)) } else { String::new() };
    let value = format!("{{ kind = \"poll\", interval = \"{}\"{wait} }}", span(*interval));
    let reason = format!(
        "Polls in turn: {} % of {requests} requests follow the order of {} receivers, and {} % of the gaps are the interval; \
         others waited for a response or the next round.",
        digits(100.0 * in_order),
        receivers.len(),
        digits(100.0 * at_interval),
    );
    Arrivals { value, reason, is_good: true, settles: *interval }
}

fn poisson(interval: f64) -> String {
    format!("{{ kind = \"poisson\", interval = \"{}\" }}", span(interval))
}

/// The inline table of a law, and what it is in words.
fn law(fit: &Fit, times: &SendTimes) -> (String, String) {
    match fit.law {
        Law::Poisson { interval } => (poisson(interval), "Poisson process".to_owned()),
        Law::Periodic { interval, jitter } => {
            let late = if jitter > 0.0 { format!(", jitter = \"{}\"", span(jitter)) } else { String::new() };
            let value = format!("{{ kind = \"periodic\", interval = \"{}\"{late} }}", span(interval));
            (value, "Period that keeps its phase".to_owned())
        }
        // a normal law of a scenario varies by 0.3 of its mean at most; the gamma law of this deviation is never negative
        Law::Normal { interval, deviation } if deviation > NORMAL * interval => {
            let shape = (interval / deviation) * (interval / deviation);
            let value = format!("{{ kind = \"gamma\", interval = \"{}\", shape = {} }}", span(interval), digits(shape));
            (value, "Independent gaps around a mean".to_owned())
        }
        Law::Normal { interval, deviation } => {
            let (interval, deviation) = (span(interval), span(deviation));
            let value = format!("{{ kind = \"normal\", interval = \"{interval}\", deviation = \"{deviation}\" }}");
            (value, "Independent gaps around a mean".to_owned())
        }
        Law::Saturating { think, spread } if spread <= NARROW * think || times.mean_gap() <= 0.0 => {
            let value = format!("{{ kind = \"saturating\", think = \"{}\" }}", span(think + 0.5 * spread));
            (value, "Closed loop: a message follows the completion of the last one".to_owned())
        }
        // the think time of `saturating` is constant
        Law::Saturating { .. } => {
            (poisson(times.mean_gap()), "Closed loop with a think time that varies, as a Poisson process".to_owned())
        }
        Law::Burst { size, gap, interval } => {
            let (gap, interval) = (span(gap), span(interval));
            let value = format!("{{ kind = \"burst\", size = {size}, gap = \"{gap}\", interval = \"{interval}\" }}");
            (value, "Groups of one size".to_owned())
        }
        Law::OnOff { interval, on, off } => {
            let (interval, on, off) = (span(interval), span(on), span(off));
            let value = format!("{{ kind = \"on-off\", interval = \"{interval}\", on = \"{on}\", off = \"{off}\" }}");
            (value, "On and off periods".to_owned())
        }
        Law::Heartbeat { max_interval, max_seen, min_interval, change_interval } => {
            let (max, min, change) = (span(max_interval), span(min_interval), span(change_interval));
            let value = format!(
                "{{ kind = \"heartbeat\", max_interval = \"{max}\", min_interval = \"{min}\", change_interval = \"{change}\" }}"
            );
            let heartbeat = if max_seen { "" } else { " (no gap shows the max send time: it is this long or longer)" };
            (value, format!("Sent on change, with throttle and heartbeat{heartbeat}"))
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
