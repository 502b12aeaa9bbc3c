//! Voice through an agent: a loss counts in the direction in which the emulator dropped the packet.

use sojourn_live::emulator::{Link, Path};
use sojourn_live::prober::plan::TimedTest;
use sojourn_live::prober::voice::Voice;
use sojourn_metrics::Record;
use sojourn_protocols::probe::wire::Kind;

use super::network::{delayed, measure, plan};

fn heard(forward: f64, reverse: f64, seed: u64) -> (Record, [usize; 2]) {
    let lossy = |loss| Link { loss, ..delayed(5) };
    let path = Path::of(lossy(forward), lossy(reverse), seed);
    let voice = Voice::default();
    let plan = TimedTest { schedule: voice.schedule(), sizes: vec![voice.octets()], voice: Some(voice), ..plan(6000) };
    let emulated = measure(&path, TimedTest { timeout: sojourn_core::Duration::from_secs(2), ..plan });
    let record = emulated.record("idle");
    let sent = record.distribution("lateness").count();
    let dropped = |kind, is_forward| {
        let packets = emulated.truth.of_kind(kind, is_forward);
        packets.iter().filter(|(number, passed)| *number < sent && passed.delivered.is_empty()).count()
    };
    (record.clone(), [dropped(Kind::Probe, true), dropped(Kind::Reply, false)])
}

fn lost(record: &Record, direction: &str) -> usize {
    let reached = if direction == "return" { 1.0 - record.value("loss/forward") } else { 1.0 };
    let spoken = record.distribution("lateness").count() as f64 * reached;
    (record.value(&format!("play_out_loss/{direction}/lost")) * spoken).round() as usize
}

#[test]
fn a_loss_of_3_percent_forward_leaves_the_rating_of_the_return_as_it_is() {
    let (record, [there, back]) = heard(0.03, 0.0, 12);
    assert_eq!((there > 0, back), (true, 0));
    assert_eq!((lost(&record, "forward"), lost(&record, "return")), (there, 0));
    assert!(record.value("mos/return") > record.value("mos/forward"));
}

#[test]
fn losses_of_both_directions_count_as_often_as_the_emulator_dropped_packets_in_each() {
    let (record, dropped) = heard(0.05, 0.02, 13);
    assert_eq!(["forward", "return"].map(|direction| lost(&record, direction)), dropped);
}
