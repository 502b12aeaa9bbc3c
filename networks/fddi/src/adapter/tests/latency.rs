//! A single frame takes the sum of what its stages take.

use super::{Metrics, run, value};

const CYCLE: f64 = 64e-9;

fn single(direction: &str, size: u32, more: &[(&str, &str)]) -> Metrics {
    let size = format!("{size} B");
    let mut edits = vec![("traffic.direction", direction), ("traffic.frame_size", &size), ("traffic.load", "single")];
    edits.extend_from_slice(more);
    run(&edits)
}

/// Asserts that every frame takes this long and up to a bus cycle, for the edge it waits for.
#[track_caller]
fn assert_takes(metrics: &Metrics, sum: f64) {
    let [min, max] = ["min", "max"].map(|field| value(metrics, "response_time", field));
    assert!(sum - 1e-12 <= min && max < sum + CYCLE, "{min} to {max}, and the stages add up to {sum}");
    assert!(max - min > 0.5 * CYCLE, "frames come at all moments of the cycle");
}

#[test]
fn a_received_frame_takes_the_sum_of_its_stages() {
    for (size, hexawords, parsing) in [(20, 1.0, 1.2e-6), (33, 2.0, 1.33e-6), (60, 2.0, 1.6e-6), (150, 5.0, 0.0)] {
        // residue, what is left of the parser, control, ownership write, hexaword writes
        let sum = 1e-6 + parsing + 5.888e-6 + (4.0 + 6.0 + 5.0 * (hexawords - 1.0)) * CYCLE;
        assert_takes(&single("receive", size, &[]), sum);
    }
}

#[test]
fn the_parser_overlaps_the_rest_of_a_long_frame() {
    // 64 bytes of header, and 13 bytes or 1.04 µs to the end, of 1.64 µs in the parser
    assert_takes(&single("receive", 77, &[]), 1e-6 + 0.6e-6 + 5.888e-6 + (4.0 + 6.0 + 10.0) * CYCLE);
}

#[test]
fn a_frame_to_send_takes_the_sum_of_its_stages() {
    for (configuration, read) in [("cpu", 14.0), ("io", 30.0)] {
        for (size, hexawords) in [(20, 1.0), (60, 2.0), (150, 5.0)] {
            // entry and data, control, ring memory controller and chip set
            let sum = (1.0 + hexawords) * read * CYCLE + 3.392e-6 + 1.6e-6;
            assert_takes(&single("transmit", size, &[("bus.configuration", configuration)]), sum);
        }
    }
}

#[test]
fn the_delay_budget_adds_up_to_the_response_time() {
    for direction in ["receive", "transmit"] {
        let edits = [("traffic.direction", direction), ("traffic.mix", "five-mode"), ("bus.interference", "40 %")];
        let metrics = run(&edits);
        let parts: f64 = super::super::latency_budget::COMPONENTS
            .iter()
            .map(|component| value(&metrics, &format!("delay_budget/{component}"), "mean"))
            .sum();
        let mean = value(&metrics, "response_time", "mean");
        assert!((parts / mean - 1.0).abs() < 1e-9, "{parts} and {mean}");
    }
}

#[test]
fn a_transmit_threshold_lets_a_long_frame_leave_while_its_end_is_read() {
    let whole = value(&single("transmit", 1518, &[]), "response_time", "mean");
    let early = single("transmit", 1518, &[("adapter.transmit_threshold", "64 B")]);
    assert!(value(&early, "response_time", "mean") < whole - 20e-6, "46 of 48 reads are saved");
    assert_eq!(value(&early, "drops/transmit-fifo", "value"), 0.0);
}

#[test]
fn a_threshold_below_what_a_slow_bus_needs_spoils_frames_and_says_where() {
    let edits = [("adapter.transmit_threshold", "32 B"), ("bus.configuration", "io"), ("bus.interference", "60 %")];
    assert!(value(&single("transmit", 4096, &edits), "drops/transmit-fifo", "value") > 0.0);
}
