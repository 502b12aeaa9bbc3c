//! Errors: what they cost, what nodes count of them, and recovery.

use sojourn_core::Duration;
use sojourn_model::testing::event;

use crate::support::{bus, number, periodic, record, replication};

const ONE: &str = "10 ms";

#[test]
fn one_wrong_bit_in_ten_thousand_destroys_one_frame_in_seventy_six() {
    let flow = periodic("one", "a", 0x100, "1 ms", "0 s", "");
    let records: Vec<_> =
        (0..10).map(|index| replication(&bus(&["a"], &flow), &[("bus.bit_error_rate", "1e-4")], index)).collect();
    let sum = |name: &str| records.iter().map(|record| number(record, name)).sum::<f64>();
    let (errors, frames) = (sum("error_frames"), sum("packets"));
    // 1 - (1 - 1e-4)^132 of all transmissions
    let expected = 1.0 - (1.0f64 - 1e-4).powi(132);
    let (found, deviation) = (errors / (errors + frames), (expected / (errors + frames)).sqrt());
    assert!((found - expected).abs() < 4.0 * deviation, "{found}, not {expected}");
    assert_eq!(sum("loss"), 0.0, "what is destroyed is sent again");
}

#[test]
fn an_error_costs_at_most_31_bits_and_the_frame_again() {
    let flow = periodic("one", "a", 0x100, ONE, "1 ms", "");
    let record = record(&bus(&["a"], &flow), &[("bus.bit_error_rate", "1e-4"), ("run.duration", "100 s")]);
    let longest = record.distribution("response_time").max().unwrap();
    // 264 µs; with one error up to 132 bits that are wasted, 12 + 8 + 3 bits and the frame again
    let [one, two] = [1, 2].map(|errors| Duration::from_micros(264 + errors * (264 + 46)));
    assert!(longest > Duration::from_micros(264) && longest <= two, "{longest}");
    let second = record.traces["response_time"].iter().filter(|(_, seconds)| *seconds > one.seconds()).count();
    assert!(second < 20, "two errors in a row are rare: {second}");
}

#[test]
fn a_sender_that_no_other_node_acknowledges_repeats_for_ever_at_full_load() {
    let flow = periodic("one", "a", 0x100, "1 s", "0 s", "");
    let record = record(&bus(&["a"], &flow), &[("station.sink.acknowledge", "false")]);
    assert_eq!(number(&record, "packets"), 0.0);
    // passive after 16 attempts: 124 bits up to the missing acknowledgement, 17 of error flag, delimiter and intermission, 8 more
    let attempts = 10.0 / ((124.0 + 17.0 + 8.0) * 2e-6);
    assert!((number(&record, "error_frames") / attempts - 1.0).abs() < 0.001, "{}", number(&record, "error_frames"));
    assert_eq!(number(&record, "bus_offs"), 0.0);
    assert!(number(&record, "error_passive/a") > 0.99);
    assert!(number(&record, "utilisation") > 0.94, "{}", number(&record, "utilisation"));
}

#[test]
fn after_any_error_pattern_every_node_returns() {
    let flows = periodic("one", "a", 0x100, "2 ms", "0 s", "") + &periodic("two", "b", 0x200, "3 ms", "0 s", "");
    let text = bus(&["a", "b"], &flows);
    for index in 0..20 {
        // errors of nearly all frames for 2 s, then none: all nodes have been bus off, and are back
        let storm =
            event("action = \"set\"\nset = { \"bus.bit_error_rate\" = 0.02 }\nat = \"2 s\"\nduration = \"2 s\"");
        let record = replication(&format!("{text}{storm}"), &[], index);
        assert!(number(&record, "bus_offs") > 0.0, "replication {index}");
        let recovery = record.distribution("recovery_time/it");
        assert_eq!(recovery.count(), 1, "replication {index}: they recover");
        let last = record.traces["response_time"].iter().rev().take(1000);
        assert!(last.into_iter().all(|(_, seconds)| *seconds < 1e-3), "replication {index}: as before");
    }
}

#[test]
fn bus_off_lasts_128_times_11_recessive_bits_of_an_idle_bus_and_the_restart() {
    // a node that fails alone: 32 failed attempts, then bus off
    let flow = periodic("one", "a", 0x100, "1 s", "0 s", "");
    let storm =
        event("action = \"set\"\nset = { \"bus.bit_error_rate\" = 0.1 }\nat = \"1900 ms\"\nduration = \"110 ms\"");
    let text = format!("{}{storm}", bus(&["a"], &flow));
    for (restart, waits_ms) in [("0 s", 2.816), ("100 ms", 102.816)] {
        let record = record(&text, &[("station.a.restart", restart)]);
        assert!(number(&record, "bus_offs") >= 1.0);
        // sent at 2 s; 32 attempts of 20 to 40 bits each take 1 to 4 ms, the storm ends at 2.01 s
        let longest = record.distribution("response_time").max().unwrap().seconds() * 1e3;
        assert!(longest > waits_ms, "{restart}: {longest} ms");
        assert!(longest < 20.0 + 2.0 * waits_ms, "{restart}: {longest} ms");
    }
}

#[test]
fn a_node_that_is_bus_off_receives_nothing() {
    // `a` goes bus off within the first 4 ms of the storm, and is not restarted; `b` is at once
    let loud = periodic("loud", "a", 0x100, "1 ms", "0 s", "");
    let to_a = periodic("to-a", "b", 0x200, "100 ms", "50 ms", "").replace("to = \"sink\"", "to = \"a\"");
    let to_sink = periodic("to-sink", "b", 0x300, "100 ms", "50 ms", "");
    let storm = event("action = \"set\"\nset = { \"bus.bit_error_rate\" = 0.1 }\nat = \"1 s\"\nduration = \"40 ms\"");
    let text = format!("{}{storm}", bus(&["a", "b"], &(loud + &to_a + &to_sink)));
    let record = record(&text, &[("station.a.restart", "1000 s")]);
    assert_eq!(number(&record, "bus_offs/a"), 1.0);
    // ten messages before it, and ninety since
    assert_eq!(number(&record, "loss/to-a"), 0.9);
    assert_eq!(number(&record, "loss/to-sink"), 0.0);
}

#[test]
fn two_nodes_that_send_the_same_identifier_together_destroy_each_other() {
    let flows = periodic("one", "a", 0x100, "1 s", "500 ms", "") + &periodic("two", "b", 0x100, "1 s", "500 ms", "");
    let record = record(&bus(&["a", "b"], &flows), &[]);
    // both go bus off after 32 attempts, come back together and do the same again
    assert_eq!(number(&record, "packets"), 0.0);
    assert!(number(&record, "bus_offs") > 100.0, "{}", number(&record, "bus_offs"));
}

#[test]
fn a_one_shot_node_loses_what_meets_an_error() {
    let flow = periodic("one", "a", 0x100, "1 ms", "0 s", "");
    let edits = [("bus.bit_error_rate", "1e-4"), ("station.a.retransmit", "false")];
    let record = record(&bus(&["a"], &flow), &edits);
    let loss = number(&record, "loss");
    assert!((loss - 0.0131).abs() < 0.004, "{loss}");
    assert_eq!(number(&record, "failures"), number(&record, "error_frames"));
}

#[test]
fn faults_hit_at_their_interval() {
    let flow = periodic("one", "a", 0x100, "500 us", "0 s", "");
    let record = record(&bus(&["a"], &flow), &[("bus.fault_interval", "10 ms")]);
    // 1000 faults in 10 s, of which those hit that meet one of 264 µs in 500 µs
    let errors = number(&record, "error_frames");
    assert!((1.0..=1001.0).contains(&errors), "{errors}");
}
