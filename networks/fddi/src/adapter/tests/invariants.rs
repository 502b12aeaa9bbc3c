//! What holds in every run. That frames are neither made nor lost is asserted at the end of each.

use super::{record, run, scenario, value};

#[test]
fn the_same_seed_gives_the_same_record_and_another_replication_another_one() {
    let edits = [("traffic.mix", "five-mode"), ("bus.interference", "40 %"), ("traffic.load", "60 Mbit/s")];
    assert_eq!(record(&edits, 0), record(&edits, 0));
    assert_ne!(record(&edits, 0), record(&edits, 1));
}

#[test]
fn other_nodes_drive_the_share_of_the_bus_that_they_are_to() {
    for share in ["10 %", "40 %", "60 %"] {
        for (length, burst) in [("5", "13"), ("3", "1"), ("2.5", "7")] {
            let edits = [
                ("bus.interference", share),
                ("bus.interference_length", length),
                ("bus.interference_burst", burst),
                ("run.duration", "400 ms"),
                ("traffic.direction", "none"),
            ];
            let found = value(&run(&edits), "interference", "value");
            let wanted: f64 = share.trim_end_matches(" %").parse::<f64>().expect("a number") / 100.0;
            assert!((found / wanted - 1.0).abs() < 0.01, "{share} by {length} x {burst}: {found}");
        }
    }
}

#[test]
fn interference_makes_the_adapter_wait_and_lowers_what_small_frames_carry() {
    let at = |share| run(&[("bus.interference", share), ("traffic.frame_size", "33 B")]);
    let (quiet, busy) = (at("0 %"), at("60 %"));
    assert!(value(&busy, "bus_wait", "mean") > 10.0 * value(&quiet, "bus_wait", "mean"));
    assert!(value(&busy, "throughput", "value") < value(&quiet, "throughput", "value"));
}

#[test]
fn at_the_knee_and_above_nothing_is_dropped() {
    for size in ["69 B", "80 B", "576 B", "4496 B"] {
        assert_eq!(value(&run(&[("traffic.frame_size", size)]), "drops", "value"), 0.0, "{size}");
    }
}

#[test]
fn frames_are_conserved_whatever_the_policy_the_ring_and_the_direction() {
    for drop_at in ["fifo", "pool", "host"] {
        for (kind, load) in [("black-box", "saturating"), ("token-ring", "saturating"), ("token-ring", "50 Mbit/s")] {
            for direction in ["receive", "transmit", "both"] {
                let edits = [
                    ("adapter.drop_at", drop_at),
                    ("ring.kind", kind),
                    ("traffic.load", load),
                    ("traffic.direction", direction),
                    ("traffic.mix", "exponential"),
                    ("adapter.control_queue", "4"),
                    ("adapter.receive_buffers", "8 KiB"),
                    ("host.ring_entries", "4"),
                    ("host.segments", "2"),
                    ("host.alignment", "longword"),
                    ("adapter.transmit_threshold", "64 B"),
                    ("adapter.outstanding_reads", "4"),
                    ("bus.interference", "60 %"),
                    ("run.duration", "10 ms"),
                ];
                let metrics = run(&edits);
                assert!(value(&metrics, "packet_rate", "value") > 0.0, "{drop_at} {kind} {direction}");
            }
        }
    }
}

#[test]
fn drops_are_counted_at_the_place_where_room_is_missing() {
    let overload = [("traffic.frame_size", "20 B")];
    let dropped = |more: &[(&str, &str)]| {
        let metrics = run(&[&overload, more].concat());
        ["receive-fifo", "packet-buffers", "control-queue", "host-buffers"]
            .map(|place| value(&metrics, &format!("drops/{place}"), "value") > 0.0)
    };
    assert_eq!(dropped(&[("adapter.receive_buffers", "16 KiB")]), [false, true, false, false]);
    assert_eq!(dropped(&[("adapter.control_queue", "4")]), [false, false, true, false]);
    let few = [("adapter.descriptors_per_read", "1"), ("bus.memory_access", "200"), ("adapter.drop_at", "host")];
    assert!(dropped(&few)[3]);
}

#[test]
fn reads_ahead_keep_descriptors_off_the_critical_path() {
    let at = |fetch| {
        let edits = [("adapter.descriptor_fetch", fetch), ("traffic.frame_size", "20 B"), ("bus.configuration", "io")];
        value(&run(&edits), "throughput", "value")
    };
    assert!(at("blocking") < 0.97 * at("prefetched"));
}

#[test]
fn both_directions_share_the_ring() {
    let metrics = run(&[("traffic.direction", "both"), ("traffic.frame_size", "1518 B")]);
    let [receive, transmit] =
        ["receive", "transmit"].map(|direction| value(&metrics, &format!("throughput/{direction}"), "value"));
    assert!(receive + transmit < 100.5e6 && receive + transmit > 99e6, "{receive} and {transmit}");
    assert!((receive / transmit - 1.0).abs() < 0.1, "not shared evenly: {receive} and {transmit}");
}

#[test]
fn a_single_frame_waits_for_the_token_and_a_full_ring_hardly_does() {
    let at = |kind, load, metric, field| {
        let edits = [("ring.kind", kind), ("traffic.direction", "transmit"), ("traffic.load", load)];
        value(&run(&edits), metric, field)
    };
    // a rotation takes 2.5 µs: two stations of 1 µs, 100 m of fibre
    let [box_, ring] = ["black-box", "token-ring"].map(|kind| at(kind, "single", "response_time", "mean"));
    assert!((0.8e-6..2.5e-6).contains(&(ring - box_)), "{ring}, without a token {box_}");
    let waiting = at("token-ring", "single", "delay_budget/waiting_for_ring", "mean");
    assert!((waiting - (ring - box_)).abs() < 0.1e-6, "{waiting}");
    assert!(at("token-ring", "saturating", "throughput", "value") > 99e6);
}

#[test]
fn mistakes_are_named() {
    for (key, wrong) in [
        ("traffic.frame_size", "19 B"),
        ("traffic.frame_size", "4501 B"),
        ("traffic.load", "101 Mbit/s"),
        ("adapter.fifo_bursts", "0"),
        ("adapter.staging", "0"),
        ("adapter.control_queue", "0"),
        ("bus.interference", "100 %"),
        ("adapter.receive_buffers", "0 B"),
    ] {
        let problems = scenario(&[(key, wrong)]).expect_err("refused").render(false, 100);
        let name = key.rsplit('.').next().expect("a key");
        assert!(problems.contains(name) || problems.contains(wrong), "{key} = {wrong}: {problems}");
    }
}
