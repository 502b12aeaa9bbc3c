//! A twin reproduces its original: random IP networks are simulated and captured, the scenario inferred from the capture is
//! simulated and captured in turn, and both captures are compared by what an analyser finds in them.
//!
//! A twin is inferred from one capture. All response times of several runs of the original are compared with those of as many of the
//! twin, each with a seed of its own: few responses in 20 s, and queues of seconds, make a single run of some networks differ from
//! the next by more than the bounds.

use sojourn_core::Streams;

use super::networks::{Network, with_transfers};
use crate::simulated::{Captured, EXACT};
use crate::twin_of::{Closeness, assert_nine_of_ten_are_close, responses_of_runs};

/// Runs of original and of twin whose response times are compared.
const RUNS: u64 = 5;

/// What is wrong with the twin of a random network; `None` if its percentiles are within the bounds.
fn fault(number: u32) -> Option<String> {
    let text = with_transfers(&mut Streams::new(number.into(), 0).stream("network"));
    let seed = u64::from(number) + 1;
    let scenario = Captured::of(&text, seed, EXACT).closest_twin().expect("a twin").twin.scenario;
    let responses = |text: &str, first| {
        responses_of_runs(first..first + RUNS, |seed| Captured::of(text, seed, EXACT).responses(""))
    };
    let (expected, found) = (responses(&text, seed), responses(&scenario, 1));
    Closeness::of(&expected, &found).fault(format!("network {number}"), &text, &scenario)
}

/// A queue of seconds, a short one, and one for each flow, beside short requests and beside long ones.
#[test]
fn the_twin_of_a_network_with_each_kind_of_queue_has_its_response_times() {
    let faults: Vec<String> = [28, 48, 20, 42].into_iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A client that sends requests over TCP beside another one that sends datagrams in one direction.
fn site(connection: &str, response: &str) -> String {
    format!(
        r#"
        [network]
        kind = "ip"
        [[medium]]
        name = "near"
        [[medium]]
        name = "link"
        rate = "10 Mbit/s"
        delay = "5 ms"
        loss = "0.2 %"
        [[medium]]
        name = "far"
        [[station]]
        name = "client"
        on = "near"
        [[station]]
        name = "sensor"
        on = "near"
        [[station]]
        name = "one"
        type = "router"
        on = ["near", "link"]
        [[station]]
        name = "two"
        type = "router"
        on = ["link", "far"]
        [[station]]
        name = "server"
        on = "far"
        [[flow]]
        name = "pages"
        service = "request"
        probe = true
        from = "client"
        to = "server"
        size = "300 B"
        response_size = "{response}"
        server_time = "2 ms"
        server_time_spread = "4 ms"
        think = "20 ms"
        think_spread = "20 ms"
        connection = "{connection}"
        [[flow]]
        name = "readings"
        service = "stream"
        probe = true
        from = "sensor"
        to = "server"
        size = "120 B"
        arrivals = {{ kind = "periodic", interval = "10 ms" }}
        [run]
        duration = "30 s"
        warm_up = "0 s"
        "#
    )
}

#[test]
fn the_twin_of_requests_over_tcp_and_of_a_stream_of_datagrams_has_their_times_and_rates() {
    for (connection, response) in [("handshake", "500 B"), ("per-request", "500 B"), ("per-request", "20 kB")] {
        let text = site(connection, response);
        let original = Captured::of(&text, 1, EXACT);
        let datagrams = original.packets_of("udp-9");
        let expected = original.responses("tcp-7");
        let scenario = original.twin().expect("a twin").scenario;
        assert!(!scenario.contains("Left out"), "{scenario}");
        let twin = Captured::of(&scenario, 2, EXACT);
        let found = twin.responses("tcp-7");
        assert!((twin.packets_of("udp-9") as f64 / datagrams as f64 - 1.0).abs() < 0.02, "{datagrams} {scenario}");
        let closeness = Closeness::of(&expected, &found);
        let fault = closeness.fault(format!("{connection} {response}"), &text, &scenario);
        assert!(fault.is_none(), "{}\n{scenario}", fault.unwrap_or_default());
        let rate = found.len() as f64 / expected.len() as f64;
        // a lost handshake takes a second, in which 20 requests would have been answered: two or three of 600
        assert!((rate - 1.0).abs() < 0.1, "{connection} {response}: {rate} times as many answers\n{scenario}");
    }
}

/// A client beside a transfer to the same side over a link whose queue is not full before it has 1000 packets.
fn behind_a_transfer(direction: &str, think_spread: &str) -> String {
    Network {
        rate: "10 Mbit/s",
        delay: "5 ms",
        queue: "{ kind = \"fifo\" }",
        loss: "0 %",
        mtu: "1500 B",
        tcp: "{}",
        streams: "1",
        direction,
        clients: "[[station]]\nname = \"client\"\non = \"near\"",
        names: "\"client\"",
        size: "500 B",
        think: "30 ms",
        think_spread,
        farther: "0 s",
        duration: "20 s",
    }
    .scenario()
}

/// The value of a key in ms.
fn milliseconds(scenario: &str, key: &str) -> f64 {
    let line = scenario.lines().find_map(|line| line.strip_prefix(&format!("{key} = ")));
    let value = line.expect("the key").trim_matches('"');
    let (number, unit) = value.split_once(' ').expect("a number and a unit");
    let scale = match unit {
        "s" => 1e3,
        "ms" => 1.0,
        "µs" => 1e-3,
        unit => panic!("a time in {unit}"),
    };
    number.parse::<f64>().expect("a number") * scale
}

#[test]
fn requests_that_wait_behind_data_of_transfers_show_the_think_time_of_their_client() {
    for spread in [5.0, 40.0] {
        let text = behind_a_transfer("forward", &format!("{spread} ms"));
        let scenario = Captured::of(&text, 1, EXACT).closest_twin().expect("a twin").twin.scenario;
        let [think, found] = ["think", "think_spread"].map(|key| milliseconds(&scenario, key));
        let (mean, expected) = (think + 0.5 * found, 30.0 + 0.5 * spread);
        // data of known age leave the queue every 2.5 ms
        assert!((mean - expected).abs() < 5.0 && (found - spread).abs() < 8.0, "{think} {found}\n{scenario}");
    }
}

#[test]
#[ignore = "simulates fifty networks and their twins five times each; `make nightly` runs it"]
fn nine_of_ten_twins_have_the_response_times_of_their_networks() {
    assert_nine_of_ten_are_close(fault);
}
