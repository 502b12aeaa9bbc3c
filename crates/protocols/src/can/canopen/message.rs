//! The eight bytes of an SDO.

use thiserror::Error;

/// An object of the dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// Index.
    pub index: u16,
    /// Subindex.
    pub subindex: u8,
}

/// A segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Alternates, beginning with false.
    pub toggle: bool,
    /// Bytes of data, 0 to 7.
    pub length: u8,
    /// Whether no other follows.
    pub is_last: bool,
    /// Data; behind its length zero.
    pub data: [u8; 7],
}

/// The data of an initiating message: expedited, or the size of what follows in segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sdo {
    /// Client: write this many bytes at once.
    Download(Object, u8, [u8; 4]),
    /// Client: write this many bytes in segments.
    BeginDownload(Object, u32),
    /// Server: it is written, or the first segment may follow.
    Downloaded(Object),
    /// Client: a segment.
    DownloadSegment(Segment),
    /// Server: the segment with this toggle is taken.
    SegmentTaken(bool),
    /// Client: read.
    Upload(Object),
    /// Server: this many bytes at once.
    Uploaded(Object, u8, [u8; 4]),
    /// Server: this many bytes follow in segments.
    BeginUpload(Object, u32),
    /// Client: the segment with this toggle.
    NextSegment(bool),
    /// Server: a segment.
    UploadSegment(Segment),
    /// Either: the transfer is aborted.
    Abort(Object, Abort),
}

/// Why a transfer is aborted, as its code (CiA 301, table 22).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abort(pub u32);

impl Abort {
    /// The toggle bit did not alternate.
    pub const TOGGLE: Abort = Abort(0x0503_0000);
    /// A timeout.
    pub const TIMEOUT: Abort = Abort(0x0504_0000);
    /// The command is not valid or not known.
    pub const COMMAND: Abort = Abort(0x0504_0001);
    /// The object does not exist.
    pub const NO_OBJECT: Abort = Abort(0x0602_0000);
}

/// Why bytes cannot be parsed as an SDO.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SdoError {
    /// Not 8 bytes.
    #[error("SDO of {0} bytes, expected 8")]
    Length(usize),
    /// A command that is not implemented or not assigned.
    #[error("unknown SDO command {0:02x}")]
    Command(u8),
}

impl Sdo {
    /// Parses what a client sends.
    pub fn of_client(bytes: &[u8]) -> Result<Sdo, SdoError> {
        let (command, object, data) = split(bytes)?;
        Ok(match command >> 5 {
            0 => Sdo::DownloadSegment(segment(bytes, command)),
            1 if command & 2 != 0 => Sdo::Download(object, expedited(command), data),
            1 => Sdo::BeginDownload(object, u32::from_le_bytes(data)),
            2 => Sdo::Upload(object),
            3 => Sdo::NextSegment(command & 0x10 != 0),
            4 => Sdo::Abort(object, Abort(u32::from_le_bytes(data))),
            _ => return Err(SdoError::Command(command)),
        })
    }

    /// Parses what a server sends.
    pub fn of_server(bytes: &[u8]) -> Result<Sdo, SdoError> {
        let (command, object, data) = split(bytes)?;
        Ok(match command >> 5 {
            0 => Sdo::UploadSegment(segment(bytes, command)),
            1 => Sdo::SegmentTaken(command & 0x10 != 0),
            2 if command & 2 != 0 => Sdo::Uploaded(object, expedited(command), data),
            2 => Sdo::BeginUpload(object, u32::from_le_bytes(data)),
            3 => Sdo::Downloaded(object),
            4 => Sdo::Abort(object, Abort(u32::from_le_bytes(data))),
            _ => return Err(SdoError::Command(command)),
        })
    }

    /// Its bytes.
    pub fn to_bytes(self) -> [u8; 8] {
        let initiate = |command: u8, Object { index, subindex }: Object, [a, b, c, d]: [u8; 4]| {
            let [low, high] = index.to_le_bytes();
            [command, low, high, subindex, a, b, c, d]
        };
        let at_once = |command: u8, length: u8| command | (4 - length.clamp(1, 4)) << 2 | 3;
        match self {
            Sdo::Download(object, length, data) => initiate(at_once(0x20, length), object, data),
            Sdo::BeginDownload(object, size) => initiate(0x21, object, size.to_le_bytes()),
            Sdo::Downloaded(object) => initiate(0x60, object, [0; 4]),
            Sdo::Upload(object) => initiate(0x40, object, [0; 4]),
            Sdo::Uploaded(object, length, data) => initiate(at_once(0x40, length), object, data),
            Sdo::BeginUpload(object, size) => initiate(0x41, object, size.to_le_bytes()),
            Sdo::Abort(object, Abort(code)) => initiate(0x80, object, code.to_le_bytes()),
            Sdo::SegmentTaken(toggle) => [0x20 | u8::from(toggle) << 4, 0, 0, 0, 0, 0, 0, 0],
            Sdo::NextSegment(toggle) => [0x60 | u8::from(toggle) << 4, 0, 0, 0, 0, 0, 0, 0],
            Sdo::DownloadSegment(Segment { toggle, length, is_last, data: [a, b, c, d, e, f, g] })
            | Sdo::UploadSegment(Segment { toggle, length, is_last, data: [a, b, c, d, e, f, g] }) => {
                let command = u8::from(toggle) << 4 | (7 - length.min(7)) << 1 | u8::from(is_last);
                [command, a, b, c, d, e, f, g]
            }
        }
    }
}

fn split(bytes: &[u8]) -> Result<(u8, Object, [u8; 4]), SdoError> {
    let &[command, low, high, subindex, a, b, c, d] = bytes else { return Err(SdoError::Length(bytes.len())) };
    Ok((command, Object { index: u16::from_le_bytes([low, high]), subindex }, [a, b, c, d]))
}

/// Bytes of an expedited transfer: all four where the command does not say.
const fn expedited(command: u8) -> u8 {
    if command & 1 == 0 { 4 } else { 4 - (command >> 2 & 3) }
}

fn segment(bytes: &[u8], command: u8) -> Segment {
    let length = 7 - (command >> 1 & 7);
    let mut data = [0; 7];
    let used = usize::from(length);
    data[..used].copy_from_slice(&bytes[1..1 + used]);
    Segment { toggle: command & 0x10 != 0, length, is_last: command & 1 != 0, data }
}
