//! Bounds against simulation.

use proptest::prelude::*;
use sojourn_can::{CanNetwork, NETWORKS};
use sojourn_core::Duration;
use sojourn_metrics::merge::merge;
use sojourn_metrics::results::Bounds;
use sojourn_model::{Network, Replication};

use crate::support::{bus, periodic, record};

fn bounds(text: &str, edits: &[(&str, &str)]) -> Bounds {
    let scenario = NETWORKS.checked(text, edits);
    (&CanNetwork as &dyn Network).worst_cases(&scenario).unwrap()
}

fn delay(bounds: &Bounds, flow: &str, hop: &str) -> f64 {
    let row = bounds.rows.iter().find(|row| row.flow == flow && row.hop == hop);
    row.and_then(|row| row.delay).unwrap_or_else(|| panic!("{flow} at {hop}: {:?}", bounds.rows))
}

/// The brief's five messages: period and jitter.
fn five() -> String {
    let rows = [("5 ms", "0 s"), ("10 ms", "100 us"), ("10 ms", "0 s"), ("20 ms", "200 us"), ("100 ms", "0 s")];
    let mut flows = String::new();
    for (number, (period, jitter)) in rows.iter().enumerate() {
        flows += &format!(
            "[[flow]]\nname = \"m{number}\"\nfrom = \"n{number}\"\nto = \"sink\"\nid = {}\nprobe = true\narrivals = {{ kind = \"periodic\", interval = \"{period}\", jitter = \"{jitter}\" }}\n",
            0x100 + number
        );
    }
    bus(&["n0", "n1", "n2", "n3", "n4"], &flows)
}

#[test]
fn the_worked_example_has_its_worst_cases() {
    let bounds = bounds(&five(), &[]);
    for (number, expected) in [540.0, 910.0, 1080.0, 1550.0, 1350.0].iter().enumerate() {
        let found = delay(&bounds, &format!("m{number}"), "bus") * 1e6;
        assert!((found - expected).abs() < 1e-6, "m{number}: {found} µs");
    }
    assert!(bounds.assumptions.iter().any(|line| line.starts_with("every message meets its deadline")));
}

#[test]
fn the_critical_instant_takes_as_long_as_the_bound_less_the_intermission() {
    // `low` begins a picosecond before all others come, and its frame blocks them
    let flows = periodic("low", "d", 0x400, "100 ms", "1 ms", "")
        + &periodic("high", "a", 0x100, "5 ms", "1000000001 ps", "")
        + &periodic("middle", "b", 0x200, "10 ms", "1000000001 ps", "")
        + &periodic("probe", "c", 0x300, "10 ms", "1000000001 ps", "");
    let text = bus(&["a", "b", "c", "d"], &flows);
    let (bounds, record) = (bounds(&text, &[]), record(&text, &[]));
    for (flow, waits) in [("high", 1), ("middle", 2), ("probe", 3)] {
        let bound = delay(&bounds, flow, "bus");
        assert_eq!(bound, f64::from(waits + 1) * 270e-6, "{flow}");
        let longest = record.distribution(&format!("response_time/{flow}")).max().unwrap();
        // the frame arrives 3 bits before the bus is free, and came a picosecond after the one that blocks it
        assert_eq!(
            longest + Duration::from_micros(6) + Duration::from_picoseconds(1),
            Duration::from_seconds(bound).unwrap(),
            "{flow}"
        );
    }
}

#[test]
fn what_has_no_bound_says_why() {
    let why = |text: &str, edits: &[(&str, &str)]| -> String {
        let bounds = bounds(text, edits);
        bounds.rows.iter().filter_map(|row| row.why.clone()).collect::<Vec<_>>().join("\n")
    };
    let five = five();
    assert!(why(&five, &[("bus.bit_error_rate", "1e-6")]).contains("bit errors of bus are random"));
    assert!(
        why(&five, &[("flow.m0.arrivals", "{ kind = \"poisson\", interval = \"5 ms\" }")])
            .contains("no shortest interval")
    );
    assert!(why(&five, &[("bus.bit_rate", "50 kbit/s")]).contains("ask for all of the time"));
    assert!(why(&five, &[("flow.m1.id", "0x100")]).contains("two nodes of bus send its identifier"));
    // what has a lower priority only blocks
    let lowest = bounds(&five, &[("flow.m4.arrivals", "{ kind = \"poisson\", interval = \"5 ms\" }")]);
    assert!((delay(&lowest, "m0", "bus") - 540e-6).abs() < 1e-12);
}

#[test]
fn the_rates_at_which_the_first_message_misses_are_those_of_the_bound() {
    let flows = periodic("one", "a", 0x100, "10 ms", "0 s", "deadline = \"1 ms\"")
        + &periodic("two", "b", 0x200, "10 ms", "0 s", "deadline = \"600 us\"");
    let lines = bounds(&bus(&["a", "b"], &flows), &[]).assumptions.join("\n");
    // `two` takes 540 µs until `one` comes twice within 270 µs, which is far: periods of 10 ms may shrink to where the bus is full
    assert!(lines.contains("every message meets its deadline"), "{lines}");
    assert!(lines.contains("two is the first to miss") || lines.contains("one is the first to miss"), "{lines}");
    let tight = bounds(&bus(&["a", "b"], &flows), &[("flow.two.deadline", "500 us")]).assumptions.join("\n");
    assert!(tight.contains("not every message meets its deadline (else its period): two takes up to"), "{tight}");
}

prop_compose! {
    /// Messages of random identifiers, lengths, periods, jitters and offsets on nodes of all disciplines.
    fn any_bus()(
        messages in prop::collection::vec((0u32..0x700, 0u32..=8, 2u64..40, 0u64..2000, 0u64..20_000, 0usize..4), 1..12),
        queues in prop::collection::vec(0usize..4, 4),
        costs in prop::sample::select(vec!["0 s", "20 us"]),
        fault in prop::option::weighted(0.2, 20u64..200),
    ) -> String {
        let words = ["priority", "fifo", "mailboxes", "latest"];
        let mut text = "[network]\nkind = \"can\"\n[bus]\nstuffing = \"worst\"\n".to_owned();
        if let Some(fault) = fault {
            text += &format!("fault_interval = \"{fault} ms\"\n");
        }
        for (number, queue) in queues.iter().enumerate() {
            text += &format!("[[station]]\nname = \"n{number}\"\nqueue = \"{}\"\ncosts = {{ send = \"{costs}\", receive = \"{costs}\" }}\n", words[*queue]);
        }
        text += &format!("[[station]]\nname = \"sink\"\ncosts = {{ receive = \"{costs}\" }}\n");
        for (number, (id, bytes, period, jitter, offset, node)) in messages.into_iter().enumerate() {
            text += &format!(
                "[[flow]]\nname = \"m{number}\"\nfrom = \"n{node}\"\nto = \"sink\"\nid = {}\ndata = \"{bytes} B\"\nprobe = true\n\
                 arrivals = {{ kind = \"periodic\", interval = \"{period} ms\", jitter = \"{jitter} us\", start = \"at-once\", delay = \"{offset} us\" }}\n",
                // no two are the same
                (id & !15) | number as u32
            );
        }
        text + "[run]\nduration = \"1 s\"\nwarm_up = \"0 s\"\n"
    }
}

/// Simulated response times beside their bounds; how many were compared.
fn compared(text: &str, seed: u64, duration: Duration) -> Result<usize, TestCaseError> {
    let scenario = NETWORKS.checked(text, &[]);
    let mut bounds = (&CanNetwork as &dyn Network).worst_cases(&scenario).unwrap();
    let model = NETWORKS.model(&scenario).unwrap();
    let record = model.replicate(Replication { seed, ..Replication::alone(duration) });
    bounds.compare(&mut merge(&[record]));
    let mut tested = 0;
    for row in &bounds.rows {
        if let (Some(bound), Some(largest)) = (row.bound(), row.simulated_max) {
            prop_assert!(largest <= bound + 1e-12, "{} at {}: {largest} > {bound}\n{text}", row.flow, row.hop);
            tested += 1;
        }
    }
    Ok(tested)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn no_response_of_a_random_set_exceeds_its_bound(text in any_bus(), seed in 0u64..1000) {
        compared(&text, seed, Duration::from_millis(300))?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100_000))]
    #[test]
    #[ignore = "a hundred thousand sets, some minutes; make nightly"]
    fn no_response_of_a_hundred_thousand_random_sets_exceeds_its_bound(text in any_bus(), seed in 0u64..1000) {
        compared(&text, seed, Duration::from_millis(300))?;
    }
}

#[test]
fn a_thousand_messages_are_bounded_within_a_tenth_of_a_second_of_a_build_for_release() {
    let mut flows = String::new();
    for number in 0..1000 {
        flows += &format!(
            "[[flow]]\nname = \"m{number}\"\nfrom = \"a\"\nto = \"sink\"\nid = {number}\nextended = true\narrivals = {{ kind = \"periodic\", interval = \"{} ms\" }}\n",
            400 + number % 97
        );
    }
    let text = bus(&["a"], &flows);
    let scenario = NETWORKS.checked(&text, &[]);
    let bounds = (&CanNetwork as &dyn Network).worst_cases(&scenario).unwrap();
    assert_eq!(bounds.rows.iter().filter(|row| row.hop == "bus" && row.delay.is_some()).count(), 1000);
}
