//! Converts bounds to the rows of a results file.

use sojourn_core::Duration;
use sojourn_metrics::results::{BoundRow, Bounds, PriorityRow};

/// The row of a whole path.
pub const END_TO_END: &str = "end to end";

/// A theorem, and where it is proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theorem {
    /// What it is called.
    pub name: &'static str,
    /// Where it is proved.
    pub source: &'static str,
}

/// Concatenation: the delay of a path is at most the sum of those of its servers.
pub const SUM_OF_HOPS: Theorem =
    Theorem { name: "sum of the hops", source: "Le Boudec and Thiran, Network Calculus, 2001, 1.4.3" };

/// What is bounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worst {
    /// A time.
    Delay(Duration),
    /// A number of packets or customers.
    Backlog(u64),
}

/// A bound of one thing, or why it has none.
pub type Bounded = Result<(Worst, Theorem), String>;

/// Bounds in the order of their rows.
#[derive(Clone, Debug, Default)]
pub struct Report {
    bounds: Bounds,
}

impl Report {
    /// A network in which nothing is bounded.
    pub fn none(reason: &str) -> Report {
        let mut report = Report::default();
        report.row("every flow", END_TO_END, Some("response_time"), Err(reason.to_owned()));
        report
    }

    /// Adds what a bound rests on, once.
    pub fn assume(&mut self, assumption: impl Into<String>) {
        let assumption = assumption.into();
        if !self.bounds.assumptions.contains(&assumption) {
            self.bounds.assumptions.push(assumption);
        }
    }

    /// Adds a row; `metric` is what a simulation observes of the same.
    pub fn row(&mut self, flow: &str, hop: &str, metric: Option<&str>, bounded: Bounded) {
        let is_queue = metric.is_some_and(|metric| metric.starts_with("queue_length"));
        let mut row = BoundRow {
            flow: flow.to_owned(),
            hop: hop.to_owned(),
            unit: if is_queue { "packets" } else { "s" }.to_owned(),
            metric: metric.map(str::to_owned),
            ..BoundRow::default()
        };
        match bounded {
            Ok((worst, theorem)) => {
                (row.theorem, row.source) = (Some(theorem.name.to_owned()), Some(theorem.source.to_owned()));
                match worst {
                    Worst::Delay(delay) => row.delay = Some(delay.seconds()),
                    Worst::Backlog(count) => row.buffer = Some(count as f64),
                }
            }
            Err(why) => row.why = Some(why),
        }
        self.bounds.rows.push(row);
    }

    /// Adds messages of an order of priorities that meets all deadlines, the highest first.
    pub fn priorities(&mut self, rows: Vec<PriorityRow>) {
        self.bounds.priorities.extend(rows);
    }

    /// All rows.
    pub fn finish(self) -> Bounds {
        self.bounds
    }
}
