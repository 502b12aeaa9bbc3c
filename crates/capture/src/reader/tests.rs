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
    assert_eq!(refusal(b"hello"), "file-0 is not a capture: it begins with 68 65 6c 6c, and pcap and pcapng do not");
    assert!(refusal(b"BZh91AY").contains("compressed by bzip2"));
    assert!(refusal(&[0; 4096]).contains("begins with 00 00 00 00"));
    assert!(refusal(&[0x1f, 0x8b, 9, 9, 9]).contains("cannot be read"));
    assert!(refusal(&two_packets()[..20]).contains("not a capture"));
    assert!(matches!(Reader::open(Vec::new()), Err(ReadError::NoSource)));
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
