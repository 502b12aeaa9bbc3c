//! Transmit queues of nodes, and the bus against queueing theory.

use sojourn_core::Duration;
use sojourn_metrics::merge::merge;

use crate::support::{bus, number, periodic, record, replication};

/// An urgent message that comes with four of low priority of the same node.
fn node(queue: &str) -> sojourn_metrics::record::Record {
    let mut flows = String::new();
    for (number, id) in [0x500, 0x501, 0x502, 0x503].iter().enumerate() {
        flows += &periodic(&format!("low-{number}"), "a", *id, "10 ms", "1 ms", "").replace("probe = true\n", "");
    }
    flows += &periodic("urgent", "a", 0x100, "10 ms", "1 ms", "");
    record(&bus(&["a"], &flows), &[("station.a.queue", queue)])
}

#[test]
fn an_urgent_frame_waits_in_a_fifo_for_all_that_came_before() {
    let urgent = |queue: &str| node(queue).distribution("response_time").max().unwrap();
    let us = Duration::from_micros;
    // all five come at once, the urgent one last: the first of the FIFO is on the bus before the others are queued or not
    assert_eq!(urgent("priority"), us(264));
    assert_eq!(urgent("fifo"), us(4 * 270 + 264));
    // three low ones have the mailboxes; when the first of them is sent the fourth takes its place, then the urgent one
    assert_eq!(urgent("mailboxes"), us(2 * 270 + 264));
}

#[test]
fn a_mailbox_is_taken_from_a_frame_of_lower_priority_where_the_node_aborts() {
    let mut flows = String::new();
    for (number, id) in [0x500, 0x501, 0x502, 0x503].iter().enumerate() {
        flows += &periodic(&format!("low-{number}"), "a", *id, "10 ms", "1 ms", "").replace("probe = true\n", "");
    }
    flows += &periodic("urgent", "a", 0x100, "10 ms", "1 ms", "");
    let edits = [("station.a.queue", "mailboxes"), ("station.a.abort", "true")];
    let record = record(&bus(&["a"], &flows), &edits);
    assert_eq!(record.distribution("response_time").max(), Some(Duration::from_micros(264)));
}

#[test]
fn only_the_latest_value_of_an_identifier_is_sent() {
    // 20 values at once, every 100 ms: the first is on the bus at once, of the others the last is sent
    let flow = "[[flow]]\nname = \"one\"\nfrom = \"a\"\nto = \"sink\"\nid = 1\nprobe = true\n\
                arrivals = { kind = \"burst\", interval = \"100 ms\", size = 20, gap = \"1 us\" }\n";
    let record = record(&bus(&["a"], flow), &[("station.a.queue", "latest")]);
    assert!((number(&record, "loss") - 0.9).abs() < 0.01, "{}", number(&record, "loss"));
}

#[test]
fn a_full_queue_loses_what_comes() {
    let flow = "[[flow]]\nname = \"one\"\nfrom = \"a\"\nto = \"sink\"\nid = 1\nprobe = true\n\
                arrivals = { kind = \"burst\", interval = \"1 s\", size = 20, gap = \"0 s\" }\n";
    let record = record(&bus(&["a"], flow), &[("station.a.queue_length", "4")]);
    // one instant: the bus takes the first only when all have come
    assert!((number(&record, "loss") - 0.8).abs() < 0.01, "{}", number(&record, "loss"));
}

/// Poisson flows of equal frames of 270 µs that ask for these shares of the bus, the highest priority first: mean waiting times.
fn waiting(shares: &[f64]) -> Vec<(f64, f64)> {
    let names = ["a", "b", "c"];
    let mut flows = String::new();
    for (number, share) in shares.iter().enumerate() {
        let rate = share / 270e-6;
        flows += &format!(
            "[[flow]]\nname = \"f{number}\"\nfrom = \"{}\"\nto = \"sink\"\nid = {}\nprobe = true\narrivals = {{ kind = \"poisson\", rate = \"{rate} /s\" }}\n",
            names[number],
            0x100 * (number + 1)
        );
    }
    let text = bus(&names[..shares.len()], &flows);
    let records: Vec<_> =
        (0..10).map(|index| replication(&text, &[("run.duration", "40 s"), ("run.warm_up", "1 s")], index)).collect();
    let metrics = merge(&records);
    let of = |number: usize| {
        let metric = &metrics[&format!("response_time/f{number}")];
        let (low, high) = metric.interval("mean").unwrap();
        let (mean, half) = (0.5 * (low + high.unwrap()), 0.5 * (high.unwrap() - low));
        // a frame arrives 6 µs before it leaves the bus free
        (mean - 264e-6, half)
    };
    (0..shares.len()).map(of).collect()
}

#[test]
fn one_class_waits_as_in_an_m_d_1_queue() {
    for load in [0.3, 0.6, 0.85] {
        let expected = load * 270e-6 / (2.0 * (1.0 - load));
        let (found, half) = waiting(&[load])[0];
        assert!(
            (found - expected).abs() < 2.0 * half && half < 0.05 * expected,
            "{load}: {found} ± {half}, not {expected}"
        );
    }
}

#[test]
fn several_classes_wait_as_cobham_has_it() {
    let shares = [0.2, 0.3, 0.3];
    // R0 / ((1 - s_{k-1}) (1 - s_k)), R0 = sum of lambda C^2 / 2
    let residual: f64 = shares.iter().map(|share| share * 270e-6 / 2.0).sum();
    let mut before = 0.0;
    for ((found, half), share) in waiting(&shares).into_iter().zip(shares) {
        let expected = residual / ((1.0 - before) * (1.0 - before - share));
        assert!((found - expected).abs() < 2.0 * half && half < 0.05 * expected, "{found} ± {half}, not {expected}");
        before += share;
    }
}
