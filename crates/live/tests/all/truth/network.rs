//! An agent behind the network emulator, on loopback.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use sojourn_core::Duration;
use sojourn_live::agent_settings::AgentSettings;
use sojourn_live::emulator::{Link, Passed, Path, Shared, datagrams};
use sojourn_live::prober::pacer::Pacing;
use sojourn_live::prober::plan::{Phase, TimedTest};
use sojourn_live::prober::schedule::Schedule;
use sojourn_live::transport::NoFrames;
use sojourn_live::{Measured, Measurement, Watch, find};
use sojourn_metrics::Record;

use super::record::Truth;
use crate::agent::Agent;

/// A measurement, and what the emulator recorded meanwhile.
pub struct Emulated {
    pub measured: Measured,
    pub truth: Truth,
}

impl Emulated {
    /// The record of a phase, which did not fail.
    pub fn record(&self, phase: &str) -> &Record {
        let found = self.measured.experiments.iter().find(|experiment| experiment.name == phase).unwrap();
        assert_eq!(found.failure, None, "{:?}", self.measured.warnings);
        &found.records[0]
    }
}

/// A path with this delay in each direction.
pub fn delayed(ms: u64) -> Link {
    Link { delay: Duration::from_millis(ms), ..Link::default() }
}

pub fn phase(name: &'static str, loaded: bool, ms: u64) -> Phase {
    Phase { name, duration: Duration::from_millis(ms), loaded, recorded: true }
}

/// A request every 5 ms for so long, and a timeout beyond any pause of the machine.
pub fn plan(ms: u64) -> TimedTest {
    let schedule = Schedule::Periodic { interval: Duration::from_millis(5) };
    let (pacing, timeout) = (Some(Pacing::Sleep), Duration::from_secs(10));
    TimedTest { pacing, timeout, ..TimedTest::new(schedule, 64, vec![phase("idle", false, ms)]) }
}

/// Measures an agent over a path.
pub fn measure(path: &Path, plan: TimedTest) -> Emulated {
    let agent = Agent::start(AgentSettings::default());
    measure_at("sojourn", agent.address, path, plan)
}

/// Measures a server over a path.
pub fn measure_at(scheme: &str, server: SocketAddr, path: &Path, plan: TimedTest) -> Emulated {
    let emulator = Emulator::start("127.0.0.1:0".parse().unwrap(), server, path);
    let measured = measure_url(&format!("{scheme}://{}", emulator.address), plan);
    Emulated { measured, truth: emulator.end() }
}

/// Measures what a URL names.
pub fn measure_url(url: &str, plan: TimedTest) -> Measured {
    let (transport, target) = find(url).unwrap();
    transport.measure(&target, Measurement::timed(plan)).unwrap()(&Watch::new(), &mut NoFrames)
}

/// The emulator on a thread, in the network namespace of the thread that starts it.
pub struct Emulator {
    pub address: SocketAddr,
    watch: Arc<Watch>,
    thread: JoinHandle<Vec<Passed>>,
}

impl Emulator {
    /// Starts it from an address to a server.
    pub fn start(here: SocketAddr, server: SocketAddr, path: &Path) -> Emulator {
        Emulator::beside(here, server, path, &Shared::start())
    }

    /// The same, with the rate limiters and the clock of others on the same path.
    pub fn beside(here: SocketAddr, server: SocketAddr, path: &Path, shared: &Shared) -> Emulator {
        let relay = datagrams::Relay::sharing(here, server, path, shared).unwrap();
        let (address, watch) = (relay.address().unwrap(), Arc::new(Watch::new()));
        let until = watch.clone();
        let thread = std::thread::spawn(move || relay.run_recorded(&until).1);
        Emulator { address, watch, thread }
    }

    /// Ends it; what happened to every packet.
    pub fn end(self) -> Truth {
        self.watch.cancel();
        Truth::of(self.thread.join().unwrap())
    }
}
