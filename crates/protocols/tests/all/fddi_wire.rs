//! FDDI tokens and frames as bytes: vectors, sizes, round trips, mutations.

use proptest::prelude::*;
use sojourn_core::Duration;
use sojourn_protocols::fddi::*;
use sojourn_protocols::{StreamRange, UserData};

/// Frames that Wireshark 4.0.17 takes for what they are, without remark; the names are those of [`examples`].
const VECTORS: [(&str, &str); 4] = [
    ("asynchronous LLC with IP", "54400000000040400000000080aaaa030000000800450000140000400040fd25eb0a0000010a000002"),
    ("synchronous LLC", "d0400000000040400000000080aaaa03000000817d01020304"),
    ("group", "d0c000000000e0400000000080aaaa03000000817d01020304"),
    ("claim", "c3400000000080400000000080fffe7960"),
];

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn example(name: &str) -> Frame<&'static [u8]> {
    examples().into_iter().find(|(example, _)| *example == name).unwrap().1
}

#[test]
fn every_vector_parses_to_its_value_and_is_its_capture() {
    for (name, hex) in VECTORS {
        let mut record = Vec::new();
        capture_record(&example(name), false, &mut record).unwrap();
        assert_eq!(record, bytes(hex), "{name}");
        assert_eq!(Frame::parse_without_fcs(&record), Ok(example(name)), "{name}");
    }
}

#[test]
fn the_fcs_has_the_published_check_value_and_residue() {
    assert_eq!(fcs(b"123456789"), 0xfc89_1918);
    // over a whole frame the register ends on the residue of X3.139, C704DD7B, here complemented
    for (name, frame) in examples() {
        assert_eq!(!fcs(&frame.to_bytes().unwrap()), 0xc704_dd7b, "{name}");
    }
}

#[test]
fn every_example_survives_emitting_and_parsing() {
    for (name, frame) in examples() {
        let written = frame.to_bytes().unwrap();
        assert_eq!(written.len(), frame.length(), "{name}");
        assert_eq!(Pdu::parse(&written), Ok(Pdu::Frame(frame)), "{name}");
    }
}

#[test]
fn every_frame_control_byte_survives_parsing_or_is_rejected_with_an_error() {
    let mut assigned = 0;
    for byte in 0..=255 {
        match FrameControl::parse(byte) {
            Ok(control) => {
                assert_eq!(control.byte(), byte);
                assert_eq!(control.check(), Ok(()));
                assigned += 1;
            }
            Err(ParseError::ShortAddresses(named)) => assert!(named == byte && byte & 0x40 == 0),
            Err(error) => assert_eq!(error, ParseError::FrameControl(byte)),
        }
    }
    assert_eq!(assigned, 2 + 2 + 2 + 15 + 16 + 16 + 8 + 16);
}

#[test]
fn the_classes_of_frame_control_are_those_of_the_standard() {
    let control = |byte| FrameControl::parse(byte).unwrap();
    assert_eq!(control(0x00), FrameControl::Void { long: false });
    assert_eq!(control(0x80), FrameControl::Token);
    assert_eq!(control(0xc0), FrameControl::RestrictedToken);
    assert_eq!(control(0xc2), FrameControl::Beacon);
    assert_eq!(control(0xc3), FrameControl::Claim);
    assert_eq!(control(0x4f), FrameControl::StationManagement(15));
    assert_eq!((control(0x54).priority(), control(0x5c).priority()), (Some(4), None));
    assert!(control(0xd0).is_synchronous() && !control(0x50).is_synchronous());
}

#[test]
fn a_token_is_one_byte_and_a_frame_after_it_is_rejected() {
    assert_eq!(Pdu::parse(&[0x80]), Ok(Pdu::Token(Token { restricted: false })));
    assert_eq!(Pdu::parse(&[0xc0]), Ok(Pdu::Token(Token { restricted: true })));
    assert_eq!(Pdu::parse(&[0x50]), Err(ParseError::TooShort(1)));
    let mut frame = vec![0x80; 13];
    frame.extend(fcs(&frame).to_be_bytes());
    assert_eq!(Pdu::parse(&frame), Err(ParseError::TokenWithFrame(0x80)));
}

#[test]
fn each_malformed_frame_is_rejected_with_its_error() {
    let good = example("synchronous LLC").to_bytes().unwrap();
    let with_control = |byte| {
        let mut covered = good[..good.len() - 4].to_vec();
        covered[0] = byte;
        let sequence = fcs(&covered).to_be_bytes();
        Frame::parse(&[&covered[..], &sequence].concat()).map(|_| ()).unwrap_err()
    };
    assert_eq!(Frame::parse(&good[..16]), Err(ParseError::TooShort(16)));
    assert_eq!(Frame::parse(&[0x50; 4496]), Err(ParseError::TooLong(4496)));
    assert_eq!(with_control(0x70), ParseError::FrameControl(0x70));
    assert_eq!(with_control(0x10), ParseError::ShortAddresses(0x10));
    let mut spoilt = good;
    spoilt[14] ^= 1;
    let error = Frame::parse(&spoilt).unwrap_err();
    assert!(matches!(error, ParseError::Fcs { .. }), "{error}");
}

#[test]
fn a_frame_that_cannot_be_emitted_is_rejected_with_the_error() {
    let frame = example("claim");
    let error = |control| Frame { control, ..frame }.to_bytes().unwrap_err().to_string();
    assert_eq!(error(FrameControl::SynchronousLlc(8)), "synchronous LLC control 8 exceeds 7");
    assert_eq!(error(FrameControl::AsynchronousLlc(16)), "asynchronous LLC control 16 exceeds 15");
    assert_eq!(error(FrameControl::StationManagement(0)), "station management type 0 is a void frame");
    assert_eq!(error(FrameControl::Token), "a token has neither addresses nor information");
    let long = Frame { information: &[0; 4479][..], ..frame };
    let message = "INFO of 4479 bytes exceeds 4478";
    assert_eq!(long.to_bytes().unwrap_err().to_string(), message);
    let short = frame.emit(&mut [0; 20]).unwrap_err().to_string();
    assert_eq!(short, "buffer of 20 bytes is shorter than the 21 needed");
}

#[test]
fn addresses_are_canonical_as_values_and_bit_reversed_in_bytes() {
    assert_eq!(Address::local(1).to_string(), "02:00:00:00:00:01");
    assert_eq!(Address::local(1).bit_reversed(), [0x40, 0, 0, 0, 0, 0x80]);
    assert!(Address::local_group(1).is_group() && Address::BROADCAST.is_group() && !Address::local(1).is_group());
    // the bit sent first weighs most
    assert!(Address([0x03, 0, 0, 0, 0, 0]).as_sent() > Address([0xfe, 0xff, 0, 0, 0, 0]).as_sent());
}

#[test]
fn lengths_agree_with_the_tables_of_the_papers() {
    assert_eq!((dec_length(17), wire_length(17)), (20, 28));
    for (dec, microseconds) in [(20, 2.24), (33, 3.28), (51, 4.72), (69, 6.16), (576, 46.72), (4496, 360.32)] {
        let mac = dec - 3;
        assert_eq!(dec_length(mac), dec);
        assert_eq!(wire_time(mac), Duration::from_seconds(microseconds * 1e-6).unwrap());
    }
    // voice of n bytes behind 44 bytes of XTP and 8 of SNAP
    for (n, mac, microseconds) in [(8, 77, 7.04), (256, 325, 26.88), (4096, 4165, 334.08)] {
        assert_eq!(mac_length(8 + 44 + n), mac);
        assert_eq!(wire_time(mac), Duration::from_seconds(microseconds * 1e-6).unwrap());
    }
    // 9000 symbols with two bytes of preamble, SD, ED and FS
    assert_eq!((MAX_FRAME, MAX_FRAME + 2 + 1 + 2), (4495, 4500));
}

#[test]
fn a_lower_ttrt_is_a_higher_bid() {
    let bid = |ms| Bid::of(Duration::from_millis(ms));
    assert_eq!(bid(8).0[..], *example("claim").information);
    assert_eq!(bid(8).time(), Duration::from_millis(8));
    assert!(u32::from_be_bytes(bid(8).0) > u32::from_be_bytes(bid(12).0));
    assert_eq!(Bid::of(Duration::MAX).time(), Duration::from_nanos(80).times(u64::from(u32::MAX)));
}

#[test]
fn llc_without_snap_and_truncated_headers_are_rejected_with_the_error() {
    assert_eq!(Snap::parse(&[0xaa; 7]), Err(LlcError::TooShort(7)));
    assert_eq!(Snap::parse(&[0xfe, 0xfe, 3, 0x83, 0, 0, 0, 0]), Err(LlcError::NoSnap([0xfe, 0xfe, 3])));
    let packet = Snap::parse(example("synchronous LLC").information).unwrap();
    assert_eq!(packet, Snap::new(ether_type::XTP, &[1, 2, 3, 4][..]));
}

#[test]
fn a_stream_range_has_the_same_bytes_inside_and_outside_a_frame() {
    let data = StreamRange { stream: 3, offset: 100, length: 64 };
    let information = Snap::new(ether_type::XTP, data);
    let frame = Frame { control: FrameControl::SynchronousLlc(0), information, ..simulated() };
    let written = frame.to_bytes().unwrap();
    let mut alone = vec![0; 64];
    data.emit(&mut alone);
    assert_eq!(Snap::parse(Frame::parse(&written).unwrap().information).unwrap().data, alone);
}

fn simulated() -> Frame<Snap<StreamRange>> {
    let information = Snap::new(0, StreamRange { stream: 0, offset: 0, length: 0 });
    let control = FrameControl::AsynchronousLlc(0);
    Frame { control, destination: Address::local(2), source: Address::local(1), information }
}

#[test]
fn synchronous_frames_are_captured_as_asynchronous_only_if_requested() {
    let frame = example("synchronous LLC");
    let mut record = Vec::new();
    capture_record(&frame, true, &mut record).unwrap();
    assert_eq!(record[0], 0x50);
    assert_eq!(frame.to_bytes().unwrap()[0], 0xd0);
    let claim = example("claim");
    capture_record(&claim, true, &mut record).unwrap();
    assert_eq!(record[0], 0xc3);
}

proptest! {
    #[test]
    fn any_bytes_give_a_token_a_frame_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        fuzz::pdu(&bytes);
    }

    #[test]
    fn any_frame_with_one_bit_changed_is_refused(which in 0..examples().len(), bit in any::<prop::sample::Index>()) {
        let mut written = examples()[which].1.to_bytes().unwrap();
        let bit = bit.index(written.len() * 8);
        written[bit / 8] ^= 1 << (bit % 8);
        let spoilt = Frame::parse(&written);
        prop_assert!(matches!(spoilt, Err(ParseError::Fcs { .. })), "{:?}", spoilt);
    }

    #[test]
    fn any_frame_survives_a_round_trip_through_its_bytes(
        byte in any::<u8>(),
        destination in any::<[u8; 6]>(),
        source in any::<[u8; 6]>(),
        information in prop::collection::vec(any::<u8>(), 0..=MAX_INFO),
    ) {
        let Ok(control) = FrameControl::parse(byte) else { return Ok(()) };
        prop_assume!(!control.is_token());
        let (destination, source) = (Address(destination), Address(source));
        let frame = Frame { control, destination, source, information: &information[..] };
        let written = frame.to_bytes().unwrap();
        prop_assert_eq!(Frame::parse(&written), Ok(frame));
    }
}
