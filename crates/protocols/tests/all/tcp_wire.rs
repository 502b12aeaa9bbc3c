//! TCP segments, UDP datagrams and the IPv4 headers before them.

use proptest::prelude::*;
use sojourn_protocols::UserData;
use sojourn_protocols::ip::{self, PseudoHeader, protocol};
use sojourn_protocols::limits::Truncated;
use sojourn_protocols::tcp::wire::{
    EmitError, Flags, Header, Options, ParseError, SackBlocks, Segment, Timestamps, fuzz,
};
use sojourn_protocols::udp;

const HOSTS: ([u8; 4], [u8; 4]) = ([10, 0, 0, 1], [10, 0, 0, 2]);

fn pseudo() -> PseudoHeader {
    PseudoHeader::new(HOSTS.0, HOSTS.1, protocol::TCP)
}

fn segment(header: Header, data: &[u8]) -> Segment<&[u8]> {
    Segment { source_port: 5000, destination_port: 7, header, data }
}

#[test]
fn a_udp_datagram_has_the_checksums_that_wireshark_accepts() {
    let data: Vec<u8> = (0..64).collect();
    let packet = udp::Datagram { source_port: 5000, destination_port: 7, data };
    let datagram = ip::Datagram { source: HOSTS.0, destination: HOSTS.1, identification: 1, packet };
    let mut bytes = vec![0; datagram.length()];
    datagram.emit(&mut bytes);
    // without "do not fragment", as in the vector
    assert_eq!(bytes[..4], [0x45, 0, 0, 92]);
    assert_eq!(bytes[10..12], [0x66, 0x8e]);
    assert_eq!(bytes[20..28], [0x13, 0x88, 0, 7, 0, 72, 0xf3, 0xc8]);
    let read = udp::Datagram::parse(&bytes[20..], &PseudoHeader::new(HOSTS.0, HOSTS.1, protocol::UDP)).unwrap();
    assert_eq!((read.source_port, read.data), (5000, &bytes[28..]));
}

#[test]
fn a_damaged_udp_datagram_is_rejected_with_the_error() {
    let pseudo = PseudoHeader::new(HOSTS.0, HOSTS.1, protocol::UDP);
    let datagram = |length: u8, check: u8| vec![0, 1, 0, 2, 0, length, 0, check, 9, 9];
    assert_eq!(udp::Datagram::parse(&datagram(10, 1), &pseudo), Err(udp::ParseError::Checksum));
    assert!(udp::Datagram::parse(&datagram(10, 0), &pseudo).is_ok(), "checksum 0 means none was computed");
    let wrong = udp::ParseError::Length { field: 11, given: 10 };
    assert_eq!(udp::Datagram::parse(&datagram(11, 0), &pseudo), Err(wrong));
    assert_eq!(
        udp::Datagram::parse(&datagram(7, 0), &pseudo).unwrap_err().to_string(),
        "length field 7 is outside 8 to the 10 octets received"
    );
    assert_eq!(udp::Datagram::parse(&[0, 1, 0], &pseudo).unwrap_err().to_string(), "truncated in the destination port");
}

#[test]
fn the_options_of_a_modern_syn_fill_twenty_octets() {
    let options = Options {
        mss: Some(1460),
        window_scale: Some(7),
        sack_permitted: true,
        timestamps: Some(Timestamps { ts_val: 1, ts_ecr: 0 }),
        sack: SackBlocks::default(),
    };
    let header = Header {
        seq: 1000,
        flags: Flags { syn: true, ..Flags::default() },
        window: 64_240,
        options,
        ..Header::default()
    };
    let bytes = segment(header, &[]).to_bytes(&pseudo()).unwrap();
    assert_eq!(bytes.len(), 40);
    assert_eq!(bytes[12..14], [0xa0, 0x02]);
    assert_eq!(Segment::parse(&bytes, &pseudo()), Ok(segment(header, &[])));
}

#[test]
fn a_header_holds_four_sack_blocks_or_three_with_timestamps() {
    let mut sack = SackBlocks::default();
    assert!((0..4).all(|block| sack.push(block * 10, block * 10 + 5)));
    assert!(!sack.push(50, 55));
    let alone = Options { sack, ..Options::default() };
    assert_eq!(alone.length(), 36);
    let beside = Options { timestamps: Some(Timestamps::default()), ..alone };
    let refused = segment(Header { options: beside, ..Header::default() }, &[]).to_bytes(&pseudo());
    assert_eq!(refused, Err(EmitError::Options(44)));
}

#[test]
fn the_checksum_detects_any_damaged_octet() {
    let header = Header { seq: 7, ack: Some(9), window: 100, ..Header::default() };
    let valid = segment(header, b"ping").to_bytes(&pseudo()).unwrap();
    for octet in 0..valid.len() {
        let mut damaged = valid.clone();
        damaged[octet] ^= 0x24;
        assert_eq!(Segment::parse(&damaged, &pseudo()), Err(ParseError::Checksum), "octet {octet}");
    }
}

#[test]
fn a_malformed_segment_is_rejected_with_the_error() {
    let parse = |mut bytes: Vec<u8>| {
        if bytes.len() > 17 {
            let checksum = pseudo().checksum(&bytes);
            bytes[16..18].copy_from_slice(&checksum.to_be_bytes());
        }
        Segment::parse(&bytes, &pseudo()).unwrap_err()
    };
    let with = |offset: u8, options: &[u8]| {
        let mut bytes = vec![0; 20];
        bytes[12] = offset << 4;
        bytes.extend(options);
        bytes
    };
    assert_eq!(parse(with(4, &[])), ParseError::DataOffset { offset: 16, length: 20 });
    assert_eq!(parse(with(6, &[])), ParseError::DataOffset { offset: 24, length: 20 });
    assert_eq!(parse(with(6, &[2, 3, 0, 0])), ParseError::OptionLength { kind: 2, length: 3 });
    assert_eq!(parse(with(6, &[8, 1, 0, 0])), ParseError::OptionLength { kind: 8, length: 1 });
    assert_eq!(parse(with(6, &[1, 1, 5, 10])), ParseError::Truncated(Truncated("options")));
}

#[test]
fn of_a_captured_segment_an_option_that_does_not_fit_is_ignored_as_hosts_do() {
    let captured = |options: &[u8]| {
        let mut bytes = vec![0; 20];
        bytes[12] = ((20 + options.len()) as u8 / 4) << 4;
        bytes.extend(options);
        Segment::parse_unverified(&bytes).unwrap().header.options
    };
    let mss = Options { mss: Some(1460), ..Options::default() };
    assert_eq!(captured(&[2, 4, 5, 0xb4, 1, 1, 8, 10]), mss, "cut by an option too many in front");
    assert_eq!(captured(&[3, 4, 0, 0, 2, 4, 5, 0xb4]), mss, "a window scale of four octets");
    assert_eq!(captured(&[2, 4, 5, 0xb4, 9, 1, 0, 0]), mss, "a length that is none");
    assert_eq!(captured(&[2, 4, 5, 0xb4, 1, 1, 1, 8]), mss, "without a length");
}

fn options() -> impl Strategy<Value = Options> {
    let timestamps = prop::option::of((any::<u32>(), any::<u32>()));
    let blocks = prop::collection::vec((any::<u32>(), any::<u32>()), 0..3);
    (any::<Option<u16>>(), prop::option::of(0_u8..15), any::<bool>(), timestamps, blocks).prop_map(
        |(mss, window_scale, sack_permitted, timestamps, blocks)| {
            let mut sack = SackBlocks::default();
            for (left, right) in blocks {
                sack.push(left, right);
            }
            let timestamps = timestamps.map(|(ts_val, ts_ecr)| Timestamps { ts_val, ts_ecr });
            Options { mss, window_scale, sack_permitted, timestamps, sack }
        },
    )
}

proptest! {
    #[test]
    fn any_segment_survives_emitting_and_parsing(
        numbers: (u32, Option<u32>, u16), bits: u8, options in options(), data in prop::collection::vec(any::<u8>(), 0..100),
    ) {
        let bit = |number: u8| bits >> number & 1 == 1;
        let flags = Flags {
            ae: bit(4), cwr: bit(7), ece: bit(6), urg: bit(5), psh: bit(3), rst: bit(2),
            syn: bit(1), fin: bit(0),
        };
        let (seq, ack, window) = numbers;
        let segment = segment(Header { seq, ack, flags, window, options }, &data);
        let bytes = segment.to_bytes(&pseudo()).unwrap();
        prop_assert_eq!(bytes.len(), segment.length());
        prop_assert_eq!(Segment::parse(&bytes, &pseudo()), Ok(segment));
    }

    #[test]
    fn any_bytes_are_a_segment_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        fuzz::segment(&bytes);
        let _ = udp::Datagram::parse(&bytes, &pseudo());
    }
}
