//! Transactions and rounds without randomness, to the picosecond.

use proptest::prelude::*;

use super::support::*;

/// Characters of 11 bits at a rate, in picoseconds, rounded down as a frame is.
fn characters(count: u64, bit_rate: u64) -> u64 {
    count * 11 * 1_000_000_000_000 / bit_rate
}

/// 3.5 characters, or 1.75 ms above 19 200 bit/s.
fn t35(bit_rate: u64) -> u64 {
    if bit_rate > 19_200 { 1_750_000_000 } else { 77 * 1_000_000_000_000 / (2 * bit_rate) }
}

/// The table of the brief: a read of 10 registers, a server of 5 ms, t3.5 after each frame, in milliseconds.
#[test]
fn a_read_of_ten_registers_takes_what_the_table_says() {
    for (bit_rate, request, response, transaction) in [
        (9600, 9.167, 28.646, 50.83),
        (19_200, 4.583, 14.323, 27.92),
        (38_400, 2.292, 7.161, 17.95),
        (115_200, 0.764, 2.387, 11.65),
    ] {
        let rate = format!("{bit_rate} bit/s");
        let record = record(&line(1), &[("medium.line.bit_rate", &rate)]);
        let exact =
            characters(8, bit_rate) + t35(bit_rate) + 5 * MILLISECOND + characters(25, bit_rate) + t35(bit_rate);
        assert_eq!(extremes(&record, "response_time"), [exact; 2], "{rate}");
        assert!((exact as f64 / MILLISECOND as f64 - transaction).abs() < 0.006, "{rate}: {exact} ps");
        assert!((component_ms(&record, "request") - request).abs() < 0.0006, "{rate}");
        let silence = t35(bit_rate) as f64 / MILLISECOND as f64;
        assert!((component_ms(&record, "response") - silence - response).abs() < 0.0006, "{rate}");
        assert!((component_ms(&record, "server-wait") - silence).abs() < 1e-6, "{rate}");
        assert!((component_ms(&record, "server") - 5.0).abs() < 1e-6, "{rate}");
    }
}

#[test]
fn a_round_is_the_sum_of_its_transactions_to_the_picosecond() {
    let one = characters(8, 9600) + t35(9600) + 5 * MILLISECOND + characters(25, 9600) + t35(9600);
    for meters in [1, 2, 30] {
        let record = record(&line(meters), &[]);
        assert_eq!(extremes(&record, "poll_cycle"), [u64::from(meters) * one; 2], "{meters} meters");
        // a value is read at the start of the response, and replaced at the end of the next one
        let age = u64::from(meters) * one + characters(25, 9600) + t35(9600);
        assert_eq!(extremes(&record, "freshness"), [age; 2], "{meters} meters");
    }
}

#[test]
fn one_request_of_a_hundred_registers_is_faster_than_ten_of_ten() {
    let round = |edits: &[(&str, &str)]| extremes(&record(&line(1), edits), "poll_cycle")[1];
    let rate = 9600;
    let transaction =
        |registers: u64| characters(8, rate) + characters(5 + 2 * registers, rate) + 5 * MILLISECOND + 2 * t35(rate);
    assert_eq!(round(&[("flow.readings.count", "100")]), transaction(100));
    let ten = [("flow.readings.blocks", "10")];
    assert_eq!(round(&ten), 10 * transaction(10));
    assert_eq!(round(&[ten[0], ("flow.readings.merge", "true")]), transaction(100));
    // gaps of two registers: 10 * 10 + 9 * 2 registers fit one request
    let gaps = [ten[0], ("flow.readings.gap", "2"), ("flow.readings.merge", "true")];
    assert_eq!(round(&gaps), transaction(118));
}

/// A character of ASCII mode has 10 bits (7 data bits, even parity); a frame begins with a colon and has two characters for
/// each octet of unit, PDU and LRC, then CR LF: 17 and 51.
#[test]
fn ascii_mode_has_longer_frames_and_no_silences() {
    let record = record(&line(1), &[("medium.line.mode", "\"ascii\"")]);
    let exact = (17 * 10 * 1_000_000_000_000 / 9600) + 5 * MILLISECOND + (51 * 10 * 1_000_000_000_000 / 9600);
    assert_eq!(extremes(&record, "response_time"), [exact; 2]);
}

#[test]
fn the_time_of_a_server_grows_with_its_registers_and_a_scan_cycle_delays_it_uniformly() {
    let edits = [("station.meter.per_register", "\"100 µs\""), ("run.duration", "\"5 min\"")];
    let plain = record(&line(1), &edits);
    assert!((component_ms(&plain, "server") - 6.0).abs() < 1e-6);
    let scanned = record(&line(1), &[edits[0], edits[1], ("station.meter.scan", "\"20 ms\"")]);
    let wait = component_ms(&scanned, "server-wait") - t35(9600) as f64 / MILLISECOND as f64;
    let samples = taken(&scanned, "response_time") as f64;
    assert!((wait - 10.0).abs() < 4.0 * 20.0 / 12f64.sqrt() / samples.sqrt(), "{wait} ms on average");
    let [least, most] = extremes(&scanned, "response_time");
    let base = extremes(&plain, "response_time")[0];
    assert!(least >= base && most < base + 20 * MILLISECOND);
}

/// A response is there after 25.9 ms at 19 200 bit/s, and with the host at the second expiry of the adapter's timer.
#[test]
fn a_latency_timer_makes_every_transaction_a_multiple_of_it() {
    let round = |timer: &str| {
        let edits = [
            ("medium.line.bit_rate", "19200 bit/s"),
            ("station.controller.host.latency_timer", timer),
            ("run.warm_up", "1 s"),
        ];
        extremes(&record(&line(1), &edits), "poll_cycle")
    };
    assert_eq!(round("16 ms"), [32 * MILLISECOND; 2]);
    let alone = characters(8, 19_200) + characters(25, 19_200) + 2 * t35(19_200) + 5 * MILLISECOND;
    // a timer of 1 ms is shorter than t3.5, after which the next request may begin
    assert_eq!(round("1 ms"), [alone, alone]);
    assert_eq!(round("0 s"), [alone, alone]);
}

#[test]
fn silences_of_characters_are_shorter_above_19200_bits_a_second() {
    let of = |silence: &str, rate: &str| {
        let edits = [("medium.line.silence", silence), ("medium.line.bit_rate", rate)];
        extremes(&record(&line(1), &edits), "response_time")[1]
    };
    assert_eq!(of("characters", "19200 bit/s"), of("fixed", "19200 bit/s"));
    let [silence, fixed] = [77 * 1_000_000_000_000 / (2 * 38_400), t35(38_400)];
    assert_eq!(of("fixed", "38400 bit/s") - of("characters", "38400 bit/s"), 2 * (fixed - silence));
}

#[test]
fn a_pause_follows_every_transaction() {
    let one = extremes(&record(&line(3), &[]), "poll_cycle")[1];
    let paused = extremes(&record(&line(3), &[("flow.readings.between", "\"7 ms\"")]), "poll_cycle")[1];
    assert_eq!(paused, one + 3 * 7 * MILLISECOND);
}

#[test]
fn a_cycle_is_kept_where_the_round_is_shorter() {
    let record = record(&line(2), &[("flow.readings.arrivals.cycle", "\"1 s\"")]);
    assert_eq!(taken(&record, "poll_cycle"), 30, "one a second");
}

#[test]
fn requests_of_a_round_keep_their_interval() {
    let interval = [("flow.readings.arrivals.interval", "\"100 ms\"")];
    let record = record(&line(3), &interval);
    let one = characters(8, 9600) + t35(9600) + 5 * MILLISECOND + characters(25, 9600) + t35(9600);
    assert_eq!(extremes(&record, "poll_cycle"), [200 * MILLISECOND + one; 2]);
}

/// A write waits for the poll in progress at most, and not for the round.
#[test]
fn a_write_beside_a_round_waits_for_one_poll() {
    let text = line(20).replace(
        "[run]",
        r#"
        [[station]]
        name = "drive"
        unit = 100
        delay = "5 ms"

        [[flow]]
        name = "set-point"
        from = "controller"
        to = "drive"
        function = "write-register"
        retries = 0
        arrivals = { kind = "periodic", interval = "300 ms" }

        [run]
        "#,
    );
    let record = record(&text, &[]);
    let poll = characters(8, 9600) + characters(25, 9600) + 2 * t35(9600) + 5 * MILLISECOND;
    let write = 2 * characters(8, 9600) + 2 * t35(9600) + 5 * MILLISECOND;
    let [least, most] = extremes(&record, "response_time/set-point");
    assert!(least >= write && most <= poll + write, "{least} to {most}");
    assert!(most > write + poll / 2, "some wait");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_round_of_any_line_is_the_sum_of_its_transactions(
        bit_rate in prop::sample::select(vec![1200u64, 9600, 19_200, 38_400, 57_600, 115_200]),
        stop_bits in 1u64..=2,
        parity in prop::sample::select(vec!["none", "even"]),
        meters in 1u32..6,
        count in 1u64..=125,
        delay_ms in 0u64..40,
    ) {
        let bits = 9 + u64::from(parity == "even") + stop_bits;
        let of = |characters: u64| characters * bits * 1_000_000_000_000 / bit_rate;
        let silence = if bit_rate > 19_200 { 1_750_000_000 } else { 7 * bits * 1_000_000_000_000 / (2 * bit_rate) };
        let one = of(8) + of(5 + 2 * count) + 2 * silence + delay_ms * MILLISECOND;
        let (rate, stop_bits, parity) = (format!("{bit_rate} bit/s"), stop_bits.to_string(), format!("\"{parity}\""));
        let (count, delay) = (count.to_string(), format!("{delay_ms} ms"));
        let edits = [
            ("medium.line.bit_rate", rate.as_str()),
            ("medium.line.parity", &parity),
            ("medium.line.stop_bits", &stop_bits),
            ("flow.readings.count", &count),
            ("station.meter.delay", &delay),
            ("flow.readings.timeout", "10 s"),
        ];
        let record = record(&line(meters), &edits);
        prop_assert_eq!(extremes(&record, "poll_cycle"), [u64::from(meters) * one; 2]);
    }
}
