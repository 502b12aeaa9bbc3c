//! The phases of a request to a service (resolve, connect, TLS, first byte, transfer), which add up to its response
//! time.

use std::ops::Range;

use sojourn_core::{Duration, Time};
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};

/// Members of the metric `phase`, in the order of their time.
pub const NAMES: [&str; 5] = ["resolve", "connect", "tls", "first_byte", "whole"];

/// When the phases of an answered request ended; `None` of a phase that it did not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// The addresses of the server's name are known.
    pub resolved: Option<Time>,
    /// The TCP connection is established.
    pub connected: Option<Time>,
    /// The TLS handshake is complete.
    pub secured: Option<Time>,
    /// The beginning of the answer is in: of HTTP its status and header fields.
    pub first_byte: Option<Time>,
    /// The whole answer is in.
    pub whole: Option<Time>,
}

impl Ends {
    /// The length of each phase of a request that was sent at `sent`.
    fn lengths(&self, sent: Time) -> [Option<Duration>; NAMES.len()] {
        let mut begins = sent;
        [self.resolved, self.connected, self.secured, self.first_byte, self.whole].map(|end| {
            let end = end?;
            Some(end.since(std::mem::replace(&mut begins, end)))
        })
    }
}

/// The phases of answered requests, in the order of their answers.
#[derive(Debug, Default)]
pub struct RequestPhases(Vec<(u64, Time, Ends)>);

impl RequestPhases {
    /// The request of this sequence number was sent and answered.
    pub fn add(&mut self, sequence: u64, sent: Time, ends: Ends) {
        self.0.push((sequence, sent, ends));
    }

    /// Drops requests before a sequence number.
    pub fn forget(&mut self, before: u64) {
        self.0.retain(|(sequence, ..)| *sequence >= before);
    }

    /// Records the phases of those of these requests that were answered, and their sum as the delay budget.
    pub fn record_metrics(&self, requests: Range<u64>, record: &mut Record) {
        let mut distributions = NAMES.map(|_| Distribution::new());
        let mut budget = Budget::new(&NAMES);
        for (_, sent, ends) in self.0.iter().filter(|(sequence, ..)| requests.contains(sequence)) {
            let lengths = ends.lengths(*sent);
            for (distribution, length) in distributions.iter_mut().zip(lengths) {
                length.into_iter().for_each(|length| distribution.record(length));
            }
            budget.record(&lengths.map(Option::unwrap_or_default));
        }
        for (name, distribution) in NAMES.iter().zip(distributions).filter(|(_, distribution)| distribution.count() > 0)
        {
            record.observe(format!("phase/{name}"), Observation::Distribution(distribution));
        }
        if budget.count() > 0 {
            record.observe("delay_budget", Observation::Budget(budget));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    #[test]
    fn the_phases_of_a_request_add_up_to_its_response_time_and_absent_ones_are_left_out() {
        let cold = Ends {
            resolved: Some(at(11)),
            connected: Some(at(31)),
            secured: Some(at(71)),
            first_byte: Some(at(371)),
            whole: Some(at(375)),
        };
        let kept = Ends { first_byte: Some(at(1020)), whole: Some(at(1021)), ..Ends::default() };
        let other = Ends { first_byte: Some(at(5000)), whole: Some(at(5001)), ..Ends::default() };
        let mut phases = RequestPhases::default();
        [(0, 10, cold), (1, 1000, kept), (3, 2000, other)]
            .into_iter()
            .for_each(|(sequence, sent, ends)| phases.add(sequence, at(sent), ends));
        let mut record = Record::default();
        phases.record_metrics(0..3, &mut record);
        let counts = NAMES.map(|name| record.distribution(&format!("phase/{name}")).count());
        assert_eq!(counts, [1, 1, 1, 2, 2]);
        assert_eq!(record.distribution("phase/first_byte").max(), Some(Duration::from_millis(300)));
        let Observation::Budget(budget) = &record.metrics["delay_budget"] else { panic!("a budget") };
        let sum: f64 = budget.means().unwrap().iter().sum();
        assert!((sum - (0.365 + 0.021) / 2.0).abs() < 1e-12, "{sum}");
    }
}
