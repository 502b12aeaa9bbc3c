//! The header of 32 bytes: key, command, length, checksum, priority, sync number and sequence number.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

use super::error::ParseError;
use crate::cursor::{Reader, Writer};

/// Length of the header, bytes.
pub const HEADER_LENGTH: usize = 32;
/// Position of the checksum.
pub(super) const CHECK: std::ops::Range<usize> = 16..18;
/// The version of XTP 4, in the top three bits of `ptype`.
const VERSION: u8 = 1;

/// Header of a packet without length, format and checksum, which follow from the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// `key`: context that the packet addresses.
    pub key: Key,
    /// Option bits of `cmd`.
    pub options: Options,
    /// `sort`: priority, lower first; valid with [`Options::SORT`].
    pub sort: u16,
    /// `sync`: synchronizing handshake number.
    pub sync: u32,
    /// `seq`: sequence number of its first data byte, or of the next one if it has none.
    pub seq: u64,
}

/// Key of a context: 63 bits chosen by its owner, and RTN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u64);

impl Key {
    /// RTN: the key is that of the packet's receiver.
    pub const RETURN: u64 = 1 << 63;

    /// The key with RTN set.
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
    /// No option bit set.
    pub const NONE: Options = Options(0);
    /// NOCHECK: the checksum covers the header only.
    pub const NOCHECK: Options = Options(0x40_0000);
    /// EDGE: a toggled bit requests status.
    pub const EDGE: Options = Options(0x20_0000);
    /// NOERR: the sender does not retransmit.
    pub const NOERR: Options = Options(0x10_0000);
    /// MULTI: the association is multicast.
    pub const MULTI: Options = Options(0x08_0000);
    /// RES: allocation covers only buffers that the receiving user has posted.
    pub const RES: Options = Options(0x04_0000);
    /// SORT: the `sort` field is valid.
    pub const SORT: Options = Options(0x02_0000);
    /// NOFLOW: the sender ignores allocation.
    pub const NOFLOW: Options = Options(0x01_0000);
    /// FASTNAK: the receiver reports gaps at once.
    pub const FASTNAK: Options = Options(0x00_8000);
    /// SREQ: requests status at once.
    pub const SREQ: Options = Options(0x00_4000);
    /// DREQ: requests status once the data up to here were delivered to the user.
    pub const DREQ: Options = Options(0x00_2000);
    /// RCLOSE: the sender of this packet accepts no more data.
    pub const RCLOSE: Options = Options(0x00_1000);
    /// WCLOSE: the sender's stream ends with this packet.
    pub const WCLOSE: Options = Options(0x00_0800);
    /// EOM: the packet's last byte ends a message.
    pub const EOM: Options = Options(0x00_0400);
    /// END: the sender's context has ended.
    pub const END: Options = Options(0x00_0200);
    /// BTAG: a tag precedes the data.
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

    /// Parses the 24-bit field; `None` if an unassigned bit is set.
    pub const fn from_bits(bits: u32) -> Option<Options> {
        if bits & !Options::ASSIGNED == 0 { Some(Options(bits)) } else { None }
    }

    /// The 24-bit field of the options.
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

/// Fields of a header that determine the packet's format and length.
pub(super) struct Shape {
    pub format: u8,
    pub dlen: u32,
    pub check: u16,
}

impl Header {
    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<(Self, Shape), ParseError> {
        let key = Key(reader.u64("key")?);
        let command = reader.u32("command")?;
        let dlen = reader.u32("dlen")?;
        let check = reader.u16("checksum")?;
        let (sort, sync, seq) = (reader.u16("sort")?, reader.u32("sync")?, reader.u64("sequence number")?);
        let (version, format) = (command as u8 >> 5, command as u8 & 0x1f);
        if version != VERSION {
            return Err(ParseError::Version(version));
        }
        let bits = command >> 8;
        let options = Options::from_bits(bits).ok_or(ParseError::Options(bits & !Options::ASSIGNED))?;
        Ok((Header { key, options, sort, sync, seq }, Shape { format, dlen, check }))
    }

    /// Writes the header with a checksum field of zero.
    pub(super) fn emit(&self, format: u8, dlen: u32, writer: &mut Writer<'_>) {
        writer.u64(self.key.0);
        writer.u32(self.options.0 << 8 | u32::from(VERSION << 5 | format));
        writer.u32(dlen);
        writer.u16(0);
        writer.u16(self.sort);
        writer.u32(self.sync);
        writer.u64(self.seq);
    }
}
