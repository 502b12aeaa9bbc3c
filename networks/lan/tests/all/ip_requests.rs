//! Requests over TCP and datagrams in one direction on paths of IP: by closed forms where there are some.

use crate::support::{metrics, scenario, value};

/// Two links of 100 Mbit/s and 5 ms with a router between them.
const PATH: &str = r#"
[network]
kind = "ip"
[[medium]]
name = "near"
rate = "100 Mbit/s"
length = "0 m"
delay = "5 ms"
[[medium]]
name = "far"
rate = "100 Mbit/s"
length = "0 m"
delay = "5 ms"
[[station]]
name = "router"
type = "router"
on = ["near", "far"]
forwarding_delay = "100 us"
[[station]]
name = "client"
on = "near"
[[station]]
name = "server"
on = "far"
[[flow]]
name = "pages"
service = "request"
probe = true
from = "client"
to = "server"
size = "100 B"
response_size = "200 B"
think = "50 ms"
start_spread = "0 s"
[run]
duration = "20 s"
warm_up = "0 s"
"#;

/// Octets of the headers of IP and TCP with timestamps, and of UDP.
const TCP: f64 = 52.0;
const UDP: f64 = 28.0;

/// Seconds of a packet with this many octets of data over both links and the router.
fn path(data: f64, headers: f64) -> f64 {
    2.0 * (data + headers + 38.0) * 8.0 / 100e6 + 2.0 * 5e-3 + 100e-6
}

/// Seconds of a handshake: SYN and its answer have 20 octets of options (maximum segment size, SACK, timestamps, window scale),
/// and the request waits for the last acknowledgement to leave.
fn handshake() -> f64 {
    2.0 * path(0.0, 60.0) + (TCP + 38.0) * 8.0 / 100e6
}

/// The path with a stream or a bulk transfer in place of the requests.
fn without_requests() -> String {
    PATH.replace("response_size = \"200 B\"\nthink = \"50 ms\"\n", "")
}

/// Why the model refuses the scenario with these edits.
fn refused(text: &str, edits: &[(&str, &str)]) -> String {
    let checked = scenario(text, edits).unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    crate::support::model(&checked).err().expect("it is refused").render(false, 100)
}

#[test]
fn a_request_over_an_open_connection_takes_the_unloaded_path_and_the_server_its_time() {
    let open = ("flow.pages.connection", "established");
    for (time, took) in [("0 s", 0.0), ("3 ms", 3e-3)] {
        let found = metrics(PATH, &[open, ("flow.pages.server_time", time)]);
        let expected = path(100.0, TCP) + took + path(200.0, TCP);
        for field in ["min", "max"] {
            let response = value(&found, "response_time", field);
            assert!((response - expected).abs() < 1e-9, "{field} {response} {expected}");
        }
        let every = expected + 50e-3;
        assert!((value(&found, "response_time", "count") - 20.0 / every).abs() <= 1.0);
    }
}

#[test]
fn server_times_are_spread_over_their_range_over_udp_and_tcp() {
    for service in ["echo", "request"] {
        let mut edits = vec![
            ("flow.pages.service", service),
            ("flow.pages.server_time", "1 ms"),
            ("flow.pages.server_time_spread", "10 ms"),
        ];
        edits.extend((service == "request").then_some(("flow.pages.connection", "established")));
        let found = metrics(PATH, &edits);
        let headers = if service == "echo" { UDP } else { TCP };
        let least = path(100.0, headers) + path(200.0, headers) + 1e-3;
        let [min, p50, max] = ["min", "p50", "max"].map(|field| value(&found, "response_time", field) - least);
        // 240 samples: the median is 5 ms with a standard error of 0.32 ms
        assert!((0.0..0.5e-3).contains(&min) && (9.5e-3..10e-3).contains(&max), "{service} {min} {max}");
        assert!((p50 - 5e-3).abs() < 1.3e-3, "{service} {p50}");
    }
}

#[test]
fn a_poller_asks_its_servers_in_turn_and_each_request_waits_for_the_answer_before() {
    let text = PATH.replace("[[flow]]", "[[station]]\nname = \"slow\"\non = \"far\"\n[[flow]]");
    for (service, headers) in [("echo", UDP), ("request", TCP)] {
        let mut edits = vec![
            ("flow.pages.service", service),
            ("flow.pages.to", "[\"server\", \"slow\"]"),
            ("flow.pages.poll", "true"),
            ("flow.pages.server_time", "{ kind = \"recorded\", values = [\"0 s\", \"30 ms\"] }"),
        ];
        edits.extend((service == "request").then_some(("flow.pages.connection", "established")));
        let found = metrics(&text, &edits);
        let least = path(100.0, headers) + path(200.0, headers);
        let [min, max, count] = ["min", "max", "count"].map(|field| value(&found, "response_time", field));
        assert!((min - least).abs() < 1e-9 && (max - least - 30e-3).abs() < 1e-9, "{service} {min} {max}");
        // a round is two requests with their think times and the slow one's server
        let round = 2.0 * (least + 50e-3) + 30e-3;
        assert!((count - 2.0 * 20.0 / round).abs() <= 2.0, "{service} {count}");
    }
    let bulk = refused(&without_requests(), &[("flow.pages.service", "bulk"), ("flow.pages.poll", "true")]);
    assert!(bulk.contains("only requests go to several servers in turn"), "{bulk}");
}

#[test]
fn a_connection_for_each_request_takes_the_handshake_more() {
    let found = metrics(PATH, &[("flow.pages.connection", "per-request")]);
    let expected = handshake() + path(100.0, TCP) + path(200.0, TCP);
    for field in ["min", "max"] {
        let response = value(&found, "response_time", field);
        assert!((response - expected).abs() < 1e-9, "{field} {response} {expected}");
    }
    assert_eq!((value(&found, "retransmissions", "value"), value(&found, "loss", "value")), (0.0, 0.0));
}

#[test]
fn a_connection_that_is_kept_takes_the_handshake_once() {
    let found = metrics(PATH, &[]);
    let expected = path(100.0, TCP) + path(200.0, TCP);
    assert!((value(&found, "response_time", "p50") - expected).abs() < 1e-6);
    assert!((value(&found, "response_time", "max") - expected - handshake()).abs() < 1e-6);
}

#[test]
fn a_long_response_takes_the_round_trips_of_slow_start() {
    let edits = [("flow.pages.connection", "established"), ("flow.pages.response_size", "100 kB")];
    let found = metrics(PATH, &[edits[0], edits[1], ("run.duration", "100 ms")]);
    // 70 segments of 1448 octets in windows of 10, 20 and 40: two round trips before the last window
    let round_trip = path(1448.0, TCP) + path(0.0, TCP);
    let least = path(100.0, TCP) + path(1448.0, TCP) + 2.0 * round_trip;
    let response = value(&found, "response_time", "min");
    let link = 1538.0 * 8.0 / 100e6;
    assert!(response > least && response < least + 40.0 * link + 1e-3, "{response} {least}");
}

#[test]
fn what_the_path_loses_is_sent_again_and_no_request_fails() {
    let edits = [("medium.near.loss", "3 %"), ("medium.far.loss", "3 %"), ("run.duration", "200 s")];
    for connection in ["handshake", "per-request"] {
        let found = metrics(PATH, &[edits[0], edits[1], edits[2], ("flow.pages.connection", connection)]);
        assert!(value(&found, "retransmissions", "value") > 50.0, "{connection}");
        assert_eq!(value(&found, "loss", "value"), 0.0, "{connection}");
        let [p50, p99] = ["p50", "p99"].map(|field| value(&found, "response_time", field));
        assert!(p99 > p50 + 0.2, "{connection}: a retransmission timeout, {p50} {p99}");
    }
}

#[test]
fn a_request_whose_path_stays_down_fails_when_tcp_gives_up_and_the_next_one_has_another_connection() {
    let down = "[[event]]\nname = \"cut\"\naction = \"down\"\nmedia = \"far\"\nat = \"5 s\"\nduration = \"1200 s\"\n";
    let text = format!("{PATH}{down}");
    let found = metrics(&text, &[("run.duration", "1400 s")]);
    assert!(value(&found, "transaction_failures", "value") >= 1.0);
    // 14 a second before the cut, and again after it at the latest 120 s after its end, the longest timeout
    assert!(value(&found, "response_time", "count") > 500.0);
    let response = value(&found, "response_time", "p50");
    assert!((response - path(100.0, TCP) - path(200.0, TCP)).abs() < 1e-6, "{response}");
}

#[test]
fn datagrams_of_a_stream_take_the_path_one_way_and_the_lost_ones_are_counted() {
    let stream = [
        ("flow.pages.service", "stream"),
        ("flow.pages.arrivals", "{ kind = \"periodic\", interval = \"10 ms\" }"),
        ("medium.far.loss", "10 %"),
        ("run.duration", "100 s"),
    ];
    let found = metrics(&without_requests(), &stream);
    for (field, name) in [("min", "one_way_delay"), ("p50", "one_way_delay/pages")] {
        let delay = value(&found, name, field);
        assert!((delay - path(100.0, UDP)).abs() < 1e-7, "{name} {field} {delay}");
    }
    // 10000 datagrams: 10 % with a standard deviation of 0.3 %
    let lost = value(&found, "loss/pages", "value");
    assert!((lost - 0.1).abs() < 0.01, "{lost}");
    let throughput = value(&found, "throughput/pages", "value");
    assert!((throughput - 8.0 * 100.0 * 100.0 * (1.0 - lost)).abs() < 400.0, "{throughput}");
}

#[test]
fn what_does_not_fit_a_datagram_and_requests_of_a_bulk_transfer_are_refused() {
    let long = refused(PATH, &[("flow.pages.service", "echo"), ("flow.pages.response_size", "70 kB")]);
    assert!(long.contains("70000 bytes do not fit a datagram"), "{long}");
    let bulk = without_requests().replace("size = \"100 B\"\n", "");
    let bulk = refused(&bulk, &[("flow.pages.service", "bulk"), ("flow.pages.connection", "per-request")]);
    assert!(bulk.contains("a bulk transfer has no requests"), "{bulk}");
    let stream = refused(&without_requests(), &[("flow.pages.service", "stream")]);
    assert!(stream.contains("a stream has no `arrivals`"), "{stream}");
}
