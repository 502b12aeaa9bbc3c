//! Round trips of blocks between two terminals, checked by closed forms where there are some, by invariants elsewhere.

use crate::support::{Metrics, metrics, record, value};
use sojourn_core::Duration;
use sojourn_metrics::record::{Observation, Record};
use sojourn_protocols::ax25::hdlc::air_time::mean_time;

/// Two terminals without CPU or program time, on a wire.
const WIRE: &str = r#"
    [network]
    kind = "packet-radio"
    [channel]
    type = "wire"
    [[station]]
    name = "ping"
    costs = { receive_frame = "0 s" }
    [[station]]
    name = "pong"
    costs = { receive_frame = "0 s" }
    [probe]
    from = "ping"
    to = "pong"
    size = "64 B"
    [run]
    duration = "4 h"
"#;

/// The same on a radio channel with persistence 1.
const RADIO: &str = r#"
    [network]
    kind = "packet-radio"
    [channel]
    type = "radio"
    bit_rate = "9600 bit/s"
    txdelay = "100 ms"
    txtail = "0 s"
    persistence = "100 %"
    [[station]]
    name = "ping"
    costs = { receive_frame = "0 s" }
    frack = "1 s"
    [[station]]
    name = "pong"
    costs = { receive_frame = "0 s" }
    frack = "1 s"
    [probe]
    from = "ping"
    to = "pong"
    size = "64 B"
    [run]
    duration = "4 h"
"#;

/// Transmission time of a character on the serial line.
const CHARACTER: f64 = 10.0 / 9600.0;

/// Transmission time of an I frame modulo 8 with `octets` of user data, at 9600 bit/s.
fn frame_time(octets: u64) -> f64 {
    mean_time(1, 16 + octets, 9600).seconds()
}

fn mean(metrics: &Metrics) -> f64 {
    value(metrics, "response_time", "mean")
}

fn component(metrics: &Metrics, name: &str) -> f64 {
    value(metrics, &format!("delay_budget/{name}"), "mean")
}

fn close(measured: f64, expected: f64) {
    assert!((measured - expected).abs() < 1e-8, "{measured} is {expected}");
}

#[test]
fn a_short_block_on_a_wire_takes_two_serial_lines_and_its_frame_in_each_direction() {
    let metrics = metrics(WIRE, &[]);
    assert_eq!(value(&metrics, "response_time", "count"), 20.0);
    close(mean(&metrics), 2.0 * (2.0 * 64.0 * CHARACTER + frame_time(64)));
    close(value(&metrics, "response_time", "min"), value(&metrics, "response_time", "max"));
    close(component(&metrics, "serial-line"), 4.0 * 64.0 * CHARACTER);
    close(component(&metrics, "transmission"), 2.0 * frame_time(64));
    assert_eq!(value(&metrics, "failures", "value"), 0.0);
    assert_eq!(value(&metrics, "retries", "value"), 0.0);
}

#[test]
fn every_step_of_a_station_adds_what_it_costs() {
    let base = mean(&metrics(WIRE, &[]));
    let with = |key: &str, text: &str| metrics(WIRE, &[(key, text)]);
    let turned = with("station.turnaround", "250 ms");
    close(mean(&turned), base + 0.5);
    close(component(&turned, "application"), 0.5);
    let received = with("station.costs.receive_frame", "20 ms");
    close(mean(&received), base + 0.04);
    close(component(&received, "processors"), 0.04);
    let sent = with("station.costs.send_frame", "5 ms");
    close(mean(&sent), base + 0.01);
    let octets = with("station.costs.per_octet", "10 µs");
    close(mean(&octets), base + 4.0 * 64.0 * 10e-6);
    let delayed = with("channel.txdelay", "50 ms");
    close(component(&delayed, "transmit-delay"), 0.1);
    let slow = with("station.character_interval", "2 ms");
    close(mean(&slow), base + 2.0 * 64.0 * (2e-3 - CHARACTER));
    let slower_line = with("station.serial_rate", "4800 bit/s");
    close(mean(&slower_line), base + 4.0 * 64.0 * CHARACTER);
}

#[test]
fn in_transparent_mode_a_short_block_waits_for_the_packet_timer() {
    let edits = [("station.data_mode", "transparent"), ("station.pactime", "400 ms")];
    let metrics = metrics(WIRE, &edits);
    close(component(&metrics, "packet-formation"), 0.8);
}

#[test]
fn a_long_block_on_a_wire_is_as_slow_as_the_slowest_of_serial_line_and_window() {
    // four packets; serial input and wire overlap, the last packet's frame and serial output remain
    let metrics = metrics(WIRE, &[("probe.size", "1024 B")]);
    let one_way = 1024.0 * CHARACTER + frame_time(256) + 256.0 * CHARACTER;
    close(mean(&metrics), 2.0 * one_way);
}

#[test]
fn on_a_radio_channel_each_direction_keys_the_transmitter_once() {
    let metrics = metrics(RADIO, &[]);
    // the acknowledgement is piggybacked on the returned block, whose serial line takes longer than its frame
    assert!(mean(&metrics) > 2.0 * (2.0 * 64.0 * CHARACTER + frame_time(64) + 0.1) - 1e-9);
    close(component(&metrics, "transmit-delay"), 0.2);
    close(component(&metrics, "transmission"), 2.0 * frame_time(64));
    assert_eq!(component(&metrics, "retransmission"), 0.0);
}

#[test]
fn two_stations_with_full_duplex_radios_have_a_wire() {
    let radio = metrics(RADIO, &[("channel.full_duplex", "true"), ("channel.persistence", "5 %")]);
    close(mean(&radio), mean(&metrics(WIRE, &[("channel.txdelay", "100 ms")])));
}

#[test]
fn frames_truncated_by_a_watchdog_are_retransmitted() {
    // seven frames and TXDELAY take 13 s
    let edits = [("channel.bit_rate", "1200 bit/s"), ("station.window", "7"), ("probe.size", "1792 B")];
    let whole = metrics(RADIO, &edits);
    let cut = metrics(RADIO, &[edits[0], edits[1], edits[2], ("channel.transmission_limit", "11 s")]);
    let more = value(&cut, "retries", "value") - value(&whole, "retries", "value");
    assert!(more >= 2.0 * 20.0, "{more} frames sent again");
    assert!(component(&cut, "retransmission") > component(&whole, "retransmission") + 2.0 * frame_time(256) * 8.0);
}

#[test]
fn frames_built_after_txdelay_wait_no_longer_for_the_channel() {
    let late = metrics(RADIO, &[("channel.frames_built", "after-txdelay")]);
    close(component(&late, "transmit-delay"), 0.2);
    close(component(&late, "transmission"), 2.0 * frame_time(64));
    close(mean(&late), mean(&metrics(RADIO, &[])));
}

#[test]
fn a_station_with_lower_persistence_waits_longer_for_the_channel() {
    let waits = |persistence: &str| {
        let edits = [("channel.persistence", persistence), ("probe.round_trips", "400")];
        component(&metrics(RADIO, &edits), "waiting-for-channel")
    };
    let (always, quarter) = (waits("100 %"), waits("25 %"));
    // slots of 100 ms, each taken with probability p: (1 - p) / p of them pass before a key-up, two key-ups a round trip;
    // sometimes an acknowledgement of the other station comes first
    assert!((0.6..0.9).contains(&(quarter - always)), "{quarter} less {always}");
}

#[test]
fn bit_errors_cost_retries_but_no_data() {
    let edits = [("channel.bit_error_rate", "1e-4"), ("probe.size", "200 B"), ("probe.round_trips", "100")];
    let (noisy, clean) = (metrics(RADIO, &edits), metrics(RADIO, &edits[1..]));
    assert_eq!(value(&noisy, "response_time", "count"), 100.0);
    assert_eq!(value(&noisy, "failures", "value"), 0.0);
    let bits = frame_time(200) * 9600.0;
    let lost = 1.0 - libm::pow(1.0 - 1e-4, bits);
    let retries = value(&noisy, "retries", "value");
    // each of 200 frames is sent 1 / (1 - lost) times, and again where its acknowledgement is lost
    assert!(retries > 0.6 * 200.0 * lost / (1.0 - lost) && retries < 2.0 * 200.0 * lost / (1.0 - lost), "{retries}");
    assert_eq!(value(&clean, "retries", "value"), 0.0);
    assert_eq!(component(&clean, "retransmission"), 0.0);
    let cost = component(&noisy, "retransmission") * 100.0 / retries;
    assert!((0.5..3.0).contains(&cost), "a retry costs about T1 of 1 s: {cost}");
    assert!((mean(&noisy) - mean(&clean) - component(&noisy, "retransmission")).abs() < 0.1 * mean(&clean));
}

#[test]
fn a_path_that_cannot_be_set_up_fails_every_round_trip_and_ends_the_run() {
    let metrics = metrics(RADIO, &[("channel.bit_error_rate", "0.4"), ("run.duration", "30 day")]);
    assert_eq!(value(&metrics, "failures", "value"), 20.0);
    assert_eq!(value(&metrics, "response_time", "count"), 0.0);
}

#[test]
fn a_round_trip_that_exceeds_its_timeout_has_failed() {
    let metrics = metrics(RADIO, &[("probe.size", "4096 B"), ("probe.timeout", "5 s")]);
    assert_eq!(value(&metrics, "failures", "value"), 20.0);
}

#[test]
fn serial_input_that_excludes_transmission_stops_for_every_frame_except_the_last() {
    let with = |word: &str| mean(&metrics(WIRE, &[("probe.size", "2048 B"), ("station.serial_input", word)]));
    let (overlapped, exclusive) = (with("always"), with("not-while-transmitting"));
    let expected = 2.0 * 7.0 * frame_time(256);
    assert!((exclusive - overlapped - expected).abs() < 16.0 * CHARACTER, "{exclusive} against {overlapped}");
}

#[test]
fn a_full_receive_buffer_sends_rnr_and_loses_nothing() {
    let edits = [
        ("probe.size", "4096 B"),
        ("station.receive_buffer", "300 B"),
        ("station.serial_rate", "1200 bit/s"),
        ("channel.bit_rate", "38400 bit/s"),
        ("station.character_interval", "0 s"),
    ];
    let full = metrics(RADIO, &edits);
    assert_eq!(value(&full, "response_time", "count"), 20.0);
    assert_eq!(value(&full, "failures", "value"), 0.0);
}

#[test]
fn where_each_key_up_takes_long_a_larger_window_of_version_2_2_needs_fewer() {
    let slow = [("probe.size", "8192 B"), ("station.serial_rate", "115200 bit/s"), ("channel.txdelay", "1 s")];
    let narrow = metrics(WIRE, &slow);
    let wide = metrics(WIRE, &[&slow[..], &[("station.version", "v2.2"), ("station.window", "32")]].concat());
    assert_eq!(value(&wide, "failures", "value"), 0.0);
    // 32 frames in each direction: eight windows of four, each with an acknowledgement's key-up, against one or two
    assert!(mean(&wide) < mean(&narrow) - 2.0 * 6.0, "{} against {}", mean(&wide), mean(&narrow));
}

#[test]
fn where_the_channel_is_the_bottleneck_short_packets_cost_their_overhead() {
    let with = |paclen: &str| {
        let edits = [("probe.size", "512 B"), ("channel.bit_rate", "1200 bit/s"), ("station.paclen", paclen)];
        mean(&metrics(WIRE, &edits))
    };
    // sixteen frames against two, less what is gained where stages overlap
    assert!(with("32 B") > with("256 B") + 14.0 * frame_time(0) * 8.0);
}

#[test]
fn the_same_seed_gives_the_same_record_and_its_components_add_up() {
    let edits = [("channel.bit_error_rate", "1e-4"), ("probe.size", "1024 B"), ("channel.persistence", "25 %")];
    let first = record(RADIO, &edits);
    assert_eq!(first, record(RADIO, &edits));
    let (parts, mean) = parts(&first);
    assert!((parts.iter().sum::<f64>() - mean).abs() < 1e-9, "{parts:?} of {mean}");
}

fn parts(record: &Record) -> (Vec<f64>, f64) {
    let (Some(Observation::Budget(budget)), Some(Observation::Distribution(responses))) =
        (record.metrics.get("delay_budget"), record.metrics.get("response_time"))
    else {
        panic!("a probed record has both")
    };
    (budget.means().expect("round trips"), responses.mean().expect("round trips"))
}

#[test]
fn a_pause_lies_between_round_trips_and_is_not_part_of_them() {
    let paused = record(WIRE, &[("probe.pause", "10 s")]);
    close(parts(&paused).1, parts(&record(WIRE, &[])).1);
    let starts = &paused.traces["response_time"];
    let gap = Duration::from_picoseconds(starts[1].0 - starts[0].0).seconds();
    close(gap, 10.0 + parts(&paused).1);
}
