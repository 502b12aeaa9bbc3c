//! The events that a windowed measurement reports.

use std::sync::mpsc::Sender;

use sojourn_core::Duration;
use sojourn_metrics::record::Record;

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
    /// Takes what happens.
    pub events: Sender<(usize, WindowEvent)>,
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
#[derive(Clone, Debug, PartialEq)]
pub enum WindowEvent {
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
    /// A window has ended, and all of its requests are answered or lost.
    Window(Box<Window>),
    /// The session ended, but not because it was cancelled; the reason if it could not go on.
    Ended(Option<String>),
}

/// The metrics of a window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Window {
    /// Its begin, in nanoseconds since 1970.
    pub begin_ns: u64,
    /// Its end, in nanoseconds since 1970.
    pub end_ns: u64,
    /// Whether the path was loaded in it.
    pub loaded: bool,
    /// Requests sent.
    pub sent: u64,
    /// Response times of those answered, in the order they were sent.
    pub responses: Vec<Duration>,
    /// Its metrics, as of a phase of a measurement.
    pub record: Record,
}
