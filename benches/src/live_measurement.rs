//! The measurement of a real network against an agent on the loopback: what its times, its pacing and its load are worth.

use std::sync::Arc;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use sojourn_core::Duration;
use sojourn_live::clock::Clock;
use sojourn_live::measuring::calibration::Calibration;
use sojourn_live::measuring::plan::{Direction, Load, LoadTransport, Phase, Plan};
use sojourn_live::measuring::schedule::Schedule;
use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measured, Measurement, Watch, find};
use sojourn_metrics::record::{Observation, Record};

use crate::clock::timed;

/// Octets of a request, and of a datagram of load.
const OCTETS: u32 = 64;
/// More than any processor sends.
const AS_FAST_AS_IT_GOES: u64 = 10_000_000_000;

/// What requests at a rate gave.
pub struct Requests {
    /// Median and 99 % of the response time, in seconds.
    pub response_s: [f64; 2],
    /// Median and 99 % of how late requests left, in seconds.
    pub lateness_s: [f64; 2],
    /// Processors' worth of this process, the calibration before apart.
    pub processors: f64,
    /// How departures were met.
    pub pacing: &'static str,
}

/// Serves until it is killed.
pub fn agent(port: u64) {
    let (transport, target) = find(&format!("sojourn://127.0.0.1:{port}")).expect("a good URL");
    let serve = transport.answer(&target, Listening::default()).expect("a free port");
    serve(&Arc::new(Watch::new()), &mut NoFrames);
}

/// Sends `rate` requests a second for `seconds` to the agent at a port.
pub fn requests(port: u64, rate: u64, seconds: u64) -> Requests {
    let (calibrating, _) = timed(|| Calibration::run(&Clock::start()).expect("the loopback can be opened"));
    let schedule = Schedule::Periodic { interval: Duration::from_secs(1).divided(rate) };
    let (spent, measured) = timed(|| measure(port, plan(schedule, seconds, Vec::new())));
    let record = record(&measured);
    let circumstances = measured.circumstances.as_ref().expect("the host was calibrated");
    Requests {
        response_s: quantiles(record, "response_time"),
        lateness_s: quantiles(record, "lateness"),
        processors: (spent - calibrating) / seconds as f64,
        pacing: if circumstances.margin_us > 0.0 { "hybrid" } else { "sleep" },
    }
}

/// Datagrams of load sent and received per second, all of this process on one processor.
pub fn load(port: u64, seconds: u64) -> [f64; 2] {
    stay_on_one_processor();
    let load = Load {
        name: None,
        transport: LoadTransport::Udp { rate: AS_FAST_AS_IT_GOES, octets: OCTETS },
        direction: Direction::Up,
        streams: 1,
        start: Duration::ZERO,
        stop: None,
    };
    let seldom = Schedule::Periodic { interval: Duration::from_millis(250) };
    let measured = measure(port, plan(seldom, seconds, vec![load]));
    let record = record(&measured);
    let received = scalar(record, "throughput") / 8.0 / f64::from(OCTETS);
    [received / (1.0 - scalar(record, "loss/load")), received]
}

fn plan(schedule: Schedule, seconds: u64, loads: Vec<Load>) -> Plan {
    let (duration, loaded) = (Duration::from_secs(seconds), !loads.is_empty());
    let phase = Phase { name: "measured", duration, loaded, recorded: true };
    Plan { loads, ..Plan::new(schedule, OCTETS, vec![phase]) }
}

fn measure(port: u64, plan: Plan) -> Measured {
    let (transport, target) = find(&format!("sojourn://127.0.0.1:{port}")).expect("a good URL");
    let measurement = Measurement::by_the_clock(plan);
    transport.measure(&target, measurement).expect("loopback")(&Watch::new(), &mut NoFrames)
}

fn record(measured: &Measured) -> &Record {
    let experiment = &measured.experiments[0];
    experiment.records.first().unwrap_or_else(|| panic!("{:?}", experiment.failure))
}

fn quantiles(record: &Record, name: &str) -> [f64; 2] {
    let Observation::Distribution(found) = &record.metrics[name] else { panic!("{name} is a distribution") };
    let found = found.quantiles(&[0.5, 0.99]).expect("requests were answered");
    [found[0].seconds(), found[1].seconds()]
}

fn scalar(record: &Record, name: &str) -> f64 {
    let Observation::Scalar(value) = record.metrics[name] else { panic!("{name} is a scalar") };
    value
}

/// Threads begun later stay there, too.
pub fn stay_on_one_processor() {
    let allowed = sched_getaffinity(None).expect("a process knows its processors");
    let last = (0..CpuSet::MAX_CPU).rev().find(|&processor| allowed.is_set(processor)).expect("it has at least one");
    let mut one = CpuSet::new();
    one.set(last);
    sched_setaffinity(None, &one).expect("a process may give up processors");
}
