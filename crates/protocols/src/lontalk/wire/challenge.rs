//! The AuthPDU: a random number, or the value a sender who knows the key makes of it.

use super::error::ParseError;
use crate::cursor::{Reader, Writer};
use crate::limits::{OutOfRange, within};

/// A challenge, or the reply to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AuthPdu {
    /// How the message in question was addressed.
    pub original: OriginalFormat,
    /// Its transaction number, 0 to 15.
    pub transaction: u8,
    /// Challenge or reply.
    pub kind: AuthKind,
    /// The random number, or the reply's value.
    pub value: [u8; 8],
}

/// Challenge or reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuthKind {
    /// From the receiver of a message.
    Challenge,
    /// From its sender.
    Reply,
}

/// The address format of the message that is being authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OriginalFormat {
    /// Format 0.
    Broadcast,
    /// Format 1, with the group's number.
    Group(u8),
    /// Format 2.
    Node,
    /// Format 3.
    UniqueId,
}

impl OriginalFormat {
    const fn code(self) -> u8 {
        match self {
            OriginalFormat::Broadcast => 0,
            OriginalFormat::Group(_) => 1,
            OriginalFormat::Node => 2,
            OriginalFormat::UniqueId => 3,
        }
    }
}

impl AuthPdu {
    pub(super) const fn length(&self) -> usize {
        if matches!(self.original, OriginalFormat::Group(_)) { 10 } else { 9 }
    }

    pub(super) fn check(&self) -> Result<(), OutOfRange> {
        within("transaction number", usize::from(self.transaction), 15)
    }

    pub(super) fn parse(reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let first = reader.byte("AuthPDU")?;
        let kind = match first >> 4 & 3 {
            0 => AuthKind::Challenge,
            2 => AuthKind::Reply,
            other => return Err(ParseError::AuthenticationType(other)),
        };
        let value = reader.array("AuthPDU")?;
        let original = match first >> 6 {
            0 => OriginalFormat::Broadcast,
            1 => OriginalFormat::Group(reader.byte("AuthPDU group")?),
            2 => OriginalFormat::Node,
            _ => OriginalFormat::UniqueId,
        };
        Ok(AuthPdu { original, transaction: first & 0x0f, kind, value })
    }

    pub(super) fn emit(&self, writer: &mut Writer<'_>) {
        let kind = match self.kind {
            AuthKind::Challenge => 0,
            AuthKind::Reply => 2,
        };
        writer.byte(self.original.code() << 6 | kind << 4 | self.transaction);
        writer.bytes(&self.value);
        if let OriginalFormat::Group(group) = self.original {
            writer.byte(group);
        }
    }
}
