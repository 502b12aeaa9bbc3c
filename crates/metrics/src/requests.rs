//! The log of probed requests of a replication: send time, sender and response time of each.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Time};

use crate::record::Record;

/// When each was sent, in picoseconds, and its response time in seconds.
type Rows = Vec<(u64, f64)>;

/// Requests by flow and sending station, kept only where traces are asked for.
#[derive(Clone, Debug, Default)]
pub struct RequestLog {
    rows: Option<BTreeMap<(u32, u32), Rows>>,
}

impl RequestLog {
    /// An empty log; one that is not `kept` stays empty.
    pub fn new(kept: bool) -> Self {
        RequestLog { rows: kept.then(BTreeMap::new) }
    }

    /// A request of a flow that `station` sent at `sent` has a response.
    #[inline]
    pub fn responded(&mut self, flow: u32, station: u32, sent: Time, response: Duration) {
        if self.rows.is_some() {
            self.add(flow, station, sent, response.seconds());
        }
    }

    /// A request of a flow that `station` sent at `sent` failed or timed out: its response time is longer than any.
    pub fn failed(&mut self, flow: u32, station: u32, sent: Time) {
        self.add(flow, station, sent, f64::INFINITY);
    }

    /// Adds the requests of another log, of other stations.
    pub fn join(&mut self, other: RequestLog) {
        if let (Some(rows), Some(more)) = (&mut self.rows, other.rows) {
            rows.extend(more);
        }
    }

    #[cold]
    fn add(&mut self, flow: u32, station: u32, sent: Time, seconds: f64) {
        if let Some(rows) = &mut self.rows {
            rows.entry((flow, station)).or_default().push((sent.picoseconds(), seconds));
        }
    }

    /// Stores them in the order of sending, as the traces `requests/<flow>/<station>`.
    pub fn store(&self, record: &mut Record, names: impl Fn(u32, u32) -> (String, String)) {
        for (&(flow, station), rows) in self.rows.iter().flatten() {
            let (flow, station) = names(flow, station);
            record.trace(format!("requests/{flow}/{station}"), rows.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn requests_are_stored_by_flow_and_station_in_the_order_of_sending() {
        let mut log = RequestLog::new(true);
        log.responded(0, 7, at(2), Duration::from_millis(500));
        log.failed(0, 7, at(1));
        log.responded(0, 8, at(3), Duration::from_millis(250));
        let mut record = Record::default();
        log.store(&mut record, |_, station| ("alarm".to_owned(), format!("device-{station}")));
        let rows: Vec<_> = record.traces.into_iter().collect();
        let second = 1_000_000_000_000;
        assert_eq!(rows[0].0, "requests/alarm/device-7");
        assert_eq!(rows[0].1, [(second, f64::INFINITY), (2 * second, 0.5)]);
        assert_eq!(rows[1], ("requests/alarm/device-8".to_owned(), vec![(3 * second, 0.25)]));
    }

    #[test]
    fn a_log_that_is_not_kept_stores_nothing() {
        let mut log = RequestLog::new(false);
        log.failed(0, 0, at(1));
        let mut record = Record::default();
        log.store(&mut record, |_, _| (String::new(), String::new()));
        assert!(record.traces.is_empty());
    }
}
