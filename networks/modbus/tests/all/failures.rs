//! Servers that do not answer, timeouts, retries, damaged frames, broadcasts, wrong units.

use super::support::*;

fn off(stations: &str) -> String {
    format!("[[event]]\nname = \"dies\"\nat = \"0 s\"\nstations = {stations}\naction = \"power-down\"\n")
}

/// The transaction of one server at 9600 bit/s.
const ONE: u64 = 9_166_666_666 + 28_645_833_333 + 2 * 4_010_416_666 + 5 * MILLISECOND;
/// Its request alone.
const REQUEST: u64 = 9_166_666_666;

/// With 1 s and 3 retries 4 s, and the four requests.
#[test]
fn a_dead_server_costs_one_more_timeout_than_there_are_retries_in_each_round() {
    for retries in [0u64, 1, 3] {
        let text = line(5) + &off("[\"meter-3\"]");
        let record = record(&text, &[("flow.readings.retries", &retries.to_string()), ("run.duration", "2 min")]);
        let dead = (retries + 1) * (1000 * MILLISECOND + REQUEST);
        assert_eq!(extremes(&record, "poll_cycle"), [4 * ONE + dead; 2], "{retries} retries");
        let rounds = taken(&record, "poll_cycle");
        assert!(count(&record, "failures").abs_diff(rounds) <= 1);
        assert!(count(&record, "timeouts").abs_diff((retries + 1) * rounds) <= retries + 1);
    }
}

#[test]
fn a_server_whose_power_returns_is_read_again() {
    let event =
        "[[event]]\nname = \"dies\"\nat = \"5 s\"\nuntil = \"10 s\"\nstations = \"meter-1\"\naction = \"power-down\"\n";
    let text = line(2) + event;
    let record = record(&text, &[("run.duration", "60 s")]);
    let failures = count(&record, "failures");
    assert!((4..=6).contains(&failures), "{failures} timeouts of 1 s in 5 s");
    assert!(extremes(&record, "freshness")[1] > 5000 * MILLISECOND, "a value grew old meanwhile");
}

/// A server of 150 ms with a timeout of 100 ms: its response comes after the retry has been sent, or is being sent.
#[test]
fn a_timeout_that_is_shorter_than_the_response_is_paid_in_retries() {
    let edits =
        [("station.meter.delay", "150 ms"), ("flow.readings.timeout", "100 ms"), ("flow.readings.retries", "3")];
    let record = record(&line(1), &edits);
    assert!(count(&record, "retries") > 0 && count(&record, "timeouts") > 0);
    assert!(extremes(&record, "response_time")[0] > 187 * MILLISECOND, "no response is earlier than the server's");
}

#[test]
fn bit_errors_cost_retries_and_seldom_a_request() {
    let edits = [
        ("medium.line.bit_error_rate", "1e-3"),
        ("flow.readings.retries", "3"),
        ("flow.readings.timeout", "100 ms"),
        ("run.duration", "10 min"),
    ];
    let record = record(&line(1), &edits);
    // a transaction has 8 + 25 characters of 11 bits
    let sound = (1.0f64 - 1e-3).powi(33 * 11);
    let (retries, completed) = (count(&record, "retries") as f64, taken(&record, "response_time") as f64);
    let requests = completed + count(&record, "failures") as f64;
    let lost = (1.0 - sound).powi(4);
    let failed = count(&record, "failures") as f64 / requests;
    assert!((failed - lost).abs() < 4.0 * (lost / requests).sqrt(), "{failed} failed, {lost} expected");
    let expected: f64 = (1..=3).map(|tries| (1.0 - sound).powi(tries)).sum();
    assert!(
        (retries / requests - expected).abs() < 0.03,
        "{} retries a request, {expected} expected",
        retries / requests
    );
}

#[test]
fn a_line_that_is_down_loses_every_request() {
    let event = "[[event]]\nname = \"cut\"\nat = \"10 s\"\nuntil = \"20 s\"\nmedia = \"line\"\naction = \"down\"\n";
    let record = record(&(line(2) + event), &[("flow.readings.timeout", "500 ms")]);
    let failures = count(&record, "failures");
    assert!((18..=21).contains(&failures), "{failures} timeouts of 0.5 s in 10 s");
    assert!(taken(&record, "response_time") > 300, "before and after");
}

#[test]
fn a_broadcast_takes_its_turnaround_and_no_response() {
    let edits = [
        ("flow.readings.function", "\"write-register\""),
        ("flow.readings.count", "1"),
        ("flow.readings.broadcast", "true"),
        ("flow.readings.turnaround", "\"150 ms\""),
    ];
    let record = record(&line(10), &edits);
    assert_eq!(extremes(&record, "response_time"), [REQUEST + 150 * MILLISECOND; 2], "one for all ten");
    assert!((component_ms(&record, "turnaround") - 150.0).abs() < 1e-6);
    assert_eq!(count(&record, "failures"), 0);
}

#[test]
fn servers_that_obey_a_broadcast_longer_than_the_turnaround_miss_the_next_request() {
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
        arrivals = { kind = "periodic", interval = "2 s" }

        [run]
        "#,
    );
    let slow = [("station.meter.delay", "300 ms"), ("flow.readings.timeout", "500 ms")];
    assert!(count(&record(&text, &slow), "failures/readings") > 5);
    let quick = [("station.meter.delay", "90 ms"), ("flow.readings.timeout", "500 ms")];
    assert_eq!(count(&record(&text, &quick), "failures/readings"), 0);
}

fn problem(text: &str, edits: &[(&str, &str)]) -> String {
    match scenario(text, edits) {
        Err(problems) => problems.to_string(),
        Ok(scenario) => match model(&scenario) {
            Err(problems) => problems.to_string(),
            Ok(_) => panic!("it was taken"),
        },
    }
}

#[test]
fn mistakes_are_refused_with_their_remedy() {
    let has = |text: &str, words: &str| assert!(text.contains(words), "{text}");
    has(&problem(&line(1), &[("flow.readings.count", "126")]), "takes up to 125 at a time");
    has(&problem(&line(250), &[]), "has unit 250");
    has(&problem(&line(1), &[("flow.readings.broadcast", "true")]), "needs an answer and cannot be broadcast");
    has(&problem(&line(1), &[("medium.line.delay", "\"1 ms\"")]), "`delay` is of links that carry TCP");
    has(&problem(&line(1), &[("medium.line.bit_rate", "1 Gbit/s")]), "no serial line is as fast");
    let second = line(1).replace(
        "[[flow]]",
        "[[station]]\nname = \"other\"\n\n[[flow]]\nname = \"more\"\nfrom = \"other\"\nto = \"meter\"\n\n[[flow]]",
    );
    has(&problem(&second, &[]), "`line` has two clients, other and controller");
    let twice = line(2)
        .replace("[[flow]]", "[[station]]\nname = \"other\"\nunit = 2\n\n[[flow]]")
        .replace("to = \"meter\"", "to = [\"meter\", \"other\"]");
    has(&problem(&twice, &[]), "both have unit 2");
    let merged = [("flow.readings.function", "\"write-registers\""), ("flow.readings.merge", "true")];
    has(&problem(&line(1), &merged), "cannot be merged over gaps");
}
