//! The output lines of a monitor, as `python/sojourn/schemas/monitor-events.schema.json` describes them.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use sojourn_experiment::verdict::Verdict;
use sojourn_metrics::results::Metric;

/// A line. Times are wall-clock time, RFC 3339, UTC; what is in seconds ends in `_s`.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line<'a> {
    /// The monitor began or ended.
    Monitor {
        /// When.
        time: String,
        /// `"begin"` or `"end"`.
        event: &'static str,
        /// Version of Sojourn.
        version: &'a str,
        /// URL of the OpenMetrics endpoint, if there is one.
        metrics: Option<&'a str>,
        /// Name and URL of each target.
        targets: Vec<(&'a str, &'a str)>,
    },
    /// A window of a target.
    Window {
        /// When the line was written.
        time: String,
        /// Name of the target.
        target: &'a str,
        /// When the window began.
        begin: String,
        /// When it ended.
        end: String,
        /// Whether the target was in an outage at its end.
        in_outage: bool,
        /// Whether the path was loaded.
        loaded: bool,
        /// Requests sent, or due while there was no session.
        sent: u64,
        /// Requests answered in time.
        answered: u64,
        /// The metrics, as those of a point of results.json.
        metrics: &'a BTreeMap<String, Metric>,
        /// Response times in log-linear bins of nanoseconds: bin and count.
        histogram: Vec<(u32, u64)>,
        /// The conditions of the target and what the window says of them; empty of a loaded one.
        conditions: Vec<Condition<'a>>,
    },
    /// An outage of a target began or ended.
    Outage {
        /// When the line was written.
        time: String,
        /// Name of the target.
        target: &'a str,
        /// `"begin"` or `"end"`.
        event: &'static str,
        /// When the outage began.
        begin: String,
        /// When it ended.
        end: Option<String>,
        /// Its length.
        duration_s: Option<f64>,
        /// The last error of the network, the operating system or the peer, if any.
        cause: Option<&'a str>,
    },
    /// An alert was raised or cleared.
    Alert {
        /// When the line was written.
        time: String,
        /// Name of the target.
        target: &'a str,
        /// `"raised"` or `"cleared"`.
        event: &'static str,
        /// The condition.
        condition: &'a str,
        /// Its value in the last window, in SI units.
        value: Option<f64>,
        /// When that window ended.
        end: String,
    },
    /// A message.
    Note {
        /// When the line was written.
        time: String,
        /// Name of the target, if it is about one.
        target: Option<&'a str>,
        /// What the user should know.
        text: String,
    },
}

/// A condition and the verdict of a window on it.
#[derive(Debug, Serialize)]
pub struct Condition<'a> {
    /// As written.
    pub text: &'a str,
    /// Met, missed or undecided.
    pub verdict: Verdict,
    /// The value, in SI units.
    pub value: Option<f64>,
    /// Whether the alert is raised, this window counted.
    pub raised: bool,
}

impl Line<'_> {
    /// The line as JSON.
    pub fn text(&self) -> String {
        serde_json::to_string(self).expect("a line is plain data")
    }
}

/// A time in nanoseconds since 1970 as RFC 3339, UTC.
pub fn rfc3339(ns: u64) -> String {
    humantime::format_rfc3339_millis(SystemTime::UNIX_EPOCH + Duration::from_nanos(ns)).to_string()
}

/// The time now, in nanoseconds since 1970.
pub fn now_ns() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// The day of a time, `2026-11-23`, UTC.
pub fn day(ns: u64) -> String {
    rfc3339(ns).split('T').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_rfc_3339_in_utc_and_has_its_day() {
        let ns = 1_795_408_496_789_000_000;
        assert_eq!((rfc3339(ns), day(ns)), ("2026-11-23T04:34:56.789Z".to_owned(), "2026-11-23".to_owned()));
    }
}
