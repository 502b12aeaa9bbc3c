//! What is to be measured by the clock, and under what.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_protocols::authentication::Key;

use super::pacer::Pacing;
use super::schedule::Schedule;
use super::voice::Voice;
use crate::io::cpu_idle::CpuLatencyGuard;
use crate::io::datagrams::Marking;

/// A measurement that lasts a time.
#[derive(Clone, Debug)]
pub struct Plan {
    /// When requests leave.
    pub schedule: Schedule,
    /// Octets of a request, each a measurement of its own.
    pub sizes: Vec<u32>,
    /// One after the other without a gap; the first begins a moment after the measurement does.
    pub phases: Vec<Phase>,
    /// What carries them, where the peer has both.
    pub transport: RequestTransport,
    /// What loads the network in phases that are loaded.
    pub loads: Vec<Load>,
    /// An answer that takes longer is a loss.
    pub timeout: Duration,
    /// How packets leave this host.
    pub marking: Marking,
    /// How departures are met; decided by the calibration where nothing is asked for.
    pub pacing: Option<Pacing>,
    /// What keeps this host's processors from halting meanwhile, where that is wanted.
    pub no_cpu_idle: Option<Arc<CpuLatencyGuard>>,
    /// What plays the requests out as voice, where they are that.
    pub voice: Option<Voice>,
    /// How often all of it is repeated.
    pub replications: u32,
    /// Seed of random schedules and of data sent.
    pub seed: u64,
    /// The shared secret of both ends, where they have one.
    pub key: Option<Key>,
}

/// A stretch of a measurement, with metrics of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// `"idle"`, `"loaded"`, `"recovery"`; `"warm-up"` and `"measured"` of a scenario.
    pub name: &'static str,
    /// How long.
    pub duration: Duration,
    /// Whether the network is loaded meanwhile.
    pub loaded: bool,
    /// Whether its metrics are kept; those of a warm-up are not.
    pub recorded: bool,
}

/// What carries requests and answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestTransport {
    /// A datagram each.
    #[default]
    Udp,
    /// One connection, on which they stand behind one another.
    Tcp,
}

/// Streams alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// What its stream is called, or its streams, a number behind each; by transport and direction when absent.
    pub name: Option<String>,
    /// What carries it.
    pub transport: LoadTransport,
    /// Which way its data goes.
    pub direction: Direction,
    /// How many streams.
    pub streams: u32,
    /// From the start of the loaded phase.
    pub start: Duration,
    /// From the start of the loaded phase; to its end when absent.
    pub stop: Option<Duration>,
}

/// What carries a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadTransport {
    /// Bulk data over TCP.
    Tcp {
        /// The sender's congestion control by the system's name for it, `cubic`; the system's default when absent.
        congestion: Option<String>,
        /// Bits per second at most that a stream is paced to.
        pace: Option<u64>,
    },
    /// Datagrams at a rate.
    Udp {
        /// Bits of user data per second, of each stream.
        rate: u64,
        /// Octets of a datagram.
        octets: u32,
    },
}

/// Which way a load goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From this end to the other.
    Up,
    /// From the other end to this.
    Down,
}

impl Plan {
    /// Requests of one size through phases: over UDP, once, without load or secret, an answer within a second, and all
    /// else as the host and its calibration have it.
    pub fn new(schedule: Schedule, octets: u32, phases: Vec<Phase>) -> Plan {
        Plan {
            schedule,
            sizes: vec![octets],
            phases,
            transport: RequestTransport::default(),
            loads: Vec::new(),
            timeout: Duration::from_secs(1),
            marking: Marking::default(),
            pacing: None,
            no_cpu_idle: None,
            voice: None,
            replications: 1,
            seed: 1,
            key: None,
        }
    }

    /// The length of all phases together.
    pub fn duration(&self) -> Duration {
        self.phases.iter().map(|phase| phase.duration).sum()
    }
}
