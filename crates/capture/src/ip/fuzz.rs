//! Fuzzing entry point: arbitrary octets as a capture.

use sojourn_core::{Duration, Time};

use super::{IpTracker, link};
use crate::{Event, LinkType, Outcome, Packet, Sink, Tracker};

const LINKS: [LinkType; 16] = [
    LinkType::ETHERNET,
    LinkType::RAW_IP,
    LinkType::IPV4,
    LinkType::LINUX_SLL,
    LinkType::LINUX_SLL2,
    LinkType::NULL,
    LinkType::LOOP,
    LinkType::BSD_RAW_IP,
    LinkType::PPP,
    LinkType::PPP_HDLC,
    LinkType::PPPOE,
    LinkType::CISCO_HDLC,
    LinkType::FRAME_RELAY,
    LinkType::IEEE_802_11,
    LinkType::RADIOTAP,
    LinkType::AVS,
];

/// Takes octets as frames, each behind an octet with its link type and the milliseconds since the one before, one whose bits
/// say how much was cut, and one with its length. Every transaction that is reported began before it ended; returns their
/// number.
pub fn frames(octets: &[u8]) -> usize {
    let (mut tracker, mut out) = (IpTracker::default(), Sink::with_log());
    let (mut rest, mut time, mut number) = (octets, Time::ZERO, 0);
    while let Some((&[link, cut, length], behind)) = rest.split_first_chunk() {
        let (data, behind) = behind.split_at(behind.len().min(length.into()));
        time += Duration::from_millis(1 << (link >> 4));
        number += 1;
        let link_type = LINKS[usize::from(link & 0x0f)];
        let original_length = data.len() as u32 + u32::from(cut).pow(2);
        let packet = Packet { number, time, interface: 0, link_type, data, original_length };
        tracker.packet(&packet, &mut out);
        rest = behind;
    }
    tracker.finish(time, &mut out);
    let reported = out.log().len();
    tracker.finish(time, &mut out);
    assert_eq!(out.log().len(), reported, "nothing is open after the end");
    let mut transactions = 0;
    for event in out.log() {
        let Event::Transaction(transaction) = event else { continue };
        transactions += 1;
        assert!(
            transaction.attempts > 0 && transaction.end.is_none_or(|end| end >= transaction.begin),
            "{transaction:?}"
        );
        let has_ended = matches!(transaction.outcome, Outcome::Answered | Outcome::Refused);
        assert_eq!(transaction.end.is_some(), has_ended, "{transaction:?}");
    }
    assert!(LINKS.into_iter().all(link::is_read));
    transactions
}
