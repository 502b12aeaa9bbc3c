//! The classic pcap format: one header, then records of one interface.

use pcap_parser::{PcapHeader, parse_pcap_header};

use super::record::{Broken, Description, LONGEST_RECORD, Record};
use super::window::Window;
use crate::LinkType;

const HEADER_LENGTH: usize = 24;
const RECORD_HEADER_LENGTH: usize = 16;
/// Record header of the "modified" format, which adds interface, protocol and packet type.
const MODIFIED_RECORD_HEADER_LENGTH: usize = 24;

/// A file of this format.
pub(super) struct Pcap {
    big_endian: bool,
    record_header_length: usize,
    nanoseconds_per_tick: u64,
    /// Whether the length on the link may stand before the captured one, and whether it does so always.
    are_lengths_swapped: Option<bool>,
    pub interface: Description,
}

impl Pcap {
    /// Reads the header; `None` if a file does not begin with one.
    pub fn open(window: &mut Window) -> Result<Option<Self>, Broken> {
        if !window.fill(HEADER_LENGTH)? {
            return Ok(None);
        }
        let Ok((_, header)) = parse_pcap_header(window.bytes()) else { return Ok(None) };
        window.pass(HEADER_LENGTH);
        Ok(Some(Pcap::new(&header)))
    }

    fn new(header: &PcapHeader) -> Self {
        let modified = header.is_modified_format();
        // the upper bits state the length of a frame check sequence
        let link_type = LinkType(header.network.0 as u32 & 0xffff);
        Pcap {
            big_endian: header.is_bigendian(),
            record_header_length: if modified { MODIFIED_RECORD_HEADER_LENGTH } else { RECORD_HEADER_LENGTH },
            // as libpcap wrote them before version 2.3; of that version there are both
            are_lengths_swapped: match (header.version_major, header.version_minor) {
                (0..=1, _) | (2, 0..=2) => Some(true),
                (2, 3) => Some(false),
                _ => None,
            },
            nanoseconds_per_tick: if header.is_nanosecond_precision() { 1 } else { 1_000 },
            interface: Description { name: None, link_type, speed: None },
        }
    }

    /// The next record; `None` at the end of the file.
    pub fn next(&mut self, window: &mut Window) -> Result<Option<Record>, Broken> {
        if !window.fill(self.record_header_length)? {
            return if window.bytes().is_empty() { Ok(None) } else { Err(Broken::Truncated) };
        }
        let Some((header, _)) = window.bytes().split_first_chunk::<RECORD_HEADER_LENGTH>() else {
            return Err(Broken::Truncated);
        };
        let [seconds, ticks, mut length, mut original_length] = self.words(header);
        if self.are_lengths_swapped.is_some_and(|always| always || length > original_length) {
            std::mem::swap(&mut length, &mut original_length);
        }
        if length as usize > LONGEST_RECORD {
            return Err(Broken::TooLong(length.into()));
        }
        let whole = self.record_header_length + length as usize;
        if !window.fill(whole)? {
            return Err(Broken::Truncated);
        }
        Ok(Some(Record {
            stamp: u64::from(seconds) * 1_000_000_000 + u64::from(ticks) * self.nanoseconds_per_tick,
            interface: 0,
            original_length,
            from: self.record_header_length,
            length: length as usize,
            whole,
        }))
    }

    fn words(&self, header: &[u8; RECORD_HEADER_LENGTH]) -> [u32; 4] {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = *header;
        let words = [[a, b, c, d], [e, f, g, h], [i, j, k, l], [m, n, o, p]];
        if self.big_endian { words.map(u32::from_be_bytes) } else { words.map(u32::from_le_bytes) }
    }
}
