use proptest::prelude::*;

use super::*;
use crate::testing::{block, gzip, interface, open, packet, packets, pcap, section, zstd};

const SECOND: u64 = 1_000_000_000;

fn two_packets() -> Vec<u8> {
    pcap(101, &[(5 * SECOND, &[1, 2, 3]), (6 * SECOND + 7, &[4])])
}

fn both() -> Vec<(u64, u32, Vec<u8>)> {
    vec![(0, 0, vec![1, 2, 3]), (SECOND + 7, 0, vec![4])]
}

#[test]
fn a_classic_file_is_read_in_either_byte_order_and_resolution() {
    assert_eq!(packets(&mut open(vec![two_packets()]).unwrap()), both());
    let mut big = Vec::new();
    for word in [0xa1b2_c3d4_u32, 2 << 16 | 4, 0, 0, 65_535, 1, 5, 10, 1, 60, 0xee00_0000] {
        big.extend_from_slice(&word.to_be_bytes());
    }
    big.truncate(24 + 16 + 1);
    let mut reader = open(vec![big]).unwrap();
    let found = reader.next_packet().unwrap();
    assert_eq!((found.data, found.original_length, found.link_type), (&[0xee][..], 60, crate::LinkType::ETHERNET));
    assert!(reader.next_packet().is_none());
    assert_eq!(reader.interfaces()[0].cut, 1);
}

#[test]
fn before_version_2_3_the_length_on_the_link_stands_first() {
    for (version, lengths) in [(2, [60, 1]), (3, [60, 1]), (3, [1, 60]), (4, [1, 60])] {
        let mut file = Vec::new();
        for word in [0xa1b2_c3d4_u32, 2 << 16 | version, 0, 0, 65_535, 1, 5, 10, lengths[0], lengths[1], 0xee00_0000] {
            file.extend_from_slice(&word.to_be_bytes());
        }
        file.truncate(24 + 16 + 1);
        let mut reader = open(vec![file]).unwrap();
        let found = reader.next_packet().unwrap();
        assert_eq!((found.data, found.original_length), (&[0xee][..], 60), "version 2.{version}");
    }
}

#[test]
fn gzip_and_zstd_are_read_in_any_number_of_members_and_frames() {
    let file = two_packets();
    let (first, second) = file.split_at(40);
    for compress in [gzip, zstd] {
        assert_eq!(packets(&mut open(vec![compress(&file)]).unwrap()), both());
        assert_eq!(packets(&mut open(vec![[compress(first), compress(second)].concat()]).unwrap()), both());
    }
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9][..], &zstd(&file)].concat();
    let between = [zstd(first), skipped[..10].to_vec(), zstd(second)].concat();
    assert_eq!(packets(&mut open(vec![between]).unwrap()), both());
}

/// A packet: its stamp, its length on the wire and its octets.
type Stamped = (u64, u32, Vec<u8>);

/// What is read of a file that arrives in a piece of `first` bytes and then in pieces of `length`.
fn fed(file: &[u8], first: usize, length: usize) -> (Vec<Stamped>, Vec<Fault>) {
    let feed = Feed::default();
    let (begin, rest) = file.split_at(first.min(file.len()));
    feed.put(begin.to_vec());
    let mut reader = Reader::open(vec![Source::Stream("pieces".to_owned(), Box::new(feed.clone()))]).unwrap();
    let mut found = packets(&mut reader);
    for piece in rest.chunks(length) {
        feed.put(piece.to_vec());
        found.extend(packets(&mut reader));
    }
    feed.end();
    found.extend(packets(&mut reader));
    assert!(!reader.awaits());
    (found, reader.faults().to_vec())
}

/// The same of a file without faults.
fn in_pieces(file: &[u8], first: usize, length: usize) -> Vec<(u64, u32, Vec<u8>)> {
    let (found, faults) = fed(file, first, length);
    assert_eq!(faults, []);
    found
}

#[test]
fn a_file_that_comes_in_pieces_is_read_as_far_as_it_has_come() {
    let records: Vec<Vec<u8>> = (0..60_u8).map(|number| vec![number; 1 + usize::from(number)]).collect();
    let stamped: Vec<(u64, &[u8])> = records.iter().zip(5..).map(|(data, s)| (s * SECOND, data.as_slice())).collect();
    let classic = pcap(101, &stamped);
    let blocks = stamped.iter().map(|(stamp, data)| packet(0, *stamp, data));
    let blocks: Vec<u8> = [section(), interface(101, "eth0", 9)].into_iter().chain(blocks).flatten().collect();
    let expected = packets(&mut open(vec![classic.clone()]).unwrap());
    assert_eq!(expected.len(), 60);
    for file in [&classic, &blocks] {
        for (file, first) in [(file.clone(), 32), (gzip(file), 40)] {
            for length in [1, 7, 64, 1000] {
                assert_eq!(in_pieces(&file, first, length), expected, "pieces of {length}");
            }
        }
    }
    let lines: String = (0..400).map(|n| format!(" (1700000000.{n:06}) can0 123#{n:04}\n")).collect();
    let text = lines.replace(" (", "(");
    let expected = packets(&mut open(vec![text.clone().into_bytes()]).unwrap());
    assert_eq!((in_pieces(text.as_bytes(), 500, 3), expected.len()), (expected.clone(), 400));
}

#[test]
fn zstd_that_comes_in_pieces_is_read_a_block_at_a_time() {
    // what SplitMix64 gives does not compress
    let octet = |place: u64| {
        let mixed = place.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) as u8
    };
    let records: Vec<Vec<u8>> = (0..50).map(|n| (n * 60_000..(n + 1) * 60_000).map(octet).collect()).collect();
    let stamped: Vec<(u64, &[u8])> = records.iter().zip(5..).map(|(data, s)| (s * SECOND, data.as_slice())).collect();
    let file = pcap(101, &stamped);
    let (first, second) = file.split_at(2_000_000);
    let skipped = [&[0x50, 0x2a, 0x4d, 0x18, 0x40, 0x0d, 3, 0][..], &[9; 200_000]].concat();
    let frames = [zstd(first), skipped, zstd(second)].concat();
    assert!(frames.len() > 2 * Feed::FIRST, "{}", frames.len());
    let expected = packets(&mut open(vec![file]).unwrap());
    let (feed, mut reader, mut found) = (Feed::default(), None, Vec::new());
    let mut read = |feed: &Feed| {
        reader = reader.take().or_else(|| Reader::open_feed("pieces", feed).unwrap());
        found.extend(reader.iter_mut().flat_map(packets));
    };
    for piece in frames.chunks(10_007) {
        feed.put(piece.to_vec());
        read(&feed);
    }
    feed.end();
    read(&feed);
    assert_eq!(found, expected);
}

#[test]
fn pcapng_has_interfaces_with_their_own_resolution() {
    let file = [
        section(),
        interface(101, "eth0", 9),
        interface(1, "eth1", 0x80 | 20),
        packet(0, 10 * SECOND, &[1]),
        packet(1, 11 << 20, &[2, 3, 4, 5, 6]),
        block(5, &[0; 12]),
        packet(0, 11 * SECOND + 1, &[7]),
    ]
    .concat();
    let mut reader = open(vec![file]).unwrap();
    let expected = [(0, 0, vec![1]), (SECOND, 1, vec![2, 3, 4, 5, 6]), (SECOND + 1, 0, vec![7])];
    assert_eq!(packets(&mut reader), expected);
    let named: Vec<_> = reader.interfaces().iter().map(|found| (found.name.as_deref(), found.packets)).collect();
    assert_eq!(named, [(Some("eth0"), 2), (Some("eth1"), 1)]);
    assert_eq!(reader.faults(), []);
}

#[test]
fn a_block_with_invalid_contents_is_counted_and_passed_over() {
    let file = [
        section(),
        interface(101, "eth0", 9),
        packet(0, 5, &[1]),
        packet(3, 6, &[2]),
        block(6, &[0; 8]),
        packet(0, 7, &[3]),
    ]
    .concat();
    let mut reader = open(vec![file]).unwrap();
    assert_eq!(packets(&mut reader), [(0, 0, vec![1]), (2, 0, vec![3])]);
    assert_eq!(reader.faults()[0].reason, "2 blocks are not valid and were passed over");
}

#[test]
fn files_are_merged_by_their_stamps() {
    let one = pcap(101, &[(10, &[1]), (30, &[3])]);
    let other = pcap(101, &[(20, &[2]), (40, &[4])]);
    let mut reader = open(vec![other, one]).unwrap();
    assert_eq!(packets(&mut reader), [(0, 0, vec![1]), (10, 1, vec![2]), (20, 0, vec![3]), (30, 1, vec![4])]);
}

#[test]
fn a_rotating_set_in_any_order_is_one_interface() {
    let file = |second: u64| pcap(101, &[(second * SECOND, &[second as u8]), (second * SECOND + 1, &[9])]);
    let mut reader = open(vec![file(3), file(1), file(2)]).unwrap();
    let found = packets(&mut reader);
    assert!(found.is_sorted() && found.len() == 6);
    assert_eq!(reader.interfaces().len(), 1);
}

#[test]
fn many_files_are_opened_when_their_packets_are_due() {
    let folder = std::env::temp_dir().join(format!("sojourn-capture-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let paths: Vec<PathBuf> = (0..40).map(|number| folder.join(format!("{number}.pcap"))).collect();
    for (number, path) in paths.iter().enumerate() {
        std::fs::write(path, pcap(1, &[(number as u64 * SECOND, &[number as u8])])).unwrap();
    }
    let mut reader = Reader::open(paths.into_iter().rev().map(Source::Path).collect()).unwrap();
    let found: Vec<u8> = packets(&mut reader).into_iter().map(|(_, _, bytes)| bytes[0]).collect();
    assert_eq!(found, (0..40).collect::<Vec<u8>>());
    assert!(reader.bytes_read().load(Ordering::Relaxed) >= 40 * 41);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_that_is_cut_or_corrupt_is_read_up_to_there() {
    let mut cut = two_packets();
    cut.truncate(cut.len() - 1);
    let mut reader = open(vec![cut]).unwrap();
    assert_eq!(packets(&mut reader), both()[..1]);
    let fault = &reader.faults()[0];
    assert_eq!((fault.at_byte, fault.after_packets, fault.reason.as_str()), (43, 1, "the file ends within a record"));

    let mut corrupt = two_packets();
    corrupt[43 + 8..43 + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut reader = open(vec![corrupt]).unwrap();
    assert_eq!(packets(&mut reader), both()[..1]);
    assert!(reader.faults()[0].reason.contains("4294967295 bytes is not plausible"));
}

#[test]
fn what_is_no_capture_is_refused_with_what_it_is() {
    let refusal = |bytes: &[u8]| open(vec![bytes.to_vec()]).err().expect("no capture").to_string();
    assert_eq!(refusal(b""), "file-0 is empty: it has 0 bytes");
    assert_eq!(
        refusal(b"hello"),
        "file-0 is in no known format: it begins with \"hello\"; read are pcap, pcapng, packet logs of LonTalk, and what axlisten, Dire \
         Wolf, BPQ, tcpdump -n and candump -L print"
    );
    assert!(refusal(b"BZh91AY").contains("compressed by bzip2"));
    assert!(refusal(&[0; 4096]).contains("begins with 00 00 00 00"));
    assert!(refusal(&[0x1f, 0x8b, 9, 9, 9]).contains("cannot be read"));
    assert!(refusal(&two_packets()[..20]).contains("in no known format"));
    assert!(matches!(Reader::open(Vec::new()), Err(ReadError::NoSource)));
}

#[test]
fn a_packet_log_as_text_has_the_packets_of_its_lines() {
    let log = "Number;Time;Length;Flags;TXH;Domain;Source;Destination;Service;Data;Raw\r\n\
               1;14:06:22,435;12;;1;;2/2;1/1;ACKD;0001 10;00 05 01 01 02 82 01 08 01 10\r\n\
               2;noon;9;;1;;1/1;2/2;ACK;;00 05\r\n\
               3;14:06:22,445;9;;1;;1/1;2/2;ACK;;00 05 0z\r\n\
               4;14:06:24,435;9;;1;;1/1;2/2;ACK;;00 05 02 02 01 81 21";
    let mut reader = open(vec![log.as_bytes().to_vec()]).unwrap();
    let found = packets(&mut reader);
    let with_crc = |bytes: &[u8]| [bytes, &sojourn_protocols::lontalk::wire::crc(bytes).to_be_bytes()].concat();
    let expected = [
        (0, 0, with_crc(&[0, 5, 1, 1, 2, 0x82, 1, 8, 1, 16])),
        (2 * SECOND, 0, with_crc(&[0, 5, 2, 2, 1, 0x81, 0x21])),
    ];
    assert_eq!(found, expected);
    assert_eq!(reader.interfaces()[0].link_type, crate::LinkType::LONTALK);
    let reasons: Vec<&str> = reader.faults().iter().map(|fault| fault.reason.as_str()).collect();
    let expected = [
        "line 3 has no time: \"noon\" and was passed over",
        "line 4 has a packet with 'z', which is not hexadecimal and was passed over",
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn a_packet_log_goes_on_at_midnight_and_keeps_the_crc_that_its_packets_have() {
    let packet = [0_u8, 5, 2, 2, 1, 0x81, 0x21];
    let crc = sojourn_protocols::lontalk::wire::crc(&packet);
    let raw = format!("{}{crc:04x}", packet.map(|byte| format!("{byte:02x}")).concat());
    let log = format!("time,raw\n23:59:59.5,{raw}\n00:00:00.25,{raw}\n");
    let found = packets(&mut open(vec![log.into_bytes()]).unwrap());
    let whole = [&packet[..], &crc.to_be_bytes()].concat();
    assert_eq!(found, [(0, 0, whole.clone()), (750_000_000, 0, whole)]);
}

#[test]
fn a_packet_log_without_the_packets_is_refused_with_its_columns() {
    let error = open(vec![b"Number,Time,Source\n1,12:00,1/1\n".to_vec()]).err().unwrap().to_string();
    assert_eq!(
        error,
        "file-0 is not a valid capture: in its header, line 1 names the columns number, time, source, and none of them is \
         the packet in hexadecimal (Raw, Raw data or Packet): export that column as well"
    );
}

#[test]
fn a_line_without_an_end_is_refused_after_its_longest_length() {
    let log = [b"time,raw\n".to_vec(), vec![b'0'; 100_000]].concat();
    let mut reader = open(vec![log]).unwrap();
    assert!(reader.next_packet().is_none());
    assert!(reader.faults()[0].reason.starts_with("a line has more than 65536 characters"));
}

#[test]
fn a_file_without_packets_is_an_empty_capture() {
    assert!(open(vec![pcap(101, &[])]).unwrap().next_packet().is_none());
}

proptest! {
    #[test]
    fn any_bytes_after_a_header_are_read_or_refused(kind in 0..3usize, bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let head = [pcap(101, &[]), section(), [section(), interface(1, "a", 6)].concat()][kind].clone();
        if let Ok(mut reader) = open(vec![[head, bytes].concat()]) {
            while reader.next_packet().is_some() {}
        }
    }

    #[test]
    fn damage_is_met_in_pieces_as_in_the_whole(at in 60..500usize, to in any::<u8>(), length in 1..90usize, is_ng in any::<bool>()) {
        let classic = pcap(101, &[(5 * SECOND, &[1; 200]), (6 * SECOND, &[2; 300])]);
        let blocks = [section(), interface(101, "eth0", 9), packet(0, 5, &[1; 40]), packet(0, 9, &[2; 300])].concat();
        let mut file = if is_ng { blocks } else { classic };
        let at = 60 + at % (file.len() - 60);
        file[at] = to;
        let mut whole = open(vec![file.clone()]).unwrap();
        let expected = packets(&mut whole);
        let (found, faults) = fed(&file, 60, length);
        prop_assert_eq!(found, expected);
        let stated = |faults: &[Fault]| faults.iter().map(|of| (of.at_byte, of.reason.clone())).collect::<Vec<_>>();
        prop_assert_eq!(stated(&faults), stated(whole.faults()));
    }

    #[test]
    fn a_changed_byte_is_no_panic(at in 0..600usize, to in any::<u8>(), compressed in any::<bool>()) {
        let file = [section(), interface(101, "eth0", 9), packet(0, 5, &[1; 40]), packet(0, 9, &[2; 300])].concat();
        let mut file = if compressed { gzip(&file) } else { file };
        let at = at % file.len();
        file[at] = to;
        if let Ok(mut reader) = open(vec![file]) {
            while reader.next_packet().is_some() {}
        }
    }
}
