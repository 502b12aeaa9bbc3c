//! Fuzzing entry point: arbitrary octets as frames.

use sojourn_core::{Duration, Time};

use super::Ax25;
use crate::{Event, LinkType, Packet, Sink, Tracker};

/// Takes octets as frames, each behind an octet whose bits are its link type and the time since the one before, and one with
/// its length. Every transaction that is reported began before it ended, and nothing is open after the end.
pub fn frames(octets: &[u8]) {
    let (mut tracker, mut out) = (Ax25::default(), Sink::with_log());
    let (mut rest, mut time, mut number) = (octets, Time::ZERO, 0);
    while let Some((&[kind, length], behind)) = rest.split_first_chunk() {
        let (data, behind) = behind.split_at(behind.len().min(length.into()));
        time += Duration::from_millis(1 << (kind >> 4));
        number += 1;
        let link_type = if kind & 1 == 0 { LinkType::AX25_KISS } else { LinkType::AX25 };
        let packet = Packet::whole(number, time, link_type, data);
        tracker.packet(&packet, &mut out);
        rest = behind;
    }
    tracker.finish(time, &mut out);
    let reported = out.log().len();
    tracker.finish(time, &mut out);
    assert_eq!(out.log().len(), reported, "nothing is open after the end");
    for event in out.log() {
        let Event::Transaction(transaction) = event else { continue };
        assert!(transaction.attempts > 0 && transaction.end.is_none_or(|end| end >= transaction.begin));
    }
}
