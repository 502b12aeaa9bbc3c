//! The pcapng format: sections of blocks, with any number of interfaces.
//!
//! This module reads the length of each block and leaves its contents to the parser, so that a block with invalid
//! contents is counted and skipped. A section header sets the byte order and resets the list of interfaces.

use pcap_parser::nom::IResult;
use pcap_parser::{
    Block, InterfaceDescriptionBlock, OptionCode, PcapError, parse_block_be, parse_block_le, parse_sectionheaderblock,
};

use super::record::{Broken, Description, LONGEST_RECORD, Record};
use super::window::Window;
use crate::LinkType;

const SECTION_HEADER: u32 = 0x0a0d_0d0a;
const ENHANCED_PACKET: u32 = 6;
/// Type, length, byte order of a section's header; the least of any block.
const LEAST_BLOCK: usize = 12;
/// Type, length, interface, stamp in two words, captured and original length.
const ENHANCED_PACKET_HEADER: usize = 28;

/// A file of this format.
pub(super) struct PcapNg {
    big_endian: bool,
    /// Interfaces of the section, numbered over the whole file from `section`.
    clocks: Vec<Clock>,
    section: usize,
    pub interfaces: Vec<Description>,
    last_stamp: u64,
    /// Blocks whose contents are not valid, and packets of interfaces that were not described.
    pub invalid_blocks: u64,
    /// Packets without a stamp, taken at that of their predecessor.
    pub without_stamp: u64,
}

/// How an interface counts time.
#[derive(Clone, Copy, Debug)]
struct Clock {
    ticks_per_second: u128,
    offset_s: i64,
}

impl Clock {
    fn of(interface: &InterfaceDescriptionBlock<'_>) -> Option<Self> {
        let exponent = u32::from(interface.if_tsresol & 0x7f);
        let base: u128 = if interface.if_tsresol & 0x80 == 0 { 10 } else { 2 };
        Some(Clock { ticks_per_second: base.checked_pow(exponent)?, offset_s: interface.if_tsoffset })
    }

    /// Nanoseconds since 1970; those of instants beyond the year 2554 are the maximum.
    fn nanoseconds(self, ticks: u64) -> u64 {
        let nanoseconds = match self.ticks_per_second {
            1_000_000_000 => ticks.into(),
            1_000_000 => u128::from(ticks) * 1_000,
            other => u128::from(ticks) * 1_000_000_000 / other,
        };
        let shifted = i128::try_from(nanoseconds).unwrap_or(i128::MAX) + i128::from(self.offset_s) * 1_000_000_000;
        u64::try_from(shifted.max(0)).unwrap_or(u64::MAX)
    }
}

impl PcapNg {
    /// Reads the header of the first section; `None` if a file does not begin with one.
    pub fn open(window: &mut Window) -> Result<Option<Self>, Broken> {
        if !window.fill(LEAST_BLOCK)? || word(window.bytes(), 0, false) != SECTION_HEADER {
            return Ok(None);
        }
        let mut file = PcapNg {
            big_endian: false,
            clocks: Vec::new(),
            section: 0,
            interfaces: Vec::new(),
            last_stamp: 0,
            invalid_blocks: 0,
            without_stamp: 0,
        };
        file.begin_section(window)?;
        Ok(Some(file))
    }

    /// The next packet; `None` at the end of the file.
    pub fn next(&mut self, window: &mut Window) -> Result<Option<Record>, Broken> {
        loop {
            if !window.fill(LEAST_BLOCK)? {
                return if window.bytes().is_empty() { Ok(None) } else { Err(Broken::Truncated) };
            }
            let kind = word(window.bytes(), 0, self.big_endian);
            if kind == SECTION_HEADER {
                self.begin_section(window)?;
                continue;
            }
            let length = word(window.bytes(), 4, self.big_endian);
            let whole = whole_block(length, window)?;
            let block = &window.bytes()[..whole];
            let record = if kind == ENHANCED_PACKET { self.packet(block) } else { self.other_block(block) };
            if record.is_some() {
                return Ok(record);
            }
            window.pass(whole);
        }
    }

    /// A packet without its options, which most packets lack and nothing here needs.
    fn packet(&mut self, block: &[u8]) -> Option<Record> {
        let field = |place| word(block, place, self.big_endian);
        let length = if block.len() < ENHANCED_PACKET_HEADER + 4 { usize::MAX } else { field(20) as usize };
        if length > block.len() - ENHANCED_PACKET_HEADER.min(block.len()) {
            self.invalid_blocks += 1;
            return None;
        }
        let ticks = u64::from(field(12)) << 32 | u64::from(field(16));
        let (local, original_length) = (field(8) as usize, field(24));
        self.record(local, Some(ticks), original_length, (ENHANCED_PACKET_HEADER, length, block.len()))
    }

    fn other_block(&mut self, block: &[u8]) -> Option<Record> {
        match self.parse(block) {
            Ok((_, Block::InterfaceDescription(interface))) => {
                let clock = Clock::of(&interface);
                let description = describe(&interface, self.big_endian);
                self.clocks.push(clock.unwrap_or(Clock { ticks_per_second: 1_000_000, offset_s: 0 }));
                self.interfaces.push(description);
                self.invalid_blocks += u64::from(clock.is_none());
                None
            }
            Ok((_, Block::SimplePacket(packet))) => {
                let length = packet.data.len().min(packet.origlen as usize);
                let original_length = packet.origlen;
                self.without_stamp += 1;
                self.record(0, None, original_length, (LEAST_BLOCK, length, block.len()))
            }
            Ok(_) => None,
            Err(_) => {
                self.invalid_blocks += 1;
                None
            }
        }
    }

    fn record(
        &mut self,
        local: usize,
        ticks: Option<u64>,
        original_length: u32,
        (from, length, whole): (usize, usize, usize),
    ) -> Option<Record> {
        let Some(clock) = self.clocks.get(local) else {
            self.invalid_blocks += 1;
            return None;
        };
        if let Some(ticks) = ticks {
            self.last_stamp = clock.nanoseconds(ticks);
        }
        let interface = self.section + local;
        Some(Record { stamp: self.last_stamp, interface, original_length, from, length, whole })
    }

    fn begin_section(&mut self, window: &mut Window) -> Result<(), Broken> {
        // the byte order follows the length
        let big_endian = window.bytes()[8..LEAST_BLOCK] == [0x1a, 0x2b, 0x3c, 0x4d];
        let whole = whole_block(word(window.bytes(), 4, big_endian), window)?;
        let Ok((_, header)) = parse_sectionheaderblock(&window.bytes()[..whole]) else { return Err(Broken::Section) };
        self.big_endian = header.big_endian();
        self.clocks.clear();
        self.section = self.interfaces.len();
        window.pass(whole);
        Ok(())
    }

    fn parse<'a>(&self, block: &'a [u8]) -> IResult<&'a [u8], Block<'a>, PcapError<&'a [u8]>> {
        if self.big_endian { parse_block_be(block) } else { parse_block_le(block) }
    }
}

/// Makes a whole block of the stated length available.
fn whole_block(length: u32, window: &mut Window) -> Result<usize, Broken> {
    // blocks are padded to words; some writers leave the padding out of the length
    let whole = (length as usize).next_multiple_of(4);
    if whole < LEAST_BLOCK {
        return Err(Broken::TooShort(length));
    }
    if whole > LONGEST_RECORD {
        return Err(Broken::TooLong(length.into()));
    }
    if window.fill(whole)? { Ok(whole) } else { Err(Broken::Truncated) }
}

fn describe(interface: &InterfaceDescriptionBlock<'_>, big_endian: bool) -> Description {
    let text = |found: Option<Result<&str, _>>| found.and_then(Result::ok).map(str::to_owned);
    let name = text(interface.if_name()).or_else(|| text(interface.if_description()));
    let speed = interface.options.iter().find(|option| option.code == OptionCode::IfSpeed).and_then(|option| {
        let bytes: [u8; 8] = option.as_bytes().ok()?.try_into().ok()?;
        Some(if big_endian { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) })
    });
    let link_type = LinkType(interface.linktype.0 as u32 & 0xffff);
    Description { name, link_type, speed: speed.filter(|&speed| speed > 0) }
}

fn word(bytes: &[u8], place: usize, big_endian: bool) -> u32 {
    let word = [bytes[place], bytes[place + 1], bytes[place + 2], bytes[place + 3]];
    if big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) }
}
