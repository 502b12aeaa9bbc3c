//! Failed requests, counted by kind.

use std::collections::BTreeMap;
use std::ops::Range;

use sojourn_core::Duration;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};

use crate::io::network_error::ServiceError;

/// Failures in the order in which they became known.
#[derive(Debug, Default)]
pub struct Failures(Vec<Failure>);

/// A request that has failed.
#[derive(Clone, Copy, Debug)]
struct Failure {
    sequence: u64,
    error: ServiceError,
    /// Time from sending it to its failure, if it was sent.
    after: Option<Duration>,
}

impl Failures {
    /// The request of this sequence number has failed, so long after it was sent.
    pub fn add(&mut self, sequence: u64, error: ServiceError, after: Option<Duration>) {
        self.0.push(Failure { sequence, error, after });
    }

    /// Drops requests before a sequence number.
    pub fn forget(&mut self, before: u64) {
        self.0.retain(|failure| failure.sequence >= before);
    }

    /// Records how many of these requests failed of each kind, and after which time; those of no known kind were not
    /// answered in time.
    pub fn record_metrics(&self, requests: Range<u64>, record: &mut Record) {
        let all = match record.metrics.get("failures") {
            Some(Observation::Count(all)) => *all,
            _ => 0,
        };
        let mut kinds: BTreeMap<_, u64> = BTreeMap::new();
        let mut times: BTreeMap<_, Distribution> = BTreeMap::new();
        let is_known = |failure: &&Failure| failure.error != ServiceError::Timeout;
        for failure in self.0.iter().filter(|failure| requests.contains(&failure.sequence)).filter(is_known) {
            *kinds.entry(failure.error.kind()).or_default() += 1;
            if let Some(after) = failure.after {
                times.entry(failure.error.kind()).or_insert_with(Distribution::new).record(after);
            }
        }
        for (kind, distribution) in times {
            record.observe(format!("failure_time/{kind}"), Observation::Distribution(distribution));
        }
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
            failures.add(sequence, error, Some(Duration::from_millis(sequence)));
        }
        let mut record = Record::default();
        record.count("failures", 5);
        failures.record_metrics(3..9, &mut record);
        let counted = ["failures/http_503", "failures/dns_nxdomain", "failures/timeout"].map(|name| record.total(name));
        assert_eq!(counted, [2, 1, 2]);
        assert!(!record.metrics.contains_key("failures/connection_refused"), "that was in another phase");
        let times = record.distribution("failure_time/http_503");
        assert_eq!((times.count(), times.max()), (2, Some(Duration::from_millis(5))));
        assert!(!record.metrics.contains_key("failure_time/timeout"), "it took as long as the timeout");
    }
}
