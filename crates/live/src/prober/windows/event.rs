//! The events that a windowed measurement reports.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

use serde::{Deserialize, Serialize};
use sojourn_core::Duration;
use sojourn_metrics::record::Record;
use sojourn_metrics::results::PathFinding;

/// Name of the phase that a window is.
pub const MONITORED: &str = "monitored";
/// Longest session, after which another one takes its place: the measurement's clock and the counters of a session are
/// made for days, not for ever.
pub const LONGEST_SESSION: Duration = Duration::from_secs(24 * 3600);

/// Windows, and where they are reported.
#[derive(Clone, Debug)]
pub struct Windows {
    /// Length of a window.
    pub length: Duration,
    /// A session ends at the first window that ends after this time; then the caller opens another.
    pub session: Duration,
    /// When the path is loaded, if it is.
    pub load: Option<LoadTimes>,
    /// Which target it is, for the receiver of events.
    pub target: usize,
    /// Set once the target has moved to another address: then the session ends, and the caller opens another there.
    pub moved: Arc<AtomicBool>,
    /// Takes what happens.
    pub events: Sender<(usize, WindowEvent)>,
}

impl Windows {
    /// Whether the target has moved to another address.
    pub fn has_moved(&self) -> bool {
        self.moved.load(Ordering::Relaxed)
    }
}

/// When a path is loaded, again and again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadTimes {
    /// Interval between the starts of loads: the first window after each multiple of it since 1970.
    pub every: Duration,
    /// Added to the multiples, so that targets are loaded one after the other.
    pub offset: Duration,
    /// How long the path is loaded.
    pub duration: Duration,
}

/// What happens in a session. Times are in nanoseconds since 1970.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum WindowEvent {
    /// The next session is with this address of the target's name.
    Address(IpAddr),
    /// The session began.
    Opened {
        /// When.
        at_ns: u64,
    },
    /// The first request of the session that was answered.
    Responding {
        /// When it was sent.
        at_ns: u64,
    },
    /// An outage began.
    OutageBegan {
        /// When its first request was sent.
        at_ns: u64,
        /// The last error of the network or the operating system, if any.
        cause: Option<String>,
    },
    /// An outage ended.
    OutageEnded {
        /// When the first request with a response was sent.
        at_ns: u64,
    },
    /// This host was paused: nothing is known of the target meanwhile.
    HostPaused {
        /// When it ran last.
        begin_ns: u64,
        /// When it ran again.
        end_ns: u64,
    },
    /// Who measures is away, as an agent of a mesh, and why: no request is sent.
    Away(String),
    /// A window has ended, and all of its requests are answered or lost.
    Window(Box<Window>),
    /// The session ended, but not because it was cancelled; the reason if it could not go on.
    Ended(Option<String>),
}

/// The metrics of a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Window {
    /// Its begin, in nanoseconds since 1970.
    pub begin_ns: u64,
    /// Its end, in nanoseconds since 1970.
    pub end_ns: u64,
    /// Whether the path was loaded in it.
    pub loaded: bool,
    /// Requests sent.
    pub sent: u64,
    /// Of them, answered before the timeout.
    pub answered: u64,
    /// Of them, answered after the timeout.
    pub late: u64,
    /// Requests that were due and not sent, since they were overdue when this host ran again.
    pub not_sent: u64,
    /// Pauses of this host that it has a part of.
    pub host_paused: u64,
    /// Response times of those answered, in time or late, in the order they were sent.
    #[serde(with = "nanoseconds")]
    pub responses: Vec<Duration>,
    /// What the path did to its packets.
    pub path: Vec<PathFinding>,
    /// Its metrics, as of a phase of a measurement.
    pub record: Record,
}

/// Durations as whole nanoseconds, the resolution of the kernel's timestamps.
mod nanoseconds {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use sojourn_core::Duration;

    pub fn serialize<S: Serializer>(durations: &[Duration], serializer: S) -> Result<S::Ok, S::Error> {
        let whole: Vec<u64> = durations.iter().map(|duration| duration.picoseconds() / 1000).collect();
        whole.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Duration>, D::Error> {
        let whole = Vec::<u64>::deserialize(deserializer)?;
        // beyond the range of a duration there are no response times
        Ok(whole.into_iter().map(|ns| Duration::from_nanos(ns.min(u64::MAX / 1000))).collect())
    }
}
