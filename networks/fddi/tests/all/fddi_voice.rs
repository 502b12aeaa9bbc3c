//! The voice study's set-ups, from scenario text to metrics: published numbers, closed forms of the hosts, and what
//! each kind of trouble does.

use crate::support::{Metrics, record, scenario, value};

const RING: &str = r#"
[network]
kind = "fddi"
[ring]
enforce_allocation = false
"#;

const VOICE: &str = r#"
[voice]
samples = 256
"#;

fn metrics(edits: &[(&str, &str)]) -> Metrics {
    crate::support::metrics(&format!("{RING}{VOICE}"), edits)
}

fn refusal(edits: &[(&str, &str)]) -> String {
    let text = format!("{RING}{VOICE}").replace("enforce_allocation = false\n", "");
    let found = scenario(&text, edits).and_then(|scenario| crate::support::model(&scenario).map(|_| ()));
    found.expect_err("refused").render(false, 100)
}

const TICK: f64 = 81.3e-6;

#[test]
fn mean_latency_and_period_of_the_basic_experiment_are_within_three_percent_of_the_published_ones() {
    // UVA TR-92-05, table 1: samples, mean latency in ms, packets in a MiB, seconds they took
    let published = [
        ("16", 2.732, 65_536.0, 139.440),
        ("64", 2.791, 16_384.0, 35.330),
        ("256", 3.062, 4096.0, 9.360),
        ("1024", 4.015, 1024.0, 2.760),
        ("4096", 7.699, 256.0, 1.110),
    ];
    for (samples, latency, packets, seconds) in published {
        let found = metrics(&[("voice.samples", samples), ("run.duration", "20 s"), ("probe.exchanges", "200")]);
        let mean = value(&found, "response_time", "mean") * 1e3;
        assert!((mean / latency - 1.0).abs() < 0.03, "{samples} samples: {mean} ms, published {latency} ms");
        let rate = value(&found, "packet_rate", "value");
        let published_rate = packets / seconds;
        assert!(
            (rate / published_rate - 1.0).abs() < 0.03,
            "{samples} samples: {rate}/s, published {published_rate}/s"
        );
    }
}

#[test]
fn latency_is_the_sum_of_the_hosts_costs_copies_and_the_wire_and_the_wait_is_below_a_rotation() {
    let found = metrics(&[("probe.transfer", "0 B"), ("probe.paced", "0 s")]);
    let part = |component: &str| value(&found, &format!("delay_budget/{component}"), "mean");
    let (packet, bytes) = (1361e-6, 256.0);
    assert!((part("sender-processor") - (packet + bytes * 0.5453e-6)).abs() < 1e-12);
    assert!((part("receiver-processor") - (packet + bytes * 0.5453e-6)).abs() < 1e-12);
    assert!((part("adapters") - 2.0 * bytes * 0.0288e-6).abs() < 1e-12);
    assert!((part("transmission") - (bytes + 80.0) * 80e-9).abs() < 1e-12);
    // three stations, 0.1 km, a token of 0.88 µs, and an acknowledgement that may be before
    assert!(part("waiting-for-token") < 3.0e-6 + 0.51e-6 + 0.88e-6 + 10e-6);
    let sum: f64 =
        found.iter().filter(|(name, _)| name.starts_with("delay_budget/")).map(|(_, m)| m.field("mean").unwrap()).sum();
    assert!((sum - value(&found, "response_time", "mean")).abs() < 1e-12);
}

#[test]
fn quantiles_lie_on_the_grid_of_the_clock_and_the_mean_does_not() {
    let found = metrics(&[("probe.transfer", "0 B"), ("probe.paced", "0 s"), ("background.rate", "25 Mbit/s")]);
    for field in ["min", "p50", "p90", "p99", "p999", "max"] {
        let ticks = value(&found, "response_time", field) / TICK;
        assert!((ticks - ticks.round()).abs() < 1e-6, "{field} is {ticks} ticks");
    }
    let mean = value(&found, "response_time", "mean") / TICK;
    assert!((mean - mean.round()).abs() > 1e-3);
    assert_eq!(value(&found, "response_time", "count"), 1000.0);
}

#[test]
fn an_exact_clock_reads_the_exact_half_of_the_round_trip() {
    let record = record(
        &format!("{RING}{VOICE}"),
        &[("station.clock_tick", "0 s"), ("probe.paced", "0 s"), ("probe.transfer", "0 B")],
    );
    let times = record.distribution("response_time");
    let samples = times.samples().expect("a thousand samples are kept");
    let mean = samples.iter().sum::<u64>() as f64 / samples.len() as f64 * 1e-12;
    assert!((mean - times.mean().unwrap()).abs() < 1e-12);
    assert_eq!(record.traces["response_time"].len(), 1000, "one for each exchange, in order");
    assert!(record.traces["response_time"].is_sorted_by_key(|&(at, _)| at));
}

#[test]
fn one_channel_runs_dry_at_8_and_16_samples_and_at_no_more() {
    for (samples, dry) in [("8", true), ("16", true), ("32", false), ("64", false), ("512", false), ("4096", false)] {
        let found = metrics(&[("voice.samples", samples), ("probe.exchanges", "0"), ("probe.transfer", "0 B")]);
        assert_eq!(value(&found, "fifo_underflow", "value") > 0.0, dry, "{samples} samples");
        assert_eq!(value(&found, "fifo_overflow", "value") > 0.0, dry, "{samples} samples");
    }
}

#[test]
fn channels_side_by_side_delay_each_other_and_lose_samples_beyond_what_the_hosts_carry() {
    let real_time = |channels: &str| {
        metrics(&[
            ("voice.channels", channels),
            ("voice.playout_delay", "20 ms"),
            ("probe.exchanges", "0"),
            ("probe.transfer", "0 B"),
            ("probe.paced", "2 s"),
        ])
    };
    let [one, few, many] = ["1", "8", "60"].map(real_time);
    let delay = |found: &Metrics| value(found, "one_way_delay", "mean");
    assert!(delay(&few) > 1.05 * delay(&one), "{} s, alone {} s", delay(&few), delay(&one));
    assert!(delay(&many) > 10.0 * delay(&few), "{} s, few {} s", delay(&many), delay(&few));
    assert_eq!((value(&one, "loss", "value"), value(&few, "loss", "value")), (0.0, 0.0));
    let loss = value(&many, "loss", "value");
    assert!((0.5..1.0).contains(&loss), "{loss} of the samples");
}

#[test]
fn channels_are_rated_by_their_delay_and_what_was_not_played_where_a_codec_is_named() {
    let base = [("voice.channels", "2"), ("probe.exchanges", "0"), ("probe.transfer", "0 B"), ("probe.paced", "4 s")];
    let with = |edits: &[(&'static str, &'static str)]| {
        let all: Vec<(&str, &str)> = base.into_iter().chain(edits.iter().copied()).collect();
        metrics(&all)
    };
    assert!(!with(&[]).contains_key("mos"), "without a codec none is rated");
    let found = with(&[("voice.codec", "g711-plain"), ("voice.playout_delay", "40 ms")]);
    assert_eq!(value(&found, "play_out_loss", "value"), 0.0);
    // 32 ms of packet, 40 ms of playout delay, and the path of the first packet, 2 to 6 ms
    let delay = value(&found, "play_out_delay", "value");
    assert!(delay > 0.072 + value(&found, "one_way_delay", "min") && delay < 0.080, "{delay}");
    assert!(value(&found, "mos", "value") > 4.3);
    assert!(
        value(&found, "mos/voice/1", "value").min(value(&found, "mos/voice/2", "value"))
            == value(&found, "mos", "value")
    );
    // a ring on which every tenth frame is lost sends again after a timer that is longer than the buffer
    let lossy =
        with(&[("voice.codec", "g711-plain"), ("voice.playout_delay", "1 ms"), ("impairment.frame_loss", "10 %")]);
    assert!(value(&lossy, "play_out_loss", "value") > 0.05, "{}", value(&lossy, "play_out_loss", "value"));
    assert!(value(&lossy, "mos", "value") < 3.0);
}

#[test]
fn a_channel_of_which_nothing_arrives_has_run_dry() {
    let found = metrics(&[
        ("voice.channels", "1000"),
        ("probe.exchanges", "0"),
        ("probe.transfer", "0 B"),
        ("probe.paced", "1 s"),
    ]);
    assert!(value(&found, "fifo_underflow", "value") > 500.0, "{}", value(&found, "fifo_underflow", "value"));
}

#[test]
fn as_many_channels_run_side_by_side_as_the_stream_promises_and_not_many_more() {
    let promised = value(&metrics(&[("probe.paced", "0 s")]), "voice_channels", "value");
    let dry = |channels: f64| {
        let channels = channels.to_string();
        let edits = [("voice.channels", channels.as_str()), ("probe.exchanges", "0"), ("probe.transfer", "0 B")];
        let found = metrics(&edits);
        value(&found, "fifo_underflow", "value") > 0.0
    };
    assert!(!dry(promised), "{promised} channels");
    assert!(dry(promised + 1.0), "{} channels", promised + 1.0);
}

#[test]
fn background_in_bursts_delays_more_than_the_same_load_frame_by_frame() {
    let single = metrics(&[("background.rate", "50 Mbit/s"), ("probe.paced", "0 s")]);
    let bursts = metrics(&[
        ("background.rate", "50 Mbit/s"),
        ("background.discipline", "multiple-packets-per-token"),
        ("probe.paced", "0 s"),
    ]);
    let wait = |found| value(found, "delay_budget/waiting-for-token", "mean");
    assert!(wait(&single) < 0.34e-3, "a frame takes 0.334 ms: {}", wait(&single));
    assert!(wait(&bursts) > 0.5e-3, "a burst takes 5 ms: {}", wait(&bursts));
    for found in [&single, &bursts] {
        let utilisation = value(found, "utilisation", "value");
        assert!((utilisation - 0.517).abs() < 0.01, "half the ring, with preambles, and the stream: {utilisation}");
        assert!(value(found, "token_rotation", "max") < 16e-3, "below twice the target");
    }
}

#[test]
fn unacknowledged_packets_that_are_kept_cost_no_latency_and_lost_ones_cost_a_timer() {
    let quiet = metrics(&[("probe.paced", "0 s")]);
    let kept = metrics(&[("impairment.unacknowledged", "10 %"), ("probe.paced", "0 s")]);
    let lost = metrics(&[
        ("impairment.unacknowledged", "10 %"),
        ("impairment.unacknowledged_data", "lost"),
        ("probe.paced", "0 s"),
    ]);
    let mean = |found| value(found, "response_time", "mean");
    assert!((mean(&kept) / mean(&quiet) - 1.0).abs() < 0.01);
    assert_eq!(value(&kept, "retries", "value"), 0.0);
    let repaired = value(&lost, "delay_budget/retransmission", "mean");
    // one exchange in ten waits for WTIMER, 50 ms at the least, and a retransmission; half of it counts
    assert!((2e-3..6e-3).contains(&repaired), "{repaired}");
    assert!(value(&lost, "retries", "value") > 60.0);
    assert!(value(&lost, "throughput", "value") < value(&quiet, "throughput", "value"));
}

#[test]
fn messages_take_the_processor_and_come_last_where_the_host_says_so() {
    let base = [("messages.rate", "120 /s"), ("probe.paced", "0 s")];
    let equal = metrics(&base);
    let lower = metrics(&[&base[..], &[("station.message_priority", "lower")]].concat());
    let queues = |found| value(found, "delay_budget/queues", "mean");
    assert!(queues(&equal) > 0.1e-3, "{}", queues(&equal));
    assert!(queues(&lower) < queues(&equal));
    let quiet = metrics(&[("probe.paced", "0 s")]);
    assert!(value(&equal, "packet_rate", "value") < 0.9 * value(&quiet, "packet_rate", "value"));
}

#[test]
fn multicast_goes_at_the_pace_of_all_receivers_and_pays_its_own_step() {
    let two = metrics(&[("voice.receivers", "2"), ("probe.paced", "0 s")]);
    let one = metrics(&[("probe.paced", "0 s")]);
    // two acknowledgements to each packet
    let period = 1.0 / value(&two, "packet_rate", "value") - 1.0 / value(&one, "packet_rate", "value");
    assert!((period / 773e-6 - 1.0).abs() < 0.02, "{period}");
    let step =
        metrics(&[("voice.receivers", "2"), ("station.costs.multicast_send", "5.07 ms"), ("probe.paced", "0 s")]);
    let more = value(&step, "response_time", "mean") - value(&two, "response_time", "mean");
    assert!((more - 2.535e-3).abs() < 20e-6, "half of the step: {more}");
}

#[test]
fn each_router_adds_its_delay_and_a_ring() {
    let latency =
        |count: &str| value(&metrics(&[("router.count", count), ("probe.paced", "0 s")]), "response_time", "mean");
    let (none, one, two) = (latency("0"), latency("1"), latency("2"));
    let each = 1e-3 + (256.0 + 80.0) * 80e-9;
    assert!((one - none - each).abs() < 10e-6, "{one} {none}");
    assert!((two - one - each).abs() < 10e-6, "{two} {one}");
}

#[test]
fn a_lost_token_is_claimed_anew_and_traffic_goes_on() {
    let found = metrics(&[("impairment.token_loss", "20 /s"), ("probe.paced", "0 s")]);
    assert!(value(&found, "tokens_lost", "value") > 50.0);
    assert!(value(&found, "claims", "value") > 50.0);
    assert_eq!(value(&found, "response_time", "count"), 1000.0);
    assert_eq!(value(&found, "failures", "value"), 0.0);
}

#[test]
fn corrupted_frames_are_repaired_over_xtp_and_lost_as_datagrams() {
    let edits = [("impairment.frame_loss", "2 %"), ("probe.paced", "0 s"), ("run.duration", "60 s")];
    let xtp = metrics(&edits);
    assert_eq!(value(&xtp, "failures", "value"), 0.0);
    assert!(value(&xtp, "retries", "value") > 10.0);
    let datagrams = metrics(&[&edits[..], &[("voice.transport", "datagram")]].concat());
    let failed = value(&datagrams, "failures", "value");
    assert!(failed > 0.0, "{failed}");
    assert!(!datagrams["retries"].applies(), "datagrams are not sent again");
}

#[test]
fn one_way_and_half_of_the_round_trip_agree_on_an_idle_ring() {
    let edits = [("station.clock_tick", "0 s"), ("probe.paced", "0 s")];
    let half = metrics(&edits);
    let one_way = metrics(&[&edits[..], &[("probe.measure", "one-way")]].concat());
    let mean = |found| value(found, "response_time", "mean");
    assert!((mean(&one_way) / mean(&half) - 1.0).abs() < 0.01, "{} {}", mean(&one_way), mean(&half));
}

#[test]
fn an_acknowledgement_before_the_delivery_delays_the_user_by_its_cost() {
    let edits = [("probe.paced", "0 s"), ("probe.transfer", "0 B")];
    let beside = metrics(&edits);
    let before = metrics(&[&edits[..], &[("station.acknowledges", "before-delivery")]].concat());
    let more = value(&before, "response_time", "mean") - value(&beside, "response_time", "mean");
    assert!((more - 250e-6).abs() < 15e-6, "{more}");
}

#[test]
fn timer_interrupts_spread_the_response_time() {
    let edits = [
        ("station.timer_interval", "10 ms"),
        ("station.costs.timer_interrupt", "100 µs"),
        ("probe.paced", "0 s"),
        ("probe.transfer", "0 B"),
    ];
    let (quiet, ticking) = (metrics(&edits[2..]), metrics(&edits));
    let more = value(&ticking, "response_time", "mean") / value(&quiet, "response_time", "mean");
    assert!((more - 1.01).abs() < 0.002, "1 % of the processors: {more}");
}

#[test]
fn flows_of_ones_own_run_side_by_side_on_two_rings_with_a_router() {
    let text = r#"
        [network]
        kind = "fddi"
        [[medium]]
        name = "north"
        [[medium]]
        name = "south"
        [[station]]
        name = "server"
        on = ["north"]
        [[station]]
        name = "client"
        count = 3
        on = ["south"]
        [[station]]
        name = "gateway"
        on = ["north", "south"]
        [[flow]]
        name = "query"
        from = "client"
        to = "server"
        traffic = "messages"
        arrivals = { kind = "poisson", rate = "20 /s" }
        class = "asynchronous"
        data = "200 B"
        probe = true
        [[flow]]
        name = "backup"
        from = "server"
        to = "client-1"
        traffic = "bulk"
        transport = "datagram"
        data = "4000 B"
        [[flow]]
        name = "telephone"
        from = "client-2"
        to = "client-3"
        traffic = "voice"
        samples = 512
        playout_delay = "30 ms"
        [run]
        duration = "20 s"
    "#;
    let found = crate::support::metrics(text, &[]);
    let count = value(&found, "response_time", "count");
    assert!((1000.0..1400.0).contains(&count), "three clients ask 20 times a second for 20 s: {count}");
    assert!(value(&found, "delay_budget/routers", "mean") >= 1e-3);
    assert_eq!(value(&found, "fifo_underflow", "value"), 0.0);
    assert!(value(&found, "throughput", "value") > 5e6, "the backup goes as fast as its sender");
}

#[test]
fn allocations_that_break_the_synchronous_rule_are_refused_with_the_excess() {
    let shown = refusal(&[("station.synchronous_allocation", "4 ms")]);
    assert!(shown.contains("synchronous_allocation") && shown.contains("1.97"), "{shown}");
}

#[test]
fn what_no_ring_can_be_is_refused_in_words() {
    for (edit, expected) in [
        (("ring.ttrt", "3 ms"), "outside 4 ms to 165 ms"),
        (("ring.ttrt", "200 ms"), "outside 4 ms to 165 ms"),
        (("voice.samples", "5000"), "longer than a frame"),
        (("ring.idle_macs", "999"), "MACs are more"),
        (("voice.receivers", "999"), "MACs are more"),
        (("ring.length", "300 km"), "200 km"),
    ] {
        let shown = refusal(&[edit]);
        assert!(shown.contains(expected), "{edit:?}: {shown}");
    }
    let shown = refusal(&[("ring.enforce_allocation", "true"), ("station.synchronous_allocation", "10 µs")]);
    assert!(shown.contains("a synchronous frame takes"), "{shown}");
}
