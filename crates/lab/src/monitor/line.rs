//! The output lines of a monitor, as `python/sojourn/schemas/monitor-events.schema.json` describes them.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use serde::Serialize;
use sojourn_experiment::verdict::Verdict;
use sojourn_metrics::results::{Metric, PathFinding};

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
        /// Name and URL of each target; of a mesh of each agent; without secrets.
        targets: Vec<(&'a str, String)>,
        /// Whether each of them measures each other.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        mesh: bool,
    },
    /// A window of a target.
    Window {
        /// When the line was written.
        time: String,
        /// The agent that measured, of a mesh.
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<&'a str>,
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
        /// Requests answered after the timeout.
        late: u64,
        /// Requests that were due and not sent, since they were overdue when this host ran again.
        not_sent: u64,
        /// Whether this host was paused in it; the conditions are not judged then.
        host_paused: bool,
        /// Address of the target, where its URL has a name.
        address: Option<String>,
        /// What the path did to packets.
        #[serde(skip_serializing_if = "<[PathFinding]>::is_empty")]
        path: &'a [PathFinding],
        /// The metrics, as those of a point of results.json.
        metrics: &'a BTreeMap<String, Metric>,
        /// Response times in log-linear bins of nanoseconds: bin and count.
        histogram: Vec<(u32, u64)>,
        /// The conditions of the target and what the window says of them; empty of a loaded one.
        conditions: Vec<Condition<'a>>,
    },
    /// This host was paused, or its wall clock was set: an event of no target.
    Host {
        /// When the line was written.
        time: String,
        /// The agent whose host it is, of a mesh; absent of this host.
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<&'a str>,
        /// `"paused"` or `"clock set"`.
        event: &'static str,
        /// When the pause began, or the clock was set, by the clock as it was.
        begin: String,
        /// When the pause ended, or the clock was set, by the clock as it is.
        end: String,
        /// Length of the pause; of a clock by how much it was set, negative for backwards.
        duration_s: f64,
    },
    /// The name of a target has another address, where it is measured from now on.
    Address {
        /// When the line was written.
        time: String,
        /// The agent that measured, of a mesh.
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<&'a str>,
        /// Name of the target.
        target: &'a str,
        /// `"changed"`.
        event: &'static str,
        /// The address before.
        old: String,
        /// The address now.
        new: String,
    },
    /// An outage of a target began or ended.
    Outage {
        /// When the line was written.
        time: String,
        /// The agent that measured, of a mesh.
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<&'a str>,
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
        /// The agent that measured, of a mesh.
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<&'a str>,
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
