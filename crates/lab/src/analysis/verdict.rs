//! Whether a twin agrees with its capture: the yardstick, and what is said of a twin beyond it.

use std::path::Path;

use serde::Serialize;
use sojourn_twin::behaviour::Likeness;
use sojourn_twin::trial::{RUNS, Tried};

/// The yardstick: differences of the median response time, of its 99th percentile, and of the throughput, up to which a twin agrees.
const P50: f64 = 0.05;
const P99: f64 = 0.15;
const THROUGHPUT: f64 = 0.05;

/// Why a twin could not be compared.
const NO_PLACE: &str =
    "transfers were captured between the hosts, where a simulation cannot be captured: capture beside the clients";
const NOT_SIMULATED: &str =
    "simulated, it sends far more packets than the capture has, or the analysis was stopped before";

/// What the comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// All differences are within the yardstick.
    Agrees,
    /// One is beyond it.
    Deviates,
    /// There was no comparison.
    NotCompared,
}

/// How close a twin comes to its capture when it is simulated; ratios of the twin's values and the capture's.
#[derive(Clone, Debug, Serialize)]
pub struct TwinSummary {
    /// The scenario's file.
    pub scenario: String,
    /// Whether it agrees with the capture.
    pub verdict: Verdict,
    /// Why it does not, or why there was no comparison; empty where it agrees.
    pub why: String,
    /// Scenarios that the capture allows, which were simulated.
    pub readings: usize,
    /// Runs of each.
    pub runs: u64,
    /// How close it comes, in words.
    pub sentence: String,
    /// Median, 90th and 99th percentile of the response times; `None` of all ratios if it could not be simulated.
    pub p50: Option<f64>,
    pub p90: Option<f64>,
    pub p99: Option<f64>,
    /// Responses per second.
    pub response_rate: Option<f64>,
    /// User data per second of transfers over TCP; `None` without one.
    pub goodput: Option<f64>,
}

impl TwinSummary {
    /// That of the scenario that came closest.
    pub(super) fn of(tried: &Tried, has_transfers: bool, path: &Path) -> TwinSummary {
        let Some(likeness) = &tried.likeness else { return TwinSummary::unknown(NOT_SIMULATED, tried.of, path) };
        let beyond = beyond(likeness, has_transfers);
        let verdict = if beyond.is_empty() { Verdict::Agrees } else { Verdict::Deviates };
        let [p50, p90, p99] = likeness.percentiles.map(Some);
        TwinSummary {
            scenario: path.display().to_string(),
            verdict,
            why: if beyond.is_empty() { String::new() } else { why(beyond, &tried.twin.doubts) },
            readings: tried.of,
            runs: RUNS,
            sentence: sentence(likeness, has_transfers, tried.of),
            p50,
            p90,
            p99,
            response_rate: Some(likeness.response_rate),
            goodput: Some(likeness.goodput).filter(|_| has_transfers),
        }
    }

    /// That of a scenario whose simulation cannot be captured where the network was.
    pub(super) fn not_compared(path: &Path) -> TwinSummary {
        TwinSummary::unknown(NO_PLACE, 0, path)
    }

    fn unknown(why: &str, readings: usize, path: &Path) -> TwinSummary {
        TwinSummary {
            scenario: path.display().to_string(),
            verdict: Verdict::NotCompared,
            why: why.to_owned(),
            readings,
            runs: if readings > 0 { RUNS } else { 0 },
            sentence: "How close it comes to the capture is not known.".to_owned(),
            p50: None,
            p90: None,
            p99: None,
            response_rate: None,
            goodput: None,
        }
    }

    /// What stands at the head of the scenario.
    pub(super) fn head(&self) -> String {
        match self.verdict {
            Verdict::Agrees => format!("AGREES with its capture. {}", self.sentence),
            Verdict::Deviates => {
                format!("DEVIATES from its capture, do not rely on it: {}. {}", self.why, self.sentence)
            }
            Verdict::NotCompared => format!("NOT COMPARED with its capture, do not rely on it: {}.", self.why),
        }
    }
}

/// What is beyond the yardstick, in words.
fn beyond(likeness: &Likeness, has_transfers: bool) -> Vec<String> {
    let Likeness { percentiles: [p50, _, p99], response_rate, goodput, .. } = *likeness;
    let measured = [
        ("the median response time", p50, P50),
        ("the 99th percentile", p99, P99),
        ("the number of responses", response_rate, THROUGHPUT),
        ("the throughput of transfers", goodput, THROUGHPUT),
    ];
    let compared = if has_transfers { 4 } else { 3 };
    // a ratio of 1.05 is within 5 %, whatever its last bit
    let is_beyond = |ratio: f64, within: f64| ratio.is_nan() || (ratio - 1.0).abs() > within + 1e-9;
    let rows = measured[..compared].iter().filter(|(_, ratio, within)| is_beyond(*ratio, *within));
    rows.map(|(what, ratio, within)| {
        format!("{what} is {} times the captured one (within {:.0} % agrees)", times(*ratio), 100.0 * within)
    })
    .collect()
}

fn why(beyond: Vec<String>, doubts: &[String]) -> String {
    let known = match doubts {
        [] => String::new(),
        several => format!("; it has not all of the capture: {}", several.join("; ")),
    };
    format!("{}{known}", beyond.join(", "))
}

/// A ratio in three digits.
fn times(ratio: f64) -> String {
    match ratio {
        ratio if ratio >= 100.0 => format!("{ratio:.0}"),
        ratio => format!("{ratio:.2}"),
    }
}

/// How close the best of this many scenarios comes.
fn sentence(likeness: &Likeness, has_transfers: bool, readings: usize) -> String {
    let Likeness { percentiles: [p50, _, p99], response_rate: rate, goodput, .. } = likeness;
    let carried = match has_transfers {
        true => format!(", and transfers over TCP carry {goodput:.2} times as much"),
        false => String::new(),
    };
    let chosen = match readings {
        1 => String::new(),
        several => format!(" Of {several} scenarios that the capture allows it came closest."),
    };
    format!(
        "In {RUNS} simulated runs its median response time is {p50:.2} times that of the capture, its 99th percentile {p99:.2} \
         times; it has {rate:.2} times as many responses{carried}.{chosen}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(percentiles: [f64; 3], response_rate: f64, goodput: f64) -> Likeness {
        Likeness { percentiles, response_rate, goodput, distance: 0.0 }
    }

    #[test]
    fn a_twin_within_the_yardstick_agrees_and_one_beyond_it_says_by_how_much() {
        assert!(beyond(&likeness([1.05, 2.0, 0.86], 0.96, 1.04), true).is_empty());
        let found = beyond(&likeness([1.06, 1.0, 0.84], 1.0, 0.5), true);
        assert_eq!(found.len(), 3);
        assert_eq!(found[0], "the median response time is 1.06 times the captured one (within 5 % agrees)");
        assert_eq!(found[2], "the throughput of transfers is 0.50 times the captured one (within 5 % agrees)");
        assert!(beyond(&likeness([1.0; 3], 1.0, 0.5), false).is_empty(), "there are no transfers");
    }

    #[test]
    fn a_ratio_that_is_no_number_is_beyond_any_yardstick() {
        assert_eq!(beyond(&likeness([f64::NAN, 1.0, f64::INFINITY], 0.0, 1.0), false).len(), 3);
    }
}
