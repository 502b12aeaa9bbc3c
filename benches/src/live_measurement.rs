//! The measurement of a real network against an agent on the loopback: what its times, its pacing and its load are worth.

use std::sync::Arc;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use sojourn_core::Duration;
use sojourn_live::agent_settings::AgentSettings;
use sojourn_live::key::NamedKey;
use sojourn_live::prober::plan::{Direction, Load, LoadTransport, Phase, TimedTest};
use sojourn_live::prober::schedule::Schedule;
use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measured, Measurement, Watch, find};
use sojourn_metrics::record::{Observation, Record};
use sojourn_protocols::authentication::Key;

use crate::clock::timed;

/// Octets of a request, and of a datagram of load.
const OCTETS: u32 = 64;
/// Bits per second of a million such datagrams, which is what an agent grants.
const MOST: u64 = 1_000_000 * 8 * OCTETS as u64;
/// Shared by both ends: an agent that is reached from elsewhere needs one.
const KEY: &[u8] = b"a key that both ends share";

/// What requests at a rate gave.
pub struct Requests {
    /// Median and 99 % of the response time, in seconds.
    pub response_s: [f64; 2],
    /// Median and 99 % of how late requests left, in seconds.
    pub lateness_s: [f64; 2],
    /// Processors' worth of this process while requests were in flight.
    pub processors: f64,
    /// How departures were met, and in which state the host was.
    pub regime: String,
}

/// Serves at an address and port until it is killed.
pub fn agent(address: &str) {
    let (transport, target) = find(&format!("sojourn://{address}")).expect("an address and port");
    let settings = AgentSettings {
        keys: vec![NamedKey { name: "bench".to_owned(), key: Key::new(KEY) }],
        ..AgentSettings::default()
    };
    let listening = Listening { agent: Some(settings), ..Listening::default() };
    let serve = transport.answer(&target, listening).expect("a free port");
    serve(&Arc::new(Watch::new()), &mut NoFrames);
}

/// Sends `rate` requests a second for `seconds` to the agent there.
#[expect(clippy::disallowed_methods, reason = "what is measured in real time is waited for in real time")]
pub fn requests(address: &str, rate: u64, seconds: u64) -> Requests {
    let schedule = Schedule::Periodic { interval: Duration::from_secs(1).divided(rate) };
    let watch = Watch::new();
    let (spent, measured) = std::thread::scope(|scope| {
        let thread = scope.spawn(|| measure(address, plan(schedule, seconds, Vec::new()), &watch));
        // what comes before is the calibration, whose cost is not measured
        while watch.look().phase != "requests" && !thread.is_finished() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        timed(|| thread.join().expect("a measurement does not panic"))
    });
    let record = record(&measured);
    let circumstances = measured.circumstances.as_ref().expect("the host was calibrated");
    let pacing = if circumstances.margin_us > 0.0 { "sleep, then spin" } else { "sleep" };
    Requests {
        response_s: quantiles(record, "response_time"),
        lateness_s: quantiles(record, "lateness"),
        processors: spent / seconds as f64,
        regime: format!("{pacing}; {}", circumstances.calibration.regime.describe()),
    }
}

/// Datagrams of load sent and received per second, all of this process on one processor.
pub fn load(address: &str, direction: Direction, seconds: u64) -> [f64; 2] {
    stay_on_one_processor();
    let load = Load {
        name: None,
        transport: LoadTransport::Udp { rate: MOST, octets: OCTETS },
        direction,
        streams: 1,
        start: Duration::ZERO,
        dscp: 0,
        stop: None,
    };
    let seldom = Schedule::Periodic { interval: Duration::from_millis(250) };
    let measured = measure(address, plan(seldom, seconds, vec![load]), &Watch::new());
    let record = record(&measured);
    let received = scalar(record, "throughput") / 8.0 / f64::from(OCTETS);
    [received / (1.0 - scalar(record, "loss/load")), received]
}

fn plan(schedule: Schedule, seconds: u64, loads: Vec<Load>) -> TimedTest {
    let (duration, loaded) = (Duration::from_secs(seconds), !loads.is_empty());
    let phase = Phase { name: "measured", duration, loaded, recorded: true };
    TimedTest { loads, key: Some(Key::new(KEY)), ..TimedTest::new(schedule, OCTETS, vec![phase]) }
}

fn measure(address: &str, plan: TimedTest, watch: &Watch) -> Measured {
    let (transport, target) = find(&format!("sojourn://{address}")).expect("an address and port");
    let measurement = Measurement::timed(plan);
    transport.measure(&target, measurement).expect("an address that is there")(watch, &mut NoFrames)
}

fn record(measured: &Measured) -> &Record {
    let experiment = &measured.experiments[0];
    experiment.records.first().unwrap_or_else(|| panic!("{:?}", experiment.failure))
}

fn quantiles(record: &Record, name: &str) -> [f64; 2] {
    let Observation::Distribution(found) = &record.metrics[name] else { panic!("{name} is a distribution") };
    let found = found.quantiles(&[0.5, 0.99]).expect("requests were answered");
    [found[0], found[1]].map(|span| span.expect("all came back").seconds())
}

fn scalar(record: &Record, name: &str) -> f64 {
    record.value(name)
}

/// Threads begun later stay there, too.
pub fn stay_on_one_processor() {
    let allowed = sched_getaffinity(None).expect("a process knows its processors");
    let last = (0..CpuSet::MAX_CPU).rev().find(|&processor| allowed.is_set(processor)).expect("it has at least one");
    let mut one = CpuSet::new();
    one.set(last);
    sched_setaffinity(None, &one).expect("a process may give up processors");
}
