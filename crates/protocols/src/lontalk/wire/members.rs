//! The list of group members that have responded (M_List), sent to the group with a retry.

use super::error::ParseError;
use crate::cursor::{Reader, Writer};

/// A set of group members 0 to 63.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Members(u64);

impl Members {
    /// The set without members.
    pub const NONE: Members = Members(0);

    /// The members whose bits are 1: member m is bit m.
    pub const fn from_bits(bits: u64) -> Self {
        Members(bits)
    }

    /// Member m is bit m.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Adds `member`; returns false if it was a member already, or exceeds 63.
    pub const fn insert(&mut self, member: u8) -> bool {
        if member > 63 || self.contains(member) {
            return false;
        }
        self.0 |= 1 << member;
        true
    }

    /// Whether `member` is in the set.
    pub const fn contains(self, member: u8) -> bool {
        member <= 63 && self.0 >> member & 1 == 1
    }

    /// The number of members in the set.
    pub const fn count(self) -> u8 {
        self.0.count_ones() as u8
    }

    /// Length of the list in bytes, up to the highest member: 0 to 8.
    pub const fn list_length(self) -> usize {
        (64 - self.0.leading_zeros()).div_ceil(8) as usize
    }

    /// Parses a length byte of at most `limit` and the list.
    pub(super) fn parse(limit: u8, reader: &mut Reader<'_>) -> Result<Self, ParseError> {
        let found = reader.byte("member list")?;
        if found > limit {
            return Err(ParseError::MemberList { found, limit });
        }
        let mut bytes = [0; 8];
        bytes[..usize::from(found)].copy_from_slice(reader.take(usize::from(found), "member list")?);
        Ok(Members(u64::from_le_bytes(bytes)))
    }

    /// Writes the length byte and the list.
    pub(super) fn emit(self, writer: &mut Writer<'_>) {
        writer.byte(self.list_length() as u8);
        writer.bytes(&self.0.to_le_bytes()[..self.list_length()]);
    }
}

impl FromIterator<u8> for Members {
    fn from_iter<I: IntoIterator<Item = u8>>(members: I) -> Self {
        let mut set = Members::NONE;
        for member in members {
            set.insert(member);
        }
        set
    }
}
