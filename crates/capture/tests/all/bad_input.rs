//! Captures with everything that can be wrong with them: each is refused or read, and states in words what was wrong.

use std::fs;
use std::io::{self, Cursor, Read};
use std::path::Path;

use sojourn_capture::reader::{Reader, Source};
use sojourn_capture::{Analysis, Findings, Network};

const SECOND: u64 = 1_000_000_000;
const RAW_IP: u32 = 101;
const ETHERNET: u32 = 1;
const FDDI: u32 = 10;
const SUNATM: u32 = 123;

/// A classic file with nanosecond stamps, of packets with their stamp, bytes and length before they were cut.
fn pcap(link_type: u32, packets: &[(u64, &[u8], usize)]) -> Vec<u8> {
    let mut file: Vec<u8> =
        [0xa1b2_3c4d, 2 | 4 << 16, 0, 0, 65_535, link_type].into_iter().flat_map(u32::to_le_bytes).collect();
    for (stamp, bytes, length) in packets {
        let words = [(stamp / SECOND) as u32, (stamp % SECOND) as u32, bytes.len() as u32, *length as u32];
        file.extend(words.into_iter().flat_map(u32::to_le_bytes));
        file.extend_from_slice(bytes);
    }
    file
}

fn whole(link_type: u32, packets: &[(u64, &[u8])]) -> Vec<u8> {
    let packets: Vec<(u64, &[u8], usize)> = packets.iter().map(|&(stamp, bytes)| (stamp, bytes, bytes.len())).collect();
    pcap(link_type, &packets)
}

/// IPv4 and UDP between ports 40 000 and 53, with an identifier of DNS.
fn dns(asks: bool) -> Vec<u8> {
    let mut packet = vec![0x45, 0, 0, 40, 0, 0, 0, 0, 64, 17, 0, 0];
    let [client, server] = [[10, 0, 0, 1], [10, 0, 0, 2]];
    packet.extend(if asks { [client, server].concat() } else { [server, client].concat() });
    let ports: [u16; 2] = if asks { [40_000, 53] } else { [53, 40_000] };
    [ports[0], ports[1], 20, 0].iter().for_each(|word: &u16| packet.extend(word.to_be_bytes()));
    packet.extend([0, 7, if asks { 1 } else { 0x81 }, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
    packet
}

fn analysed(files: Vec<Vec<u8>>, only: Option<Network>) -> (Findings, Vec<String>) {
    let source = |(number, file)| Source::Stream(format!("file-{number}"), Box::new(Cursor::new(file)) as Box<_>);
    let reader = Reader::open(files.into_iter().enumerate().map(source).collect()).unwrap();
    let mut analysis = Analysis::new(reader, only);
    while analysis.step() {}
    let found = analysis.finish();
    let notes = found.record(None).notes;
    (found, notes)
}

fn states(notes: &[String], words: &str) {
    assert!(notes.iter().any(|note| note == words), "{words:?} is none of {notes:#?}");
}

#[test]
fn a_file_that_ends_within_a_packet_is_read_up_to_there() {
    let mut file = whole(RAW_IP, &[(0, &dns(true)), (SECOND, &dns(false))]);
    file.truncate(file.len() - 1);
    let (found, notes) = analysed(vec![file], None);
    assert_eq!(found.packets, 1);
    states(&notes, "file-0: at byte 80, after 1 packets, the file ends within a record.");
}

#[test]
fn a_record_of_an_impossible_length_ends_the_file() {
    let mut file = whole(RAW_IP, &[(0, &dns(true)), (SECOND, &dns(false))]);
    file[88..92].copy_from_slice(&0x7fff_ffff_u32.to_le_bytes());
    let (_, notes) = analysed(vec![file], None);
    states(
        &notes,
        "file-0: at byte 80, after 1 packets, a record of 2147483647 bytes is not plausible: the file is corrupt here.",
    );
}

#[test]
fn packets_out_of_order_are_taken_at_the_instant_of_their_predecessor() {
    let (found, notes) = analysed(vec![whole(RAW_IP, &[(SECOND, &dns(true)), (SECOND - 1_000, &dns(false))])], None);
    assert_eq!(found.sink.whole().answered, 1);
    states(&notes, "1 packets are stamped before their predecessors and taken at their instants.");
}

#[test]
fn a_clock_that_jumps_goes_on_from_its_last_instant() {
    let stamps = [1_000_000 * SECOND, 1_000_001 * SECOND, 5 * SECOND, 4_000_000 * SECOND];
    let packet = dns(true);
    let packets: Vec<(u64, &[u8])> = stamps.iter().map(|&stamp| (stamp, &packet[..])).collect();
    let (found, notes) = analysed(vec![whole(RAW_IP, &packets)], None);
    assert!((found.seconds() - 1.0).abs() < 1e-9);
    states(&notes, "The clock was set 2 times; time goes on from there.");
}

#[test]
fn files_of_several_link_types_are_merged_and_those_of_no_network_counted() {
    let token_ring = whole(6, &[(2, &[0; 30])]);
    let (found, notes) = analysed(vec![whole(RAW_IP, &[(1, &dns(true)), (3, &dns(false))]), token_ring], None);
    assert_eq!((found.packets, found.sink.whole().answered), (3, 1));
    states(&notes, "1 packets of link type 6 (Token Ring) belong to no network that is analysed.");
}

#[test]
fn two_networks_at_once_are_counted_together_unless_one_is_named() {
    let files = || {
        let fddi = [&[0x50][..], &[0; 12], &[0xaa, 0xaa, 3, 0, 0, 0, 8, 6, 1, 2]].concat();
        vec![whole(RAW_IP, &[(1, &dns(true)), (3, &dns(false))]), whole(FDDI, &[(2, &fddi)])]
    };
    let (found, notes) = analysed(files(), None);
    assert_eq!(found.network, Some(Network::Ip));
    states(&notes, "Packets of several networks are counted together (fddi 1, ip 2); --network restricts them to one.");
    let (found, _) = analysed(files(), Some(Network::Fddi));
    assert_eq!((found.sink.whole().packets, found.unread.values().sum::<u64>()), ([1, 0], 2));
}

#[test]
fn a_wrong_link_type_shows_as_packets_that_do_not_parse_or_have_no_transactions() {
    let (found, notes) = analysed(vec![whole(ETHERNET, &[(1, &dns(true)), (3, &dns(false))])], None);
    assert_eq!(found.sink.whole().transactions, 0);
    let hint = "No transaction was found: perhaps the capture names a wrong link type, it has 1 (Ethernet), or its protocols are not followed.";
    states(&notes, hint);
    let (_, notes) = analysed(vec![whole(FDDI, &[(1, &dns(true)), (3, &dns(false))])], None);
    states(&notes, &hint.replace("1 (Ethernet)", "10 (FDDI)"));
}

#[test]
fn a_snap_length_that_cuts_headers_is_stated_for_every_layer() {
    let reasons = [
        (RAW_IP, dns(true)[..16].to_vec(), "ip: truncated in the IPv4 header"),
        (RAW_IP, dns(true)[..24].to_vec(), "udp: truncated in the length"),
        (ETHERNET, vec![2; 13], "link: truncated in the Ethernet type"),
        (FDDI, vec![0x50; 9], "FDDI: shorter than frame control and addresses"),
        (FDDI, [&[0x50][..], &[0; 12], &[0xaa]].concat(), "LLC: truncated in the 802.2 header"),
        (SUNATM, vec![2, 0, 0, 100, 0xaa], "LLC: truncated in the 802.2 header"),
    ];
    for (link_type, bytes, reason) in reasons {
        let (_, notes) = analysed(vec![pcap(link_type, &[(1, &bytes, 100)])], None);
        let words = format!("1 of 1 packets do not parse, the first is 1: {reason} (cut by the snap length).");
        states(&notes, &words);
        states(&notes, "1 packets were captured in part only (snap length).");
    }
}

#[test]
fn a_snap_length_that_cuts_user_data_alone_changes_no_number() {
    let [request, answer] = [dns(true), dns(false)];
    let (found, _) = analysed(vec![pcap(RAW_IP, &[(1, &request[..32], 40), (SECOND, &answer[..32], 40)])], None);
    assert_eq!((found.sink.whole().answered, found.malformed()), (1, 0));
    assert_eq!(found.sink.whole().l3_bytes, [40, 40]);
}

/// A capture that is generated as it is read.
struct Generated {
    head: Vec<u8>,
    record: Vec<u8>,
    place: usize,
    left: u64,
}

impl Read for Generated {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if !self.head.is_empty() {
            let length = self.head.len().min(into.len());
            into[..length].copy_from_slice(&self.head[..length]);
            self.head.drain(..length);
            return Ok(length);
        }
        let length = (self.record.len() - self.place).min(into.len()).min(self.left as usize);
        into[..length].copy_from_slice(&self.record[self.place..self.place + length]);
        self.place = (self.place + length) % self.record.len();
        self.left -= length as u64;
        Ok(length)
    }
}

/// The most memory that this process has taken, in MiB.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
#[ignore = "reads 5 GiB; `make nightly` runs it"]
fn more_than_4_gib_are_read_in_bounded_memory_up_to_the_last_packet() {
    let before = peak_mib();
    let mut packet = dns(true);
    packet.resize(60_000, 0);
    let file = whole(RAW_IP, &[(7 * SECOND, &packet)]);
    let (head, record) = file.split_at(24);
    let count = 5 * (1 << 30) / record.len() as u64;
    let left = count * record.len() as u64;
    let generated = Generated { head: head.to_vec(), record: record.to_vec(), place: 0, left };
    let reader = Reader::open(vec![Source::Stream("generated".to_owned(), Box::new(generated))]).unwrap();
    let mut analysis = Analysis::new(reader, None);
    while analysis.step() {}
    let found = analysis.finish();
    assert_eq!((found.packets, found.faults.len()), (count, 0));
    assert!(peak_mib() - before < 200, "{} MiB", peak_mib() - before);
}

#[test]
fn every_frame_of_can_in_the_fuzz_corpus_is_taken_and_reports_transactions() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/capture_can");
    let mut inputs: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    let reported: Vec<usize> = inputs.iter().map(|path| sojourn_capture::fuzz::can(&fs::read(path).unwrap())).collect();
    // of J1939 three, of remote frames two, of objects three, of diagnosis three
    assert_eq!(reported, [3, 2, 3, 3], "{inputs:?}");
}

#[test]
fn every_text_of_the_fuzz_corpus_is_read_and_those_with_times_have_packets() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/monitor_text");
    let mut inputs: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    inputs.sort();
    assert!(inputs.len() >= 7, "{inputs:?}");
    for path in inputs {
        let packets = sojourn_capture::fuzz::monitor_text(&fs::read(&path).unwrap());
        assert_eq!(packets > 1, !path.ends_with("without-times"), "{path:?}: {packets}");
    }
}
