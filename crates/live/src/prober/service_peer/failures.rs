//! Failed requests, counted by kind.

use std::collections::BTreeMap;
use std::ops::Range;

use sojourn_metrics::record::{Observation, Record};

use crate::io::network_error::ServiceError;

/// Failures in the order in which they became known.
#[derive(Debug, Default)]
pub struct Failures(Vec<(u64, ServiceError)>);

impl Failures {
    /// The request of this sequence number has failed.
    pub fn add(&mut self, sequence: u64, error: ServiceError) {
        self.0.push((sequence, error));
    }

    /// Drops requests before a sequence number.
    pub fn forget(&mut self, before: u64) {
        self.0.retain(|(sequence, _)| *sequence >= before);
    }

    /// Records how many of these requests failed of each kind; those of no known kind were not answered in time.
    pub fn record_metrics(&self, requests: Range<u64>, record: &mut Record) {
        let all = match record.metrics.get("failures") {
            Some(Observation::Count(all)) => *all,
            _ => 0,
        };
        let mut kinds: BTreeMap<_, u64> = BTreeMap::new();
        let known =
            self.0.iter().filter(|(sequence, error)| requests.contains(sequence) && *error != ServiceError::Timeout);
        known.for_each(|(_, error)| *kinds.entry(error.kind()).or_default() += 1);
        let timeouts = all.saturating_sub(kinds.values().sum());
        if timeouts > 0 {
            kinds.insert(ServiceError::Timeout.kind(), timeouts);
        }
        for (kind, number) in kinds {
            record.count(format!("failures/{kind}"), number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_a_phase_are_counted_by_kind_and_the_rest_timed_out() {
        let mut failures = Failures::default();
        for (sequence, error) in [
            (3, ServiceError::Status(503)),
            (4, ServiceError::ResponseCode(3)),
            (5, ServiceError::Status(503)),
            (6, ServiceError::Timeout),
            (9, ServiceError::Refused),
        ] {
            failures.add(sequence, error);
        }
        let mut record = Record::default();
        record.count("failures", 5);
        failures.record_metrics(3..9, &mut record);
        let counted = ["failures/http_503", "failures/dns_nxdomain", "failures/timeout"].map(|name| record.total(name));
        assert_eq!(counted, [2, 1, 2]);
        assert!(!record.metrics.contains_key("failures/connection_refused"), "that was in another phase");
    }
}
