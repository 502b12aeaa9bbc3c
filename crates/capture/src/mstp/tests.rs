use sojourn_core::{Duration, Time};
use sojourn_protocols::bacnet::{Object, Property, Value, read_property, read_property_ack};

use super::*;
use crate::testing::transactions;
use crate::{Event, LinkType};

const INPUT: Object = Object { kind: 0, instance: 1 };
const PRESENT_VALUE: Property = Property(85);

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// Frames of a trunk, each behind its milliseconds: type, source, destination and data.
fn followed(frames: &[(u64, FrameType, u8, u8, Vec<u8>)]) -> Sink {
    let (mut tracker, mut out) = (Mstp::default(), Sink::with_log());
    let mut end = Time::ZERO;
    for (number, (ms, kind, source, destination, data)) in (1..).zip(frames) {
        let frame = Frame { kind: *kind, destination: *destination, source: *source, data: &data[..] };
        let octets = frame.to_bytes().unwrap();
        end = at(*ms);
        out.take(number, end);
        tracker.packet(&Packet::whole(number, end, LinkType::BACNET_MS_TP, &octets), &mut out);
    }
    tracker.finish(end, &mut out);
    out
}

fn token(ms: u64, from: u8, to: u8) -> (u64, FrameType, u8, u8, Vec<u8>) {
    (ms, FrameType::Token, from, to, vec![])
}

fn asks(ms: u64, invoke: u8) -> (u64, FrameType, u8, u8, Vec<u8>) {
    (ms, FrameType::DataExpectingReply, 1, 7, read_property(invoke, INPUT, PRESENT_VALUE))
}

fn answers(ms: u64, invoke: u8) -> (u64, FrameType, u8, u8, Vec<u8>) {
    let data = read_property_ack(invoke, INPUT, PRESENT_VALUE, Value::Real(21.5));
    (ms, FrameType::DataNotExpectingReply, 7, 1, data)
}

#[test]
fn a_request_is_answered_at_once_or_with_a_token_of_the_server() {
    let postponed = (34, FrameType::ReplyPostponed, 7, 1, vec![]);
    let out = followed(&[
        token(0, 7, 1),
        asks(6, 1),
        answers(20, 1),
        asks(26, 2),
        postponed,
        token(37, 1, 7),
        answers(45, 2),
        token(48, 7, 1),
    ]);
    let expected =
        [(Outcome::Answered, 1, Some(14), [Some(2), Some(3)]), (Outcome::Answered, 1, Some(19), [Some(4), Some(7)])];
    assert_eq!(transactions(&out), expected);
    let (_, tally) = out.services().find(|(service, _)| **service == Service::Bacnet).unwrap();
    assert_eq!(tally.counted("reply_postponed"), 1);
    let keys: Vec<String> = out.flows().iter().map(|(_, key)| key.member()).collect();
    assert!(keys.contains(&"bacnet/MAC-1/MAC-7".to_owned()), "{keys:?}");
}

#[test]
fn a_request_with_the_same_invoke_id_is_a_further_attempt() {
    let out = followed(&[asks(0, 1), asks(3000, 1), answers(3012, 1), asks(4000, 2)]);
    let expected = [(Outcome::Answered, 2, Some(3012), [Some(1), Some(3)]), (Outcome::Open, 1, None, [Some(4), None])];
    assert_eq!(transactions(&out), expected);
}

#[test]
fn the_rotation_of_the_token_and_the_times_of_stations_are_reported() {
    let poll = (40, FrameType::PollForMaster, 7, 8, vec![]);
    let out = followed(&[token(0, 7, 1), token(10, 1, 7), token(20, 7, 1), token(32, 1, 7), poll, token(75, 7, 1)]);
    let whole = out.whole();
    assert_eq!((whole.counted("tokens"), whole.counted("polls_for_master")), (5, 1));
    let rotations: Vec<u64> = out
        .log()
        .iter()
        .filter_map(|event| match event {
            Event::Sample(_, "token_rotation", _, span) => Some(span.picoseconds() / 1_000_000_000),
            _ => None,
        })
        .collect();
    assert_eq!(rotations, [20, 22, 55]);
    let [trunk] = out.trunks() else { panic!("one trunk") };
    let addresses: Vec<u8> = trunk.stations.iter().map(|(address, _)| *address).collect();
    assert_eq!(addresses, [1, 7]);
    // the token that follows an unanswered poll ends its Tusage
    assert_eq!(trunk.stations[1].1.usage_timeout.most, Duration::from_millis(35));
    assert_eq!(trunk.stations[0].1.token_reply.most, Duration::from_millis(12));
}

#[test]
fn a_broadcast_is_sent_and_not_answered() {
    let who_is = (5, FrameType::DataNotExpectingReply, 1, 255, vec![1, 0x20, 0xff, 0xff, 0, 0xff, 0x10, 8]);
    let out = followed(&[token(0, 7, 1), who_is]);
    assert_eq!(transactions(&out), [(Outcome::Sent, 1, None, [Some(2), None])]);
}

#[test]
fn a_frame_with_a_wrong_crc_does_not_parse_and_its_pad_octet_does() {
    let (mut tracker, mut out) = (Mstp::default(), Sink::with_log());
    // Annex G of the standard: a token from 5 to 16, whose header CRC is 8c
    for (number, octets) in
        [(1, &[0x55, 0xff, 0, 0x10, 5, 0, 0, 0x8c, 0xff][..]), (2, &[0x55, 0xff, 0, 0x10, 5, 0, 0, 0x8d])]
    {
        tracker.packet(&Packet::whole(number, at(number), LinkType::BACNET_MS_TP, octets), &mut out);
    }
    tracker.finish(at(2), &mut out);
    assert_eq!(out.malformed_packets().values().map(|reason| reason.count).sum::<u64>(), 1);
    assert_eq!((out.whole().counted("tokens"), out.trunks()[0].invalid), (1, 1));
}
