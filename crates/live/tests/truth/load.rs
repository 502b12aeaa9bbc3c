//! Load over UDP: what is in flight at its end is not lost.

use sojourn_core::Duration;
use sojourn_live::emulator::{Impairment, Path};
use sojourn_live::prober::plan::{Direction, Load, LoadTransport, Plan};
use sojourn_protocols::probe::wire::Kind;

use super::network::{delayed, measure, phase, plan};

pub fn loaded(rate: u64, direction: Direction) -> Plan {
    let load = Load {
        name: None,
        transport: LoadTransport::Udp { rate, octets: 1200 },
        direction,
        streams: 1,
        dscp: 0,
        start: Duration::ZERO,
        stop: None,
    };
    Plan { phases: vec![phase("loaded", true, 2000)], loads: vec![load], ..plan(0) }
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
    let slow = Impairment { rate: Some(1_000_000), queue: 25_000, ..delayed(10) };
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
    let lossy = Impairment { loss: 0.1, duplication: 0.1, ..delayed(5) };
    let emulated = measure(&Path::both(lossy, 3), loaded(2_000_000, Direction::Down));
    let load = emulated.truth.of_kind(Kind::Load, false);
    let dropped = load.iter().filter(|(_, passed)| passed.delivered.is_empty()).count();
    let share = dropped as f64 / load.len() as f64;
    assert!((emulated.record("loaded").value("loss/load") - share).abs() < 1e-9);
}
