//! What XTP's options and the ring's priorities do to a flow, from scenario text to metrics.

use crate::support::{metrics, scenario, value};

const BULK: &str = r#"
    [network]
    kind = "fddi"
    [[medium]]
    name = "ring"
    enforce_allocation = false
    [[station]]
    name = "server"
    [[station]]
    name = "client"
    [[flow]]
    name = "backup"
    from = "server"
    to = "client"
    traffic = "bulk"
    data = "1000 B"
    probe = true
    [run]
    duration = "20 s"
"#;

const PRIORITIES: &str = r#"
    [network]
    kind = "fddi"
    [[medium]]
    name = "ring"
    enforce_allocation = false
    [[station]]
    name = "server"
    priority_thresholds = { priority_1 = "7.8 ms" }
    [[station]]
    name = "client"
    [[flow]]
    name = "low"
    from = "server"
    to = "client"
    traffic = "messages"
    transport = "datagram"
    class = "asynchronous"
    priority = 1
    probe = true
    [[flow]]
    name = "high"
    from = "server"
    to = "client"
    traffic = "messages"
    transport = "datagram"
    class = "asynchronous"
    priority = 6
    probe = true
    [run]
    duration = "5 s"
"#;

const SORTED: &str = r#"
    [network]
    kind = "fddi"
    [[medium]]
    name = "ring"
    [[station]]
    name = "server"
    [[station]]
    name = "client"
    [[flow]]
    name = "backup"
    from = "server"
    to = "client"
    traffic = "bulk"
    sort_priority = 9
    [[flow]]
    name = "alarm"
    from = "server"
    to = "client"
    traffic = "messages"
    arrivals = { kind = "burst", size = 8, interval = "1 s" }
    sort_priority = 9
    probe = true
    [run]
    duration = "20 s"
"#;

#[test]
fn a_rate_limit_holds_the_throughput_of_bulk_data_whatever_the_burst() {
    let free = value(&metrics(BULK, &[]), "throughput", "value");
    assert!(free > 2.9e6, "the host sends more than 360 packets a second: {free}");
    for burst in ["packet", "20 kB"] {
        let found = metrics(BULK, &[("flow.backup.send_rate", "1 Mbit/s"), ("flow.backup.send_burst", burst)]);
        let throughput = value(&found, "throughput", "value");
        assert!((throughput / 1e6 - 1.0).abs() < 0.02, "bursts of {burst}: {throughput}");
    }
}

#[test]
fn a_request_for_every_eighth_packet_saves_seven_acknowledgements_of_eight() {
    let acknowledgements = |edits: &[(&str, &str)]| {
        let found = metrics(BULK, edits);
        let data = value(&found, "packet_rate", "value") * 20.0;
        (value(&found, "packets", "value") / data - 1.0, data)
    };
    let (each, slow) = acknowledgements(&[]);
    let (eighth, fast) = acknowledgements(&[("flow.backup.packets_per_request", "8")]);
    assert!((each - 1.0).abs() < 0.02, "{each} for each packet");
    assert!((eighth - 0.125).abs() < 0.02, "{eighth} for each packet");
    assert!(fast > 1.3 * slow, "the sender is spared 773 µs for each: {fast} instead of {slow}");
}

#[test]
fn flows_that_ask_for_nothing_are_not_answered_and_go_on() {
    let edits = [
        ("flow.backup.status_requests", "never"),
        ("flow.backup.flow_control", "false"),
        ("flow.backup.retransmission", "none"),
    ];
    let found = metrics(BULK, &edits);
    let data = value(&found, "packet_rate", "value") * 20.0;
    assert!(data > 9_000.0, "{data}");
    assert!(value(&found, "packets", "value") / data < 1.02, "no acknowledgements");
    let problems = scenario(BULK, &edits[..1]).expect_err("refused").render(false, 100);
    assert!(problems.contains("flow_control = false"), "{problems}");
}

#[test]
fn a_receiver_that_reports_gaps_at_once_shortens_their_repair() {
    let base = [("impairment.frame_loss", "1 %"), ("flow.backup.packets_per_request", "16")];
    let asked = metrics(BULK, &base);
    let at_once = metrics(BULK, &[&base[..], &[("flow.backup.fast_nak", "true")]].concat());
    let repair = |found| value(found, "delay_budget/retransmission", "mean");
    assert!(value(&at_once, "retries", "value") > 10.0);
    assert!(repair(&at_once) < 0.8 * repair(&asked), "{} instead of {}", repair(&at_once), repair(&asked));
}

#[test]
fn a_longer_shortest_wait_delays_the_repair_of_the_last_packet() {
    let base = [("impairment.frame_loss", "5 %"), ("flow.backup.window", "1")];
    let short = metrics(BULK, &base);
    let long = metrics(BULK, &[&base[..], &[("flow.backup.wtimer_min", "200 ms")]].concat());
    let rate = |found| value(found, "packet_rate", "value");
    assert!(rate(&long) < 0.6 * rate(&short), "{} instead of {}", rate(&long), rate(&short));
}

#[test]
fn an_urgent_association_is_served_before_bulk_data_of_the_same_host() {
    let equal = metrics(SORTED, &[]);
    let urgent = metrics(SORTED, &[("flow.alarm.sort_priority", "1")]);
    let worst = |found| value(found, "response_time", "max");
    assert!(worst(&urgent) < 0.8 * worst(&equal), "{} instead of {}", worst(&urgent), worst(&equal));
}

#[test]
fn a_threshold_keeps_low_priority_off_a_loaded_ring_while_high_priority_passes() {
    let count = |rate: &str, flow: &str| {
        let found = metrics(PRIORITIES, &[("background.rate", rate)]);
        found.get(&format!("response_time/{flow}")).and_then(|metric| metric.field("count")).unwrap_or(0.0)
    };
    assert!(count("0 bit/s", "low") > 400.0 && count("0 bit/s", "high") > 400.0);
    // more than the ring carries: every token comes 0.33 ms later than on an idle ring
    assert_eq!(count("120 Mbit/s", "low"), 0.0);
    assert!(count("120 Mbit/s", "high") > 400.0);
}

#[test]
fn a_threshold_that_no_token_is_early_enough_for_is_refused() {
    let scenario = scenario(BULK, &[("station.client.priority_thresholds.priority_3", "9 ms")]).expect("valid keys");
    let shown = crate::support::model(&scenario).err().expect("refused").render(false, 100);
    assert!(shown.contains("priority 3 needs a token"), "{shown}");
}
