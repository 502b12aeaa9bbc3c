//! The published facts that the two control times were fitted to (Kalkunte 1991).

use super::{run, throughput, value};

/// The smallest frame that is carried at the ring's full rate: 99.5 Mbit/s at least.
fn knee(direction: &str) -> u32 {
    let full = |size: &u32| {
        let size = format!("{size} B");
        throughput(&[("traffic.direction", direction), ("traffic.frame_size", &size)]) >= 99.5
    };
    (40..=90).find(full).expect("large frames are carried at full rate")
}

#[test]
fn frames_of_69_bytes_are_received_at_full_rate_and_smaller_ones_are_not() {
    let knee = knee("receive");
    assert!((64..=74).contains(&knee), "{knee}");
}

#[test]
fn frames_of_51_bytes_are_sent_at_full_rate_and_smaller_ones_are_not() {
    let knee = knee("transmit");
    assert!((46..=56).contains(&knee), "{knee}");
}

#[test]
fn dataless_frames_are_received_at_36_megabits_and_sent_at_47() {
    for (direction, published) in [("receive", 36.0), ("transmit", 47.0)] {
        let found = throughput(&[("traffic.direction", direction), ("traffic.frame_size", "20 B")]);
        assert!((found / published - 1.0).abs() < 0.1, "{direction}: {found}");
    }
}

#[test]
fn the_design_goal_of_full_rate_at_150_bytes_is_met_in_both_directions() {
    for direction in ["receive", "transmit"] {
        let metrics = run(&[("traffic.direction", direction), ("traffic.frame_size", "150 B")]);
        let rate = value(&metrics, "packet_rate", "value");
        assert!(rate > 79_000.0, "{direction}: {rate}");
    }
}

#[test]
fn a_dataless_frame_takes_less_than_20_microseconds_in_either_direction() {
    for direction in ["receive", "transmit"] {
        for load in ["single", "sustainable"] {
            let edits = [("traffic.direction", direction), ("traffic.frame_size", "20 B"), ("traffic.load", load)];
            let mean = value(&run(&edits), "response_time", "mean");
            assert!((6e-6..20e-6).contains(&mean), "{direction}, {load}: {mean}");
        }
    }
}
