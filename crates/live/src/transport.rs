//! The contract of a transport: its measurements, its server, and their results.

use sojourn_core::{Duration, Time};
pub use sojourn_metrics::frames::NoFrames;
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_protocols::authentication::Key;
use sojourn_scenario::{Problems, Scenario};

use crate::agent_settings::AgentSettings;
pub use crate::prober::measured::{Experiment, Measured, TestConditions};
use crate::prober::plan::TimedTest;
use crate::progress::watch::Watch;
use crate::target::Target;

/// Largest number of data bytes in a packet: what the length fields of IPv4 and UDP leave after all headers, rounded
/// down.
pub const LARGEST_PACKET: u32 = 65_000;

/// A transport of live measurements, named by the scheme of its URLs.
pub trait Transport: Sync {
    /// Its row in the documentation.
    fn information(&self) -> &'static Information;

    /// Opens sockets to measure against the peer; the closure measures.
    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems>;

    /// Opens sockets to listen; the closure listens until it is cancelled.
    ///
    /// On a network of hosts it is a reflector. On the air it is a monitor, which transmits nothing.
    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems>;

    /// Requests per second where nothing else is asked for; none where the default of all is fit.
    fn usual_rate(&self) -> Option<&'static str> {
        None
    }

    /// Opens sockets of a measurement server, or of the far station of a radio channel; the closure serves until it is
    /// cancelled.
    fn answer(&self, target: &Target, _listening: Listening) -> Result<Measure, Problems> {
        let message = format!("{} has no `agent`: its reflector is `listen`", target.scheme());
        Err(target.problem(0..target.scheme().len(), message).help("sojourn listen URL").into())
    }
}

/// Measures, serves or listens, on the thread that calls it; frames sent and received go to the sink.
pub type Measure = Box<dyn FnOnce(&Watch, &mut dyn FrameSink) -> Measured + Send>;

/// The description of a transport.
#[derive(Debug)]
pub struct Information {
    /// The scheme of its URLs.
    pub scheme: &'static str,
    /// Form of its URLs.
    pub form: &'static str,
    /// What it is, in one sentence.
    pub summary: &'static str,
    /// Privileges that it needs from the operating system.
    pub needs: Option<&'static str>,
    /// Standards and papers that it follows.
    pub sources: &'static [&'static str],
    /// The keys for real networks that it obeys, besides `measure.peer`: paths, tables and lists.
    pub keys: &'static [&'static [&'static str]],
    /// Link type of its frames in a capture.
    pub link_type: Option<LinkType>,
    /// Whether its tests are timed: by a schedule, rather than a number of exchanges.
    pub is_timed: bool,
    /// Scenario of its channel and station, as TOML, where a profile has their parameters.
    pub scenario: Option<&'static str>,
}

/// The keys that every timed test obeys.
pub const TIMED_KEYS: &[&str] = &[
    "measure.outage_limit",
    "measure.schedule",
    "measure.rate",
    "measure.burst",
    "measure.dscp",
    "measure.ecn",
    "measure.bind",
    "measure.pacing",
    "measure.no_cpu_idle",
];

/// The keys that timed tests over a serial line obey: what leaves there has no addresses and no traffic class.
pub const LINE_KEYS: &[&str] = &[
    "measure.outage_limit",
    "measure.schedule",
    "measure.rate",
    "measure.burst",
    "measure.pacing",
    "measure.no_cpu_idle",
];

/// The keys that timed tests of a path obey besides: requests to services have the size that they need.
pub const PATH_KEYS: &[&str] = &["probe.size", "measure.voice"];

impl Information {
    /// Whether it obeys a key that only real networks obey, by its path or the name of its list.
    pub fn obeys(&self, path: &str) -> bool {
        let table = path.split('.').next().unwrap_or_default();
        path == "measure.peer" || self.keys.iter().flat_map(|list| list.iter()).any(|key| [path, table].contains(key))
    }
}

/// The kind of probe on the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Probe {
    /// Blocks to a station that returns them.
    #[default]
    PingPong,
    /// Links set up and released.
    Connect,
    /// AX.25 TEST frames, which any station of version 2.2 returns.
    Test,
    /// UI frames repeated by a digipeater.
    Digipeater,
    /// Links set up until a node's first text.
    Prompt,
}

impl Probe {
    /// Every probe and its name.
    pub const ALL: [(&'static str, Probe); 5] = [
        ("ping-pong", Probe::PingPong),
        ("connect", Probe::Connect),
        ("test", Probe::Test),
        ("digipeater", Probe::Digipeater),
        ("prompt", Probe::Prompt),
    ];

    /// Its name in documents.
    pub fn word(self) -> &'static str {
        Probe::ALL.iter().find(|(_, probe)| *probe == self).map_or("", |(name, _)| name)
    }
}

/// Configuration of a station on the air, and of its channel.
#[derive(Clone, Debug)]
pub struct OnAir {
    /// Callsign; without it, the station does not transmit.
    pub callsign: Option<String>,
    /// Airtime limit per minute; without it, the station does not transmit.
    pub airtime: Option<Duration>,
    /// Longest interval between identifications while it transmits.
    pub identify: Duration,
    /// The kind of measurement.
    pub probe: Probe,
    /// Commands to nodes on the path, one after the other, before blocks are sent.
    pub via_nodes: Vec<String>,
    /// The checked channel and station, whose parameters the TNC gets.
    pub scenario: Scenario,
}

/// What a transport measures: a timed test, round trips or a transfer.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Number of requests and responses, one after the other; 0 for none.
    pub exchanges: u32,
    /// Bytes of a request and of its response, at least 1: a series of exchanges for each.
    pub exchange_sizes: Vec<u32>,
    /// Bytes of a transfer; 0 for none.
    pub size: u64,
    /// Data bytes of one packet, 1 to [`LARGEST_PACKET`].
    pub packet_size: u32,
    /// Repetitions of exchanges and transfer, each over a new association.
    pub replications: u32,
    /// Injected loss: share of its own datagrams that this end drops, 0 to below 1.
    pub inject_loss: f64,
    /// Seed of the data sent and of the injected loss.
    pub seed: u64,
    /// What a transport with a [`scenario`](Information::scenario) needs.
    pub on_air: Option<OnAir>,
    /// What a transport that [is timed](Information::is_timed) needs.
    pub plan: Option<TimedTest>,
}

impl Measurement {
    /// The test of `plan`, for a transport that [is timed](Information::is_timed).
    pub fn timed(plan: TimedTest) -> Measurement {
        Measurement {
            exchanges: 0,
            exchange_sizes: plan.sizes.clone(),
            size: 0,
            packet_size: 0,
            replications: plan.replications,
            inject_loss: 0.0,
            seed: plan.seed,
            on_air: None,
            plan: Some(plan),
        }
    }
}

/// Limits of a server, and its injected loss.
#[derive(Clone, Debug, Default)]
pub struct Listening {
    /// Ends after this many associations.
    pub count: Option<u64>,
    /// Ends after this time.
    pub duration: Option<Duration>,
    /// Injected loss: share of its own datagrams that this end drops, 0 to below 1.
    pub inject_loss: f64,
    /// Seed of the injected loss.
    pub seed: u64,
    /// What a transport with a [`scenario`](Information::scenario) needs.
    pub on_air: Option<OnAir>,
    /// Settings of an agent of `sojourn://`.
    pub agent: Option<AgentSettings>,
    /// Key of a reflector that authenticates its clients.
    pub key: Option<Key>,
}

impl Listening {
    /// Whether a server ends now, which has served `done` associations, or a listener, which has heard as many frames.
    pub fn is_over(&self, watch: &Watch, now: Time, done: u64) -> bool {
        let is_late = self.duration.is_some_and(|duration| now >= Time::ZERO + duration);
        watch.is_cancelled() || is_late || self.count.is_some_and(|count| done >= count)
    }
}
