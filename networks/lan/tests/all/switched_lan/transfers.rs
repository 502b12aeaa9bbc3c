//! TCP over the network, against its closed forms.

use crate::support::{metrics, value};
use crate::switched_lan::ideal;

/// A cell of an OC-3c link.
const CELL: f64 = 1325e-6 / 468.0;
/// Cells of a full segment, and of an acknowledgement.
const SEGMENT: f64 = 192.0;
const ACKNOWLEDGEMENT: f64 = 2.0;
/// Full segments that fit a window of 65 535 octets.
const WINDOW: f64 = 7.0;

/// Ideal hosts without an echo.
fn quiet() -> String {
    ideal().replace("from = \"client\"\n", "").replace("to = \"server\"\n", "")
}

/// One transfer, with an acknowledgement for each segment.
const ALONE: [(&str, &str); 3] = [("background.streams", "1"), ("station.tcp.ack_every", "1"), ("run.duration", "2 s")];

/// A round trip of a segment and its acknowledgement with nothing else in flight.
fn round_trip(propagation: f64) -> f64 {
    (SEGMENT + 2.0) * CELL + (ACKNOWLEDGEMENT + 2.0) * CELL + 4.0 * 12e-6 + propagation
}

#[test]
fn a_window_that_the_path_does_not_hold_stands_in_the_senders_adapter() {
    let found = metrics(&quiet(), &ALONE);
    let most = 9148.0 * 8.0 / (SEGMENT * CELL);
    assert!((value(&found, "throughput", "value") / most - 1.0).abs() < 0.002);
    // the cells of the window less those in flight: mean over a segment's sending
    let standing = WINDOW * SEGMENT - round_trip(0.0) / CELL;
    let queue = value(&found, "queue_length/sender-1/s1", "mean");
    assert!((queue - standing).abs() < SEGMENT, "{queue} against {standing}");
    assert!(value(&found, "queue_length/s1/s2", "max") <= 2.0, "links of one rate queue nothing behind the adapter");
}

#[test]
fn a_window_that_the_path_holds_goes_round_once_in_a_round_trip_and_nothing_stands() {
    // 5 ms on the trunk in each direction
    let text = quiet().replace("name = \"trunk\"\n", "name = \"trunk\"\ndelay = \"5 ms\"\n");
    let found = metrics(&text, &[&ALONE[..], &[("run.duration", "5 s")]].concat());
    let expected = WINDOW * 9148.0 * 8.0 / round_trip(10e-3);
    let rate = value(&found, "throughput", "value");
    assert!((rate / expected - 1.0).abs() < 0.01, "{rate} against {expected}");
    assert!(value(&found, "queue_length/s1/s2", "max") <= 2.0);
}

#[test]
fn an_acknowledgement_for_two_segments_holds_one_segment_back() {
    let every_second = [&ALONE[..], &[("station.tcp.ack_every", "2")]].concat();
    let [each, second] = [&ALONE[..], &every_second[..]]
        .map(|edits| value(&metrics(&quiet(), edits), "queue_length/sender-1/s1", "mean"));
    let held_back = (each - second) / SEGMENT;
    assert!((0.3..=1.2).contains(&held_back), "{held_back} segments");
}

#[test]
fn hosts_of_today_fill_a_bottleneck_and_repair_what_it_drops() {
    let text = quiet().replace("framing = \"cells\"", "framing = \"packets\"").replace(
        "name = \"trunk\"\n",
        "name = \"trunk\"\ndelay = \"5 ms\"\nrate = \"50 Mbit/s\"\nqueue = { kind = \"fifo\", limit = 50 }\n",
    );
    let edits = [("station.tcp.profile", "modern"), ("background.streams", "2"), ("run.duration", "10 s")];
    let found = metrics(&text, &edits);
    // 1448 octets of data in a frame of 1538
    let most = 50e6 * 1448.0 / 1538.0;
    let rate = value(&found, "throughput", "value");
    assert!(rate > 0.9 * most && rate <= most, "{rate} of {most}");
    assert!(value(&found, "retransmissions", "value") > 0.0);
    assert_eq!(value(&found, "transaction_failures", "value"), 0.0);
}

#[test]
fn a_transfer_that_is_open_from_the_start_carries_what_one_does_that_shakes_hands() {
    let open = [&ALONE[..], &[("background.connection", "established")]].concat();
    let [shaken, open] = [&ALONE[..], &open[..]].map(|edits| value(&metrics(&quiet(), edits), "throughput", "value"));
    assert!((open / shaken - 1.0).abs() < 0.002, "{open} and {shaken}");
}
