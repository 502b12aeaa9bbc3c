//! What a transport is, what can be asked of it, and what it gives.

use sojourn_core::Duration;
use sojourn_metrics::record::Record;
use sojourn_scenario::Problems;

use crate::target::Target;
use crate::watch::Watch;

/// The most data bytes that one packet may be asked to hold: what the length fields of IPv4 and UDP leave beside all
/// headers, rounded down.
pub const LARGEST_PACKET: u32 = 65_000;

/// A way to reach a real network, named by the scheme of a URL.
pub trait Transport: Sync {
    /// What documentation says of it.
    fn information(&self) -> &'static Information;

    /// Opens what is needed to measure against the other end; the closure measures.
    fn measure(&self, target: &Target, measurement: Measurement) -> Result<Measure, Problems>;

    /// Opens what is needed to be the other end; the closure serves until it is told to stop.
    fn listen(&self, target: &Target, listening: Listening) -> Result<Listen, Problems>;
}

/// Measures, on the thread that calls it.
pub type Measure = Box<dyn FnOnce(&Watch) -> Measured + Send>;

/// Serves, on the thread that calls it.
pub type Listen = Box<dyn FnOnce(&Watch) + Send>;

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
}

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Request and answer, one after the other, so many times; 0 for none.
    pub exchanges: u32,
    /// Bytes of a request, and of its answer; at least 1.
    pub exchange_size: u32,
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
}

/// How long, how often and how badly to serve.
#[derive(Clone, Debug, PartialEq)]
pub struct Listening {
    /// End after so many associations.
    pub count: Option<u64>,
    /// End after so long.
    pub duration: Option<Duration>,
    /// Share of its own datagrams that this end drops on purpose, 0 to below 1.
    pub inject_loss: f64,
    /// Seed of the injected loss.
    pub seed: u64,
}

/// What was measured.
#[derive(Debug, Default)]
pub struct Measured {
    /// In the order they were made.
    pub experiments: Vec<Experiment>,
    /// What a reader of the numbers should know.
    pub warnings: Vec<String>,
}

/// One kind of measurement, repeated.
#[derive(Debug)]
pub struct Experiment {
    /// `"exchanges"` or `"transfer"`.
    pub name: &'static str,
    /// One per replication.
    pub records: Vec<Record>,
    /// The mean length of a replication.
    pub duration: Duration,
    /// Why there are no more records than there are.
    pub failure: Option<String>,
}
