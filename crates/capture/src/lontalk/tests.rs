use proptest::prelude::*;
use sojourn_core::Duration;
use sojourn_protocols::lontalk::lonip::{Stamp, capture_record};
use sojourn_protocols::lontalk::wire::{AuthPdu, Link, OriginalFormat};

use super::*;
use crate::{Event, LinkType};

const SWITCH: SubnetNode = SubnetNode::new(1, 1);
const LAMP: SubnetNode = SubnetNode::new(1, 2);

/// A capture that is written packet by packet, and its sink.
struct Trial {
    tracker: LonTalkTracker,
    sink: Sink,
    number: u64,
}

impl Trial {
    fn new() -> Self {
        Trial { tracker: LonTalkTracker::default(), sink: Sink::with_log(), number: 0 }
    }

    /// A packet at `ms` in a session, that of a medium.
    fn on(&mut self, session: u32, ms: u64, from: SubnetNode, to: Destination, body: Body<&'static [u8]>) {
        let packet = Lpdu { link: Link::default(), domain: Domain::NONE, source: from, destination: to, body };
        let mut record = Vec::new();
        self.number += 1;
        let stamp = Stamp { session, sequence: self.number as u32, time_stamp_ms: ms as u32 };
        capture_record(&packet, stamp, &mut record).unwrap();
        self.raw(ms, &record);
    }

    fn raw(&mut self, ms: u64, data: &[u8]) {
        let packet = Packet::whole(self.number, Time::ZERO + Duration::from_millis(ms), LinkType::RAW_IP, data);
        self.tracker.packet(&packet, &mut self.sink);
    }

    fn message(&mut self, ms: u64, number: u8) {
        self.on(7, ms, SWITCH, Destination::Node(LAMP), acknowledged(number));
    }

    fn acknowledgement(&mut self, ms: u64, number: u8) {
        self.on(7, ms, LAMP, Destination::Node(SWITCH), ack(number));
    }

    /// Ends the capture: (begin, end) in ms, attempts and outcome of each transaction.
    fn transactions(mut self, end_ms: u64) -> Vec<(u64, Option<u64>, u32, Outcome)> {
        self.tracker.finish(Time::ZERO + Duration::from_millis(end_ms), &mut self.sink);
        let ms = |time: Time| time.since(Time::ZERO).whole(Duration::from_millis(1));
        let found = self.sink.log().iter().filter_map(|event| match event {
            Event::Transaction(found) => Some((ms(found.begin), found.end.map(ms), found.attempts, found.outcome)),
            _ => None,
        });
        found.collect()
    }
}

fn numbering(transaction: u8) -> Numbering {
    Numbering { authenticated: false, transaction }
}

fn apdu() -> Apdu<&'static [u8]> {
    Apdu::update(1, b"v")
}

fn acknowledged(number: u8) -> Body<&'static [u8]> {
    Body::Transport(numbering(number), Tpdu::Acknowledged(apdu()))
}

fn ack(number: u8) -> Body<&'static [u8]> {
    Body::Transport(numbering(number), Tpdu::Acknowledgement)
}

#[test]
fn an_acknowledged_message_ends_with_its_acknowledgement() {
    let mut trial = Trial::new();
    trial.message(0, 1);
    trial.acknowledgement(12, 1);
    trial.message(100, 2);
    trial.message(196, 2);
    trial.acknowledgement(210, 2);
    let expected = [(0, Some(12), 1, Outcome::Answered), (100, Some(210), 2, Outcome::Answered)];
    assert_eq!(trial.transactions(1_000), expected);
}

#[test]
fn a_copy_after_the_acknowledgement_is_a_retry_of_the_same_transaction() {
    let mut trial = Trial::new();
    trial.message(0, 1);
    trial.acknowledgement(95, 1);
    trial.message(97, 1);
    trial.acknowledgement(105, 1);
    assert_eq!(trial.transactions(1_000), [(0, Some(95), 2, Outcome::Answered)]);
}

#[test]
fn a_number_is_one_transaction_for_24_seconds() {
    let mut trial = Trial::new();
    trial.message(0, 1);
    trial.acknowledgement(10, 1);
    trial.message(25_000, 1);
    trial.acknowledgement(25_010, 1);
    assert_eq!(trial.transactions(30_000).len(), 2);
}

#[test]
fn a_message_without_an_answer_is_a_failure_or_open_at_the_end() {
    let silent = |end_ms| {
        let mut trial = Trial::new();
        trial.message(0, 1);
        trial.message(96, 1);
        trial.transactions(end_ms)
    };
    assert_eq!(silent(200), [(0, None, 2, Outcome::Open)]);
    assert_eq!(silent(10_000), [(0, None, 2, Outcome::Unanswered)]);
}

#[test]
fn an_acknowledgement_of_what_was_not_captured_began_before() {
    let mut trial = Trial::new();
    trial.acknowledgement(5, 1);
    assert_eq!(trial.transactions(10), [(5, None, 1, Outcome::BeganBefore)]);
    let mut late = Trial::new();
    late.message(0, 1);
    late.acknowledgement(10, 9);
    assert_eq!(late.sink.whole().counted("late_acknowledgements"), 1);
}

#[test]
fn a_request_is_answered_by_its_response() {
    let mut trial = Trial::new();
    let request = Body::Session(numbering(3), Spdu::Request(apdu()));
    let response = Body::Session(numbering(3), Spdu::Response(Apdu::explicit(0, &b"four"[..])));
    trial.on(7, 0, SWITCH, Destination::Node(LAMP), request);
    trial.on(7, 40, LAMP, Destination::Node(SWITCH), response);
    trial.tracker.finish(Time::ZERO, &mut trial.sink);
    let whole = trial.sink.whole();
    assert_eq!((whole.answered, whole.request_bytes, whole.answer_bytes), (1, 1, 4));
    assert_eq!(whole.response.mean(), Some(0.04));
}

#[test]
fn an_authenticated_message_is_challenged_in_between() {
    let mut trial = Trial::new();
    let numbering = Numbering { authenticated: true, transaction: 2 };
    let pdu =
        |kind| Body::Authentication(AuthPdu { original: OriginalFormat::Node, transaction: 2, kind, value: [1; 8] });
    let message = Body::Transport(numbering, Tpdu::Acknowledged(apdu()));
    trial.on(7, 0, SWITCH, Destination::Node(LAMP), message);
    trial.on(7, 10, LAMP, Destination::Node(SWITCH), pdu(AuthKind::Challenge));
    trial.on(7, 20, SWITCH, Destination::Node(LAMP), pdu(AuthKind::Reply));
    trial.on(7, 30, LAMP, Destination::Node(SWITCH), ack(2));
    let flows: Vec<_> = trial.sink.flows().iter().map(|(_, key)| key.service).collect();
    assert_eq!(flows, [Service::LonTalk(LonTalkService::Authenticated)]);
    assert_eq!(trial.sink.whole().packets, [2, 2]);
    assert_eq!(trial.transactions(100), [(0, Some(30), 1, Outcome::Answered)]);
}

#[test]
fn a_message_to_a_group_ends_with_its_last_member() {
    let mut trial = Trial::new();
    let group = Destination::Group { group: 4 };
    let member = |member| Destination::GroupAcknowledgement { node: SWITCH, group: 4, member };
    for (begin, number) in [(0, 1), (1_000, 2)] {
        trial.on(7, begin, SWITCH, group, acknowledged(number));
        trial.on(7, begin + 10, SubnetNode::new(1, 3), member(0), ack(number));
        trial.on(7, begin + 20, SubnetNode::new(1, 4), member(1), ack(number));
    }
    trial.on(7, 2_000, SWITCH, group, acknowledged(3));
    trial.on(7, 2_010, SubnetNode::new(1, 3), member(0), ack(3));
    let reminder = Body::Transport(numbering(3), Tpdu::ReminderMessage(Members::from_bits(1), apdu()));
    trial.on(7, 2_096, SWITCH, group, reminder);
    let expected = [
        (0, Some(20), 1, Outcome::Answered),
        (1_000, Some(1_020), 1, Outcome::Answered),
        (2_000, None, 2, Outcome::Unanswered),
    ];
    assert_eq!(trial.transactions(20_000), expected);
}

#[test]
fn copies_of_unacknowledged_repeated_service_are_one_message() {
    let mut trial = Trial::new();
    for ms in [0, 16, 32] {
        let body = Body::Transport(numbering(1), Tpdu::Repeated(apdu()));
        trial.on(7, ms, SWITCH, Destination::Broadcast { subnet: 0 }, body);
    }
    assert_eq!(trial.transactions(100), [(0, None, 3, Outcome::Sent)]);
}

#[test]
fn a_router_forwards_the_same_attempt_and_the_answer_counts_where_it_was_asked() {
    let mut trial = Trial::new();
    for (session, ms) in [(7, 0), (8, 10)] {
        trial.on(session, ms, SWITCH, Destination::Node(LAMP), acknowledged(1));
    }
    for (session, ms) in [(8, 20), (7, 30)] {
        trial.on(session, ms, LAMP, Destination::Node(SWITCH), ack(1));
    }
    for (session, ms) in [(7, 100), (8, 110)] {
        trial.on(session, ms, SWITCH, Destination::Group { group: 1 }, Body::Application(apdu()));
    }
    let expected = [(100, None, 1, Outcome::Sent), (0, Some(30), 1, Outcome::Answered)];
    assert_eq!(trial.transactions(1_000), expected);
}

#[test]
fn devices_of_an_ip_channel_answer_in_sessions_of_their_own() {
    let mut trial = Trial::new();
    trial.on(70, 0, SWITCH, Destination::Node(LAMP), acknowledged(1));
    trial.on(80, 20, LAMP, Destination::Node(SWITCH), ack(1));
    assert_eq!(trial.transactions(1_000), [(0, Some(20), 1, Outcome::Answered)]);
}

/// A packet as an interface captures it, with these bits of its CRC wrong.
fn captured(wrong: u8) -> Vec<u8> {
    let packet = Lpdu {
        link: Link::default(),
        domain: Domain::NONE,
        source: SWITCH,
        destination: Destination::Node(LAMP),
        body: acknowledged(1),
    };
    let mut record = Vec::new();
    capture_record(&packet, Stamp { session: 7, ..Stamp::default() }, &mut record).unwrap();
    *record.last_mut().unwrap() ^= wrong;
    record
}

#[test]
fn a_packet_that_does_not_parse_is_counted_with_its_reason() {
    let mut trial = Trial::new();
    trial.message(0, 1);
    let record = captured(1);
    trial.raw(1, &record);
    trial.raw(2, &record[..40]);
    let reasons: Vec<&str> = trial.sink.malformed_packets().keys().map(String::as_str).collect();
    assert!(reasons.len() == 2 && reasons[0].starts_with("LON/IP: ") && reasons[1].starts_with("LonTalk: the CRC is"));
}

#[test]
fn a_note_says_where_no_packet_has_a_crc_that_fits() {
    let hints = |crcs: &[u8]| {
        let mut trial = Trial::new();
        for (ms, wrong) in (0..).zip(crcs) {
            trial.raw(ms, &captured(*wrong));
        }
        trial.tracker.finish(Time::ZERO, &mut trial.sink);
        trial.sink.notes().filter(|note| note.contains("CRC that fits")).count()
    };
    assert_eq!((hints(&[1, 9]), hints(&[1, 0]), hints(&[0])), (1, 0, 0));
}

#[test]
fn a_crc_of_zero_in_a_datagram_is_one_that_its_sender_leaves_out() {
    let mut trial = Trial::new();
    let mut record = captured(0);
    let end = record.len();
    assert_ne!(record[end - 2..], [0, 0]);
    record[end - 2..].fill(0);
    trial.raw(0, &record);
    trial.tracker.finish(Time::ZERO, &mut trial.sink);
    assert!(trial.sink.malformed_packets().is_empty());
    assert_eq!(trial.sink.whole().packets.iter().sum::<u64>(), 1);
    assert!(trial.sink.notes().any(|note| note.starts_with("1 of 1 LonTalk packets have a CRC of 0")));
}

proptest! {
    #[test]
    fn any_exchange_of_any_nodes_is_followed(steps in proptest::collection::vec((0..4u8, 0..4u8, 0..3u8, 0..5u8, 0..9_000u64), 1..60)) {
        let (mut trial, mut ms) = (Trial::new(), 0);
        for (from, to, number, kind, later) in steps {
            ms += later;
            let (node, peer) = (SubnetNode::new(1, from), SubnetNode::new(1, to));
            let body = match kind {
                0 => acknowledged(number),
                1 => ack(number),
                2 => Body::Session(numbering(number), Spdu::Request(apdu())),
                3 => Body::Session(numbering(number), Spdu::Response(apdu())),
                _ => Body::Application(apdu()),
            };
            trial.on(7, ms, node, Destination::Node(peer), body);
        }
        for (begin, end, attempts, outcome) in trial.transactions(ms) {
            prop_assert!(attempts >= 1 && end.is_none_or(|end| end >= begin));
            prop_assert_eq!(end.is_some(), outcome == Outcome::Answered);
        }
    }
}
