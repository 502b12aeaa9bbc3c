//! Bytes and packets of the measurement protocol.

use proptest::prelude::*;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::wire::{
    Limits, MAX_PACKET, MIN_PACKET, NO_TOKEN, Packet, ParseError, Pdu, Reason, VERSION, examples, frame_length, fuzz,
    is_authentic,
};

fn key() -> Key {
    Key::new(b"sojourn")
}

fn bytes_of(packet: &Packet, octets: u16) -> Vec<u8> {
    let mut bytes = vec![0xff; 3];
    packet.emit(&key(), octets, &mut bytes);
    bytes
}

#[test]
fn every_kind_survives_emitting_and_parsing() {
    for packet in examples() {
        for octets in [MIN_PACKET, 127, 128, 129, 1472, MAX_PACKET] {
            let bytes = bytes_of(&packet, octets);
            assert_eq!(bytes.len(), usize::from(packet.length(octets)));
            assert_eq!(frame_length(&bytes), Some(bytes.len() as u16));
            assert_eq!(Packet::parse(&key(), &bytes), Ok(packet));
        }
    }
}

#[test]
fn a_probe_of_64_octets_is_these_bytes() {
    let token = std::array::from_fn(|index| index as u8);
    let packet =
        Packet { token, sequence: 0x0102_0304_0506_0708, pdu: Pdu::Probe { sent_ns: 0x1112_1314_1516_1718, phase: 0 } };
    let bytes = bytes_of(&packet, 64);
    assert_eq!(bytes[..4], *b"SJN\x02");
    assert_eq!(bytes[4..20], key().tag(&[&bytes[..4], &bytes[20..]]));
    assert_eq!(bytes[20..24], [6, 0, 0, 64]);
    assert_eq!(bytes[24..40], token);
    assert_eq!(bytes[40..56], [1, 2, 3, 4, 5, 6, 7, 8, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18]);
    assert_eq!(bytes[56..], [0; 8]);
}

#[test]
fn nothing_is_parsed_before_the_tag_is_verified() {
    let packet = Packet { token: NO_TOKEN, sequence: 0, pdu: Pdu::Query { proof: 0 } };
    let bytes = bytes_of(&packet, 128);
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert_eq!(Packet::parse(&key(), &changed), Err(ParseError::Unauthenticated), "octet {at}");
        assert!(!is_authentic(&key(), &changed));
    }
    assert_eq!(Packet::parse(&Key::new(b"other"), &bytes), Err(ParseError::Unauthenticated));
    assert_eq!(Packet::parse(&key(), &bytes[..63]), Err(ParseError::Short(63)));
}

#[test]
fn the_tag_does_not_cover_the_padding_but_covers_its_length() {
    let packet = Packet { token: NO_TOKEN, sequence: 5, pdu: Pdu::Load { sent_ns: 9, proof: 0 } };
    let mut bytes = bytes_of(&packet, 1000);
    bytes[999] = 1;
    assert_eq!(Packet::parse(&key(), &bytes), Ok(packet));
    assert_eq!(Packet::parse(&key(), &bytes[..999]), Err(ParseError::Length { field: 1000, found: 999 }));
}

/// Gives bytes the tag that they should have.
fn tagged(mut bytes: Vec<u8>) -> Vec<u8> {
    let tag = key().tag(&[&bytes[..4], &bytes[20..bytes.len().min(128)]]);
    bytes[4..20].copy_from_slice(&tag);
    bytes
}

#[test]
fn a_malformed_authentic_packet_is_rejected_with_the_error() {
    let control = bytes_of(&Packet { token: NO_TOKEN, sequence: 0, pdu: Pdu::Query { proof: 0 } }, 128);
    let parsed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = control.clone();
        change(&mut bytes);
        Packet::parse(&key(), &tagged(bytes)).unwrap_err()
    };
    assert_eq!(parsed(&|bytes| bytes[0] = b'X'), ParseError::Magic);
    assert_eq!(parsed(&|bytes| bytes[3] = 9), ParseError::Version(9));
    assert_eq!(parsed(&|bytes| bytes[20] = 99), ParseError::Kind(99));
    assert_eq!(parsed(&|bytes| bytes[23] = 5), ParseError::Length { field: 5, found: 128 });
    assert_eq!(
        parsed(&|bytes| {
            bytes.push(0);
            bytes[23] = 129;
        }),
        ParseError::ControlLength(129)
    );
    let direction = parsed(&|bytes| (bytes[20], bytes[48]) = (15, 5));
    assert_eq!(direction, ParseError::Value { field: "direction", value: 5 });
    let name = parsed(&|bytes| (bytes[20], bytes[48], bytes[49]) = (15, 1, b'/'));
    assert_eq!(name, ParseError::Value { field: "congestion control", value: b'/' });
    assert_eq!(VERSION, 2);
}

#[test]
fn every_reason_completes_its_sentence() {
    for reason in [Reason::Busy, Reason::Idle, Reason::ShuttingDown, Reason::LoadDisabled] {
        let words = format!("the agent refused: {reason}");
        assert!(!words.ends_with('.') && !words.contains("Reason"), "{words}");
    }
}

proptest! {
    #[test]
    fn any_bytes_give_a_packet_or_a_named_fault(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        fuzz::packet(&bytes);
    }

    #[test]
    fn the_tighter_of_two_limits_is_no_looser_than_either(
        a in (any::<u32>(), any::<u64>(), any::<u64>(), any::<u32>(), any::<bool>()),
        b in (any::<u32>(), any::<u64>(), any::<u64>(), any::<u32>(), any::<bool>()),
    ) {
        let limits = |(packet_rate, bit_rate, octets, seconds, sends)| {
            Limits { packet_rate, bit_rate, octets, seconds, sends, ..Limits::NONE }
        };
        let (a, b) = (limits(a), limits(b));
        let both = a.min(b);
        prop_assert_eq!(both, b.min(a));
        prop_assert_eq!(both, both.min(a));
        prop_assert_eq!(a.min(Limits::NONE), a);
        prop_assert!(both.bit_rate <= a.bit_rate && both.octets <= b.octets && (!both.sends || a.sends && b.sends));
    }
}
