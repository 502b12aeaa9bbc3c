//! Faults of each direction, as the agent counted them, against what the emulator did.

use std::collections::BTreeSet;

use sojourn_core::Duration;
use sojourn_live::emulator::{Impairment, Link, Path};
use sojourn_live::prober::plan::TimedTest;
use sojourn_metrics::Record;
use sojourn_protocols::probe::wire::Kind;

use super::network::{Emulated, delayed, measure, measure_at, phase, plan};
use super::record::{Faults, bursts};
use crate::reflector::Reflector;

/// Holds the faults of a phase, of the requests from `first`, against the emulator's record.
fn compare(emulated: &Emulated, record: &Record, first: u64) {
    let sent = record.distribution("lateness").count();
    let of_phase = |kind, is_forward| {
        let mut packets = emulated.truth.of_kind(kind, is_forward);
        packets.retain(|(number, _)| (first..first + sent).contains(number));
        packets
    };
    let (probes, replies) = (of_phase(Kind::Probe, true), of_phase(Kind::Reply, false));
    let recorded = [Faults::of(&probes), Faults::of(&replies)];
    assert_eq!(["forward", "return"].map(|direction| Faults::reported(record, direction)), recorded);
    let duplicated = recorded[0].duplicated + recorded[1].duplicated;
    assert_eq!(record.total("duplicates"), duplicated);
    let answered = replies.iter().filter(|(_, passed)| !passed.delivered.is_empty());
    let answered: BTreeSet<u64> = answered.map(|(number, _)| number - first).collect();
    assert_eq!(record.total("failures"), sent - answered.len() as u64);
    let (count, longest) = bursts(sent, &answered);
    assert_eq!((record.total("loss_bursts"), record.value("longest_loss_burst")), (count, longest as f64));
}

fn lossy(loss: f64) -> Link {
    Link { loss, ..delayed(5) }
}

fn waiting(ms: u64) -> TimedTest {
    // every request that is lost is waited for
    TimedTest { timeout: Duration::from_secs(3), ..plan(ms) }
}

#[test]
fn loss_of_5_percent_there_and_1_percent_back_is_reported_by_direction() {
    let path = Path::of(lossy(0.05), lossy(0.01), 1);
    let emulated = measure(&path, waiting(5000));
    compare(&emulated, emulated.record("idle"), 0);
    assert!(emulated.record("idle").value("loss/forward") > 0.0);
}

#[test]
fn duplicates_and_reordering_are_reported_by_direction() {
    let forward = Impairment {
        duplication: 0.06,
        reordering: 0.05,
        reorder_delay: Duration::from_millis(30),
        ..lossy(0.02).into()
    };
    let reverse = Impairment { duplication: 0.02, ..forward.clone() };
    let emulated = measure(&Path::of(forward, reverse, 2), waiting(4000));
    let record = emulated.record("idle");
    compare(&emulated, record, 0);
    assert!(record.total("duplicates/forward") > 0 && record.value("reordering/return") > 0.0);
}

#[test]
fn each_phase_has_the_faults_of_its_own_requests() {
    let phases = ["idle", "loaded", "recovery"].map(|name| phase(name, false, 1500)).to_vec();
    let path = Path::of(lossy(0.1), lossy(0.05), 3);
    let emulated = measure(&path, TimedTest { phases, replications: 1, ..waiting(0) });
    let mut first = 0;
    for name in ["idle", "loaded", "recovery"] {
        compare(&emulated, emulated.record(name), first);
        first += emulated.record(name).distribution("lateness").count();
    }
}

/// Holds loss and duplicates of STAMP against the emulator's record.
fn compare_stamp(forward: impl Into<Impairment>, reverse: impl Into<Impairment>, seed: u64) {
    let reflector = Reflector::at("stamp://127.0.0.1:0");
    let emulated = measure_at("stamp", reflector.address, &Path::of(forward, reverse, seed), waiting(3000));
    let record = emulated.record("idle");
    let reported = ["forward", "return"].map(|direction| Faults::reported(record, direction));
    let [probes, replies] = [true, false].map(|is_forward| emulated.truth.of_stamp(is_forward));
    let [there, back] = [Faults::of(&probes), Faults::of(&replies)];
    assert_eq!((reported[0].lost, reported[0].duplicated), (there.lost, there.duplicated));
    let received = there.offered - there.lost;
    // the reflector answers copies as well
    let answered: BTreeSet<u64> =
        replies.iter().filter(|(_, passed)| !passed.delivered.is_empty()).map(|(number, _)| *number).collect();
    assert_eq!((reported[1].offered, reported[1].lost), (received, received - answered.len() as u64));
    assert_eq!(reported[1].duplicated, back.duplicated);
}

#[test]
fn a_stamp_reflector_that_numbers_its_replies_shows_the_direction_of_loss() {
    compare_stamp(lossy(0.05), lossy(0.02), 4);
}

#[test]
fn with_stamp_losses_of_the_return_alone_are_known_as_such() {
    compare_stamp(lossy(0.0), lossy(0.05), 5);
}

#[test]
fn with_stamp_duplicates_have_the_direction_in_which_they_arose() {
    let twice = |duplication| Impairment { duplication, ..delayed(5).into() };
    compare_stamp(twice(0.05), twice(0.02), 6);
}
