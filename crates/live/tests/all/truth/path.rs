//! What the path does to packets, as it is found, against what the emulator did.

use sojourn_core::{Duration, Time};
use sojourn_live::emulator::{Impairment, Link, Passed, Path};
use sojourn_live::prober::plan::{Direction, TimedTest};
use sojourn_metrics::results::{PathFinding, Setting};
use sojourn_protocols::probe::wire::Kind;

use super::load::loaded;
use super::network::{Emulated, delayed, measure, phase, plan};

/// The findings of a name.
fn found<'a>(emulated: &'a Emulated, name: &str) -> Vec<&'a PathFinding> {
    let all = emulated.measured.path.as_ref().expect("a timed test has a list");
    all.iter().filter(|finding| finding.finding == name).collect()
}

fn integer(finding: &PathFinding, name: &str) -> u64 {
    match finding.values[name] {
        Setting::Integer(value) => value as u64,
        ref other => panic!("{name} is {other:?}"),
    }
}

fn number(finding: &PathFinding, name: &str) -> f64 {
    match finding.values[name] {
        Setting::Number(value) => value,
        ref other => panic!("{name} is {other:?}"),
    }
}

/// Packets that were overtaken and the largest extent, by when the emulator sent each on, of packets in the order of sending.
fn extents(packets: &[(u64, &Passed)]) -> (u64, u64) {
    let mut order: Vec<(Time, usize)> = packets
        .iter()
        .enumerate()
        .filter_map(|(place, (_, passed))| Some((*passed.delivered.first()?, place)))
        .collect();
    order.sort();
    let (mut count, mut largest) = (0, 0);
    for (position, (_, place)) in order.iter().enumerate() {
        if let Some(first) = order[..position].iter().position(|(_, other)| other > place) {
            count += 1;
            largest = largest.max((position - first) as u64);
        }
    }
    (count, largest)
}

#[test]
fn a_path_that_does_nothing_to_packets_has_no_findings() {
    let emulated = measure(&Path::both(delayed(10), 1), plan(2000));
    let all = emulated.measured.path.as_ref().expect("a timed test has a list");
    // an emulator that waits for a busy host's processor is a queue indeed
    assert!(all.iter().all(|finding| finding.finding == "queue"), "{all:?}");
}

#[test]
fn the_reordering_extent_of_each_direction_is_the_recorded_one() {
    // requests every 5 ms, of which some are 18 ms late: overtaken by three or four
    let late = Impairment { reordering: 0.05, reorder_delay: Duration::from_millis(18), ..delayed(5).into() };
    let emulated = measure(&Path::of(late, delayed(5), 2), plan(4000));
    let (count, extent) = extents(&emulated.truth.of_kind(Kind::Probe, true));
    assert!(extent >= 3, "{extent}");
    let findings = found(&emulated, "reordering");
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0].direction.as_deref(), Some("forward"));
    assert_eq!((integer(findings[0], "packets"), integer(findings[0], "extent")), (count, extent));
    assert!(number(findings[0], "late") > 0.008, "{findings:?}");
    assert!(findings[0].text.contains("in the forward direction, by up to"), "{}", findings[0].text);
}

#[test]
fn the_direction_whose_link_a_load_fills_queues_and_the_other_does_not() {
    // 0.9 Mbit/s of load in bursts of its own phase, through 1 Mbit/s behind a deep queue, filled beyond its rate
    let slow = Impairment { queue: 25_000, ..Link { rate: Some(1_000_000), ..delayed(10) }.into() };
    let phases = vec![phase("idle", false, 1500), phase("loaded", true, 2000)];
    let plan = TimedTest { phases, ..loaded(1_500_000, Direction::Up) };
    let emulated = measure(&Path::of(slow, delayed(10), 3), plan);
    let (loaded, others): (Vec<&PathFinding>, Vec<&PathFinding>) = found(&emulated, "queue")
        .into_iter()
        .partition(|one| (one.direction.as_deref(), one.experiment.as_deref()) == (Some("forward"), Some("loaded")));
    let [finding] = loaded[..] else { panic!("{loaded:?}, {others:?}") };
    // an emulator that waits for a busy host's processor queues in both directions and all phases
    let busy = others.iter().map(|one| number(one, "p95_above_minimum")).fold(0.0, f64::max);
    // by what the emulator kept each request, of those of the loaded phase
    let probes = emulated.truth.of_kind(Kind::Probe, true);
    let waits = probes.iter().filter_map(|(_, passed)| Some(passed.delivered.first()?.since(passed.arrived).seconds()));
    let mut waits: Vec<f64> = waits.collect();
    let least = waits.iter().copied().fold(f64::INFINITY, f64::min);
    let idle = (1500 / 5).min(waits.len());
    let mut loaded: Vec<f64> = waits.split_off(idle).into_iter().map(|wait| wait - least).collect();
    loaded.sort_by(f64::total_cmp);
    let truth = loaded[(0.95 * loaded.len() as f64) as usize];
    assert!(truth > 0.1, "{truth}");
    let reported = number(finding, "p95_above_minimum");
    let error = 0.01 + number(finding, "error") + busy;
    assert!((reported - truth).abs() < error && reported > 2.0 * busy, "{reported}, recorded {truth}, busy {busy}");
}
