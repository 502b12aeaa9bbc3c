//! One-way delays by synchronized clocks, against delays that differ by direction.

use sojourn_core::Duration;
use sojourn_live::Watch;
use sojourn_live::agent_settings::AgentSettings;
use sojourn_live::emulator::{Path, Shared, connections};
use sojourn_live::prober::plan::{RequestTransport, TimedTest};
use sojourn_live::prober::synchronized::Clocks;
use sojourn_protocols::stamp::{ErrorEstimate, Format};

use super::clocks::SteppedReflector;
use super::network::{Emulated, Emulator, delayed, measure, measure_at, measure_url, plan};
use crate::agent::Agent;

const STATED: Clocks = Clocks::Stated { error: Duration::from_millis(1) };

/// 30 ms forward, 10 ms on the return.
fn asymmetric() -> Path {
    Path::of(delayed(30), delayed(10), 1)
}

fn with(clocks: Clocks) -> TimedTest {
    TimedTest { clocks, ..plan(2000) }
}

/// An agent over TCP.
fn measure_over_tcp(path: &Path, clocks: Clocks) -> Emulated {
    let agent = Agent::start(AgentSettings::default());
    let shared = Shared::start();
    let emulator = Emulator::beside("127.0.0.1:0".parse().unwrap(), agent.address, path, &shared);
    let streams = connections::Relay::sharing(emulator.address, agent.address, path, &shared).unwrap();
    let watch = Watch::new();
    let measured = std::thread::scope(|scope| {
        let relaying = scope.spawn(|| streams.run(&watch));
        let plan = TimedTest { transport: RequestTransport::Tcp, ..with(clocks) };
        let measured = measure_url(&format!("sojourn://{}", emulator.address), plan);
        watch.cancel();
        relaying.join().unwrap();
        measured
    });
    Emulated { measured, truth: emulator.end() }
}

/// The median one-way delays, forward and return, in milliseconds, and their error.
fn one_way_ms(emulated: &Emulated) -> ([f64; 2], f64) {
    let record = emulated.record("idle");
    let median =
        |member| record.distribution(&format!("one_way_delay/{member}")).quantile(0.5).unwrap().seconds() * 1e3;
    (["forward", "return"].map(median), record.value("clock_error") * 1e3)
}

fn failure(emulated: &Emulated) -> &str {
    emulated.measured.experiments[0].failure.as_deref().unwrap_or_else(|| panic!("{:?}", emulated.measured.warnings))
}

#[test]
fn clocks_that_are_synchronized_show_the_asymmetry_that_an_estimate_hides() {
    let (estimated, error) = one_way_ms(&measure(&asymmetric(), plan(2000)));
    assert!(estimated.iter().all(|delay| (19.5..23.0).contains(delay)) && error > 19.0, "{estimated:?} {error}");
    let (delays, error) = one_way_ms(&measure(&asymmetric(), with(STATED)));
    assert!((29.5..33.0).contains(&delays[0]) && (9.5..13.0).contains(&delays[1]), "{delays:?}");
    assert!((1.0..1.01).contains(&error), "the stated error and that of timestamps: {error}");
}

#[test]
fn they_show_it_over_tcp_as_well() {
    let (delays, error) = one_way_ms(&measure_over_tcp(&asymmetric(), STATED));
    assert!((29.5..36.0).contains(&delays[0]) && (9.5..16.0).contains(&delays[1]), "{delays:?}");
    assert!((1.0..1.01).contains(&error), "the stated error and that of timestamps: {error}");
}

#[test]
fn a_reflector_with_the_s_bit_states_its_own_error() {
    let after = std::time::Duration::ZERO;
    let reflector = SteppedReflector::stating(after, 0, ErrorEstimate::of(2e-3, true, Format::Ntp));
    let own_error = Duration::from_millis(3);
    let clocks = Clocks::Synchronized { own_error };
    let emulated = measure_at("stamp", reflector.address, &asymmetric(), with(clocks));
    let (delays, error) = one_way_ms(&emulated);
    assert!((29.5..33.0).contains(&delays[0]) && (9.5..13.0).contains(&delays[1]), "{delays:?}");
    assert!((5.0..5.1).contains(&error), "the sum of both: {error}");
}

#[test]
fn a_peer_that_does_not_state_its_error_is_refused_with_what_to_type() {
    let unsynchronized = SteppedReflector::start(std::time::Duration::ZERO, 0);
    let clocks = Clocks::Synchronized { own_error: Duration::from_millis(3) };
    let emulated = measure_at("stamp", unsynchronized.address, &asymmetric(), with(clocks));
    assert!(failure(&emulated).contains("--clock-error '1 ms'"), "{}", failure(&emulated));
    let experiment = &emulated.measured.experiments[0];
    assert!(experiment.records[0].distribution("response_time").count() > 300, "round trips need no clock");
    assert!(!experiment.records[0].metrics.contains_key("one_way_delay/forward"));
}

#[test]
fn a_clock_that_is_wrong_by_more_than_its_error_is_refused() {
    let ahead =
        SteppedReflector::stating(std::time::Duration::ZERO, 500_000_000, ErrorEstimate::of(1e-3, true, Format::Ntp));
    let emulated = measure_at("stamp", ahead.address, &asymmetric(), with(STATED));
    assert!(failure(&emulated).contains("negative by more than the error"), "{}", failure(&emulated));
    assert!(!emulated.measured.experiments[0].records[0].metrics.contains_key("one_way_delay/forward"));
}
