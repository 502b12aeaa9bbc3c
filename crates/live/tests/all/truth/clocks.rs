//! Steps of the path and of a clock in mid-run, against what the emulator and the reflector did.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use sojourn_core::{Duration, Time};
use sojourn_live::emulator::{Impairment, Path};
use sojourn_metrics::Record;
use sojourn_metrics::record::Observation;
use sojourn_protocols::stamp::{ErrorEstimate, Format, Probe, Reply, Timestamp};

use super::network::{Emulated, delayed, measure, measure_at, plan};

/// A session-reflector whose clock is ahead of this host's from a time after the first probe on.
pub struct SteppedReflector {
    pub address: SocketAddr,
    over: Arc<AtomicBool>,
}

impl SteppedReflector {
    /// Starts it; its clock is ahead by so much after this time.
    pub fn start(after: std::time::Duration, ahead_ns: u64) -> SteppedReflector {
        SteppedReflector::stating(after, ahead_ns, ErrorEstimate::UNKNOWN)
    }

    /// Starts one that states this error of its clock.
    pub fn stating(after: std::time::Duration, ahead_ns: u64, error: ErrorEstimate) -> SteppedReflector {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(std::time::Duration::from_millis(50))).unwrap();
        let (address, over) = (socket.local_addr().unwrap(), Arc::new(AtomicBool::new(false)));
        let stop = over.clone();
        std::thread::spawn(move || {
            let (mut buffer, mut number, mut first) = ([0; 2048], 0, None);
            while !stop.load(Ordering::Relaxed) {
                let Ok((length, from)) = socket.recv_from(&mut buffer) else { continue };
                let began: Instant = *first.get_or_insert_with(Instant::now);
                let wall_ns = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
                let now_ns = wall_ns + if began.elapsed() >= after { ahead_ns } else { 0 };
                let (probe, _) = Probe::parse(&buffer[..length], None).unwrap();
                let reply = Reply {
                    sequence: number,
                    timestamp: Timestamp::of(now_ns, Format::Ntp),
                    error,
                    session: probe.session,
                    received: Timestamp::of(now_ns, Format::Ntp),
                    probe_sequence: probe.sequence,
                    probe_timestamp: probe.timestamp,
                    probe_error: probe.error,
                    probe_ttl: 64,
                };
                number += 1;
                let mut bytes = Vec::new();
                reply.emit(None, &mut bytes);
                bytes.resize(length, 0);
                socket.send_to(&bytes, from).unwrap();
            }
        });
        SteppedReflector { address, over }
    }
}

impl Drop for SteppedReflector {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
    }
}

fn skew_interval(record: &Record) -> [f64; 2] {
    match record.metrics["clock_skew"] {
        Observation::Estimate { interval, .. } => interval,
        ref other => panic!("{other:?}"),
    }
}

fn median_s(record: &Record, name: &str) -> f64 {
    record.distribution(name).quantile(0.5).unwrap().seconds()
}

/// The seconds named in a warning, "after 3.0 s ...".
fn seconds(emulated: &Emulated, of: &str) -> f64 {
    let warnings = &emulated.measured.warnings;
    let found = warnings.iter().find(|warning| warning.contains(of)).unwrap_or_else(|| panic!("{warnings:?}"));
    found.split(' ').nth(1).unwrap().parse().unwrap()
}

#[test]
fn a_step_of_one_direction_is_reported_with_its_time_and_is_no_skew() {
    let at = Time::ZERO + Duration::from_secs(5);
    let forward = Impairment::from(delayed(20)).with_delay_step(at, Duration::from_millis(30));
    let emulated = measure(&Path::of(forward, delayed(20), 1), plan(8000));
    let record = emulated.record("idle");
    let [low, high] = skew_interval(record);
    // both ends have one clock; wake-ups of a busy host drift by a few millionths
    assert!(low <= 10e-6 && high >= -10e-6 && high - low < 200e-6, "{low} {high}");
    // the calibration takes two seconds of the emulator's time
    assert!((1.0..5.0).contains(&seconds(&emulated, "of the forward path changed")));
    let back = median_s(record, "one_way_delay/return");
    assert!((back - 0.02).abs() < 0.005, "{back}");
    assert_eq!(record.total("clock_steps"), 0);
}

#[test]
fn a_step_of_the_reflectors_clock_is_reported_and_leaves_one_way_delays_as_they_are() {
    let reflector = SteppedReflector::start(std::time::Duration::from_secs(3), 500_000_000);
    let path = Path::both(delayed(20), 1);
    let emulated = measure_at("stamp", reflector.address, &path, plan(8000));
    let record = emulated.record("idle");
    assert_eq!(record.total("clock_steps"), 1, "{:?}", emulated.measured.warnings);
    assert!((seconds(&emulated, "the clock of") - 3.0).abs() < 0.5);
    for direction in ["forward", "return"] {
        let delays = record.distribution(&format!("one_way_delay/{direction}"));
        let [median, most] = [0.5, 0.99].map(|q| delays.quantile(q).unwrap().seconds());
        assert!((0.015..0.03).contains(&median) && most < 0.2, "{direction} {median} {most}");
    }
}
