//! Links as a monitor hears them: which exchanges, retries, polls and set-ups the tracker finds.

use proptest::prelude::*;
use sojourn_core::Duration;
use sojourn_protocols::ax25::wire::{
    Address as Callsign, Addressing, Digipeaters, Modulo, ReservedBits, Role, SequenceSet, Supervisory,
};

use super::*;
use crate::{Event, FlowId};

/// A tracker that hears frames one after the other.
struct Monitor {
    tracker: Ax25,
    out: Sink,
    number: u64,
}

fn callsign(text: &str) -> Callsign {
    text.parse().expect("a callsign")
}

fn at(seconds: f64) -> Time {
    Time::ZERO + Duration::from_seconds(seconds).unwrap()
}

impl Monitor {
    fn new() -> Self {
        Monitor { tracker: Ax25::default(), out: Sink::with_log(), number: 0 }
    }

    /// A frame `FROM>TO` heard at `seconds`; `VIA` digipeaters of which the first `repeated` have repeated it.
    fn hears(
        &mut self,
        seconds: f64,
        path: (&str, &str),
        via: &[&str],
        repeated: usize,
        flag: bool,
        body: Body<&[u8]>,
    ) {
        let mut digipeaters = Digipeaters::new(&via.iter().map(|each| callsign(each)).collect::<Vec<_>>()).unwrap();
        (0..repeated).for_each(|_| digipeaters = digipeaters.advanced());
        let response = matches!(body, Body::Ua | Body::Dm) || matches!(body, Body::S { .. }) && !flag;
        let addressing = Addressing {
            destination: callsign(path.1),
            source: callsign(path.0),
            digipeaters,
            role: if response { Role::Response } else { Role::Command },
            reserved: ReservedBits::default(),
        };
        let frame = Frame { addressing, poll_final: flag, body };
        self.bytes(seconds, LinkType::AX25, &frame.to_bytes().unwrap());
    }

    fn bytes(&mut self, seconds: f64, link_type: LinkType, data: &[u8]) {
        self.number += 1;
        self.tracker.packet(&Packet::whole(self.number, at(seconds), link_type, data), &mut self.out);
    }

    fn end(mut self, seconds: f64) -> Vec<Event> {
        self.tracker.finish(at(seconds), &mut self.out);
        self.out.log().to_vec()
    }
}

fn transactions(events: &[Event]) -> Vec<Transaction> {
    let transaction = |event: &Event| if let Event::Transaction(found) = event { Some(*found) } else { None };
    events.iter().filter_map(transaction).collect()
}

/// When answers were complete.
fn completed(events: &[Event]) -> Vec<Time> {
    let completed = |event: &Event| if let Event::Complete(_, time, _) = event { Some(*time) } else { None };
    events.iter().filter_map(completed).collect()
}

fn samples(events: &[Event], metric: &str) -> Vec<f64> {
    let sample = |event: &Event| match event {
        Event::Sample(_, name, _, duration) if *name == metric => Some(duration.seconds()),
        _ => None,
    };
    events.iter().filter_map(sample).collect()
}

fn count(events: &[Event], metric: &str) -> u64 {
    let count = |event: &Event| match event {
        Event::Count(_, name, more) if *name == metric => Some(*more),
        _ => None,
    };
    events.iter().filter_map(count).sum()
}

fn i(n_s: u8, n_r: u8, data: &[u8]) -> Body<&[u8]> {
    Body::I { modulo: Modulo::Eight, n_s, n_r, pid: Pid::NONE, data }
}

fn s(kind: Supervisory, n_r: u8) -> Body<&'static [u8]> {
    Body::S { modulo: Modulo::Eight, kind, n_r, further: SequenceSet::NONE }
}

const PING: (&str, &str) = ("PING", "PONG");
const PONG: (&str, &str) = ("PONG", "PING");

#[test]
fn a_request_is_answered_by_the_first_frame_of_the_answer_which_is_complete_with_the_last() {
    let mut monitor = Monitor::new();
    monitor.hears(0.0, PING, &[], 0, true, Body::Sabm);
    monitor.hears(0.5, PONG, &[], 0, true, Body::Ua);
    monitor.hears(1.0, PING, &[], 0, false, i(0, 0, b"first"));
    monitor.hears(1.5, PING, &[], 0, false, i(1, 0, b"second"));
    monitor.hears(2.0, PONG, &[], 0, false, i(0, 2, b"answer"));
    monitor.hears(3.0, PONG, &[], 0, false, i(1, 2, b"rest"));
    monitor.hears(3.5, PING, &[], 0, false, s(Supervisory::Rr, 2));
    monitor.hears(9.0, PING, &[], 0, false, i(2, 2, b"next"));
    let events = monitor.end(10.0);
    let found = transactions(&events);
    assert_eq!(found.len(), 2);
    let first = found[0];
    assert_eq!((first.begin, first.end, first.attempts), (at(1.0), Some(at(2.0)), 1));
    assert_eq!(completed(&events), [at(3.0)]);
    assert_eq!((first.request_bytes, first.answer_bytes, first.outcome), (11, 10, Outcome::Answered));
    assert_eq!(found[1].outcome, Outcome::Open);
    assert_eq!(samples(&events, "connect_time"), [0.5]);
    assert_eq!(samples(&events, "transaction_time"), [1.0, 0.5, 1.5, 0.5]);
}

#[test]
fn a_frame_sent_again_is_a_retry_and_its_acknowledgement_is_the_one_after_the_last_copy() {
    let mut monitor = Monitor::new();
    monitor.hears(0.0, PING, &[], 0, false, i(0, 0, b"question"));
    monitor.hears(3.0, PING, &[], 0, true, s(Supervisory::Rr, 0));
    monitor.hears(3.2, PONG, &[], 0, false, s(Supervisory::Rej, 0));
    monitor.hears(4.0, PING, &[], 0, false, i(0, 0, b"question"));
    monitor.hears(5.0, PONG, &[], 0, false, i(0, 1, b"answer"));
    // the acknowledgement of the answer is lost
    monitor.hears(5.5, PING, &[], 0, false, s(Supervisory::Rr, 1));
    monitor.hears(8.5, PONG, &[], 0, false, i(0, 1, b"answer"));
    monitor.hears(9.0, PING, &[], 0, false, s(Supervisory::Rr, 1));
    let events = monitor.end(10.0);
    let found = transactions(&events);
    assert_eq!((found.len(), found[0].attempts, found[0].end), (1, 3, Some(at(5.0))));
    assert_eq!(count(&events, "polls"), 1);
    assert_eq!(samples(&events, "transaction_time"), [5.0, 4.0]);
}

#[test]
fn a_copy_of_a_digipeater_is_no_retry_and_the_answer_is_complete_with_it() {
    let mut monitor = Monitor::new();
    let hill = ["HILL"];
    monitor.hears(0.0, PING, &hill, 0, false, i(0, 0, b"question"));
    monitor.hears(1.0, PING, &hill, 1, false, i(0, 0, b"question"));
    monitor.hears(2.0, PONG, &hill, 0, false, i(0, 1, b"answer"));
    monitor.hears(3.0, PONG, &hill, 1, false, i(0, 1, b"answer"));
    monitor.hears(4.0, PING, &hill, 0, false, s(Supervisory::Rr, 1));
    monitor.hears(5.0, PING, &hill, 1, false, s(Supervisory::Rr, 1));
    let events = monitor.end(6.0);
    let found = transactions(&events);
    assert_eq!((found.len(), found[0].attempts, found[0].end), (1, 1, Some(at(2.0))));
    assert_eq!(completed(&events), [at(3.0)]);
    assert_eq!(samples(&events, "transaction_time"), [3.0, 3.0]);
    let sent = events.iter().filter(|event| matches!(event, Event::Sent(_))).count();
    assert_eq!(sent, 2, "copies are not packets of the flow");
}

#[test]
fn a_retransmission_through_a_digipeater_is_a_retry() {
    let mut monitor = Monitor::new();
    let hill = ["HILL"];
    monitor.hears(0.0, PING, &hill, 0, false, i(0, 0, b"question"));
    monitor.hears(1.0, PING, &hill, 1, false, i(0, 0, b"question"));
    monitor.hears(9.0, PING, &hill, 0, false, i(0, 0, b"question"));
    monitor.hears(10.0, PING, &hill, 1, false, i(0, 0, b"question"));
    monitor.hears(12.0, PONG, &hill, 1, false, i(0, 1, b"answer"));
    monitor.hears(13.0, PING, &hill, 1, false, s(Supervisory::Rr, 1));
    let found = transactions(&monitor.end(14.0));
    assert_eq!((found.len(), found[0].attempts, found[0].end), (1, 2, Some(at(12.0))));
}

#[test]
fn a_connect_request_without_an_answer_is_unanswered_and_one_with_a_dm_is_refused() {
    let mut monitor = Monitor::new();
    for n in 0..4 {
        monitor.hears(f64::from(n) * 3.0, PING, &[], 0, true, Body::Sabm);
    }
    monitor.hears(20.0, ("A", "B"), &[], 0, true, Body::Sabm);
    monitor.hears(21.0, ("B", "A"), &[], 0, true, Body::Dm);
    let found = transactions(&monitor.end(30.0));
    let outcomes: Vec<(Outcome, u32)> = found.iter().map(|each| (each.outcome, each.attempts)).collect();
    assert_eq!(outcomes, [(Outcome::Refused, 1), (Outcome::Unanswered, 4)]);
}

#[test]
fn sequence_numbers_modulo_128_follow_a_sabme() {
    let mut monitor = Monitor::new();
    monitor.hears(0.0, PING, &[], 0, true, Body::Sabme);
    monitor.hears(0.5, PONG, &[], 0, true, Body::Ua);
    let modulo = Modulo::OneHundredTwentyEight;
    for n in 0..100 {
        let body = Body::I { modulo, n_s: n, n_r: n, pid: Pid::NONE, data: &b"ping"[..] };
        monitor.hears(1.0 + f64::from(n), PING, &[], 0, false, body);
        let body = Body::I { modulo, n_s: n, n_r: n + 1, pid: Pid::NONE, data: &b"pong"[..] };
        monitor.hears(1.5 + f64::from(n), PONG, &[], 0, false, body);
    }
    let body = Body::S { modulo, kind: Supervisory::Rr, n_r: 100, further: SequenceSet::NONE };
    monitor.hears(101.0, PING, &[], 0, false, body);
    let found = transactions(&monitor.end(102.0));
    assert_eq!(found.len(), 100);
    assert!(found.iter().all(|each| each.attempts == 1 && each.end == Some(each.begin + Duration::from_millis(500))));
}

#[test]
fn a_supervisory_frame_with_two_control_octets_shows_a_link_modulo_128_whose_start_was_not_heard() {
    let mut monitor = Monitor::new();
    let modulo = Modulo::OneHundredTwentyEight;
    let body = Body::S { modulo, kind: Supervisory::Rr, n_r: 70, further: SequenceSet::NONE };
    monitor.hears(0.0, PONG, &[], 0, false, body);
    for n in 70..90 {
        let body = Body::I { modulo, n_s: n, n_r: n, pid: Pid::NONE, data: &b"ping"[..] };
        monitor.hears(1.0 + f64::from(n), PING, &[], 0, false, body);
        let body = Body::I { modulo, n_s: n, n_r: n + 1, pid: Pid::NONE, data: &b"pong"[..] };
        monitor.hears(1.5 + f64::from(n), PONG, &[], 0, false, body);
    }
    let body = Body::S { modulo, kind: Supervisory::Rr, n_r: 90, further: SequenceSet::NONE };
    monitor.hears(95.0, PING, &[], 0, false, body);
    let found = transactions(&monitor.end(102.0));
    assert_eq!(found.len(), 20);
    assert!(found.iter().all(|each| each.attempts == 1 && each.end == Some(each.begin + Duration::from_millis(500))));
}

#[test]
fn information_that_nothing_answers_is_a_one_way_flow_and_not_a_failure() {
    let mut monitor = Monitor::new();
    for n in 0..20_u8 {
        monitor.hears(f64::from(n), PING, &[], 0, false, i(n % 8, 0, b"data"));
        monitor.hears(f64::from(n) + 0.5, PONG, &[], 0, false, s(Supervisory::Rr, (n + 1) % 8));
    }
    let events = monitor.end(30.0);
    assert_eq!(transactions(&events), []);
    assert_eq!(samples(&events, "transaction_time"), [0.5; 20]);
}

#[test]
fn a_greeting_before_the_first_request_belongs_to_no_exchange() {
    let mut monitor = Monitor::new();
    monitor.hears(0.0, PING, &[], 0, true, Body::Sabm);
    monitor.hears(1.0, PONG, &[], 0, true, Body::Ua);
    monitor.hears(2.0, PONG, &[], 0, false, i(0, 0, b"welcome"));
    monitor.hears(10.0, PING, &[], 0, false, i(0, 1, b"list"));
    monitor.hears(12.0, PONG, &[], 0, false, i(1, 1, b"none"));
    monitor.hears(13.0, PING, &[], 0, false, s(Supervisory::Rr, 2));
    let found = transactions(&monitor.end(20.0));
    assert_eq!(found.iter().map(|each| (each.begin, each.end)).collect::<Vec<_>>(), [(at(10.0), Some(at(12.0)))]);
}

#[test]
fn the_port_of_kiss_is_the_medium() {
    let frame = Frame {
        addressing: Addressing {
            destination: callsign("QST"),
            source: callsign("PING"),
            digipeaters: Digipeaters::NONE,
            role: Role::Command,
            reserved: ReservedBits::default(),
        },
        poll_final: false,
        body: Body::Ui { pid: Pid::NONE, data: &b"beacon"[..] },
    };
    let mut bytes = vec![0x20];
    bytes.extend(frame.to_bytes().unwrap());
    let mut monitor = Monitor::new();
    monitor.bytes(1.0, LinkType::AX25_KISS, &bytes);
    let events = monitor.end(2.0);
    assert!(events.iter().any(|event| matches!(event, Event::Busy { medium: 2, .. })), "{events:?}");
    assert_eq!(transactions(&events)[0].outcome, Outcome::Sent);
}

#[test]
fn a_frame_that_the_capture_cut_has_its_whole_length() {
    let addressing = Addressing::new(callsign("PING"), callsign("QST"), Digipeaters::NONE, Role::Command);
    let frame = Frame { addressing, poll_final: false, body: Body::Ui { pid: Pid::NONE, data: &b"beacon"[..] } };
    let bytes = frame.to_bytes().unwrap();
    let mut monitor = Monitor::new();
    let whole = Packet::whole(1, at(1.0), LinkType::AX25, &bytes);
    // 14 octets of addresses, control field, PID and 96 octets of information; 6 of these were captured
    monitor.tracker.packet(&Packet { original_length: 112, ..whole }, &mut monitor.out);
    let events = monitor.end(2.0);
    let sent = events.iter().find_map(|event| if let Event::Sent(sent) = event { Some(sent) } else { None });
    assert_eq!(sent.map(|sent| (sent.l3_bytes, sent.l4_bytes)), Some((112, 96)));
    let busy = events.iter().find_map(|event| if let Event::Busy { bits, .. } = event { Some(*bits) } else { None });
    // with FCS and a flag; zeros are stuffed into what was captured
    assert!(busy.is_some_and(|bits| (8 * 115..8 * 116).contains(&bits)), "{busy:?}");
}

#[test]
fn a_frame_that_does_not_parse_is_counted_with_its_number() {
    let mut monitor = Monitor::new();
    monitor.bytes(1.0, LinkType::AX25_KISS, &[]);
    monitor.bytes(2.0, LinkType::AX25_KISS, &[0, 1, 2, 3]);
    let reasons: Vec<(String, u64)> =
        monitor.out.malformed_packets().iter().map(|(reason, found)| (reason.clone(), found.first)).collect();
    assert_eq!(reasons[0], ("AX.25: a frame of 3 octets is shorter than the minimum of 15".to_owned(), 2));
    assert_eq!(reasons[1], ("KISS: no command octet".to_owned(), 1));
}

/// Bytes that reach every layer: a frame with random control fields and contents.
fn frames() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let address = |last: bool| {
        (0..3_u8, 0..4_u8, any::<bool>()).prop_map(move |(letter, ssid, flag)| {
            let mut octets = vec![(b'A' + letter) << 1, 0x40, 0x40, 0x40, 0x40, 0x40];
            octets.push(0x60 | ssid << 1 | u8::from(flag) << 7 | u8::from(last));
            octets
        })
    };
    let pid = prop_oneof![Just(0xcf_u8), Just(0x01), any::<u8>()];
    let rest = prop::collection::vec(any::<u8>(), 0..60);
    let frame = (address(false), address(true), any::<u8>(), pid, rest)
        .prop_map(|(to, from, control, pid, rest)| [vec![0], to, from, vec![control, pid], rest].concat());
    prop::collection::vec(frame, 0..80)
}

proptest! {
    #[test]
    fn no_bytes_make_the_tracker_panic(frames in frames(), noise in prop::collection::vec(any::<u8>(), 0..40)) {
        let mut monitor = Monitor::new();
        for (number, frame) in frames.iter().enumerate() {
            monitor.bytes(number as f64, LinkType::AX25_KISS, frame);
            monitor.bytes(number as f64, LinkType::AX25, &noise);
        }
        let flows = FlowId(crate::FLOW_LIMIT as u32);
        for transaction in transactions(&monitor.end(1e3)) {
            prop_assert!(transaction.flow < flows && transaction.attempts >= 1);
            prop_assert!(transaction.end.is_none_or(|end| end >= transaction.begin));
        }
    }
}
