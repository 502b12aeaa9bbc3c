//! UDP, ICMP and fragments, in frames of several links.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use sojourn_capture::Outcome::{Answered, Refused};
use sojourn_capture::ip::{self, IpTracker};
use sojourn_capture::{Event, LinkType, Packet, Sent, Sink, Tracker};
use sojourn_core::Time;
use sojourn_protocols::icmp::{Echo, Kind, Version};

use super::script::{CLIENT, Report, SERVER, Script, at, packet};

/// A packet of ICMP from the client to the server, or back.
fn icmp(forward: bool, message: &[u8]) -> Vec<u8> {
    let (source, destination) = if forward { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
    let length = 20 + message.len() as u8;
    [&[0x45, 0, 0, length, 0, 0, 0, 0, 64, 1, 0, 0][..], &source, &destination, message].concat()
}

fn echo(kind: Kind, sequence: u16) -> Vec<u8> {
    let mut message = Vec::new();
    Echo { kind, identifier: 77, sequence, data: b"ping" }.emit(Version::V4, &mut message);
    icmp(kind == Kind::Request, &message)
}

#[test]
fn echo_replies_end_their_requests_and_a_refused_query_ends_too() {
    let mut script = Script::default();
    script.packets.push((at(0), echo(Kind::Request, 1)));
    script.packets.push((at(1), echo(Kind::Request, 2)));
    script.packets.push((at(6), echo(Kind::Reply, 2)));
    script.packets.push((at(7), echo(Kind::Reply, 1)));
    script.datagram(10, true, 53, &[0, 9, 1, 0, 0, 1]);
    let query = script.packets[4].1.clone();
    script.packets.push((at(13), icmp(false, &[&[3, 3, 0, 0, 0, 0, 0, 0][..], &query].concat())));
    let expected = [(Answered, 1, Some(5), [4, 4]), (Answered, 1, Some(7), [4, 4]), (Refused, 1, Some(3), [6, 0])];
    assert_eq!(script.report(20).transactions(), expected);
}

#[test]
fn later_fragments_belong_to_the_flow_of_the_first() {
    let mut script = Script::default();
    script.datagram(0, true, 7, &[5; 100]);
    let whole = script.packets.remove(0).1;
    let fragment = |from: usize, to: usize, place: u16| {
        let mut packet = whole[..20].to_vec();
        packet[2..4].copy_from_slice(&((20 + to - from) as u16).to_be_bytes());
        packet[6..8].copy_from_slice(&place.to_be_bytes());
        packet.extend(&whole[20 + from..20 + to]);
        packet
    };
    script.packets.push((at(0), fragment(0, 80, 0x2000)));
    script.packets.push((at(1), fragment(80, 108, 10)));
    script.datagram(4, false, 7, &[5; 100]);
    let report = script.report(9);
    assert_eq!((report.transactions(), report.count("fragments")), (vec![(Answered, 1, Some(4), [100, 100])], 2));
    assert_eq!((report.packets(), report.0.flows().iter().count()), ([2, 1, 0], 1));
}

#[test]
fn what_the_snap_length_cut_keeps_its_length_and_a_cut_header_is_counted_with_its_reason() {
    let mut script = Script::default();
    script.datagram(0, true, 5_000, &[1; 100]);
    let whole = &script.packets[0].1;
    let (mut tracker, mut out) = (IpTracker::default(), Sink::with_log());
    for (number, captured) in [(1, 40), (2, 25)] {
        tracker.packet(&Packet { original_length: 128, ..packet(number, Time::ZERO, &whole[..captured]) }, &mut out);
    }
    let [Event::Sent(Sent { l3_bytes: 128, l4_bytes: 100, .. })] = out.log() else { panic!("{:?}", out.log()) };
    let reasons: Vec<_> = out.malformed_packets().iter().map(|(reason, of)| (reason.as_str(), of.first)).collect();
    assert_eq!(reasons, [("udp: truncated in the length (cut by the snap length)", 2)]);
}

#[test]
fn packets_that_are_not_followed_are_counted_between_their_stations() {
    let arp = [&[0xff; 6][..], &[2; 6], &[8, 6], &[0; 28]].concat();
    let (mut tracker, mut out) = (IpTracker::default(), Sink::with_log());
    tracker.packet(&Packet { link_type: LinkType::ETHERNET, ..packet(1, Time::ZERO, &arp) }, &mut out);
    let mut gre = icmp(true, &[0; 8]);
    gre[9] = 47;
    tracker.packet(&packet(2, Time::ZERO, &gre), &mut out);
    let services: Vec<_> = out.flows().iter().map(|(_, key)| format!("{:?}", key.service)).collect();
    assert_eq!((services.join(" "), Report(out).packets()), ("Other(2054) Other(47)".to_owned(), [2, 0, 0]));
}

#[test]
fn the_payload_of_a_datagram_is_given_to_those_who_ask() {
    let mut script = Script::default();
    script.datagram(0, true, 1628, b"lon");
    script.packets.push((at(1), echo(Kind::Request, 1)));
    let payload = |index: usize| ip::udp_payload(&packet(1, Time::ZERO, &script.packets[index].1)).map(|of| of.payload);
    assert_eq!((payload(0), payload(1)), (Some(&b"lon"[..]), None));
}

#[test]
fn every_input_of_the_fuzz_corpus_is_taken_and_reports_transactions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/capture_ip");
    let mut inputs: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    let reported: Vec<usize> = inputs.iter().map(|path| ip::fuzz::frames(&fs::read(path).unwrap())).collect();
    assert!(reported.iter().all(|transactions| *transactions > 0), "{inputs:?} {reported:?}");
}

proptest! {
    #[test]
    fn any_octets_are_taken_as_frames_without_a_panic(octets in proptest::collection::vec(any::<u8>(), 0..600)) {
        ip::fuzz::frames(&octets);
    }

    #[test]
    fn a_session_with_any_octets_changed_is_taken_without_a_panic(
        changes in proptest::collection::vec((any::<u16>(), any::<u8>()), 0..40),
    ) {
        let mut script = Script::default();
        script.handshake(0);
        for number in 0..8 {
            script.client(30 + number, super::script::data(101 + 50 * number as u32, 501, 50));
            script.server(40 + number, super::script::sack(501, 101, &[(151, 201 + 50 * number as u32)]));
        }
        script.datagram(60, true, 53, &[7; 40]);
        script.datagram(61, false, 53, &[7; 40]);
        for (place, octet) in changes {
            let packets = script.packets.len();
            let bytes = &mut script.packets[usize::from(place) % packets].1;
            let index = usize::from(place) / packets % bytes.len();
            bytes[index] = octet;
        }
        script.report(100);
    }
}
