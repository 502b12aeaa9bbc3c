//! The header of 32 bytes: key, command, length, checksum, priority, synchronising number and sequence number.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use super::error::ParseError;
use crate::cursor::{Reader, Writer};

/// Bytes of the header.
pub const HEADER_LENGTH: usize = 32;
/// Where the checksum lies.
pub(super) const CHECK: std::ops::Range<usize> = 16..18;
/// The version of XTP 4, in the top three bits of `ptype`.
const VERSION: u8 = 1;

/// What every packet says of itself, less its length, format and checksum, which follow from the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The context it is for.
    pub key: Key,
    /// Option bits.
    pub options: Options,
    /// Priority, lower first; has a meaning with [`Options::SORT`].
    pub sort: u16,
    /// Synchronising-handshake number.
    pub sync: u32,
    /// Sequence number of its first byte of data, or of the next one where it has none.
    pub sequence: u64,
}

/// The key of a context: 63 bits its owner chose, and RTN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u64);

impl Key {
    /// RTN: this is the key of the packet's receiver, which it once sent itself.
    pub const RETURN: u64 = 1 << 63;

    /// The same key as its owner gets it back.
    pub const fn returned(self) -> Key {
        Key(self.0 | Key::RETURN)
    }

    /// Whether RTN is set.
    pub const fn is_returned(self) -> bool {
        self.0 & Key::RETURN != 0
    }

    /// The key without RTN.
    pub const fn plain(self) -> Key {
        Key(self.0 & !Key::RETURN)
    }
}

/// The option bits of a command.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Options(u32);

impl Options {
    /// No option.
    pub const NONE: Options = Options(0);
    /// The checksum covers the header alone.
    pub const NOCHECK: Options = Options(0x40_0000);
    /// A change of this bit from one packet to the next asks for status.
    pub const EDGE: Options = Options(0x20_0000);
    /// The sender repeats nothing.
    pub const NOERR: Options = Options(0x10_0000);
    /// Multicast.
    pub const MULTI: Options = Options(0x08_0000);
    /// Allocation covers only buffers that the receiving user has posted.
    pub const RES: Options = Options(0x04_0000);
    /// The `sort` field has a meaning.
    pub const SORT: Options = Options(0x02_0000);
    /// The sender does not heed allocation.
    pub const NOFLOW: Options = Options(0x01_0000);
    /// The receiver reports a gap as soon as it sees one.
    pub const FASTNAK: Options = Options(0x00_8000);
    /// Asks for status at once.
    pub const SREQ: Options = Options(0x00_4000);
    /// Asks for status when the data up to here has been delivered to the user.
    pub const DREQ: Options = Options(0x00_2000);
    /// The sender of this packet accepts no more data.
    pub const RCLOSE: Options = Options(0x00_1000);
    /// The sender of this packet sends no data beyond this packet's end.
    pub const WCLOSE: Options = Options(0x00_0800);
    /// The packet's last byte ends a message.
    pub const EOM: Options = Options(0x00_0400);
    /// The sender's context is gone.
    pub const END: Options = Options(0x00_0200);
    /// A tag precedes the data.
    pub const BTAG: Options = Options(0x00_0100);

    /// All options with their names in the standard.
    pub const ALL: [(&'static str, Options); 15] = [
        ("NOCHECK", Options::NOCHECK),
        ("EDGE", Options::EDGE),
        ("NOERR", Options::NOERR),
        ("MULTI", Options::MULTI),
        ("RES", Options::RES),
        ("SORT", Options::SORT),
        ("NOFLOW", Options::NOFLOW),
        ("FASTNAK", Options::FASTNAK),
        ("SREQ", Options::SREQ),
        ("DREQ", Options::DREQ),
        ("RCLOSE", Options::RCLOSE),
        ("WCLOSE", Options::WCLOSE),
        ("EOM", Options::EOM),
        ("END", Options::END),
        ("BTAG", Options::BTAG),
    ];

    const ASSIGNED: u32 = 0x7f_ff00;

    /// The options of a 24-bit field; `None` where a bit is set that is not assigned.
    pub const fn from_bits(bits: u32) -> Option<Options> {
        if bits & !Options::ASSIGNED == 0 { Some(Options(bits)) } else { None }
    }

    /// The 24-bit field.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether all of `other` are set.
    #[inline]
    pub const fn contains(self, other: Options) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether any of `other` is set.
    #[inline]
    pub const fn intersects(self, other: Options) -> bool {
        self.0 & other.0 != 0
    }

    /// These options without `other`.
    pub const fn without(self, other: Options) -> Options {
        Options(self.0 & !other.0)
    }

    /// These options, with `other` if `condition` holds.
    #[inline]
    pub const fn with(self, other: Options, condition: bool) -> Options {
        if condition { Options(self.0 | other.0) } else { self }
    }
}

impl BitOr for Options {
    type Output = Options;
    fn bitor(self, other: Options) -> Options {
        Options(self.0 | other.0)
    }
}

impl BitOrAssign for Options {
    fn bitor_assign(&mut self, other: Options) {
        self.0 |= other.0;
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = Options::ALL.iter().filter(|(_, o)| self.contains(*o)).map(|(name, _)| *name).collect();
        if names.is_empty() { write!(f, "-") } else { write!(f, "{}", names.join("|")) }
    }
}

/// What a header says of the packet's shape.
pub(super) struct Shape {
    pub format: u8,
    pub data_length: u32,
    pub check: u16,
}

impl Header {
    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<(Self, Shape), ParseError> {
        let key = Key(reader.u64("key")?);
        let command = reader.u32("command")?;
        let data_length = reader.u32("dlen")?;
        let check = reader.u16("checksum")?;
        let (sort, sync, sequence) = (reader.u16("sort")?, reader.u32("sync")?, reader.u64("sequence number")?);
        let (version, format) = (command as u8 >> 5, command as u8 & 0x1f);
        if version != VERSION {
            return Err(ParseError::Version(version));
        }
        let bits = command >> 8;
        let options = Options::from_bits(bits).ok_or(ParseError::Options(bits & !Options::ASSIGNED))?;
        Ok((Header { key, options, sort, sync, sequence }, Shape { format, data_length, check }))
    }

    /// Writes the header, its check field zero.
    pub(super) fn emit(&self, format: u8, data_length: u32, writer: &mut Writer<'_>) {
        writer.u64(self.key.0);
        writer.u32(self.options.0 << 8 | u32::from(VERSION << 5 | format));
        writer.u32(data_length);
        writer.u16(0);
        writer.u16(self.sort);
        writer.u32(self.sync);
        writer.u64(self.sequence);
    }
}
