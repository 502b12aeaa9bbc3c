//! The plan of a timed test: schedule, phases, load and transmit options.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_protocols::authentication::Key;
use sojourn_scenario::Secret;

use super::pacer::Pacing;
use super::request_log::run::PointLog;
use super::schedule::Schedule;
use super::synchronized::Clocks;
use super::voice::Voice;
use super::windows::event::Windows;
use crate::io::cpu_idle::CpuLatencyGuard;
use crate::io::datagrams::Marking;

/// A timed test: schedule, phases, load and marking.
#[derive(Clone, Debug)]
pub struct TimedTest {
    /// Send times of requests.
    pub schedule: Schedule,
    /// Octets of a request; one experiment for each.
    pub sizes: Vec<u32>,
    /// Phases, one after the other without a gap; the first starts shortly after the measurement.
    pub phases: Vec<Phase>,
    /// Transport protocol of requests, where the peer has both.
    pub transport: RequestTransport,
    /// Load in the phases that are loaded.
    pub loads: Vec<Load>,
    /// Response timeout: later responses count as lost.
    pub timeout: Duration,
    /// Longest outage, after which the measurement ends; without it the measurement goes on until its end.
    pub outage_limit: Option<Duration>,
    /// Windows in place of phases, of a measurement that does not end.
    pub windows: Option<Windows>,
    /// How the offset of the peer's clock is known.
    pub clocks: Clocks,
    /// Where requests are logged as they are answered or time out.
    pub log: Option<PointLog>,
    /// DSCP, ECN and source address of requests.
    pub marking: Marking,
    /// How scheduled send times are met; as calibration finds best when absent.
    pub pacing: Option<Pacing>,
    /// Keeps this host's processors out of C-states during the test.
    pub no_cpu_idle: Option<Arc<CpuLatencyGuard>>,
    /// The voice stream that the requests are, if any.
    pub voice: Option<Voice>,
    /// Number of repetitions of all phases.
    pub replications: u32,
    /// Seed of random schedules and payloads.
    pub seed: u64,
    /// Key shared with the peer, if any.
    pub key: Option<Key>,
    /// How requests over HTTP are sent.
    pub http: Http,
}

/// How requests over HTTP are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Http {
    /// The version to be spoken; as the server prefers when absent, without TLS 1.1.
    pub version: Option<HttpVersion>,
    /// Whether a connection is kept for further requests, rather than opened for each.
    pub keeps_connections: bool,
    /// File of the certification authorities and certificates trusted, in PEM; the authorities of the system when absent.
    pub ca_file: Option<PathBuf>,
    /// Whether any certificate is taken.
    pub is_insecure: bool,
    /// The SHA-256 of the one certificate that is taken, of any authority.
    pub pin: Option<[u8; 32]>,
    /// Whether requests are POST rather than GET; a body makes them so.
    pub is_post: bool,
    /// Further header fields, name and value.
    pub headers: Vec<(String, Secret)>,
    /// Body of a request.
    pub body: Option<Secret>,
    /// The statuses that do not count as failures; those below 400 when empty.
    pub statuses: Vec<RangeInclusive<u16>>,
    /// What the body of an answer has to contain.
    pub contains: Option<String>,
}

/// A version of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1 (RFC 9112).
    Http1,
    /// HTTP/2 (RFC 9113).
    Http2,
}

/// A phase of a measurement, with metrics of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// `"idle"`, `"loaded"`, `"recovery"`; `"warm-up"` and `"measured"` of a scenario.
    pub name: &'static str,
    /// Length of the phase.
    pub duration: Duration,
    /// Whether the load runs in it.
    pub loaded: bool,
    /// Whether its metrics are kept; those of a warm-up are not.
    pub recorded: bool,
}

/// Transport protocol of requests and responses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestTransport {
    /// One UDP datagram each.
    #[default]
    Udp,
    /// One connection for all: head-of-line blocking is included.
    Tcp,
}

/// Load streams with the same settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// Name of its stream in metrics, numbered where there are several; transport and direction when absent.
    pub name: Option<String>,
    /// Transport protocol of the load.
    pub transport: LoadTransport,
    /// Direction of the data.
    pub direction: Direction,
    /// Number of parallel streams.
    pub streams: u32,
    /// DSCP of its data in either direction, and of what this host sends of it, 0 to 63 (RFC 2474).
    pub dscp: u8,
    /// Start, from the start of the loaded phase.
    pub start: Duration,
    /// Stop, from the start of the loaded phase; its end when absent.
    pub stop: Option<Duration>,
}

/// Transport protocol of a load, with its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadTransport {
    /// Bulk data over TCP.
    Tcp {
        /// The sender's congestion control by its Linux name, such as `cubic`; the system's default when absent.
        congestion: Option<String>,
        /// Pacing rate limit of a stream, in bits per second.
        pace: Option<u64>,
    },
    /// UDP datagrams at a constant bit rate.
    Udp {
        /// Bits of user data per second, of each stream.
        rate: u64,
        /// Octets of a datagram.
        octets: u32,
    },
}

impl LoadTransport {
    /// The bit rate of user data at which a stream is paced; none where it takes what it gets.
    pub fn pace(&self) -> Option<u64> {
        match self {
            LoadTransport::Tcp { pace, .. } => *pace,
            LoadTransport::Udp { rate, .. } => Some(*rate),
        }
    }
}

/// Direction of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From this host to the peer (upload).
    Up,
    /// From the peer to this host (download).
    Down,
}

impl TimedTest {
    /// Requests of one size through phases: over UDP, once, without load or key, with a timeout of one second, and
    /// all else by default.
    pub fn new(schedule: Schedule, octets: u32, phases: Vec<Phase>) -> TimedTest {
        TimedTest {
            schedule,
            sizes: vec![octets],
            phases,
            transport: RequestTransport::default(),
            loads: Vec::new(),
            timeout: Duration::from_secs(1),
            outage_limit: None,
            windows: None,
            clocks: Clocks::Estimated,
            log: None,
            marking: Marking::default(),
            pacing: None,
            no_cpu_idle: None,
            voice: None,
            replications: 1,
            seed: 1,
            key: None,
            http: Http::default(),
        }
    }

    /// Total duration of all phases.
    pub fn duration(&self) -> Duration {
        self.phases.iter().map(|phase| phase.duration).sum()
    }
}
