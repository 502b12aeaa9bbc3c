//! Sample size for a stronger claim: the replications that would decide an expectation, or bound the rate of an event
//! that was not observed.

use std::fmt;

use serde::Serialize;
use sojourn_metrics::display::{duration, rounded};
use sojourn_metrics::exact::NONE_SEEN;
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::results::{Metric, Point};
use sojourn_scenario::Expectation;

use crate::stability::overloaded;
use crate::verdict::{Judgement, Verdict};

/// The periods in which rates are given, in seconds, ascending.
pub(crate) const PERIODS: [(&str, f64); 7] = [
    ("a second", 1.0),
    ("a minute", 60.0),
    ("an hour", 3600.0),
    ("a day", 86_400.0),
    ("a week", 604_800.0),
    ("a month", 2_592_000.0),
    ("a year", 31_536_000.0),
];

/// More replications than this are not proposed.
const MOST: f64 = 10_000.0;

/// Where results come from, which decides how a reader asks for more of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `--replications` repeats a simulation.
    Simulated {
        /// Whether a run ends with its probes, so that its duration is not the time observed.
        ends_with_its_probes: bool,
    },
    /// A measurement goes on.
    Live,
}

/// What it would take to claim more than a judgement does; `None` where it claims all that was asked.
pub fn needed(
    expectation: &Expectation,
    judgement: &Judgement,
    point: &Point,
    records: &[Record],
    origin: Origin,
) -> Option<String> {
    // without a steady state more of the same shows nothing
    if overloaded(&point.stability).is_some() {
        return None;
    }
    if let Some(unseen) = none_seen(expectation, point, records, origin) {
        return Some(unseen.to_string());
    }
    if judgement.verdict != Verdict::Undecided {
        return None;
    }
    let metric = point.metrics.get(&expectation.metric)?;
    let replications = f64::from(point.replications);
    let name = format!("{}.{}", expectation.metric, expectation.field);
    let Some((low, high)) = judgement.interval else {
        return Some(match point.replications {
            1 => format!("one replication gives no interval: {}", more(10.0, origin)),
            _ => format!("{name} has no interval: no number of replications decides it"),
        });
    };
    if matches!(expectation.field.as_str(), "min" | "max") {
        let beyond = if expectation.field == "min" { "smaller" } else { "larger" };
        return Some(format!("a longer run may observe a {beyond} {name}; a percentile, such as p99, can be decided"));
    }
    let Some(high) = high else {
        return Some(format!(
            "too few samples lie beyond {name} for an upper end: {}",
            more(10.0 * replications, origin)
        ));
    };
    let value = judgement.value?;
    let (distance, half_width) = match expectation.value > value {
        true => (expectation.value - value, high - value),
        false => (value - expectation.value, value - low),
    };
    let factor = match metric {
        // the upper end of nothing seen falls with the trials, not with their square root
        Metric::Scalar(_) if value == 0.0 => half_width / distance,
        _ => (half_width / distance) * (half_width / distance),
    };
    let wanted = replications * factor * 1.1;
    if !wanted.is_finite() || wanted > MOST {
        return Some(format!("{name} lies too close to the limit for {MOST} replications to decide"));
    }
    Some(format!("if the value stays, {} would decide", more(wanted.max(replications + 1.0), origin)))
}

/// An event that was not observed: its rate or share has an upper bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoneSeen {
    /// What was observed: `no failures in 1.7 h`.
    pub observed: String,
    /// The upper bound: `fewer than 43 a day at 95 %`.
    pub bound: String,
    /// What a smaller bound takes: "to claim less than one a day needs 72 h: `--replications 432`".
    pub more: String,
}

impl fmt::Display for NoneSeen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.observed, self.bound, self.more)
    }
}

/// The bound of an event that was not observed; `None` of one that was, and of anything that is not a count.
pub fn none_seen(expectation: &Expectation, point: &Point, records: &[Record], origin: Origin) -> Option<NoneSeen> {
    let observed = || records.iter().filter_map(|record| record.metrics.get(&expectation.metric));
    let is_count = observed().next().is_some() && observed().all(|one| matches!(one, Observation::Count(0)));
    if !is_count || expectation.field != "value" {
        return None;
    }
    let what = expectation.metric.replace('_', " ");
    let replications = f64::from(point.replications);
    match origin {
        Origin::Simulated { ends_with_its_probes: true } => {
            let sent = point.metrics.get("response_time")?.field("sent").filter(|&sent| sent > 0.0)?;
            let wanted = power_of_ten_from(sent / NONE_SEEN * 2.0);
            let needed = NONE_SEEN * wanted;
            let more = more(replications * needed / sent, origin);
            Some(NoneSeen {
                observed: format!("no {what} in {sent} requests"),
                bound: format!("fewer than 1 in {} at 95 %", rounded(sent / NONE_SEEN, 2)),
                more: format!("to claim less than 1 in {wanted} needs {} requests: {more}", needed.ceil()),
            })
        }
        _ => {
            let seconds = replications * point.duration;
            // at least twice what was observed, so that it is a claim worth the time
            let (period, length) = PERIODS.into_iter().find(|(_, length)| NONE_SEEN * length >= 2.0 * seconds)?;
            let needed = NONE_SEEN * length;
            let more = more(needed / point.duration, origin);
            Some(NoneSeen {
                observed: format!("no {what} in {}", duration(seconds)),
                bound: format!("fewer than {} at 95 %", rate(NONE_SEEN / seconds)),
                more: format!("to claim less than one {period} needs {}: {more}", duration(needed)),
            })
        }
    }
}

/// The least power of ten at or above a number.
fn power_of_ten_from(value: f64) -> f64 {
    let mut power = 1.0;
    while power < value {
        power *= 10.0;
    }
    power
}

fn more(replications: f64, origin: Origin) -> String {
    match origin {
        Origin::Simulated { .. } => format!("`--replications {}`", replications.ceil()),
        Origin::Live => format!("{} repetitions", replications.ceil()),
    }
}

/// A rate in the largest of the usual periods in which it is below 100: `1.8 an hour`.
fn rate(per_second: f64) -> String {
    let usual = PERIODS.iter().rev().find(|(_, length)| per_second * length < 100.0);
    let (period, length) = usual.unwrap_or(&PERIODS[0]);
    format!("{} {period}", rounded(per_second * length, 2))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use sojourn_metrics::Distribution;
    use sojourn_metrics::merge::merge;

    use super::*;
    use crate::verdict::judge;

    const SIMULATED: Origin = Origin::Simulated { ends_with_its_probes: false };

    fn point(records: &[Record], minutes: f64) -> Point {
        Point {
            experiment: "site".into(),
            set: BTreeMap::new(),
            status: "ok".into(),
            replications: records.len() as u32,
            decided_by: None,
            duration: 60.0 * minutes,
            warm_up: 0.0,
            scenario_hash: None,
            metrics: merge(records),
            stability: Vec::new(),
            events: Vec::new(),
            outages: Vec::new(),
        }
    }

    fn said(text: &str, records: &[Record], origin: Origin) -> Option<String> {
        let (expectation, point) = (Expectation::parse(text).unwrap(), point(records, 10.0));
        needed(&expectation, &judge(&expectation, &point.metrics), &point, records, origin)
    }

    fn counted(counts: &[u64]) -> Vec<Record> {
        let record = |&count: &u64| {
            let mut record = Record::default();
            record.count("failures", count);
            record
        };
        counts.iter().map(record).collect()
    }

    #[test]
    fn no_failure_says_how_rare_failures_are_and_what_shows_them_to_be_rarer() {
        let expected = "no failures in 1.7 h: fewer than 43 a day at 95 %; to claim less than one a day needs 72 h: \
                        `--replications 432`";
        assert_eq!(said("failures = 0", &counted(&[0; 10]), SIMULATED).as_deref(), Some(expected));
    }

    #[test]
    fn a_run_that_ends_with_its_probes_is_counted_in_requests() {
        let mut records = counted(&[0; 4]);
        for record in &mut records {
            let mut responses = Distribution::new();
            responses.record_many(sojourn_core::Duration::from_millis(1), 100);
            record.observe("response_time", Observation::Distribution(responses));
        }
        let expected = "no failures in 400 requests: fewer than 1 in 130 at 95 %; to claim less than 1 in 1000 needs \
                        2996 requests: `--replications 30`";
        let origin = Origin::Simulated { ends_with_its_probes: true };
        assert_eq!(said("failures = 0", &records, origin).as_deref(), Some(expected));
    }

    #[test]
    fn a_failure_that_was_seen_needs_no_more() {
        assert_eq!(said("failures = 0", &counted(&[0, 1, 0]), SIMULATED), None);
    }

    fn scalars(values: &[f64]) -> Vec<Record> {
        let record = |&value: &f64| {
            let mut record = Record::default();
            record.scalar("utilisation", value);
            record
        };
        values.iter().map(record).collect()
    }

    #[test]
    fn what_is_undecided_says_how_many_replications_would_decide() {
        // 0.5 ± 0.058: the limit is half of that away, so about four times as many
        let values = [0.4, 0.5, 0.6, 0.4, 0.6, 0.5, 0.5, 0.6, 0.4, 0.5];
        let text = said("utilisation < 53 %", &scalars(&values), SIMULATED).unwrap();
        assert!(text.starts_with("if the value stays, `--replications 4") && text.ends_with("would decide"), "{text}");
        assert_eq!(said("utilisation < 70 %", &scalars(&values), SIMULATED), None);
        let close = said("utilisation < 50.01 %", &scalars(&values), SIMULATED).unwrap();
        assert!(close.contains("too close"), "{close}");
    }

    #[test]
    fn one_replication_asks_for_ten() {
        let text = said("utilisation < 70 %", &scalars(&[0.5]), SIMULATED);
        assert_eq!(text.as_deref(), Some("one replication gives no interval: `--replications 10`"));
    }
}
