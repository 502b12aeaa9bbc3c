//! Capture files, and what trackers report, for tests.

use std::io::Write;

use crate::reader::{ReadError, Reader, Source};
use crate::{Event, Outcome, Sink};

/// A classic file of link type `link_type` with nanosecond stamps: (nanoseconds, bytes) of each packet.
pub fn pcap(link_type: u32, packets: &[(u64, &[u8])]) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xa1b2_3c4d, 2 | 4 << 16, 0, 0, 65_535, link_type] {
        file.extend_from_slice(&u32::to_le_bytes(word));
    }
    for (stamp, bytes) in packets {
        for word in [(stamp / 1_000_000_000) as u32, (stamp % 1_000_000_000) as u32] {
            file.extend_from_slice(&word.to_le_bytes());
        }
        file.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        file.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
        file.extend_from_slice(bytes);
    }
    file
}

/// A block of pcapng, padded, with its length at both ends.
pub fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let padding = body.len().next_multiple_of(4) - body.len();
    let length = (12 + body.len() + padding) as u32;
    let mut block = [kind.to_le_bytes(), length.to_le_bytes()].concat();
    block.extend_from_slice(body);
    block.resize(block.len() + padding, 0);
    block.extend_from_slice(&length.to_le_bytes());
    block
}

/// The header of a section.
pub fn section() -> Vec<u8> {
    let words: [u32; 4] = [0x1a2b_3c4d, 1, u32::MAX, u32::MAX];
    block(0x0a0d_0d0a, &words.map(u32::to_le_bytes).concat())
}

/// An interface with a name and a time resolution (the option's byte).
pub fn interface(link_type: u16, name: &str, resolution: u8) -> Vec<u8> {
    let mut body = [link_type.to_le_bytes(), [0, 0], [0, 0], [4, 0]].concat();
    body.extend_from_slice(&[2, 0, name.len() as u8, 0]);
    body.extend_from_slice(name.as_bytes());
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend_from_slice(&[9, 0, 1, 0, resolution, 0, 0, 0]);
    body.extend_from_slice(&[0, 0, 0, 0]);
    block(1, &body)
}

/// An enhanced packet.
pub fn packet(interface: u32, ticks: u64, bytes: &[u8]) -> Vec<u8> {
    let length = bytes.len() as u32;
    let words = [interface, (ticks >> 32) as u32, ticks as u32, length, length];
    let mut body = words.map(u32::to_le_bytes).concat();
    body.extend_from_slice(bytes);
    block(6, &body)
}

/// A reader of files in memory.
pub fn open(files: Vec<Vec<u8>>) -> Result<Reader, ReadError> {
    let source = |(number, bytes)| Source::Stream(format!("file-{number}"), Box::new(std::io::Cursor::new(bytes)));
    Reader::open(files.into_iter().enumerate().map(source).collect())
}

/// Nanoseconds since the first packet, interface and bytes of every packet.
pub fn packets(reader: &mut Reader) -> Vec<(u64, u32, Vec<u8>)> {
    let mut found = Vec::new();
    while let Some(packet) = reader.next_packet() {
        found.push((packet.time.picoseconds() / 1_000, packet.interface, packet.data.to_vec()));
    }
    found
}

/// `bytes`, compressed by gzip.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("a vector takes all");
    encoder.finish().expect("a vector takes all")
}

/// `bytes`, compressed by zstd.
pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// Outcome, attempts, milliseconds and numbers of the frames of a transaction.
pub type Seen = (Outcome, u32, Option<u64>, [Option<u64>; 2]);

/// The transactions that a tracker has reported.
pub fn transactions(out: &Sink) -> Vec<Seen> {
    let transaction = |event: &Event| match event {
        Event::Transaction(of) => {
            let ms = of.end.map(|end| end.since(of.begin).picoseconds() / 1_000_000_000);
            Some((of.outcome, of.attempts, ms, of.frames))
        }
        _ => None,
    };
    out.log().iter().filter_map(transaction).collect()
}
