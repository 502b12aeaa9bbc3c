//! What may follow the fixed header (RFC 9293, 3.1; RFC 2018; RFC 7323).

use super::error::ParseError;
use crate::cursor::{Reader, Writer};

/// Room for options in a header.
pub(super) const LARGEST: usize = 40;

const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const MAXIMUM_SEGMENT_SIZE: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// The options of a segment; others that came are passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The largest segment that the sender takes, in octets of data (MSS).
    pub maximum_segment_size: Option<u16>,
    /// By how many bits its windows are shifted, 0 to 14.
    pub window_scale: Option<u8>,
    /// Whether it understands selective acknowledgements.
    pub sack_permitted: bool,
    /// Its clock, and the other's that it saw last.
    pub timestamps: Option<Timestamps>,
    /// What it has beyond the acknowledgement.
    pub sack: SackBlocks,
}

/// The timestamps option.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// The sender's clock.
    pub value: u32,
    /// The receiver's clock as the sender saw it last.
    pub echo: u32,
}

/// Up to four ranges of sequence numbers, each from its first to the one after its last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(u32, u32); SackBlocks::MOST],
    count: u8,
}

impl SackBlocks {
    /// As many as a header holds.
    pub const MOST: usize = 4;

    /// Appends a range; a fifth one is not taken, and the answer says so.
    pub fn push(&mut self, first: u32, after_last: u32) -> bool {
        let Some(block) = self.blocks.get_mut(usize::from(self.count)) else { return false };
        *block = (first, after_last);
        self.count += 1;
        true
    }

    /// The ranges.
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.count)]
    }
}

impl Options {
    /// Octets that the options fill, padding included.
    pub fn length(&self) -> usize {
        let (blocks, of) = (self.sack.as_slice().len(), |present, octets| if present { octets } else { 0 });
        let octets = of(self.maximum_segment_size.is_some(), 4)
            + of(self.window_scale.is_some(), 3)
            + of(self.sack_permitted, 2)
            + of(self.timestamps.is_some(), 10)
            + of(blocks > 0, 2 + 8 * blocks);
        octets.next_multiple_of(4)
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let mut options = Options::default();
        let mut reader = Reader(bytes);
        while let Ok(kind) = reader.byte("options") {
            match kind {
                END => break,
                NO_OPERATION => continue,
                _ => {}
            }
            let length = reader.byte("option length")?;
            let wrong = ParseError::OptionLength { kind, length };
            let content = reader.take(usize::from(length).checked_sub(2).ok_or(wrong)?, "options")?;
            options.take(kind, content).ok_or(wrong)?;
        }
        Ok(options)
    }

    /// Takes an option; none if its length is not that of its kind.
    fn take(&mut self, kind: u8, content: &[u8]) -> Option<()> {
        match kind {
            MAXIMUM_SEGMENT_SIZE => self.maximum_segment_size = Some(u16::from_be_bytes(content.try_into().ok()?)),
            WINDOW_SCALE => {
                let [shift] = content.try_into().ok()?;
                // beyond 14 counts as 14 (RFC 7323, 2.3)
                self.window_scale = Some(u8::min(shift, 14));
            }
            SACK_PERMITTED if content.is_empty() => self.sack_permitted = true,
            SACK_PERMITTED => return None,
            TIMESTAMPS => {
                let [value, echo] = words(content)?;
                self.timestamps = Some(Timestamps { value, echo });
            }
            SACK => {
                self.sack = SackBlocks::default();
                for block in content.chunks(8) {
                    let [first, after_last] = words(block)?;
                    self.sack.push(first, after_last);
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Fills `buffer`, which is [`length`](Self::length) long.
    pub(super) fn emit(&self, buffer: &mut [u8]) {
        let mut writer = Writer::new(buffer);
        if let Some(size) = self.maximum_segment_size {
            writer.bytes(&[MAXIMUM_SEGMENT_SIZE, 4]);
            writer.u16(size);
        }
        if let Some(timestamps) = self.timestamps {
            writer.bytes(&[TIMESTAMPS, 10]);
            writer.u32(timestamps.value);
            writer.u32(timestamps.echo);
        }
        if let Some(shift) = self.window_scale {
            writer.bytes(&[WINDOW_SCALE, 3, shift]);
        }
        if self.sack_permitted {
            writer.bytes(&[SACK_PERMITTED, 2]);
        }
        let blocks = self.sack.as_slice();
        if !blocks.is_empty() {
            writer.bytes(&[SACK, (2 + 8 * blocks.len()) as u8]);
            for &(first, after_last) in blocks {
                writer.u32(first);
                writer.u32(after_last);
            }
        }
        let filled = writer.written().len();
        buffer[filled..].fill(NO_OPERATION);
    }
}

fn words(content: &[u8]) -> Option<[u32; 2]> {
    let (first, second) = content.split_first_chunk::<4>()?;
    Some([u32::from_be_bytes(*first), u32::from_be_bytes(second.try_into().ok()?)])
}
