//! The frames of the slowest transactions are those that begin request and answer.

use sojourn_capture::{Sink, Trackers};
use sojourn_protocols::tcp::wire::Header;

use super::script::{Script, at, data, packet, syn, syn_ack};

/// Frames of request and answer of the transactions, in the order of their requests.
fn frames(script: &Script) -> Vec<[Option<u64>; 2]> {
    let (mut trackers, mut out) = (Trackers::default(), Sink::default().keeping_slowest(100));
    for (number, (time, octets)) in (1..).zip(&script.packets) {
        trackers.packet(&packet(number, *time, octets), &mut out);
    }
    trackers.finish(at(60_000), &mut out);
    let mut found: Vec<_> = out.slowest().unwrap().slow().iter().map(|of| of.transaction.frames).collect();
    found.sort();
    found
}

#[test]
fn packets_with_equal_stamps_are_distinguished() {
    let mut script = Script::default();
    let message = |id: u8, flags: u8| [0, id, flags, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, b'a', 0, 0, 1, 0, 1];
    for (forward, id, flags) in [(true, 7, 1), (true, 8, 1), (false, 8, 0x81), (false, 7, 0x81)] {
        script.datagram(5, forward, 53, &message(id, flags));
    }
    assert_eq!(frames(&script), [[Some(1), Some(4)], [Some(2), Some(3)]]);
    // without identifiers
    let mut script = Script::default();
    for (forward, octets) in [(true, b"a"), (false, b"A"), (true, b"b"), (false, b"B")] {
        script.datagram(5, forward, 5_000, octets);
    }
    assert_eq!(frames(&script), [[Some(1), Some(2)], [Some(3), Some(4)]]);
}

#[test]
fn requests_of_the_server_have_frames_as_those_of_the_client() {
    let mut script = Script::default();
    let headers = [syn(100).0, syn_ack(500, 101).0, data(101, 501, 0).0];
    for (place, header) in headers.into_iter().enumerate() {
        script.segment(0, place != 1, 1883, header, &[]);
    }
    let mut send = |milliseconds, forward, seq, ack, octets: &[u8]| {
        let header = Header { seq, ack: Some(ack), window: 10_000, ..Header::default() };
        script.segment(milliseconds, forward, 1883, header, octets);
    };
    send(1, true, 101, 501, &[0x10, 2, 0, 0]);
    send(1, false, 501, 105, &[0x20, 2, 0, 0]);
    send(10, false, 505, 105, &[0x32, 7, 0, 1, b't', 0, 9, b'o', b'n']);
    send(13, true, 105, 514, &[0x40, 2, 0, 9]);
    assert_eq!(frames(&script), [[Some(4), Some(5)], [Some(6), Some(7)]]);
}

#[test]
fn a_message_in_two_segments_begins_with_the_first() {
    let mut script = Script::default();
    let headers = [syn(100).0, syn_ack(500, 101).0, data(101, 501, 0).0];
    for (place, header) in headers.into_iter().enumerate() {
        script.segment(0, place != 1, 53, header, &[]);
    }
    let mut send = |milliseconds, forward, seq, ack, octets: &[u8]| {
        let header = Header { seq, ack: Some(ack), window: 10_000, ..Header::default() };
        script.segment(milliseconds, forward, 53, header, octets);
    };
    let message = |flags: u8| [0, 7, flags, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    send(10, true, 101, 501, &[0, 12]);
    send(11, true, 103, 501, &message(1));
    send(30, false, 501, 115, &[0]);
    send(31, false, 502, 115, &[12]);
    send(32, false, 503, 115, &message(0x81));
    assert_eq!(frames(&script), [[Some(4), Some(6)]]);
}
