//! Typed access to a record; panics if a metric is missing or has another shape.

use super::{Observation, Record, share};
use crate::distribution::Distribution;

impl Record {
    /// The value of a scalar or share, in its metric's unit. Panics where the record has none such.
    #[track_caller]
    pub fn value(&self, name: &str) -> f64 {
        match self.metrics.get(name) {
            Some(Observation::Scalar(value) | Observation::Estimate { value, .. }) => *value,
            Some(&Observation::Share { part, of }) => share(part, of),
            other => panic!("{name} is a scalar, not {other:?}"),
        }
    }

    /// The value of a count. Panics where the record has no such count.
    #[track_caller]
    pub fn total(&self, name: &str) -> u64 {
        match self.metrics.get(name) {
            Some(Observation::Count(count)) => *count,
            other => panic!("{name} is a count, not {other:?}"),
        }
    }

    /// A distribution. Panics where the record has no such distribution.
    #[track_caller]
    pub fn distribution(&self, name: &str) -> &Distribution {
        match self.metrics.get(name) {
            Some(Observation::Distribution(found)) => found,
            other => panic!("{name} is a distribution, not {other:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Duration;

    #[test]
    fn a_metric_is_read_by_its_shape() {
        let mut record = Record::default();
        record.scalar("loss", 0.25);
        record.count("retries", 7);
        let mut spans = Distribution::new();
        spans.record(Duration::from_millis(3));
        record.observe("response_time", Observation::Distribution(spans.clone()));
        assert_eq!((record.value("loss"), record.total("retries")), (0.25, 7));
        assert_eq!(record.distribution("response_time"), &spans);
    }

    #[test]
    #[should_panic(expected = "loss is a count, not Some(Scalar(0.25))")]
    fn another_shape_panics() {
        let mut record = Record::default();
        record.scalar("loss", 0.25);
        record.total("loss");
    }
}
