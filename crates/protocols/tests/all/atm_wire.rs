//! Cells, AAL5 frames and RM payloads against published vectors, emitted and parsed.

use proptest::prelude::*;
use sojourn_protocols::atm::{
    Aal5Error, Cell, CellError, CellHeader, CodedRate, Direction, Interface, PAYLOAD_LENGTH, PayloadType, Reassembler,
    Reassembly, RmError, RmPayload, aal5, capture,
};

fn bytes(hexadecimal: &str) -> Vec<u8> {
    let digits: Vec<u8> = hexadecimal.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// A UDP datagram of 64 octets 00 to 3f, 10.0.0.1:5000 to 10.0.0.2:7, in IP, behind LLC and SNAP.
fn datagram() -> Vec<u8> {
    let mut packet = bytes("aaaa 0300 0000 0800");
    packet.extend(bytes("4500 005c 0001 0000 4011 668e 0a00 0001 0a00 0002"));
    packet.extend(bytes("1388 0007 0048 f3c8"));
    packet.extend(0..64);
    packet
}

fn forward() -> RmPayload {
    RmPayload {
        direction: Direction::Forward,
        bn: false,
        ci: false,
        ni: false,
        er: CodedRate::rounded_down(365_566.0),
        ccr: CodedRate::rounded_down(23_584.9),
        mcr: CodedRate::rounded_down(1179.25),
    }
}

#[test]
fn headers_have_the_hec_of_the_standard() {
    let data = |last| CellHeader::new(0, 100, PayloadType::user(last));
    assert_eq!(data(false).to_bytes(Interface::Uni).unwrap()[..], bytes("00000640 ec"));
    assert_eq!(data(true).to_bytes(Interface::Uni).unwrap()[..], bytes("00000642 e2"));
    let management = CellHeader::new(0, 100, PayloadType::ResourceManagement);
    assert_eq!(management.to_bytes(Interface::Uni).unwrap()[..], bytes("0000064c c8"));
    let idle = CellHeader { clp: true, ..CellHeader::new(0, 0, PayloadType::user(false)) };
    assert_eq!(idle.to_bytes(Interface::Nni).unwrap()[..], bytes("00000001 52"));
}

#[test]
fn any_single_bit_error_in_a_header_is_detected() {
    let valid = CellHeader::new(3, 77, PayloadType::user(true)).to_bytes(Interface::Uni).unwrap();
    for bit in 0..40 {
        let mut damaged = valid;
        damaged[bit / 8] ^= 1 << (bit % 8);
        let read = CellHeader::parse(damaged, Interface::Uni);
        assert!(matches!(read, Err(CellError::Hec { .. })), "bit {bit}");
    }
}

#[test]
fn a_vpi_beyond_the_range_of_the_interface_is_rejected() {
    let header = CellHeader::new(256, 100, PayloadType::user(false));
    let error = header.to_bytes(Interface::Uni).unwrap_err();
    assert_eq!(error.to_string(), "VPI 256 exceeds 255");
    assert!(header.to_bytes(Interface::Nni).is_ok());
    let controlled = CellHeader { gfc: 1, ..CellHeader::new(0, 100, PayloadType::user(false)) };
    let error = controlled.to_bytes(Interface::Nni).unwrap_err();
    assert_eq!(error.to_string(), "GFC 1 exceeds 0");
}

#[test]
fn a_datagram_of_64_octets_fills_three_cells_with_the_trailer_of_the_standard() {
    let packet = datagram();
    assert_eq!(packet.len(), 100);
    let frame = aal5::to_bytes(&packet).unwrap();
    assert_eq!(frame.len(), 144);
    assert_eq!(frame[..100], packet);
    assert_eq!(frame[136..], bytes("0000 0064 b31575ad"));
    assert_eq!(aal5::Frame::parse(&frame), Ok(aal5::Frame { user_to_user: 0, packet: &packet }));
}

#[test]
fn the_number_of_cells_follows_from_packet_and_trailer() {
    let datagrams = [(64, 3), (128, 4), (256, 7), (512, 12), (1024, 23), (2048, 44)];
    for (octets, cells) in datagrams {
        assert_eq!(aal5::cells(octets + 28 + 8), cells, "UDP with {octets} octets");
        assert_eq!(aal5::cells(octets + 28), cells, "without LLC");
    }
    assert_eq!((aal5::cells(40 + 8), aal5::cells(40)), (2, 1), "a TCP acknowledgement");
    assert_eq!(aal5::cells(9148 + 40 + 8), 192);
}

#[test]
fn a_lost_last_cell_costs_two_packets_and_not_a_third() {
    let mut reassembler = Reassembler::new(9188);
    let frame = aal5::to_bytes(&datagram()).unwrap();
    let cells: Vec<[u8; PAYLOAD_LENGTH]> = frame.as_chunks().0.to_vec();
    let mut results = Vec::new();
    for lost in [2, usize::MAX, usize::MAX] {
        for (index, cell) in cells.iter().enumerate().filter(|(index, _)| *index != lost) {
            match reassembler.push(cell, index == 2) {
                Reassembly::Incomplete => {}
                Reassembly::Packet(packet) => results.push(Ok(packet.to_vec())),
                Reassembly::Invalid(error) => results.push(Err(error)),
                Reassembly::TooLong { .. } => panic!("five cells are within the limit"),
            }
        }
    }
    let [Err(Aal5Error::Crc { .. }), Ok(third)] = &results[..] else { panic!("{results:?}") };
    assert_eq!(*third, datagram());
}

#[test]
fn a_packet_above_the_maximum_length_is_discarded_and_the_next_is_reassembled() {
    let mut reassembler = Reassembler::new(40);
    assert_eq!(reassembler.push(&[0; PAYLOAD_LENGTH], false), Reassembly::Incomplete);
    assert_eq!(reassembler.push(&[0; PAYLOAD_LENGTH], true), Reassembly::TooLong { cells: 2 });
    let frame = aal5::to_bytes(&[7; 40]).unwrap();
    assert_eq!(reassembler.push(frame.first_chunk().unwrap(), true), Reassembly::Packet(&[7; 40]));
}

#[test]
fn a_length_field_that_does_not_match_the_cells_is_rejected_despite_a_valid_crc() {
    let packet = [1; 100];
    let long = aal5::Frame { user_to_user: 9, packet: &packet }.to_bytes().unwrap();
    let parsed = aal5::Frame::parse(&long[48..]).unwrap_err();
    assert!(matches!(parsed, Aal5Error::Crc { .. }), "{parsed}");
    // an abort: length 0 with the CRC that belongs to it
    let mut abort = vec![0; 48];
    let crc = crc::Crc::<u32>::new(&crc::CRC_32_BZIP2).checksum(&abort[..44]);
    abort[44..].copy_from_slice(&crc.to_be_bytes());
    let error = aal5::Frame::parse(&abort).unwrap_err();
    assert_eq!(error.to_string(), "length field 0 does not match 1 cells");
}

#[test]
fn a_forward_rm_payload_matches_the_standard() {
    let mut expected = bytes("0100 64c9 5ce1 544d");
    expected.extend([0; 8]);
    expected.extend([0x6a; 30]);
    expected.extend(bytes("0064"));
    assert_eq!(forward().to_bytes()[..], expected);
    let brm = RmPayload { direction: Direction::Backward, ci: true, ..forward() };
    let octets = brm.to_bytes();
    assert_eq!((&octets[..2], &octets[46..]), (&bytes("01a0")[..], &bytes("0001")[..]));
    assert_eq!(RmPayload::parse(&octets), Ok(brm));
}

#[test]
fn any_single_bit_error_in_an_rm_payload_is_detected() {
    let valid = forward().to_bytes();
    for bit in 0..8 * PAYLOAD_LENGTH {
        let mut damaged = valid;
        damaged[bit / 8] ^= 1 << (bit % 8);
        let read = RmPayload::parse(&damaged);
        // the six bits before the CRC are reserved: and covered too
        assert!(matches!(read, Err(RmError::Crc { .. })), "bit {bit}");
    }
}

#[test]
fn rates_are_rounded_down_to_their_16_bit_code() {
    let rates = [(353_207.5, 0x64b1, 352_768.0), (365_566.0, 0x64c9, 365_056.0), (1.0, 0x4000, 1.0), (0.9, 0, 0.0)];
    for (rate, code, results) in rates {
        assert_eq!(CodedRate::rounded_down(rate), CodedRate(code), "{rate}");
        assert_eq!(CodedRate(code).cells_per_second(), results);
    }
    assert_eq!(CodedRate::rounded_down(1e12), CodedRate::MAX);
    assert_eq!(CodedRate::rounded_down(f64::NAN), CodedRate(0));
}

#[test]
fn capture_records_carry_vci_type_and_timestamp() {
    let mut record = Vec::new();
    capture::sun_atm_record(b"LLC", 1, 258, true, &mut record);
    assert_eq!(record, bytes("82 01 0102 4c4c43"));
    capture::erf_aal5_record(&datagram(), 0, 100, 2_500_000_000_000, &mut record).unwrap();
    assert_eq!(record[..16], bytes("00000080 02000000 04 04 00a4 0000 0094"));
    assert_eq!(record[16..20], bytes("00000642"));
    assert_eq!(record.len(), 16 + 4 + 144);
}

proptest! {
    #[test]
    fn any_packet_survives_segmentation(packet in prop::collection::vec(any::<u8>(), 1..3000), user_to_user: u8) {
        let frame = aal5::Frame { user_to_user, packet: &packet };
        let octets = frame.to_bytes().unwrap();
        prop_assert_eq!(octets.len(), 48 * aal5::cells(packet.len()));
        prop_assert_eq!(aal5::Frame::parse(&octets), Ok(frame));
    }

    #[test]
    fn any_coded_rate_survives_decoding_and_coding(code in 0_u16..0x8000) {
        let rate = CodedRate(code).cells_per_second();
        prop_assert_eq!(CodedRate::rounded_down(rate).cells_per_second(), rate);
    }

    #[test]
    fn arbitrary_bytes_parse_to_a_cell_or_an_error(octets in prop::collection::vec(any::<u8>(), 0..160)) {
        sojourn_protocols::atm::fuzz::cell(&octets);
        sojourn_protocols::atm::fuzz::aal5(&octets);
    }

    #[test]
    fn any_cell_survives_emitting_and_parsing(vpi in 0_u16..256, vci: u16, bits in 0_u8..8, clp: bool, payload: [u8; 48]) {
        let octets = [(vpi >> 4) as u8, (vpi << 4) as u8 | (vci >> 12) as u8, (vci >> 4) as u8,
            (vci << 4) as u8 | bits << 1 | u8::from(clp)];
        let header = CellHeader::parse_without_hec(octets, Interface::Uni);
        prop_assert_eq!((header.vpi, header.vci, header.clp), (vpi, vci, clp));
        prop_assert_eq!(header.payload_type.bits(), bits);
        let cell = Cell { header, payload };
        prop_assert_eq!(Cell::parse(&cell.to_bytes(Interface::Uni).unwrap(), Interface::Uni), Ok(cell));
    }
}
