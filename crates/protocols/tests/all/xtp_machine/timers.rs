//! Timers: when questions are asked, how often, and that they end.

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::xtp::machine::*;
use sojourn_protocols::xtp::wire::{Code, Value};

use super::network::*;

/// A and B have an association; then B hears nothing more.
fn cut_off(configuration: Configuration) -> (Network, ContextId) {
    let mut network = Network::of(2, configuration.clone());
    let context = network.open(1, configuration, b"");
    network.pass(Duration::from_millis(10));
    network.loss = (1000, 1);
    (network, context)
}

/// When A asked, in milliseconds from `start`.
fn questions(network: &Network, start: Time) -> Vec<u64> {
    let asked = network.sent_for(0, Purpose::StatusRequest).into_iter().filter(|sent| sent.at >= start);
    asked.map(|sent| sent.at.since(start).picoseconds() / 1_000_000_000).collect()
}

#[test]
fn a_silent_peer_is_asked_seven_times_at_doubling_distances_and_then_given_up() {
    let (mut network, context) = cut_off(configuration());
    let start = network.now;
    network.write(0, context, b"anyone?", true);
    network.pass(Duration::from_secs(10));
    assert_eq!(questions(&network, start), [50, 100, 200, 400, 800, 1600, 3200]);
    let last = network.sent.last().unwrap();
    assert_eq!((last.purpose, last.at), (Purpose::Diagnostic, start + Duration::from_millis(6400)));
    assert_eq!(network.seen(0, 0).closed, Some(Reason::PeerUnresponsive));
    network.pass(Duration::from_secs(200));
    assert_eq!(network.seen(1, 0).closed, Some(Reason::PeerUnresponsive), "B finds out by itself");
    assert!(network.hosts.iter().all(|host| host.contexts() == 0));
    assert!(network.hosts.iter().all(|host| host.next_wakeup().is_none()));
}

#[test]
fn an_end_that_gives_up_notifies_its_peer() {
    let (mut network, context) = cut_off(configuration());
    network.write(0, context, b"anyone?", true);
    network.pass(Duration::from_secs(6));
    network.loss = (0, 1);
    network.lose.clear();
    network.pass(Duration::from_secs(1));
    assert_eq!(network.seen(1, 0).closed, Some(Reason::Diagnosed(Code::Abandoned, Value::Unspecified)));
}

#[test]
fn data_waits_for_the_handshake_and_then_only_what_is_missing_is_sent() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(10));
    let before = network.sent.len();
    network.lose = vec![before + 2, before + 5]; // the last packet, and the handshake's first question
    network.write(0, context, &stream(30), true);
    network.pass(Duration::from_millis(60));
    assert_eq!(network.count(0, Event::Handshake), 1);
    network.write(0, context, &stream(10), true);
    network.pass(Duration::from_millis(1));
    assert!(!network.story(0).contains(&"DATA 30+10"), "no data while the question is open");
    network.pass(Duration::from_secs(1));
    let story = network.story(0);
    let again = story.iter().position(|line| *line == "DATA 20+10 SREQ").unwrap();
    let new = story.iter().position(|line| *line == "DATA 30+10").unwrap();
    assert!(again < new, "{story:#?}");
    assert_eq!(network.seen(1, 0).bytes, [stream(30), stream(10)].concat());
}

#[test]
fn the_wait_follows_the_round_trip_where_that_is_long() {
    let slow = Configuration { min_wtimer: Duration::from_millis(3), ..configuration() };
    let (mut network, context) = cut_off(slow);
    let start = network.now;
    network.write(0, context, b"x", true);
    network.pass(Duration::from_secs(1));
    // one sample of 2 ms: twice 2 ms and four times a deviation of 1 ms
    assert_eq!(questions(&network, start)[..3], [8, 16, 32]);
}

#[test]
fn after_a_minute_of_silence_the_peer_is_asked_whether_it_is_there() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_secs(60));
    assert_eq!(network.count(1, Event::LivenessProbe), 0);
    network.pass(Duration::from_secs(5));
    assert_eq!(network.count(1, Event::LivenessProbe), 1, "B has waited a millisecond longer than A");
    assert_eq!(network.count(0, Event::LivenessProbe), 0, "which has heard B's question now");
    let asked = network.sent_for(1, Purpose::StatusRequest);
    assert_eq!(asked.iter().map(|sent| sent.at).collect::<Vec<_>>(), [Time::ZERO + Duration::from_millis(60_001)]);
    assert_eq!(network.seen(1, 0).closed, None, "A is there");
    network.write(0, context, b"still here", true);
    network.pass(Duration::from_secs(1));
    assert_eq!(network.seen(1, 0).bytes, b"still here");
}

#[test]
fn a_handshake_ends_with_ctimeout_where_retries_would_go_on() {
    let timeout = Duration::from_secs(3);
    let stubborn = Configuration { retry_count: 200, ctimeout: timeout, ..configuration() };
    let (mut network, context) = cut_off(stubborn);
    let start = network.now;
    network.write(0, context, b"anyone?", true);
    network.pass(Duration::from_secs(10));
    let closed = network.sent.iter().rfind(|sent| sent.from == 0).unwrap();
    assert_eq!(closed.at, start + Duration::from_millis(50) + timeout);
    assert_eq!(network.seen(0, 0).closed, Some(Reason::PeerUnresponsive));
}

#[test]
fn an_unanswered_opening_is_repeated_as_first_and_given_up() {
    let mut network = Network::of(2, configuration());
    network.loss = (1000, 1);
    network.open(1, configuration(), b"hello");
    network.pass(Duration::from_secs(10));
    let firsts = network.story(0).iter().filter(|line| line.starts_with("FIRST 0+5")).count();
    assert_eq!(firsts, 8, "once, and seven times as the question");
    assert_eq!(network.seen(0, 0).closed, Some(Reason::PeerUnresponsive));
}

#[test]
fn where_first_is_lost_a_complaint_about_the_next_packet_brings_it_at_once() {
    let mut network = Network::of(2, configuration());
    network.lose = vec![0];
    let context = network.open(1, configuration(), b"hello ");
    network.write(0, context, b"world", true);
    network.pass(Duration::from_millis(20));
    assert_eq!(network.seen(1, 0).bytes, b"hello world", "{:#?}", network.log);
    assert_eq!(network.count(0, Event::Handshake), 1);
}

#[test]
fn an_ended_context_answers_late_packets_for_two_seconds() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"x");
    network.pass(Duration::from_millis(10));
    let late = network.sent[0].packet.clone();
    network.close(0, context);
    network.pass(Duration::from_secs(1));
    assert_eq!(network.seen(1, 0).closed, Some(Reason::Finished));
    let before = network.sent.len();
    network.give(1, Input::Receive { from: 0, packet: late, answer: true });
    assert_eq!(network.sent[before].purpose, Purpose::End);
    assert_eq!(network.hosts[1].contexts(), 1);
    network.pass(Duration::from_secs(2));
    assert_eq!(network.hosts[1].contexts(), 0);
    assert_eq!(network.seen(1, 0).bytes, b"x", "and takes no data from them");
}

#[test]
fn data_that_never_arrives_though_the_peer_answers_is_given_up_with_a_name() {
    let mut network = Network::of(2, configuration());
    let context = network.open(1, configuration(), b"");
    network.pass(Duration::from_millis(10));
    network.deaf_to_data = true;
    network.write(0, context, &stream(10), true);
    network.pass(Duration::from_secs(60));
    assert_eq!(network.seen(0, 0).closed, Some(Reason::NoProgress));
    assert_eq!(network.sent_for(0, Purpose::Retransmission).len(), 20);
    assert_eq!(network.seen(1, 0).closed, Some(Reason::Diagnosed(Code::Abandoned, Value::Unspecified)));
}
