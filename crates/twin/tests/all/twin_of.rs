//! How close a twin is to its original.

use std::fmt;
use std::ops::Range;

/// Networks of a nightly test, and those of them that may differ: nine of ten twins are close.
const MANY: u32 = 50;
const DIFFERING: usize = 5;
/// Differences of the percentiles of original and twin.
const P50: f64 = 0.05;
const P99: f64 = 0.15;

/// Percentiles of the twin's response times as multiples of the original's.
#[derive(Clone, Copy, Debug)]
pub struct Closeness {
    p50: f64,
    p99: f64,
    /// Number of responses.
    count: f64,
}

impl Closeness {
    /// Of response times, ascending, s; NaN where there are none.
    pub fn of(original: &[f64], twin: &[f64]) -> Closeness {
        let ratio = |share: f64| at(twin, share) / at(original, share);
        Closeness { p50: ratio(0.5), p99: ratio(0.99), count: twin.len() as f64 / original.len() as f64 }
    }

    /// Whether both percentiles are within their bounds.
    pub fn is_close(self) -> bool {
        (self.p50 - 1.0).abs() <= P50 && (self.p99 - 1.0).abs() <= P99
    }

    /// What is wrong with the twin of `original`; `None` if it is close.
    pub fn fault(self, name: impl fmt::Display, original: &str, twin: &str) -> Option<String> {
        (!self.is_close()).then(|| format!("{name}: {self}\n{}\n{}", keys(original), keys(twin)))
    }
}

impl fmt::Display for Closeness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p50 x {:.3}, p99 x {:.3}, responses x {:.3}", self.p50, self.p99, self.count)
    }
}

/// Response times of runs with several seeds, ascending, s; `run` simulates once with a seed.
pub fn responses_of_runs(seeds: Range<u64>, run: impl Fn(u64) -> Vec<f64>) -> Vec<f64> {
    let mut responses: Vec<f64> = seeds.flat_map(run).collect();
    responses.sort_by(f64::total_cmp);
    responses
}

/// Keeps nine of ten twins of numbered networks close.
pub fn assert_nine_of_ten_are_close(fault: impl Fn(u32) -> Option<String>) {
    let faults: Vec<String> = (0..MANY).filter_map(fault).collect();
    let found = format!("{} of {MANY} differ: {}", faults.len(), faults.join("\n"));
    println!("{found}");
    assert!(faults.len() <= DIFFERING, "{found}");
}

/// The keys of a scenario, a table on a line.
fn keys(scenario: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in scenario.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match lines.last_mut() {
            Some(last) if !line.starts_with('[') => *last = format!("{last} {line},"),
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

fn at(sorted: &[f64], share: f64) -> f64 {
    sorted.get((share * sorted.len().saturating_sub(1) as f64) as usize).copied().unwrap_or(f64::NAN)
}
