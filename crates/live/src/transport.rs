//! What a transport is, what can be asked of it, and what it gives.

use sojourn_core::Duration;
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_scenario::{Problems, Scenario};

use crate::agent_settings::AgentSettings;
pub use crate::prober::measured::{Experiment, Measured, TestConditions};
use crate::prober::plan::Plan;
use crate::progress::watch::Watch;
use crate::target::Target;

/// The most data bytes that one packet may be asked to hold: what the length fields of IPv4 and UDP leave beside all
/// headers, rounded down.
pub const LARGEST_PACKET: u32 = 65_000;

/// A way to reach a real network, named by the scheme of a URL.
pub trait Transport: Sync {
    /// What documentation says of it.
    fn information(&self) -> &'static Information;

    /// Opens what is needed to measure against the other end; the closure measures.
    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems>;

    /// Opens what is needed to listen; the closure listens until it is told to stop.
    ///
    /// On a network of hosts that is to be the other end of a measurement. On the air it is to hear what others say,
    /// and to transmit nothing.
    fn listen(&self, target: &Target, listening: Listening) -> Result<Measure, Problems>;

    /// Opens what is needed to answer as the far station of a radio channel; the closure answers until it is told to
    /// stop.
    fn answer(&self, target: &Target, _listening: Listening) -> Result<Measure, Problems> {
        let message =
            format!("`agent` answers on radio channels; over {} it is `listen` that answers", target.scheme());
        Err(target.problem(0..target.scheme().len(), message).help("sojourn listen URL").into())
    }
}

/// Measures, serves or listens, on the thread that calls it; frames carried go to the sink.
pub type Measure = Box<dyn FnOnce(&Watch, &mut dyn FrameSink) -> Measured + Send>;

/// A sink for those who want no frames.
#[derive(Debug)]
pub struct NoFrames;

impl FrameSink for NoFrames {
    fn frame(&mut self, _at: sojourn_core::Time, _bytes: &[u8]) {}
}

/// What there is to say of a transport.
#[derive(Debug)]
pub struct Information {
    /// The scheme of its URLs.
    pub scheme: &'static str,
    /// How its URLs look.
    pub form: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What the operating system must allow.
    pub needs: Option<&'static str>,
    /// Standards and papers.
    pub sources: &'static [&'static str],
    /// The keys for real networks that it obeys, besides `measure.peer`: paths, tables and lists.
    pub keys: &'static [&'static [&'static str]],
    /// What its frames begin with, in a capture.
    pub link_type: Option<LinkType>,
    /// Whether it measures for a time, by a schedule, rather than a number of exchanges.
    pub is_timed: bool,
    /// The scenario that its channel and its station stand in, as TOML, where a profile describes them.
    pub scenario: Option<&'static str>,
}

/// The keys that every timed test obeys.
pub const TIMED_KEYS: &[&str] = &[
    "measure.schedule",
    "measure.rate",
    "measure.burst",
    "measure.dscp",
    "measure.ecn",
    "measure.bind",
    "measure.pacing",
    "measure.no_cpu_idle",
    "measure.voice",
];

impl Information {
    /// Whether it obeys a key that only real networks obey, by its path or the name of its list.
    pub fn obeys(&self, path: &str) -> bool {
        let table = path.split('.').next().unwrap_or_default();
        path == "measure.peer" || self.keys.iter().flat_map(|list| list.iter()).any(|key| [path, table].contains(key))
    }
}

/// What is measured on the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Probe {
    /// Blocks to a station that sends them back.
    #[default]
    PingPong,
    /// Links set up and ended again.
    Connect,
    /// AX.25 TEST frames, which any station of version 2.2 sends back.
    Test,
    /// UI frames of its own, heard back from a digipeater.
    Digipeater,
    /// Links set up until the first words of a node.
    Prompt,
}

impl Probe {
    /// Every probe, and the word for it.
    pub const ALL: [(&'static str, Probe); 5] = [
        ("ping-pong", Probe::PingPong),
        ("connect", Probe::Connect),
        ("test", Probe::Test),
        ("digipeater", Probe::Digipeater),
        ("prompt", Probe::Prompt),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        Probe::ALL.iter().find(|(_, probe)| *probe == self).map_or("", |(name, _)| name)
    }
}

/// How a station behaves on the air, and what channel it is on.
#[derive(Clone, Debug)]
pub struct OnAir {
    /// Its own callsign; without it, it does not transmit.
    pub callsign: Option<String>,
    /// How much of any minute it may transmit; without it, it does not.
    pub airtime: Option<Duration>,
    /// At least how often it says who it is while it transmits.
    pub identify: Duration,
    /// What is measured.
    pub probe: Probe,
    /// Lines said to nodes on the way, one after the other, before blocks are sent.
    pub via_nodes: Vec<String>,
    /// The channel and the station, checked: what it says, the TNC is told.
    pub scenario: Scenario,
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Measurement {
    /// Request and answer, one after the other, so many times; 0 for none.
    pub exchanges: u32,
    /// Bytes of a request, and of its answer, at least 1: a series of exchanges for each.
    pub exchange_sizes: Vec<u32>,
    /// Bytes of a transfer; 0 for none.
    pub size: u64,
    /// Data bytes of one packet, 1 to [`LARGEST_PACKET`].
    pub packet_size: u32,
    /// How often exchanges and transfer are repeated, each time over a new association.
    pub replications: u32,
    /// Share of its own datagrams that this end drops on purpose, 0 to below 1.
    pub inject_loss: f64,
    /// Seed of the data sent and of the injected loss.
    pub seed: u64,
    /// What a transport with a [`scenario`](Information::scenario) needs.
    pub on_air: Option<OnAir>,
    /// What a transport that [is timed](Information::is_timed) needs.
    pub plan: Option<Plan>,
}

impl Measurement {
    /// What `plan` says, for a transport that [is timed](Information::is_timed).
    pub fn timed(plan: Plan) -> Measurement {
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

/// How long, how often and how badly to serve.
#[derive(Clone, Debug, Default)]
pub struct Listening {
    /// End after so many associations.
    pub count: Option<u64>,
    /// End after so long.
    pub duration: Option<Duration>,
    /// Share of its own datagrams that this end drops on purpose, 0 to below 1.
    pub inject_loss: f64,
    /// Seed of the injected loss.
    pub seed: u64,
    /// What a transport with a [`scenario`](Information::scenario) needs.
    pub on_air: Option<OnAir>,
    /// How an agent of `sojourn://` serves.
    pub agent: Option<AgentSettings>,
}
