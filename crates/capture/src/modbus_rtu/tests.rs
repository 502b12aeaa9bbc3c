use sojourn_core::{Duration, Time};
use sojourn_protocols::modbus::rtu;

use super::*;
use crate::Outcome;
use crate::testing::transactions;

/// Frames of a line, each behind its milliseconds: unit and PDU.
fn followed(frames: &[(u64, u8, &[u8])]) -> Sink {
    let (mut tracker, mut out) = (ModbusRtu::default(), Sink::with_log());
    let mut end = Time::ZERO;
    for (number, (ms, unit, pdu)) in frames.iter().enumerate() {
        let mut octets = Vec::new();
        rtu::emit(*unit, pdu, &mut octets);
        end = Time::ZERO + Duration::from_millis(*ms);
        out.take(number as u64 + 1, end);
        tracker.packet(&Packet::whole(number as u64 + 1, end, LinkType::USER0, &octets), &mut out);
    }
    tracker.finish(end, &mut out);
    out
}

/// Reads three registers from 107 on.
const READ: &[u8] = &[3, 0, 107, 0, 3];
const REGISTERS: &[u8] = &[3, 6, 2, 43, 0, 0, 0, 100];

#[test]
fn a_request_is_answered_by_the_frame_that_fits_it() {
    let out = followed(&[(0, 17, READ), (12, 17, REGISTERS), (20, 17, READ), (35, 17, &[0x83, 2])]);
    let expected =
        [(Outcome::Answered, 1, Some(12), [Some(1), Some(2)]), (Outcome::Refused, 1, Some(15), [Some(3), Some(4)])];
    assert_eq!(transactions(&out), expected);
    let (_, key) = out.flows().iter().next().unwrap();
    assert_eq!(key.to_string(), "client to unit 17, Modbus 3, read holding registers");
    assert_eq!(key.member(), "modbus-3/client/unit-17");
    assert_eq!(out.flows().iter().count(), 1);
}

#[test]
fn a_repeated_request_is_a_further_attempt_and_another_one_shows_that_it_was_given_up() {
    let out = followed(&[(0, 17, READ), (1000, 17, READ), (1012, 17, REGISTERS), (1100, 17, READ), (2100, 18, READ)]);
    let expected = [
        (Outcome::Answered, 2, Some(1012), [Some(1), Some(3)]),
        (Outcome::Unanswered, 1, None, [Some(4), None]),
        (Outcome::Open, 1, None, [Some(5), None]),
    ];
    assert_eq!(transactions(&out), expected);
}

#[test]
fn a_written_register_is_answered_by_its_echo() {
    let write: &[u8] = &[6, 0, 1, 0, 3];
    let out = followed(&[(0, 17, write), (9, 17, write), (20, 17, write), (29, 17, write)]);
    let answered = |frames| (Outcome::Answered, 1, Some(9), frames);
    assert_eq!(transactions(&out), [answered([Some(1), Some(2)]), answered([Some(3), Some(4)])]);
}

#[test]
fn a_response_as_long_as_a_request_is_known_by_what_was_asked_for() {
    // 20 coils take three octets, which makes the response as long as a request
    let (request, response): (&[u8], &[u8]) = (&[1, 0, 0, 0, 20], &[1, 3, 0xcd, 0x6b, 5]);
    let out = followed(&[(0, 17, request), (9, 17, response), (20, 17, request)]);
    assert_eq!(transactions(&out)[0], (Outcome::Answered, 1, Some(9), [Some(1), Some(2)]));
    assert_eq!(transactions(&out)[1].0, Outcome::Open);
}

#[test]
fn a_broadcast_has_no_answer_and_an_answer_at_the_begin_began_before() {
    let out = followed(&[(0, 17, REGISTERS), (20, 0, &[6, 0, 1, 0, 3]), (140, 17, READ), (150, 17, REGISTERS)]);
    let outcomes: Vec<Outcome> = transactions(&out).iter().map(|transaction| transaction.0).collect();
    assert_eq!(outcomes, [Outcome::BeganBefore, Outcome::Sent, Outcome::Answered]);
}

#[test]
fn a_frame_of_an_unknown_function_is_answered_by_the_same_function() {
    let out =
        followed(&[(0, 17, &[90, 0, 1]), (8, 17, &[90, 0, 0xfe, 7]), (20, 17, &[90, 0, 2]), (30, 17, &[0xda, 1])]);
    let outcomes: Vec<Outcome> = transactions(&out).iter().map(|transaction| transaction.0).collect();
    assert_eq!(outcomes, [Outcome::Answered, Outcome::Refused]);
}

#[test]
fn a_record_of_rtac_holds_a_frame_behind_its_header_or_none() {
    let (mut tracker, mut out) = (ModbusRtu::default(), Sink::with_log());
    let mut octets = vec![0; 12];
    rtu::emit(17, READ, &mut octets);
    for (number, data) in [(1, &octets[..]), (2, &octets[..12]), (3, &octets[..5])] {
        tracker.packet(&Packet::whole(number, Time::ZERO, LinkType::RTAC_SERIAL, data), &mut out);
    }
    tracker.finish(Time::ZERO, &mut out);
    assert_eq!(transactions(&out).len(), 1);
    let malformed: Vec<&str> = out.malformed_packets().keys().map(String::as_str).collect();
    assert_eq!(malformed, ["RTAC: the header is not whole"]);
}

#[test]
fn a_frame_with_a_wrong_crc_does_not_parse() {
    let (mut tracker, mut out) = (ModbusRtu::default(), Sink::with_log());
    // the CRC of this request is c5cd
    let octets = [1, 3, 0, 0, 0, 10, 0xc5, 0xce];
    tracker.packet(&Packet::whole(1, Time::ZERO, LinkType::USER0, &octets), &mut out);
    assert_eq!(out.malformed_packets().values().map(|reason| reason.count).sum::<u64>(), 1);
    assert_eq!(transactions(&out), []);
}
