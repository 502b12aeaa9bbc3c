//! A packet record of a file, and why one cannot be read.

use thiserror::Error;

use crate::LinkType;

/// The longest record accepted, in bytes; a longer one is corrupt.
pub(super) const LONGEST_RECORD: usize = 16 * 1024 * 1024;

/// A packet record at the start of a file's window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// Nanoseconds since 1970-01-01.
    pub stamp: u64,
    /// The interface by its number in the file.
    pub interface: usize,
    /// Length of the packet before it was cut.
    pub original_length: u32,
    /// Where its bytes begin in the window.
    pub from: usize,
    /// Bytes captured of it.
    pub length: usize,
    /// Length of the whole record.
    pub whole: usize,
}

/// An interface as a file describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Description {
    pub name: Option<String>,
    pub link_type: LinkType,
    /// Speed of the medium in bit/s.
    pub speed: Option<u64>,
}

/// Why a file cannot be read on.
#[derive(Debug, Error)]
pub(super) enum Broken {
    #[error("the file ends within a record")]
    Truncated,
    #[error("a record of {0} bytes is not plausible: the file is corrupt here")]
    TooLong(u64),
    #[error("a block of {0} bytes is shorter than its header: the file is corrupt here")]
    TooShort(u32),
    #[error("the section's header is not valid")]
    Section,
    #[error(
        "line 1 names the columns {0}, and none of them is the packet in hexadecimal (Raw, Raw data or Packet): export that \
         column as well"
    )]
    Columns(String),
    #[error("its lines have no times: {0}")]
    NoTimes(&'static str),
    #[error("a line has more than {0} characters: from here on the file is not a packet log")]
    LongLine(usize),
    #[error("it cannot be read: {0}")]
    Read(#[from] std::io::Error),
}

impl Broken {
    /// Whether the file may be read on once more of it has arrived.
    pub fn awaits(&self) -> bool {
        matches!(self, Broken::Read(error) if error.kind() == std::io::ErrorKind::WouldBlock)
    }
}
