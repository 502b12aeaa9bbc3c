//! Scripted associations between two hosts.

use std::net::{IpAddr, Ipv4Addr};

use sojourn_core::{Duration, Time};
use sojourn_protocols::xtp::wire::{
    Address as Segment, Code, Control, Diagnostic, Header, Key, Options, Span, Specification, Traffic, Value,
};

use super::*;
use crate::{Address, Event, Outcome, Service};

const KEY: Key = Key(7);
const ANSWERING_KEY: Key = Key(1 << 62 | 9);

struct Script {
    associations: Associations,
    out: Sink,
    packets: u64,
}

fn host(number: u8) -> Host {
    Host { address: Address::Ip(IpAddr::V4(Ipv4Addr::new(10, 0, 0, number))), port: 0 }
}

fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

fn header(key: Key, options: Options, sync: u32, seq: u64) -> Header {
    Header { key, options, sort: 0, sync, seq }
}

fn data(seq: u64, octets: &'static [u8], sync: u32) -> Packet<&'static [u8]> {
    let body = Body::Data { tag: None, data: octets };
    Packet { header: header(ANSWERING_KEY, Options::SREQ | Options::EOM, sync, seq), body }
}

fn answer(seq: u64, octets: &'static [u8]) -> Packet<&'static [u8]> {
    Packet { header: header(KEY.returned(), Options::SREQ | Options::EOM, seq as u32 + 1, seq), ..data(0, octets, 0) }
}

fn report(rseq: u64, echo: u32, spans: &[(u64, u64)]) -> Packet<&'static [u8]> {
    let control = Control { rseq, alloc: 100_000, echo };
    let body = match spans {
        [] => Body::Control(control),
        spans => Body::ErrorControl(control, spans.iter().map(|&(left, right)| Span { left, right }).collect()),
    };
    Packet { header: header(KEY.returned(), Options::NONE, 1, 0), body }
}

impl Script {
    fn new() -> Script {
        Script { associations: Associations::default(), out: Sink::with_log(), packets: 0 }
    }

    /// An association that FIRST opened at 0 and TCNTL answered after 4 ms, to port 9.
    fn opened() -> Script {
        let mut script = Script::new();
        script.first(0, 1);
        script.exchange(4);
        script
    }

    fn first(&mut self, milliseconds: u64, sync: u32) {
        let address = Segment::ipv4(([10, 0, 0, 1], 4_000), ([10, 0, 0, 2], 9));
        let body = Body::First { address, traffic: Traffic::default(), data: &b""[..] };
        self.send(milliseconds, 1, 2, &Packet { header: header(KEY, Options::SREQ, sync, 0), body });
    }

    fn exchange(&mut self, milliseconds: u64) {
        let specification =
            Specification::Rates { max_data: 0, in_rate: 5_000, in_burst: 100, out_rate: 0, out_burst: 0 };
        let traffic = Traffic { specification, ..Traffic::default() };
        let control = Control { rseq: 0, alloc: 100_000, echo: 1 };
        let body = Body::TrafficControl { control, xkey: ANSWERING_KEY, traffic };
        self.send(milliseconds, 2, 1, &Packet { header: header(KEY.returned(), Options::NONE, 1, 0), body });
    }

    fn send(&mut self, milliseconds: u64, from: u8, to: u8, packet: &Packet<&[u8]>) {
        self.packets += 1;
        let bytes = packet.to_bytes().unwrap();
        let (length, number, time) = (bytes.len() as u32, self.packets, at(milliseconds));
        let (from, to, l3_bytes) = (host(from), host(to), length + 20);
        self.associations.packet(&Captured { from, to, bytes: &bytes, length, l3_bytes, number, time }, &mut self.out);
    }

    fn finish(&mut self, milliseconds: u64) -> Vec<(Outcome, u32, Option<u64>)> {
        self.associations.finish(at(milliseconds), &mut self.out);
        assert_eq!(self.associations.remembered, 0);
        let milliseconds = |span: Duration| span.whole(Duration::from_millis(1));
        let transaction = |event: &Event| match event {
            Event::Transaction(of) => {
                Some((of.outcome, of.attempts, of.end.map(|end| milliseconds(end.since(of.begin)))))
            }
            _ => None,
        };
        self.out.log().iter().filter_map(transaction).collect()
    }

    fn counts(&self, metrics: &[&str]) -> Vec<u64> {
        metrics.iter().map(|metric| self.out.whole().counted(metric)).collect()
    }

    fn samples(&self, metric: &str) -> Vec<u64> {
        let sample = |event: &Event| match event {
            Event::Sample(_, name, _, span) if *name == metric => Some(span.whole(Duration::from_millis(1))),
            _ => None,
        };
        self.out.log().iter().filter_map(sample).collect()
    }
}

#[test]
fn the_messages_of_the_responder_answer_those_of_the_initiator_in_order() {
    let mut script = Script::opened();
    script.send(10, 1, 2, &data(0, b"one", 2));
    script.send(11, 1, 2, &data(3, b"two", 3));
    script.send(12, 2, 1, &report(6, 3, &[]));
    script.send(30, 2, 1, &answer(0, b"first"));
    script.send(41, 2, 1, &answer(5, b"second"));
    script.send(50, 1, 2, &data(6, b"open", 4));
    assert_eq!(
        script.finish(60),
        [(Outcome::Answered, 1, Some(20)), (Outcome::Answered, 1, Some(30)), (Outcome::Open, 1, None)]
    );
    let rtts = ["connect_time", "handshake_rtt", "acknowledgement_rtt/forward"].map(|metric| script.samples(metric));
    assert_eq!(rtts, [vec![4], vec![4], vec![1]], "the report acknowledges the newer of the two");
    let key = *script.out.flows().iter().next().unwrap().1;
    assert_eq!((key.service, key.from, key.to), (Service::Xtp(9), host(1).address, host(2).address));
    let note = script.out.notes().next().unwrap();
    assert_eq!(note, "10.0.0.2 accepts 5000 B/s of XTP in bursts of 100 B from 10.0.0.1 (traffic segment).");
}

#[test]
fn a_message_of_one_direction_alone_ends_with_the_report_that_acknowledges_it() {
    let mut script = Script::opened();
    for message in 0..3 {
        script.send(10 + 10 * message, 1, 2, &data(4 * message, b"data", 2 + message as u32));
        script.send(13 + 10 * message, 2, 1, &report(4 + 4 * message, 2 + message as u32, &[]));
    }
    script.send(40, 1, 2, &data(12, b"more", 9));
    assert_eq!(
        script.finish(200_000),
        [
            (Outcome::Answered, 1, Some(3)),
            (Outcome::Answered, 1, Some(3)),
            (Outcome::Answered, 1, Some(3)),
            (Outcome::Unanswered, 1, None),
        ]
    );
}

#[test]
fn data_sent_again_after_a_gap_or_a_handshake_belong_to_their_message_and_copies_count_once() {
    let mut script = Script::opened();
    script.send(10, 1, 2, &data(0, b"lost", 2));
    script.send(11, 1, 2, &data(4, b"here", 3));
    script.send(12, 2, 1, &report(0, 3, &[(4, 8)]));
    script.send(13, 1, 2, &data(0, b"lost", 4));
    script.send(14, 1, 2, &data(0, b"lost", 4));
    let ask = Packet { header: header(ANSWERING_KEY.returned(), Options::SREQ, 5, 8), ..report(0, 0, &[]) };
    script.send(500, 1, 2, &ask);
    script.send(501, 1, 2, &data(0, b"lost", 6));
    script.send(503, 2, 1, &report(8, 6, &[]));
    script.send(504, 1, 2, &data(4, b"here", 7));
    assert_eq!(script.finish(600), [(Outcome::Answered, 3, Some(493)), (Outcome::Answered, 2, Some(492))]);
    let metrics = [
        "retransmissions",
        "retransmissions/gap",
        "retransmissions/timeout",
        "retransmissions/spurious",
        "handshakes",
        "captured_twice",
        "retries",
    ];
    assert_eq!(script.counts(&metrics), [3, 1, 1, 1, 1, 1, 0]);
    assert_eq!(script.samples("acknowledgement_rtt/forward"), [492], "of the packet that was sent once");
}

#[test]
fn an_association_that_is_refused_or_silent_is_a_request_without_an_answer() {
    let mut refused = Script::new();
    refused.first(0, 1);
    let diagnostic = Diagnostic::new(Code::Refused, Value::NoListener);
    let refusal = Packet { header: header(KEY.returned(), Options::NONE, 1, 0), body: Body::Diagnostic(diagnostic) };
    refused.send(3, 2, 1, &refusal);
    assert_eq!(refused.finish(10), [(Outcome::Refused, 1, Some(3))]);

    let mut silent = Script::new();
    [(0, 1), (100, 2), (300, 3)].iter().for_each(|&(milliseconds, sync)| silent.first(milliseconds, sync));
    assert_eq!(silent.finish(400), [(Outcome::Open, 3, None)]);
    assert_eq!(silent.counts(&["handshakes"]), [2]);
}

#[test]
fn an_association_of_before_the_capture_has_both_of_its_keys_once_each_end_has_sent() {
    let mut script = Script::new();
    script.send(0, 1, 2, &data(500, b"half", 9));
    script.send(4, 2, 1, &answer(700, b"of it"));
    script.send(10, 1, 2, &data(504, b"whole", 10));
    script.send(17, 2, 1, &answer(705, b"whole"));
    assert_eq!(script.finish(20), [(Outcome::BeganBefore, 1, None), (Outcome::Answered, 1, Some(7))]);
    assert_eq!(script.out.flows().iter().count(), 1);
}

#[test]
fn a_multicast_message_ends_when_all_receivers_that_report_have_it() {
    let first = Packet {
        header: header(KEY, Options::MULTI, 1, 0),
        body: Body::First { address: Segment::NULL, traffic: Traffic::default(), data: &b""[..] },
    };
    let mut script = Script::new();
    script.send(0, 1, 9, &first);
    [2, 3].iter().for_each(|&receiver| script.send(2, receiver, 1, &report(0, 1, &[])));
    let header = header(KEY, Options::MULTI | Options::SREQ | Options::EOM, 2, 0);
    script.send(10, 1, 9, &Packet { header, ..data(0, b"all", 0) });
    script.send(12, 2, 1, &report(3, 2, &[]));
    script.send(17, 3, 1, &report(3, 2, &[]));
    assert_eq!(script.finish(20), [(Outcome::Answered, 1, Some(7))]);
}

#[test]
fn datagrams_are_recognized_by_version_options_and_length() {
    let bytes = data(0, b"data", 1).to_bytes().unwrap();
    let length = bytes.len() as u32;
    assert!(is_packet(&bytes, length) && is_packet(&bytes[..16], length), "a cut one as well");
    assert!(!is_packet(&bytes, length + 1) && !is_packet(&bytes[..15], length) && !is_packet(&[0; 32], 32));
}

#[test]
fn a_packet_with_a_wrong_checksum_is_counted_under_one_reason_unless_it_was_cut() {
    let mut script = Script::opened();
    let mut bytes = data(0, b"data", 1).to_bytes().unwrap();
    let captured = |bytes, length| {
        let (from, to) = (host(1), host(2));
        Captured { from, to, bytes, length, l3_bytes: 0, number: 3, time: at(10) }
    };
    *bytes.last_mut().unwrap() ^= 1;
    let Script { associations, out, .. } = &mut script;
    assert_eq!(associations.packet(&captured(&bytes, 36), out), None);
    assert_eq!(out.malformed_packets().keys().collect::<Vec<_>>(), ["XTP: checksum mismatch"]);
    assert!(associations.packet(&captured(&bytes[..33], 36), out).is_some());
    assert_eq!(out.whole().l4_bytes[0], 4, "of the whole packet");
}

#[test]
fn beyond_the_limit_the_association_that_was_silent_longest_is_given_up() {
    let mut script = Script::new();
    for number in 0..=ASSOCIATIONS as u64 {
        let header = Header { key: Key(number), ..header(KEY, Options::SREQ, 1, 0) };
        let body = Body::First { address: Segment::NULL, traffic: Traffic::default(), data: &b""[..] };
        script.send(number, 1, 2, &Packet { header, body });
    }
    assert_eq!(script.counts(&["evicted"]), [1]);
    assert_eq!(script.associations.contexts.len(), ASSOCIATIONS);
}
