//! Load over UDP: what is in flight at its end is not lost.

use std::sync::atomic::Ordering;
use std::time::Duration as Span;

use sojourn_core::Duration;
use sojourn_live::agent_settings::AgentSettings;
use sojourn_live::emulator::{Impairment, Link, Path};
use sojourn_live::prober::plan::{Direction, Load, LoadTransport, TimedTest};
use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measured, Measurement, Watch, find};
use sojourn_protocols::probe::wire::Kind;

use super::network::{Emulator, delayed, measure, phase, plan};
use crate::agent::Agent;
use crate::waiting::{free_port, until};

pub fn loaded(rate: u64, direction: Direction) -> TimedTest {
    let load = Load {
        name: None,
        transport: LoadTransport::Udp { rate, octets: 1200 },
        direction,
        streams: 1,
        dscp: 0,
        start: Duration::ZERO,
        stop: None,
    };
    TimedTest { phases: vec![phase("loaded", true, 2000)], loads: vec![load], ..plan(0) }
}

#[test]
fn load_of_which_nothing_is_lost_has_no_loss_at_200_ms_in_each_direction() {
    for direction in [Direction::Down, Direction::Up] {
        let emulated = measure(&Path::both(delayed(200), 1), loaded(1_000_000, direction));
        let load = emulated.truth.of_kind(Kind::Load, direction == Direction::Up);
        assert!(load.len() > 100 && load.iter().all(|(_, passed)| passed.delivered.len() == 1), "{}", load.len());
        assert_eq!(emulated.record("loaded").value("loss/load"), 0.0, "{direction:?}");
        // a session that is opened over 400 ms takes more than one Hello, which are answered as well
        let warnings = &emulated.measured.warnings;
        assert!(!warnings.iter().any(|warning| warning.contains("not responses")), "{warnings:?}");
    }
}

#[test]
fn the_loss_of_load_is_what_a_full_queue_dropped_of_it() {
    // 1.5 Mbit/s of load and the requests into 1 Mbit/s, behind 200 ms of queue
    let slow = Impairment { queue: 25_000, ..Link { rate: Some(1_000_000), ..delayed(10) }.into() };
    for direction in [Direction::Down, Direction::Up] {
        let emulated = measure(&Path::both(slow.clone(), 1), loaded(1_500_000, direction));
        let load = emulated.truth.of_kind(Kind::Load, direction == Direction::Up);
        let dropped = load.iter().filter(|(_, passed)| passed.delivered.is_empty()).count();
        let share = dropped as f64 / load.len() as f64;
        let reported = emulated.record("loaded").value("loss/load");
        assert!(dropped > 20 && (reported - share).abs() < 1e-9, "{reported}, recorded {share}: {direction:?}");
        let series = &emulated.record("loaded").traces["throughput"];
        let mean = series.iter().map(|(_, bit_rate)| bit_rate).sum::<f64>() / series.len() as f64;
        assert!(mean < 1.05e6, "what arrived over time, not what was sent: {mean} bit/s, {direction:?}");
    }
}

#[test]
fn duplicates_of_load_hide_no_loss() {
    let lossy = Impairment { duplication: 0.1, ..Link { loss: 0.1, ..delayed(5) }.into() };
    let emulated = measure(&Path::both(lossy, 3), loaded(2_000_000, Direction::Down));
    let load = emulated.truth.of_kind(Kind::Load, false);
    let dropped = load.iter().filter(|(_, passed)| passed.delivered.is_empty()).count();
    let share = dropped as f64 / load.len() as f64;
    assert!((emulated.record("loaded").value("loss/load") - share).abs() < 1e-9);
}

/// Load in both directions for 4 s, in which the agent ends after a while and starts again half a second later; killed, it does
/// not close its sessions.
fn restarted(is_killed: bool) -> Measured {
    let url = format!("sojourn://127.0.0.1:{}", free_port());
    let listening = || Listening { agent: Some(AgentSettings::default()), ..Listening::default() };
    let agent = Agent::at(&url, listening());
    let path = Path::both(delayed(5), 4);
    let mut emulator = Emulator::start("127.0.0.1:0".parse().unwrap(), agent.address, &path);
    let through = emulator.address;
    let loads = [Direction::Up, Direction::Down].map(|direction| loaded(1_000_000, direction).loads.remove(0));
    // a shorter one could not show that the load goes on once its end was found and its session opened
    let plan = TimedTest { phases: vec![phase("loaded", true, 4000)], loads: loads.into(), ..plan(0) };
    let (plan, watch) = (TimedTest { timeout: Duration::from_secs(1), ..plan }, Watch::new());
    let (transport, target) = find(&format!("sojourn://{through}")).unwrap();
    let measure = transport.measure(&target, Measurement::timed(plan)).unwrap();
    let (measured, again, emulator) = std::thread::scope(|scope| {
        let measuring = scope.spawn(|| measure(&watch, &mut NoFrames));
        until("load", || (watch.gauge().carried().load(Ordering::Relaxed) > 100_000).then_some(()));
        if is_killed {
            // what it sends to close its sessions does not pass
            emulator.end();
            agent.stop();
            std::thread::sleep(Span::from_millis(500));
            emulator = Emulator::start(through, url[10..].parse().unwrap(), &path);
        } else {
            agent.stop();
            std::thread::sleep(Span::from_millis(500));
        }
        let again = Agent::at(&url, listening());
        (measuring.join().unwrap(), again, emulator)
    });
    emulator.end();
    again.stop();
    measured
}

/// Load goes on after a restart of the agent, and what was sent meanwhile is lost.
fn goes_on(measured: &Measured) {
    let experiment = &measured.experiments[0];
    assert_eq!(experiment.failure, None, "{:?}", measured.warnings);
    for name in ["load udp-up-1: its session was opened again", "load udp-down-2: its session was opened again"] {
        assert!(measured.warnings.iter().any(|warning| warning.contains(name)), "{:?}", measured.warnings);
    }
    let record = &experiment.records[0];
    for name in ["throughput/udp-up-1", "throughput/udp-down-2"] {
        assert!((2e5..9.8e5).contains(&record.value(name)), "{name}: {}", record.value(name));
    }
    assert!((0.01..0.5).contains(&record.value("loss/load")), "{}", record.value("loss/load"));
    let course = &record.traces["throughput"];
    let last = course.iter().rev().take(5).map(|(_, bit_rate)| bit_rate).sum::<f64>() / 5.0;
    assert!(last > 1e6, "both directions at the end, not {last} bit/s");
}

#[test]
fn load_in_both_directions_goes_on_after_a_restart_of_the_agent() {
    goes_on(&restarted(false));
}

#[test]
fn load_in_both_directions_goes_on_after_an_agent_that_was_killed_starts_again() {
    goes_on(&restarted(true));
}
