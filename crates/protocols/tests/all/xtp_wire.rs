//! XTP packets as bytes: vectors that another implementation agreed to, sizes, round trips, mutations.

use proptest::prelude::*;
use sojourn_protocols::limits::{Trailing, Truncated};
use sojourn_protocols::xtp::ip::Datagram;
use sojourn_protocols::xtp::wire::*;
use sojourn_protocols::{StreamRange, UserData};

fn example(name: &str) -> Packet<&'static [u8]> {
    examples().into_iter().find(|(example, _)| *example == name).unwrap().1
}

#[test]
fn every_example_survives_a_round_trip_through_its_bytes() {
    for (name, packet) in examples() {
        let written = packet.to_bytes().unwrap();
        assert_eq!(written.len(), packet.length(), "{name}");
        assert_eq!(Packet::parse(&written), Ok(packet), "{name}");
    }
}

#[test]
fn every_format_is_among_the_examples_and_every_option_too() {
    let formats: Vec<_> = examples().iter().map(|(_, packet)| packet.body.name()).collect();
    for format in ["FIRST", "DATA", "CNTL", "ECNTL", "TCNTL", "JCNTL", "DIAG"] {
        assert!(formats.contains(&format), "{format}");
    }
    let used = examples().iter().fold(Options::NONE, |all, (_, packet)| all | packet.header.options);
    assert!(used.contains(Options::SREQ | Options::DREQ | Options::BTAG | Options::WCLOSE | Options::END));
}

fn header(key: u64, options: Options, seq: u64) -> Header {
    Header { key: Key(key), options, sort: 0x0203, sync: 0x0405_0607, seq }
}

#[test]
fn a_data_packet_lies_byte_for_byte_as_the_standard_has_it() {
    let options = Options::SREQ | Options::EOM | Options::SORT;
    let body = Body::Data { tag: None, data: &b"abc"[..] };
    let packet = Packet { header: header(0x8877_6655_4433_2211, options, 0x0102_0304_0506_0708), body };
    let expected = [
        &[0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11][..], // key, RTN set
        &[0x02, 0x44, 0x00, 0x20],                             // SORT | SREQ | EOM; version 1, DATA
        &[0, 0, 0, 3],                                         // dlen
        &[0xc8, 0x1],                                          // check, added up apart
        &[0x02, 0x03],                                         // sort
        &[4, 5, 6, 7],                                         // sync
        &[1, 2, 3, 4, 5, 6, 7, 8],                             // seq
        b"abc",
    ]
    .concat();
    assert_eq!(packet.to_bytes(), Ok(expected));
}

/// The sum over all 16-bit words, which of a packet with the right checksum is all ones (RFC 1071).
fn ones_complement_sum(bytes: &[u8]) -> u32 {
    let words = bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)));
    words.fold(0, |sum, word| (sum + word) % 0xffff + u32::from((sum + word) % 0xffff == 0) * 0xffff)
}

#[test]
fn option_bits_have_the_values_of_the_standard() {
    let bits = Options::ALL.map(|(_, option)| option.bits());
    assert_eq!(
        bits,
        [
            0x40_0000, 0x20_0000, 0x10_0000, 0x08_0000, 0x04_0000, 0x02_0000, 0x01_0000, 0x00_8000, 0x00_4000,
            0x00_2000, 0x00_1000, 0x00_0800, 0x00_0400, 0x00_0200, 0x00_0100
        ]
    );
    assert_eq!(format!("{:?}", Options::SREQ | Options::MULTI), "MULTI|SREQ");
}

#[test]
fn segments_and_reports_have_the_lengths_of_the_standard() {
    let lengths = |name| example(name).to_bytes().unwrap().len();
    assert_eq!(lengths("FIRST"), 32 + 16 + 24);
    assert_eq!(lengths("FIRST with plain traffic"), 32 + 16 + 8 + 8);
    assert_eq!(lengths("FIRST without address"), 32 + 8 + 8 + 1);
    assert_eq!(lengths("DATA with a tag"), 32 + 8 + 13);
    assert_eq!(lengths("CNTL"), 32 + 20);
    assert_eq!(lengths("ECNTL"), 32 + 24 + 2 * 16);
    assert_eq!(lengths("TCNTL"), 32 + 32 + 24);
    assert_eq!(lengths("JCNTL"), 32 + 32 + 16 + 24);
    assert_eq!(lengths("DIAG"), 32 + 8);
}

#[test]
fn the_study_s_stack_adds_44_bytes_to_data_and_84_to_nothing_but_a_report() {
    let data = Body::Data { tag: None, data: StreamRange { stream: 1, offset: 0, length: 4096 } };
    let packet = Packet { header: Header::default(), body: data };
    assert_eq!(Sizing::Study44.length(&packet), 4096 + 44);
    assert_eq!(Sizing::Xtp4.length(&packet), 4096 + 32);
    assert_eq!(Sizing::Study44.length(&example("CNTL")), 44 + 40);
    assert_eq!(Sizing::Study44.length(&example("ECNTL")), 44 + 40 + 2 * 16);
    assert_eq!(Sizing::Study44.data_overhead(), 44);
}

#[test]
fn with_nocheck_the_data_may_change_and_the_header_may_not() {
    let mut bytes = example("DATA with its header alone checked").to_bytes().unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    assert!(Packet::parse(&bytes).is_ok());
    bytes[31] ^= 1;
    assert!(matches!(Packet::parse(&bytes), Err(ParseError::Checksum { .. })));
}

/// `bytes` with `changes` made and the checksum set right again.
fn mended(bytes: &[u8], changes: &[(usize, u8)]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for (at, to) in changes {
        bytes[*at] = *to;
    }
    (bytes[16], bytes[17]) = (0, 0);
    let check = !(ones_complement_sum(&bytes) as u16);
    bytes[16..18].copy_from_slice(&check.to_be_bytes());
    bytes
}

#[test]
fn each_kind_of_malformed_packet_has_its_error() {
    let error = |name, changes: &[(usize, u8)]| {
        Packet::parse(&mended(&example(name).to_bytes().unwrap(), changes)).map(|_| ()).unwrap_err()
    };
    assert_eq!(Packet::parse(&[0; 31]), Err(ParseError::TooShort(31)));
    assert_eq!(error("CNTL", &[(11, 0x41)]), ParseError::Version(2));
    assert_eq!(error("CNTL", &[(11, 0x24)]), ParseError::Format(4));
    assert_eq!(error("CNTL", &[(11, 0x26)]), ParseError::ObsoleteJoin);
    assert_eq!(error("CNTL", &[(10, 0x01)]), ParseError::Options(1));
    assert_eq!(error("CNTL", &[(8, 0x80)]), ParseError::Options(0x80_0000));
    assert_eq!(error("CNTL", &[(15, 21)]), ParseError::Length { field: 21, found: 20 });
    assert_eq!(error("DIAG", &[(11, 0x21)]), ParseError::Truncated(Truncated("alloc")));
    assert_eq!(error("TCNTL", &[(11, 0x21)]), ParseError::Trailing(Trailing(36)));
    assert_eq!(error("FIRST", &[(35, 2)]), ParseError::AddressFormat(2));
    let wrong = ParseError::AddressLength { format: 1, field: 17, expected: 16 };
    assert_eq!(error("FIRST", &[(33, 17)]), wrong);
    assert_eq!(error("FIRST", &[(51, 2)]), ParseError::TrafficFormat(2));
    assert_eq!(error("FIRST", &[(49, 8)]), ParseError::TrafficLength { format: 1, field: 8, expected: 24 });
    assert_eq!(error("FIRST", &[(50, 7)]), ParseError::Service(7));
    assert_eq!(error("ECNTL", &[(55, 3)]), ParseError::Spans { field: 3, needed: 48, found: 32 });
    assert_eq!(error("DIAG", &[(35, 8)]), ParseError::DiagnosticCode(8));
    assert_eq!(error("DIAG", &[(35, 0)]), ParseError::DiagnosticCode(0));
    assert_eq!(error("DIAG", &[(39, 14)]), ParseError::DiagnosticValue(14));
}

#[test]
fn a_packet_that_cannot_be_emitted_is_rejected_with_the_error() {
    let tagless = Packet { header: header(1, Options::BTAG, 0), body: Body::Data { tag: None, data: &b""[..] } };
    assert_eq!(tagless.to_bytes(), Err(EmitError::Tag));
    let error = example("CNTL").emit(&mut [0; 51]).unwrap_err();
    assert_eq!(error.to_string(), "buffer of 51 bytes is shorter than the 52 needed");
}

#[test]
fn a_datagram_has_the_header_of_ipv4_with_protocol_36_and_a_right_checksum() {
    let packet = example("DATA");
    let datagram = Datagram { source: [10, 0, 0, 1], destination: [10, 0, 0, 2], identification: 7, packet };
    let mut record = vec![1; 3];
    datagram.capture_record(&mut record).unwrap();
    assert_eq!(record.len(), datagram.length());
    assert_eq!(record[..4], [0x45, 0, 0, 20 + 32 + 13]);
    assert_eq!(record[9], 36);
    assert_eq!(record[12..20], [10, 0, 0, 1, 10, 0, 0, 2]);
    assert_eq!(ones_complement_sum(&record[..20]), 0xffff);
    assert_eq!(Packet::parse(&record[20..]), Ok(datagram.packet));
}

fn options() -> impl Strategy<Value = Options> {
    prop::collection::vec(prop::sample::select(Options::ALL.to_vec()), 0..6)
        .prop_map(|chosen| chosen.into_iter().fold(Options::NONE, |all, (_, option)| all | option))
}

fn address() -> impl Strategy<Value = Address> {
    prop_oneof![
        any::<u8>().prop_map(|domain| Address { domain, hosts: Hosts::Null }),
        any::<([u8; 4], u16, [u8; 4], u16)>().prop_map(|(a, p, b, q)| Address::ipv4((a, p), (b, q))),
    ]
}

fn traffic() -> impl Strategy<Value = Traffic> {
    let specification = prop_oneof![
        any::<u32>().prop_map(Specification::Plain),
        any::<[u32; 5]>().prop_map(|[max_data, in_rate, in_burst, out_rate, out_burst]| Specification::Rates {
            max_data,
            in_rate,
            in_burst,
            out_rate,
            out_burst
        }),
    ];
    (prop::sample::select(Service::ALL.to_vec()), specification)
        .prop_map(|(service, specification)| Traffic { service, specification })
}

fn body() -> impl Strategy<Value = Body<Vec<u8>>> {
    let data = || prop::collection::vec(any::<u8>(), 0..200);
    let control = || any::<(u64, u64, u32)>().prop_map(|(rseq, alloc, echo)| Control { rseq, alloc, echo });
    let spans = prop::collection::vec(any::<(u64, u64)>().prop_map(|(left, right)| Span { left, right }), 0..6);
    let code = (prop::sample::select(Code::ALL.to_vec()), prop::sample::select(Value::ALL.to_vec()));
    prop_oneof![
        (any::<Option<[u8; 8]>>(), data()).prop_map(|(tag, data)| Body::Data { tag, data }),
        control().prop_map(Body::Control),
        (address(), traffic(), data()).prop_map(|(address, traffic, data)| Body::First { address, traffic, data }),
        (control(), spans).prop_map(|(control, spans)| Body::ErrorControl(control, spans)),
        (control(), any::<u64>(), traffic()).prop_map(|(control, key, traffic)| Body::TrafficControl {
            control,
            xkey: Key(key),
            traffic
        }),
        (control(), any::<u64>(), address(), traffic()).prop_map(|(control, key, address, traffic)| {
            Body::JoinControl { control, xkey: Key(key), address, traffic }
        }),
        (code, data()).prop_map(|((code, value), text)| Body::Diagnostic(Diagnostic { code, value, text })),
    ]
}

fn packet() -> impl Strategy<Value = Packet<Vec<u8>>> {
    (any::<(u64, u16, u32, u64)>(), options(), body()).prop_map(|((key, sort, sync, seq), options, body)| {
        let tagged = matches!(body, Body::Data { tag: Some(_), .. });
        let options = if matches!(body, Body::Data { .. }) { options.without(Options::BTAG) } else { options };
        let options = options.with(Options::BTAG, tagged);
        Packet { header: Header { key: Key(key), options, sort, sync, seq }, body }
    })
}

proptest! {
    #[test]
    fn any_packet_survives_a_round_trip_through_its_bytes(packet in packet()) {
        let written = packet.to_bytes().unwrap();
        prop_assert_eq!(written.len(), packet.length());
        let read = Packet::parse(&written).unwrap().map(<[u8]>::to_vec);
        prop_assert_eq!(read, packet);
    }

    #[test]
    fn any_bytes_give_a_packet_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        fuzz::packet(&bytes);
    }

    #[test]
    fn a_packet_with_bytes_changed_still_gives_a_packet_or_an_error(
        packet in packet(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = packet.to_bytes().unwrap();
        for (at, to) in changes {
            let at = at.index(bytes.len());
            bytes[at] = to;
        }
        fuzz::packet(&mended(&bytes, &[]));
        fuzz::packet(&bytes);
        bytes.truncate(cut.index(bytes.len()));
        fuzz::packet(&bytes);
    }

    #[test]
    fn one_wrong_bit_is_found_out_wherever_the_checksum_looks(packet in packet(), bit in any::<prop::sample::Index>()) {
        let mut bytes = packet.to_bytes().unwrap();
        let whole = !packet.header.options.contains(Options::NOCHECK);
        let bit = bit.index(8 * if whole { bytes.len() } else { HEADER_LENGTH });
        bytes[bit / 8] ^= 1 << (bit % 8);
        prop_assert!(Packet::parse(&bytes).is_err());
    }

    #[test]
    fn generated_user_data_makes_packets_of_the_same_size_as_real_bytes(packet in packet(), stream: u32, offset: u32) {
        let generated = packet.clone().map(|data| StreamRange { stream, offset, length: data.length() as u16 });
        prop_assert_eq!(generated.to_bytes().unwrap().len(), packet.length());
        prop_assert_eq!(Sizing::Xtp4.length(&generated), packet.length());
    }
}
