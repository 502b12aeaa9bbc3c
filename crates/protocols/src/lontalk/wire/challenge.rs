//! The AuthPDU: a challenge, or the reply computed from it with the key.

use super::error::ParseError;
use crate::cursor::{Reader, Writer};
use crate::limits::{OutOfRange, within};

/// A challenge, or the reply to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AuthPdu {
    /// The address format of the authenticated message.
    pub original: OriginalFormat,
    /// The transaction number of the message, 0 to 15.
    pub transaction: u8,
    /// Whether it is a challenge or a reply.
    pub kind: AuthKind,
    /// The random number, or the reply computed from it.
    pub value: [u8; 8],
}

/// The type of an AuthPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuthKind {
    /// Challenge by the receiver of a message.
    Challenge,
    /// Reply of the message's sender.
    Reply,
}

/// The address format of the authenticated message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OriginalFormat {
    /// Format 0: a broadcast.
    Broadcast,
    /// Format 1: multicast, with the group number.
    Group(u8),
    /// Format 2: subnet and node.
    Node,
    /// Format 3: unique id.
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
