//! An alert on a condition, with hysteresis.

use std::collections::BTreeMap;

use sojourn_experiment::verdict::{Judgement, Verdict, judge};
use sojourn_metrics::results::Metric;
use sojourn_scenario::Expectation;

/// How many windows in a row raise and clear an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hysteresis {
    /// Windows that miss the condition.
    pub raise_after: u64,
    /// Windows that meet it.
    pub clear_after: u64,
}

/// A condition on the windows of a target.
#[derive(Clone, Debug)]
pub struct Alert {
    condition: Expectation,
    hysteresis: Hysteresis,
    is_raised: bool,
    /// Windows in a row that speak for the other state.
    against: u64,
}

impl Alert {
    /// An alert that is not raised.
    pub fn new(condition: Expectation, hysteresis: Hysteresis) -> Alert {
        Alert { condition, hysteresis, is_raised: false, against: 0 }
    }

    /// The condition as written.
    pub fn text(&self) -> &str {
        &self.condition.text
    }

    /// Whether it is raised.
    pub fn is_raised(&self) -> bool {
        self.is_raised
    }

    /// Judges a window by its values, as [`judge`] does: it is about what was measured, so that no interval is needed.
    /// Undecided without a value.
    pub fn judge(&self, metrics: &BTreeMap<String, Metric>) -> Judgement {
        let judgement = judge(&self.condition, metrics);
        let verdict = match (judgement.holds, judgement.value.is_some() || judgement.reason.is_some()) {
            (_, false) => Verdict::Undecided,
            (true, true) => Verdict::Met,
            (false, true) => Verdict::Missed,
        };
        Judgement { verdict, ..judgement }
    }

    /// Takes the verdict on the next window; true if the alert is raised or cleared by it. An undecided window changes
    /// nothing.
    pub fn next(&mut self, verdict: Verdict) -> bool {
        let (against, limit) = match self.is_raised {
            false => (Verdict::Missed, self.hysteresis.raise_after),
            true => (Verdict::Met, self.hysteresis.clear_after),
        };
        match verdict {
            Verdict::Undecided => return false,
            verdict if verdict == against => self.against += 1,
            _ => self.against = 0,
        }
        let changes = self.against >= limit;
        if changes {
            self.is_raised = !self.is_raised;
            self.against = 0;
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_metrics::merge::merge;
    use sojourn_metrics::record::Record;

    fn alert() -> Alert {
        let condition = Expectation::parse("loss < 2 %").unwrap();
        Alert::new(condition, Hysteresis { raise_after: 2, clear_after: 3 })
    }

    /// The windows, `x` missed, `+` met, `?` undecided, after which the alert changes.
    fn changes(windows: &str) -> Vec<usize> {
        let mut alert = alert();
        let verdict = |window| match window {
            'x' => Verdict::Missed,
            '+' => Verdict::Met,
            _ => Verdict::Undecided,
        };
        windows.chars().enumerate().filter(|(_, window)| alert.next(verdict(*window))).map(|(index, _)| index).collect()
    }

    #[test]
    fn an_alert_is_raised_and_cleared_by_windows_in_a_row() {
        assert_eq!(changes("+x+xx++x+++x+xx"), [4, 10, 14]);
    }

    #[test]
    fn an_undecided_window_neither_counts_nor_interrupts() {
        assert_eq!(changes("x?x+?+?+"), [2, 7]);
        assert_eq!(changes("????"), [0; 0]);
    }

    #[test]
    fn a_window_is_judged_by_what_was_measured_in_it() {
        let metrics = |lost| {
            let mut record = Record::default();
            record.share("loss", lost, 100);
            merge(&[record])
        };
        let alert = alert();
        assert_eq!(alert.judge(&metrics(0)).verdict, Verdict::Met, "whatever the interval of so few");
        assert_eq!(alert.judge(&metrics(100)).verdict, Verdict::Missed);
        assert_eq!(alert.judge(&BTreeMap::new()).verdict, Verdict::Undecided);
    }
}
