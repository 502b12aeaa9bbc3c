//! When a point has replications enough: the interval of one metric is narrow against its value.
//!
//! The rule looks only at checkpoints that grow geometrically, and never before the tenth replication:
//! looking after every one would stop too often on intervals that are narrow by luck.

use sojourn_metrics::merge::merge_metric;
use sojourn_metrics::record::Record;

/// No interval is believed before this many replications.
pub const FEWEST: u32 = 10;
/// A point stops here whatever its interval.
pub const MOST: u32 = 1000;

/// The precision a user asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Precision {
    /// The metric watched, as `response_time`.
    pub metric: String,
    /// Its field, as `mean`.
    pub field: String,
    /// Largest half-width of the 95 % interval, as a share of the value.
    pub target: f64,
}

/// What the rule says at a checkpoint.
#[derive(Clone, Debug, PartialEq)]
pub enum Next {
    /// The interval is narrow enough.
    Enough,
    /// Go on to this many replications in all.
    GoOnTo(u32),
    /// There will be no more, though the interval is this wide as a share of the value (`None` without one).
    Capped(Option<f64>),
}

impl Precision {
    /// Looks at the replications so far, in their order.
    pub fn next(&self, records: &[Record]) -> Next {
        let count = u32::try_from(records.len()).unwrap_or(u32::MAX);
        if count < FEWEST {
            return Next::GoOnTo(FEWEST);
        }
        match self.reached(records) {
            Some(width) if width <= self.target => Next::Enough,
            width if count >= MOST => Next::Capped(width),
            _ => Next::GoOnTo((count + count.div_ceil(2)).min(MOST)),
        }
    }

    /// Half-width of the interval as a share of the value.
    fn reached(&self, records: &[Record]) -> Option<f64> {
        let metric = merge_metric(&self.metric, records)?;
        let ([low, high], value) = (metric.interval(&self.field)?, metric.field(&self.field)?);
        // a value of exactly 0 in every replication has no width at all
        if high == low { Some(0.0) } else { Some((high - low) / 2.0 / value.abs()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(count: usize, spread: f64) -> Vec<Record> {
        let record = |index: usize| {
            let mut record = Record::default();
            record.scalar("utilisation", 1.0 + if index % 2 == 0 { spread } else { -spread });
            record
        };
        (0..count).map(record).collect()
    }

    fn next(records: &[Record]) -> Next {
        Precision { metric: "utilisation".into(), field: "value".into(), target: 0.02 }.next(records)
    }

    #[test]
    fn nine_alike_replications_do_not_stop_but_ten_do() {
        assert_eq!(next(&records(9, 0.0)), Next::GoOnTo(10));
        assert_eq!(next(&records(10, 0.0)), Next::Enough);
    }

    #[test]
    fn a_wide_interval_asks_for_half_as_many_again_up_to_the_cap() {
        assert_eq!(next(&records(10, 0.5)), Next::GoOnTo(15));
        assert_eq!(next(&records(900, 0.9)), Next::GoOnTo(1000));
        assert!(matches!(next(&records(1000, 0.9)), Next::Capped(Some(width)) if width > 0.02 && width < 0.1));
    }

    #[test]
    fn a_metric_that_is_not_there_is_never_precise() {
        let rule = Precision { metric: "response_time".into(), field: "mean".into(), target: 0.02 };
        assert_eq!(rule.next(&records(1000, 0.0)), Next::Capped(None));
    }
}
