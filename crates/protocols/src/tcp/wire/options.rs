//! TCP options (RFC 9293, 3.2; RFC 2018; RFC 7323).

use super::error::ParseError;
use crate::cursor::{Reader, Writer};

/// Maximum octets of options in a header.
pub(super) const MAX_LENGTH: usize = 40;

const END: u8 = 0;
const NO_OPERATION: u8 = 1;
const MSS: u8 = 2;
const WINDOW_SCALE: u8 = 3;
const SACK_PERMITTED: u8 = 4;
const SACK: u8 = 5;
const TIMESTAMPS: u8 = 8;

/// The options of a segment; unknown options are skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Maximum segment size (MSS) the sender accepts, octets of data (RFC 9293, 3.7.1).
    pub mss: Option<u16>,
    /// Window scale shift count, 0 to 14 (RFC 7323, 2.2).
    pub window_scale: Option<u8>,
    /// Whether the sender accepts selective acknowledgements (SACK; RFC 2018, 2).
    pub sack_permitted: bool,
    /// Timestamps (RFC 7323, 3).
    pub timestamps: Option<Timestamps>,
    /// Blocks received above the cumulative acknowledgement (RFC 2018, 3).
    pub sack: SackBlocks,
}

/// The timestamps option (RFC 7323, 3.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timestamps {
    /// TSval: the sender's timestamp clock.
    pub ts_val: u32,
    /// TSecr: the latest TSval received from the peer.
    pub ts_ecr: u32,
}

/// Up to four SACK blocks: left edge, and right edge exclusive, as sequence numbers (RFC 2018, 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SackBlocks {
    blocks: [(u32, u32); SackBlocks::MAX],
    count: u8,
}

impl SackBlocks {
    /// Maximum number of blocks in a header; one fewer with timestamps.
    pub const MAX: usize = 4;

    /// Appends a block; returns `false` if there are already [`MAX`](Self::MAX).
    pub fn push(&mut self, left: u32, right: u32) -> bool {
        let Some(block) = self.blocks.get_mut(usize::from(self.count)) else { return false };
        *block = (left, right);
        self.count += 1;
        true
    }

    /// The blocks in the order in which they are sent.
    pub fn as_slice(&self) -> &[(u32, u32)] {
        &self.blocks[..usize::from(self.count)]
    }
}

impl Options {
    /// Octets of the options, with padding to a multiple of four.
    pub fn length(&self) -> usize {
        let (blocks, of) = (self.sack.as_slice().len(), |present, octets| if present { octets } else { 0 });
        let octets = of(self.mss.is_some(), 4)
            + of(self.window_scale.is_some(), 3)
            + of(self.sack_permitted, 2)
            + of(self.timestamps.is_some(), 10)
            + of(blocks > 0, 2 + 8 * blocks);
        octets.next_multiple_of(4)
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Self, ParseError> {
        let (options, fault) = Options::read(bytes);
        fault.map_or(Ok(options), Err)
    }

    /// What a host takes: an option whose length does not fit its kind is ignored, and so is all behind one that exceeds the
    /// header.
    pub(super) fn tolerant(bytes: &[u8]) -> Self {
        Options::read(bytes).0
    }

    /// All options that fit, and the first fault.
    fn read(bytes: &[u8]) -> (Self, Option<ParseError>) {
        let (mut options, mut fault) = (Options::default(), None);
        let mut reader = Reader(bytes);
        while let Ok(kind) = reader.byte("options") {
            match kind {
                END => break,
                NO_OPERATION => continue,
                _ => {}
            }
            let length = match reader.byte("option length") {
                Ok(length) => length,
                Err(truncated) => {
                    fault.get_or_insert(truncated.into());
                    break;
                }
            };
            let error = ParseError::OptionLength { kind, length };
            let Some(content) = usize::from(length).checked_sub(2) else {
                fault.get_or_insert(error);
                break;
            };
            match reader.take(content, "options") {
                Ok(content) if options.store(kind, content).is_some() => {}
                Ok(_) => {
                    fault.get_or_insert(error);
                }
                Err(truncated) => {
                    fault.get_or_insert(truncated.into());
                    break;
                }
            }
        }
        (options, fault)
    }

    /// Stores an option; `None` if its length does not match its kind.
    fn store(&mut self, kind: u8, content: &[u8]) -> Option<()> {
        match kind {
            MSS => self.mss = Some(u16::from_be_bytes(content.try_into().ok()?)),
            WINDOW_SCALE => {
                let [shift] = content.try_into().ok()?;
                // a shift count above 14 is used as 14 (RFC 7323, 2.3)
                self.window_scale = Some(u8::min(shift, 14));
            }
            SACK_PERMITTED if content.is_empty() => self.sack_permitted = true,
            SACK_PERMITTED => return None,
            TIMESTAMPS => {
                let [ts_val, ts_ecr] = words(content)?;
                self.timestamps = Some(Timestamps { ts_val, ts_ecr });
            }
            SACK => {
                self.sack = SackBlocks::default();
                for block in content.chunks(8) {
                    let [left, right] = words(block)?;
                    self.sack.push(left, right);
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Fills `buffer`, which is [`length`](Self::length) long.
    pub(super) fn emit(&self, buffer: &mut [u8]) {
        let mut writer = Writer::new(buffer);
        if let Some(mss) = self.mss {
            writer.bytes(&[MSS, 4]);
            writer.u16(mss);
        }
        if let Some(timestamps) = self.timestamps {
            writer.bytes(&[TIMESTAMPS, 10]);
            writer.u32(timestamps.ts_val);
            writer.u32(timestamps.ts_ecr);
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
            for &(left, right) in blocks {
                writer.u32(left);
                writer.u32(right);
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
