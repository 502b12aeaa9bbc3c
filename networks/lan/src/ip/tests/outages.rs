//! Links that fail and change, and flows that start and stop.

use sojourn_core::{Duration, Time};
use sojourn_metrics::frames::FrameSink;
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::timeline::Windows;
use sojourn_scenario::check;

use sojourn_model::{Network, Replication};

/// Two hosts on a link of 20 ms: an echo 100 times a second, and a bulk transfer.
const PATH: &str = r#"
    [network]
    kind = "ip"
    [[medium]]
    name = "line"
    rate = "10 Mbit/s"
    delay = "20 ms"
    [[station]]
    name = "client"
    [[station]]
    name = "server"
    [run]
    duration = "60 s"
    warm_up = "2 s"
"#;

const ECHO: &str = r#"
    [probe]
    from = "client"
    to = "server"
    size = "64 B"
    think = "10 ms"
    think_spread = "0 s"
    timeout = "500 ms"
"#;

const BULK: &str = r#"
    [background]
    from = "client"
    to = "server"
    streams = 1
    direction = "forward"
"#;

fn outage(begin: &str, lasts: &str) -> String {
    format!(
        "[[event]]\nname = \"outage\"\nat = \"{begin}\"\nduration = \"{lasts}\"\nmedia = \"line\"\naction = \"down\"\n"
    )
}

fn replicate(text: &str, seconds: u64, capture: Option<&mut dyn FrameSink>) -> Record {
    let scenario = crate::NETWORKS.kinds().parse("test.toml", text).and_then(|document| check(&document));
    let scenario = scenario.unwrap_or_else(|problems| panic!("{}", problems.render(false, 100)));
    let model = crate::ip::IpNetwork.model(&scenario).unwrap_or_else(|problems| panic!("{problems}"));
    let warm_up = Duration::from_secs(2);
    model.replicate(Replication { warm_up, capture, ..Replication::alone(Duration::from_secs(seconds)) })
}

/// When the first packet arrives after an outage of so long from 10 s on.
#[derive(Default)]
struct FirstAfter {
    after: Time,
    found: Option<Time>,
}

impl FrameSink for FirstAfter {
    fn frame(&mut self, at: Time, _: &[u8]) {
        if at > self.after {
            self.found.get_or_insert(at);
        }
    }
}

/// When the last packet arrives in the second from `from` on.
struct LastWithin {
    from: Time,
    found: Option<Time>,
}

impl FrameSink for LastWithin {
    fn frame(&mut self, at: Time, _: &[u8]) {
        if (self.from..self.from + Duration::from_secs(1)).contains(&at) {
            self.found = Some(at);
        }
    }
}

fn resumed(milliseconds: u64) -> Time {
    let text = format!("{PATH}{BULK}{}", outage("10 s", &format!("{milliseconds} ms")));
    let after = Time::ZERO + Duration::from_millis(10_000 + milliseconds);
    let mut sink = FirstAfter { after, found: None };
    replicate(&text, 30, Some(&mut sink));
    sink.found.expect("the transfer goes on after the outage")
}

#[test]
fn after_an_outage_tcp_goes_on_with_the_retransmission_that_its_doubling_timeout_gives() {
    // RFC 6298, 5.5: every expiry doubles the timeout, so the instants at which a sender tries again are apart as 1 : 2 : 4
    let lengths = [1, 2, 4, 8, 12];
    let found = lengths.map(|second| resumed(second * 1000));
    let mut instants = found.to_vec();
    instants.dedup();
    assert!(instants.len() >= 3, "outages of 1 s to 12 s end before different expiries: {instants:?}");
    let gaps: Vec<Duration> = instants.windows(2).map(|pair| pair[1].since(pair[0])).collect();
    assert!(gaps.windows(2).all(|pair| pair[1] == pair[0].times(2)), "{gaps:?}");
    for (second, resumed) in lengths.into_iter().zip(found) {
        let waited = resumed.since(Time::ZERO + Duration::from_secs(10 + second));
        assert!(waited < Duration::from_secs(second + 2), "at most once more as long as it has lasted: {waited}");
    }
}

#[test]
fn a_link_that_goes_down_loses_what_is_queued_and_delivers_what_is_on_the_wire() {
    // the transfer fills the queue, so the packet before the one that is cut off is sent less than a packet's 1.3 ms before the outage
    let mut sink = LastWithin { from: Time::ZERO + Duration::from_secs(10), found: None };
    replicate(&format!("{PATH}{BULK}{}", outage("10 s", "5 s")), 12, Some(&mut sink));
    let after = sink.found.expect("packets on the wire arrive").since(sink.from);
    let propagation = Duration::from_millis(20);
    assert!(
        (propagation - Duration::from_micros(1300)..=propagation + Duration::from_micros(1)).contains(&after),
        "{after}"
    );
}

#[test]
fn an_echo_loses_what_is_sent_while_the_link_is_down_and_recovers_with_the_first_request_after() {
    let record = replicate(&format!("{PATH}{ECHO}{}", outage("10 s", "5 s")), 60, None);
    // one request at a time with a timeout of 500 ms and 10 ms of thinking: 15.3 s / 510 ms
    let recovery = record.distribution("recovery_time/outage");
    assert_eq!((recovery.count(), recovery.censored()), (1, 0));
    let after = recovery.max().unwrap().saturating_sub(Duration::from_secs(5));
    assert!(after < Duration::from_millis(510), "{after}");
    let Observation::Timeline(timeline) = &record.metrics["response_time/timeline"] else { panic!("a timeline") };
    let Windows::Requests(windows) = &timeline.windows else { panic!("requests") };
    let lost: u64 = windows.iter().map(|window| window.responses.censored()).sum();
    assert!((9..=10).contains(&lost), "{lost} requests of 510 ms each in 5 s");
    for (window, edges) in windows.iter().zip(timeline.edges.windows(2)) {
        let down = edges[0] >= 10_000_000_000_000 && edges[1] <= 15_000_000_000_000;
        assert!(!down || window.responses.count() == 0, "nothing passes in a window of the outage");
        assert!(down || edges[0] >= 9_000_000_000_000 || window.responses.censored() == 0, "nothing is lost before");
    }
}

#[test]
fn a_changed_delay_changes_the_round_trip_by_twice_as_much_and_its_end_changes_it_back() {
    let event = r#"
        [[event]]
        name = "detour"
        at = "10 s"
        until = "20 s"
        action = "set"
        set = { "medium.line.delay" = "50 ms" }
    "#;
    let record = replicate(&format!("{PATH}{ECHO}{event}"), 60, None);
    let response = record.distribution("response_time");
    assert_eq!(response.max().unwrap().saturating_sub(response.min().unwrap()), Duration::from_millis(60));
    let recovery = record.distribution("recovery_time/detour").max().unwrap();
    assert!((Duration::from_secs(10)..Duration::from_millis(10_130)).contains(&recovery), "{recovery}");
}

#[test]
fn a_flow_that_stops_sends_nothing_and_one_that_starts_was_silent_before() {
    let events = r#"
        [[event]]
        name = "backup"
        at = "20 s"
        until = "30 s"
        flows = "background"
        action = "start"
        [[event]]
        name = "pause"
        at = "40 s"
        until = "50 s"
        flows = "probe"
        action = "stop"
    "#;
    let record = replicate(&format!("{PATH}{ECHO}{BULK}{events}"), 60, None);
    let Observation::Timeline(throughput) = &record.metrics["throughput/timeline"] else { panic!("a timeline") };
    let Windows::Level(rates) = &throughput.windows else { panic!("rates") };
    let Observation::Timeline(requests) = &record.metrics["response_time/timeline"] else { panic!("a timeline") };
    let Windows::Requests(windows) = &requests.windows else { panic!("requests") };
    let spans = throughput.edges.windows(2).map(|edges| [edges[0], edges[1]].map(|edge| edge as f64 * 1e-12));
    let mut carried = 0.0;
    for ((span, rate), window) in spans.zip(rates).zip(windows) {
        let [from, to] = span;
        if to <= 20.0 {
            assert_eq!(*rate, 0.0, "before the backup, from {from} s");
        }
        if from >= 20.0 && to <= 30.0 {
            carried += rate * (to - from);
        }
        if from >= 40.0 && to <= 50.0 {
            assert_eq!(window.sent, 0, "paused from {from} s");
        } else if from >= 51.0 {
            assert!(window.sent > 0, "from {from} s");
        }
    }
    assert!((5e7..1e8).contains(&carried), "{carried} bits in 10 s of a link of 10 Mbit/s");
}
