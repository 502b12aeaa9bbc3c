//! Bounds of random lines and gateways: no simulated time exceeds them, and some reach them.

use proptest::prelude::*;
use sojourn_metrics::results::{BoundRow, Bounds};

use super::support::*;

fn bounds(text: &str, edits: &[(&str, &str)]) -> Bounds {
    let scenario = scenario(text, edits).unwrap_or_else(|problems| panic!("{problems}"));
    let networks = sojourn_modbus::NETWORKS;
    networks.find("modbus").unwrap().worst_cases(&scenario).unwrap()
}

fn row<'b>(bounds: &'b Bounds, flow: &str, hop: &str) -> &'b BoundRow {
    bounds.rows.iter().find(|row| row.flow == flow && row.hop == hop).unwrap_or_else(|| panic!("{flow}, {hop}"))
}

/// Panics where a row that a metric observes is exceeded; returns how many were compared.
fn compare(text: &str, edits: &[(&str, &str)]) -> usize {
    let (bounds, record) = (bounds(text, edits), record(text, edits));
    let mut compared = 0;
    for row in &bounds.rows {
        let (Some(delay), Some(metric)) = (row.delay, &row.metric) else { continue };
        if taken(&record, metric) > 0 {
            let most = extremes(&record, metric)[1] as f64 * 1e-12;
            assert!(most <= delay + 1e-11, "{metric}: {most} s exceeds {delay} s with {edits:?}\n{text}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn without_randomness_the_bound_of_a_round_is_the_round() {
    let (bounds, record) = (bounds(&line(7), &[]), record(&line(7), &[]));
    let delay = row(&bounds, "readings", "round").delay.unwrap();
    assert!((delay - extremes(&record, "poll_cycle")[1] as f64 * 1e-12).abs() < 1e-12);
    let age = row(&bounds, "readings", "age of a value").delay.unwrap();
    assert!((age - extremes(&record, "freshness")[1] as f64 * 1e-12).abs() < 1e-12);
    let response = row(&bounds, "readings", "end to end").delay.unwrap();
    assert!((response - extremes(&record, "response_time")[1] as f64 * 1e-12).abs() < 1e-12);
}

#[test]
fn the_bound_with_a_dead_server_is_the_round_with_one() {
    let edits = [("flow.readings.retries", "3"), ("run.duration", "2 min")];
    let bound = row(&bounds(&line(7), &edits), "readings", "round with one server that does not answer").delay.unwrap();
    let event = "[[event]]\nname = \"dies\"\nat = \"0 s\"\nstations = \"meter-4\"\naction = \"power-down\"\n";
    let most = extremes(&record(&(line(7) + event), &edits), "poll_cycle")[1] as f64 * 1e-12;
    assert!((bound - most).abs() < 1e-11, "{bound}, simulated {most}");
}

#[test]
fn what_has_no_bound_says_why() {
    let why = |edits: &[(&str, &str)]| row(&bounds(&line(2), edits), "readings", "end to end").why.clone().unwrap();
    assert!(why(&[("station.meter.delay", "{ kind = \"exponential\", mean = \"5 ms\" }")]).contains("no upper end"));
    assert!(why(&[("station.meter.delay", "2 s")]).contains("longer than its timeout"));
    assert!(
        why(&[("flow.readings.arrivals", "{ kind = \"poisson\", interval = \"1 s\" }")])
            .contains("any number of rounds")
    );
}

#[test]
fn a_server_that_may_not_hear_a_request_after_a_broadcast_has_no_bound() {
    let text = line(2).replace(
        "[run]",
        r#"
        [[flow]]
        name = "all"
        from = "controller"
        to = "meter"
        function = "write-register"
        broadcast = true
        turnaround = "100 ms"
        arrivals = { kind = "saturating", think = "300 ms" }

        [run]
        "#,
    );
    let of = |delay: &str| row(&bounds(&text, &[("station.meter.delay", delay)]), "readings", "round").clone();
    assert!(of("97 ms").why.unwrap().contains("may carry out a broadcast for longer than its turnaround of 100 ms"));
    assert!(of("95 ms").delay.is_some());
    assert!(compare(&text, &[("station.meter.delay", "95 ms")]) >= 3);
}

/// A scenario with `clients` behind a gateway or a controller on the line, two flows, and servers of random times.
fn scenario_of(clients: u32, meters: u32, extra: &str) -> String {
    let (lan, stations, from) = if clients == 0 {
        (String::new(), "[[station]]\nname = \"controller\"\non = \"line\"\n".to_owned(), "controller")
    } else {
        let lan = "[[medium]]\nname = \"lan\"\nmode = \"tcp\"\n".to_owned();
        let stations = format!(
            "[[station]]\nname = \"scada\"\ncount = {clients}\non = \"lan\"\n\n[[station]]\nname = \"gateway\"\non = [\"lan\", \"line\"]\n"
        );
        (lan, stations, "scada")
    };
    format!(
        r#"
        [network]
        kind = "modbus"

        {lan}
        [[medium]]
        name = "line"

        {stations}
        [[station]]
        name = "meter"
        count = {meters}
        on = "line"

        [[flow]]
        name = "readings"
        from = "{from}"
        to = "meter"
        timeout = "20 s"

        [[flow]]
        name = "writes"
        from = "{from}"
        to = "meter-1"
        function = "write-registers"
        timeout = "20 s"
        {extra}

        [run]
        duration = "20 s"
        warm_up = "0 s"
        "#
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn no_simulated_time_exceeds_its_bound(
        (clients, outstanding) in prop_oneof![Just((0u32, 1u32)), (1u32..4, 1u32..4)],
        meters in 2u32..6,
        bit_rate in prop::sample::select(vec![9600u32, 38_400, 115_200]),
        mode in prop::sample::select(vec!["rtu", "ascii"]),
        (count, blocks) in (1u32..40, 1u32..3),
        (delay, scan, pause, timer) in (0u32..30, 0u32..30, 0u32..5, 0u32..17),
        periodic in any::<bool>(),
        noisy in any::<bool>(),
    ) {
        let extra = match periodic {
            true => "arrivals = { kind = \"periodic\", interval = \"3 s\", jitter = \"100 ms\" }",
            false => "arrivals = { kind = \"saturating\", think = \"20 ms\" }",
        };
        let text = scenario_of(clients, meters, extra);
        let ms = |value: u32| format!("{value} ms");
        let mut edits = vec![
            ("medium.line.bit_rate", format!("{bit_rate} bit/s")),
            ("medium.line.mode", format!("\"{mode}\"")),
            ("medium.line.bit_error_rate", if noisy { "1e-4".to_owned() } else { "0".to_owned() }),
            ("station.meter.delay", ms(delay)),
            ("station.meter.scan", ms(scan)),
            ("flow.readings.count", count.to_string()),
            ("flow.readings.blocks", blocks.to_string()),
            ("flow.readings.between", ms(pause)),
        ];
        let client = if clients == 0 { "controller" } else { "scada" };
        let (outstanding_key, timer_key) = (format!("station.{client}.outstanding"), format!("station.{client}.host.latency_timer"));
        let cycle = format!("{} ms", 200 * (delay % 4));
        if delay % 4 > 0 {
            edits.push(("flow.readings.arrivals.cycle", cycle));
        }
        edits.push((&outstanding_key, outstanding.to_string()));
        edits.push((&timer_key, ms(timer)));
        if noisy {
            // all tries within the timeouts that bound them
            edits.push(("flow.readings.retries", "1".to_owned()));
            edits.push(("flow.writes.retries", "1".to_owned()));
            if clients == 0 {
                edits.push(("flow.readings.timeout", "400 ms".to_owned()));
                edits.push(("flow.writes.timeout", "400 ms".to_owned()));
            }
        }
        let edits: Vec<(&str, &str)> = edits.iter().map(|(key, value)| (*key, value.as_str())).collect();
        let compared = compare(&text, &edits);
        prop_assert!(compared >= 1 || noisy || periodic, "nothing was compared");
    }
}

#[test]
fn the_template_and_the_gateway_of_the_tests_keep_their_bounds() {
    let template = sojourn_modbus::NETWORKS.template("modbus");
    assert!(compare(&template, &[]) >= 3);
}
