//! Response times and loads that arithmetic gives.

use sojourn_core::Duration;
use sojourn_metrics::record::Observation;
use sojourn_model::testing::{event, value};

use crate::support::{bus, metrics, number, periodic, record};

fn us(n: u64) -> Duration {
    Duration::from_micros(n)
}

/// 135 bits of a frame with 8 bytes, 3 of them intermission, at 2 µs.
const FRAME: u64 = 270;
const UP_TO_ITS_END: u64 = 264;

#[test]
fn a_frame_on_an_idle_bus_arrives_when_its_last_bit_is_sent() {
    let text = bus(&["a"], &periodic("one", "a", 0x100, "10 ms", "1 ms", ""));
    let record = record(&text, &[]);
    let response = record.distribution("response_time");
    assert_eq!((response.min(), response.max()), (Some(us(UP_TO_ITS_END)), Some(us(UP_TO_ITS_END))));
    // 1000 frames of 270 µs in 10 s: 1 ms, 11 ms, ..., 9.991 s
    assert_eq!((response.count(), number(&record, "packets")), (1000, 1000.0));
    assert!((number(&record, "utilisation") - 0.027).abs() < 1e-9);
    assert!((number(&record, "utilisation_worst") - 0.027).abs() < 1e-9);
    assert_eq!(number(&record, "throughput"), 1000.0 * 64.0 / 10.0);
}

#[test]
fn frames_that_come_at_once_are_sent_by_their_identifiers() {
    let flows: String = [("low", 0x300), ("high", 0x100), ("middle", 0x200)]
        .iter()
        .zip(["a", "b", "c"])
        .map(|((name, id), from)| periodic(name, from, *id, "10 ms", "1 ms", ""))
        .collect();
    let record = record(&bus(&["a", "b", "c"], &flows), &[]);
    for (flow, before) in [("high", 0), ("middle", 1), ("low", 2)] {
        let response = record.distribution(&format!("response_time/{flow}"));
        assert_eq!(response.max(), Some(us(before * FRAME + UP_TO_ITS_END)), "{flow}");
        assert_eq!(response.min(), response.max(), "{flow}");
    }
    // of three that contend two lose, of two one
    assert_eq!(number(&record, "arbitration_losses"), 3000.0);
}

#[test]
fn the_delay_budget_names_what_a_frame_waited_for() {
    // `own` comes while `low` is on the bus; then `high` of another node and `first` of its own node go before it
    let flows = periodic("low", "b", 0x500, "10 ms", "1 ms", "probe = false").replace("probe = true\n", "")
        + &periodic("high", "c", 0x100, "10 ms", "1100 us", "").replace("probe = true\n", "")
        + &periodic("first", "a", 0x200, "10 ms", "1100 us", "").replace("probe = true\n", "")
        + &periodic("own", "a", 0x300, "10 ms", "1100 us", "");
    let metrics = metrics(&bus(&["a", "b", "c"], &flows), &[]);
    let mean = |component: &str| value(&metrics, &format!("delay_budget/{component}"), "mean");
    for (component, expected) in [
        ("blocking", 170.0),
        ("interference", 270.0),
        ("own-queue", 270.0),
        ("transmission", 264.0),
        ("errors", 0.0),
        ("transmit-cpu", 0.0),
    ] {
        assert!((mean(component) * 1e6 - expected).abs() < 1e-6, "{component}: {} µs", mean(component) * 1e6);
    }
}

#[test]
fn processors_take_their_time_before_and_behind_the_bus() {
    let text = bus(&["a"], &periodic("one", "a", 0x100, "10 ms", "1 ms", ""));
    let costs = [("station.a.costs.send", "7 us"), ("station.sink.costs.receive", "12 us")];
    let record = record(&text, &costs);
    assert_eq!(record.distribution("response_time").max(), Some(us(7 + UP_TO_ITS_END + 12)));
}

#[test]
fn a_receiver_that_is_slower_than_the_bus_loses_what_its_fifo_does_not_hold() {
    let flow = periodic("one", "a", 0x100, "1 ms", "0 s", "");
    let edits = [("station.sink.costs.receive", "2 ms"), ("station.sink.receive_fifo", "3")];
    let record = record(&bus(&["a"], &flow), &edits);
    assert!((number(&record, "loss") - 0.5).abs() < 0.01, "it handles every other one: {}", number(&record, "loss"));
    assert!(number(&record, "buffer_overflows") > 4900.0);
    // three are in it: the one that is handled and two before the frame
    assert!(record.distribution("response_time").max() <= Some(us(6000 + UP_TO_ITS_END)));
}

#[test]
fn can_fd_frames_take_the_bits_of_both_phases() {
    let flow = periodic("one", "a", 0x100, "10 ms", "1 ms", "fd = true\ndata = \"64 B\"");
    let record = record(&bus(&["a"], &flow), &[("bus.data_bit_rate", "2 Mbit/s")]);
    // 29 + 4 nominal bits less the intermission, 550 + (534 - 1) / 4 - 4 at four times the rate
    let expected = us(2 * (29 + 4 - 3)) + Duration::from_nanos(500 * (550 + 133 - 4));
    assert_eq!(record.distribution("response_time").max(), Some(expected));
}

#[test]
fn the_exact_payload_decides_the_length() {
    let flow = periodic("one", "a", 0x123, "10 ms", "1 ms", "payload = \"DEADBEEF\"\ndata = \"4 B\"");
    let record = record(&bus(&["a"], &flow), &[("bus.stuffing", "exact")]);
    assert_eq!(record.distribution("response_time").max(), Some(us(2 * (81 - 3))), "81 bits by the vector");
}

#[test]
fn random_payloads_take_the_mean_of_random_frames() {
    let flow = periodic("one", "a", 0x2a5, "1 ms", "1 ms", "");
    let record = record(&bus(&["a"], &flow), &[("bus.stuffing", "random")]);
    let mean = record.distribution("response_time").mean().unwrap() * 1e6 / 2.0 + 3.0;
    assert!((mean - 114.3).abs() < 0.8, "{mean} bits");
}

#[test]
fn a_gateway_stores_and_forwards_with_another_identifier() {
    let text = r#"
        [network]
        kind = "can"
        [[medium]]
        name = "fast"
        stuffing = "worst"
        [[medium]]
        name = "slow"
        bit_rate = "125 kbit/s"
        stuffing = "worst"
        [[station]]
        name = "a"
        on = "fast"
        costs = { send = "0 s", receive = "0 s" }
        [[station]]
        name = "gateway"
        on = ["fast", "slow"]
        costs = { forward = "50 us" }
        [[station]]
        name = "b"
        on = "slow"
        costs = { send = "0 s", receive = "0 s" }
        [[flow]]
        name = "through"
        from = "a"
        to = "b"
        id = 0x100
        gateway_id = 0x200
        arrivals = { kind = "periodic", interval = "10 ms", start = "at-once", delay = "1 ms" }
        probe = true
        [run]
        duration = "1 s"
        warm_up = "0 s"
    "#;
    let record = record(text, &[]);
    // 132 bits at 2 µs, 50 µs, 132 bits at 8 µs
    assert_eq!(record.distribution("response_time").max(), Some(us(264 + 50 + 1056)));
    assert_eq!(number(&record, "packets"), 200.0);
    assert!((number(&record, "utilisation/slow") - 0.108).abs() < 1e-9);
}

#[test]
fn deadlines_are_missed_by_what_arrives_later() {
    let flows = periodic("high", "a", 0x100, "10 ms", "1 ms", "deadline = \"300 us\"")
        + &periodic("low", "b", 0x200, "10 ms", "1 ms", "deadline = \"300 us\"");
    let record = record(&bus(&["a", "b"], &flows), &[]);
    assert_eq!((number(&record, "deadline_misses/high"), number(&record, "deadline_misses/low")), (0.0, 1.0));
    assert_eq!(number(&record, "deadline_misses"), 0.5);
}

#[test]
fn on_change_messages_keep_their_shortest_interval() {
    let flow = "[[flow]]\nname = \"one\"\nfrom = \"a\"\nto = \"sink\"\nid = 1\nprobe = true\n\
                arrivals = { kind = \"heartbeat\", max_interval = \"1 s\", min_interval = \"20 ms\", change_interval = \"1 ms\" }\n";
    let record = record(&bus(&["a"], flow), &[]);
    // a change every millisecond on average: 20 ms and the rest of one
    let rate = number(&record, "transaction_rate");
    assert!((47.0..50.0).contains(&rate), "{rate} /s");
}

#[test]
fn a_bus_that_is_cut_delivers_nothing_and_then_what_has_waited() {
    let flow = periodic("one", "a", 0x100, "10 ms", "1 ms", "");
    let cut = event("action = \"down\"\nmedia = \"bus\"\nat = \"2 s\"\nduration = \"1 s\"");
    let text = format!("{}{cut}", bus(&["a"], &flow));
    let record = record(&text, &[]);
    let response = record.distribution("response_time");
    assert_eq!(response.count(), 1000, "nothing is lost: the sender repeats");
    assert!(response.max() > Some(Duration::from_millis(990)), "{:?}", response.max());
    // an attempt up to its missing acknowledgement, 6 + 8 + 3 bits, and 8 more once the sender is error passive
    let errors = number(&record, "error_frames");
    assert!((3200.0..3500.0).contains(&errors), "{errors} attempts in 1 s");
    assert!(number(&record, "error_passive") > 0.0);
    assert_eq!(number(&record, "bus_offs"), 0.0, "a sender without acknowledgement never goes bus off");
    let Observation::Timeline(_) = &record.metrics["utilisation/timeline"] else { panic!("a timeline") };
}

#[test]
fn a_station_without_power_neither_sends_nor_receives() {
    let flows = periodic("to-sink", "a", 0x100, "10 ms", "1 ms", "");
    let off = event("action = \"power-down\"\nstations = \"sink\"\nat = \"2 s\"\nduration = \"1 s\"");
    let with_listener = bus(&["a", "b"], &flows);
    let record = record(&format!("{with_listener}{off}"), &[]);
    assert!((number(&record, "loss") - 0.1).abs() < 0.002, "{}", number(&record, "loss"));
    assert_eq!(number(&record, "error_frames"), 0.0, "another node acknowledges");
    assert_eq!(record.distribution("recovery_time/it").count(), 1);
}
