//! MS/TP frames as octets: published and computed vectors, the receive machine, round trips, mutations.

use proptest::prelude::*;
use sojourn_core::{Duration, Time};
use sojourn_protocols::mstp::wire::*;

/// Frames whose checks were computed apart from this code; the token is that of Annex G of the standard.
const VECTORS: [(&str, &str); 6] = [
    ("token", "55ff001005 0000 8c"),
    ("poll for master", "55ff010403 0000 f5"),
    ("reply to poll for master", "55ff020304 0000 0b"),
    ("test request", "55ff030403 0003 fb 012230 10bd"),
    ("data expecting reply", "55ff050700 000d 22 01040002010c0c008000011955 53c7"),
    ("data not expecting reply", "55ff060007 0013 d6 010030010c0c0080000119553e4442c800003f 3c7c"),
];

fn octets(hex: &str) -> Vec<u8> {
    let digits: String = hex.split_whitespace().collect();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

fn example(name: &str) -> Frame<&'static [u8]> {
    examples().into_iter().find(|(example, _)| *example == name).unwrap().1
}

/// What a receiver finds in octets that follow each other without a gap.
fn found(receiver: &mut Receiver, octets: &[u8]) -> Vec<Result<Frame<Vec<u8>>, Option<Fault>>> {
    let mut found = Vec::new();
    for &octet in octets {
        match receiver.push(Time::ZERO, octet) {
            Some(Received::Frame(frame)) => found.push(Ok(frame.to_owned())),
            Some(Received::NotForUs(_)) => found.push(Err(None)),
            Some(Received::Invalid(fault)) => found.push(Err(Some(fault))),
            None => {}
        }
    }
    found
}

#[test]
fn every_vector_is_its_frame() {
    for (name, hex) in VECTORS {
        let octets = octets(hex);
        assert_eq!(example(name).to_bytes().unwrap(), octets, "{name}");
        assert_eq!(Frame::parse(&octets, &mut Vec::new()), Ok(example(name)), "{name}");
    }
}

#[test]
fn tokens_between_0_and_7_have_the_computed_header_crcs() {
    let token = |destination, source| Frame::<&[u8]>::bare(FrameType::Token, destination, source).to_bytes().unwrap();
    assert_eq!(token(0, 7), octets("55ff000007 0000 37"));
    assert_eq!(token(7, 0), octets("55ff000700 0000 40"));
}

#[test]
fn the_three_checks_end_on_their_residues() {
    assert_eq!(!header_crc(&octets("0010050000 8c")), 0x55);
    assert_eq!(!data_crc(&octets("012230 10bd")), 0xf0b8);
    let crc = crc32k(&[1, 2, 3]).to_le_bytes();
    assert_eq!(!crc32k(&[&[1, 2, 3][..], &crc].concat()), 0x0843_323b);
}

#[test]
fn sizes_on_the_wire_are_those_of_the_brief() {
    // a token of 8 octets, ReadProperty 23, its answer 29, an NPDU of 501 octets 511
    let sizes = [("token", 8), ("data expecting reply", 23), ("data not expecting reply", 29)];
    for (name, size) in sizes {
        assert_eq!((example(name).to_bytes().unwrap().len(), example(name).longest()), (size, size), "{name}");
    }
    assert_eq!(longest_on_the_wire(FrameType::DataNotExpectingReply, 501), 511);
}

#[test]
fn an_extended_frame_has_no_preamble_in_it_and_says_two_octets_less() {
    let frame = example("extended data expecting reply");
    let written = frame.to_bytes().unwrap();
    assert!(!written[8..].contains(&0x55));
    assert_eq!(usize::from(u16::from_be_bytes([written[5], written[6]])) + 2, written.len() - 8);
    let mut decoded = Vec::new();
    assert_eq!(Frame::parse(&written, &mut decoded), Ok(frame));
    let mut spoilt = written;
    spoilt[100] ^= 0x80;
    assert!(matches!(Frame::parse(&spoilt, &mut decoded), Err(Fault::Crc32k { .. })));
}

#[test]
fn the_type_of_data_depends_on_its_length() {
    assert_eq!(FrameType::of_data(501, true), FrameType::DataExpectingReply);
    assert_eq!(FrameType::of_data(502, true), FrameType::ExtendedDataExpectingReply);
    assert_eq!(FrameType::of_data(502, false), FrameType::ExtendedDataNotExpectingReply);
    (0..=255).for_each(|octet| assert_eq!(FrameType::of(octet).octet(), octet));
}

#[test]
fn each_malformed_frame_is_refused_with_its_fault() {
    let mut decoded = Vec::new();
    let good = octets(VECTORS[4].1);
    let mut refused = |octets: &[u8]| Frame::parse(octets, &mut decoded).map(|_| ()).unwrap_err();
    assert_eq!(refused(&good[..7]), Fault::TooShort { found: 7, expected: 8 });
    assert_eq!(refused(&good[..22]), Fault::TooShort { found: 22, expected: 23 });
    assert_eq!(refused(&octets("55fe001005 0000 8c")), Fault::Preamble([0x55, 0xfe]));
    assert_eq!(refused(&octets("55ff001005 0000 8d")), Fault::HeaderCrc { found: 0x8d, expected: 0x8c });
    let mut spoilt = good;
    spoilt[22] ^= 1;
    assert_eq!(refused(&spoilt), Fault::DataCrc { found: 0xc653, expected: 0xc753 });
    assert_eq!(Fault::Preamble([1, 2]).to_string(), "the frame begins with 01 02, expected the preamble 55 ff");
}

#[test]
fn a_frame_with_more_data_than_its_type_carries_is_not_emitted() {
    let frame = |kind, length| Frame { kind, destination: 1, source: 2, data: vec![0; length] }.to_bytes();
    assert_eq!(frame(FrameType::Token, 1).unwrap_err().to_string(), "Token of 1 octets exceeds 0");
    assert!(frame(FrameType::TestRequest, 501).is_ok() && frame(FrameType::TestRequest, 502).is_err());
    let extended = FrameType::ExtendedDataNotExpectingReply;
    assert!(frame(extended, 1497).is_ok() && frame(extended, 1498).is_err());
}

#[test]
fn a_receiver_hears_frames_for_it_and_for_all_and_notes_those_for_others() {
    let frames: Vec<u8> = VECTORS[4..].iter().flat_map(|(_, hex)| octets(hex)).collect();
    let heard = found(&mut Receiver::new(Some(7)), &frames);
    assert_eq!(heard, [Ok(example("data expecting reply").to_owned()), Err(None)]);
    let all = found(&mut Receiver::new(None), &frames);
    assert_eq!(all.iter().filter(|found| found.is_ok()).count(), 2);
    let broadcast = Frame { destination: 255, ..example("data not expecting reply") }.to_bytes().unwrap();
    assert!(found(&mut Receiver::new(Some(9)), &broadcast)[0].is_ok());
}

#[test]
fn a_repeated_first_octet_and_pads_do_not_hide_a_frame() {
    let stream = [&[0x55, 0x55, 0x00, 0xff, 0x55][..], &octets(VECTORS[0].1), &[0xff], &octets(VECTORS[1].1)].concat();
    let heard = found(&mut Receiver::new(None), &stream);
    assert_eq!(heard, [Ok(example("token").to_owned()), Ok(example("poll for master").to_owned())]);
}

#[test]
fn silence_within_a_frame_aborts_it_and_the_next_octet_begins_anew() {
    let token = octets(VECTORS[0].1);
    let mut receiver = Receiver::new(None);
    let mut now = Time::ZERO;
    found(&mut receiver, &token[..5]);
    assert_eq!(receiver.next_wakeup(), Some(Time::ZERO + Duration::from_millis(95)));
    now += Duration::from_millis(96);
    assert_eq!(receiver.push(now, token[0]), Some(Received::Invalid(Fault::Aborted)));
    token[1..7].iter().for_each(|&octet| assert_eq!(receiver.push(now, octet), None));
    assert!(matches!(receiver.push(now, token[7]), Some(Received::Frame(_))));
    assert_eq!(receiver.next_wakeup(), None);
    // of a preamble alone nothing is reported
    receiver.push(now, 0x55);
    assert_eq!(receiver.wake(now + Duration::from_millis(95)), None);
}

#[test]
fn a_framing_error_makes_the_frame_invalid() {
    let mut receiver = Receiver::new(None);
    found(&mut receiver, &octets(VECTORS[4].1)[..12]);
    assert_eq!(receiver.error(Time::ZERO), Some(Received::Invalid(Fault::Framing)));
    assert_eq!(receiver.error(Time::ZERO), None);
    assert_eq!(found(&mut receiver, &octets(VECTORS[0].1)).len(), 1);
}

#[test]
fn data_that_no_buffer_holds_are_skipped_to_their_end() {
    let mut header = octets("55ff060700 ffff");
    header.push(header_crc(&header[2..]));
    let mut receiver = Receiver::new(Some(7));
    assert_eq!(found(&mut receiver, &header), []);
    let data = vec![0x55; 65_537];
    assert_eq!(found(&mut receiver, &data), [Err(Some(Fault::TooLong(65_535)))]);
    assert_eq!(found(&mut receiver, &octets("55ff000700 0000 40")).len(), 1);
}

proptest! {
    #[test]
    fn any_octets_give_frames_or_faults(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        fuzz::octets(&bytes);
    }

    #[test]
    fn any_frame_survives_a_round_trip(
        octet in any::<u8>(),
        destination in any::<u8>(),
        source in any::<u8>(),
        data in prop::collection::vec(any::<u8>(), 0..=501),
    ) {
        let kind = FrameType::of(octet);
        let data = if kind.is_bare() { Vec::new() } else { data };
        let frame = Frame { kind, destination, source, data };
        let written = frame.to_bytes().unwrap();
        let mut decoded = Vec::new();
        prop_assert_eq!(Frame::parse(&written, &mut decoded).unwrap().to_owned(), frame);
        let heard = found(&mut Receiver::new(None), &written);
        prop_assert_eq!(heard.len(), 1);
        prop_assert!(heard[0].is_ok());
    }

    #[test]
    fn any_frame_with_one_bit_changed_is_refused(which in 0..examples().len(), bit in any::<prop::sample::Index>()) {
        let mut written = examples()[which].1.to_bytes().unwrap();
        let bit = bit.index(written.len() * 8);
        written[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(Frame::parse(&written, &mut Vec::new()).is_err());
    }
}
