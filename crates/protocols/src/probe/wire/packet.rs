//! Packets: header and authentication tag; parsing and emitting.

use super::{
    CONTROL_LENGTH, HEADER_LENGTH, Kind, LENGTH, MAGIC, MAX_PACKET, MIN_PACKET, ParseError, Pdu, TAG, TAGGED, TOKEN,
    Token, VERSION,
};
use crate::authentication::{Key, Tag};
use crate::cursor::{Reader, Writer};

/// One packet, without its padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Token of the session, [`NO_TOKEN`](super::NO_TOKEN) outside one.
    pub token: Token,
    /// Sequence number; probes and load share one number space, control packets another.
    pub sequence: u64,
    /// Kind of the packet and its body.
    pub pdu: Pdu,
}

/// Whether the tag is valid for the key; nothing else is checked.
pub fn is_authentic(key: &Key, bytes: &[u8]) -> bool {
    if bytes.len() < usize::from(MIN_PACKET) {
        return false;
    }
    let tag = bytes[TAG].first_chunk().expect("the field has the length of a tag");
    key.is_tag(&tagged(bytes), tag)
}

/// Length field of a packet, by which a stream is framed; not authenticated.
pub fn frame_length(header: &[u8]) -> Option<u16> {
    header.get(LENGTH)?.first_chunk().copied().map(u16::from_be_bytes)
}

/// Kind and sequence number of a captured packet; not authenticated, `None` of other bytes.
pub fn number_field(bytes: &[u8]) -> Option<(Kind, u64)> {
    let header = bytes.first_chunk::<HEADER_LENGTH>().filter(|header| header.starts_with(MAGIC))?;
    let sequence = header[TOKEN.end..].first_chunk().copied().map(u64::from_be_bytes)?;
    Some((Kind::of(header[TAG.end]).ok()?, sequence)).filter(|_| header[MAGIC.len()] == VERSION)
}

/// Token field of a packet, by which the key of its session is found; not authenticated.
pub fn token_field(bytes: &[u8]) -> Option<Token> {
    bytes.get(TOKEN)?.first_chunk().copied()
}

/// Tag of a packet that is [authentic](is_authentic).
pub fn tag_field(bytes: &[u8]) -> Option<Tag> {
    bytes.get(TAG)?.first_chunk().copied()
}

impl Packet {
    /// Verifies the tag and parses the packet.
    pub fn parse(key: &Key, bytes: &[u8]) -> Result<Packet, ParseError> {
        if bytes.len() < usize::from(MIN_PACKET) {
            return Err(ParseError::Short(bytes.len()));
        }
        if !is_authentic(key, bytes) {
            return Err(ParseError::Unauthenticated);
        }
        if bytes[..3] != *MAGIC {
            return Err(ParseError::Magic);
        }
        if bytes[3] != VERSION {
            return Err(ParseError::Version(bytes[3]));
        }
        let mut reader = Reader(&bytes[TAG.end..]);
        let kind = Kind::of(reader.byte("kind")?)?;
        let flags = reader.byte("flags")?;
        let field = reader.u16("length")?;
        if usize::from(field) != bytes.len() {
            return Err(ParseError::Length { field, found: bytes.len() });
        }
        if kind.is_control() && field != CONTROL_LENGTH {
            return Err(ParseError::ControlLength(bytes.len()));
        }
        let (token, sequence) = (reader.array("token")?, reader.u64("sequence")?);
        Ok(Packet { token, sequence, pdu: Pdu::parse(kind, flags, &mut reader)? })
    }

    /// Length in octets: `wanted`, within the limits of a packet, for probes, replies and load.
    pub fn length(&self, wanted: u16) -> u16 {
        if self.pdu.kind().is_control() { CONTROL_LENGTH } else { wanted.clamp(MIN_PACKET, MAX_PACKET) }
    }

    /// Replaces `buffer` by the packet, padded to [`length`](Self::length) octets.
    pub fn emit(&self, key: &Key, wanted: u16, buffer: &mut Vec<u8>) {
        buffer.clear();
        self.append(key, wanted, buffer);
    }

    /// Appends the packet, padded to [`length`](Self::length) octets, to `buffer`.
    pub fn append(&self, key: &Key, wanted: u16, buffer: &mut Vec<u8>) {
        let (begin, length) = (buffer.len(), self.length(wanted));
        buffer.resize(begin + usize::from(length), 0);
        let packet = &mut buffer[begin..];
        let mut writer = Writer::new(packet);
        writer.bytes(MAGIC);
        writer.byte(VERSION);
        writer.space(TAG.len());
        writer.byte(self.pdu.kind() as u8);
        writer.byte(self.pdu.flags());
        writer.u16(length);
        writer.bytes(&self.token);
        writer.u64(self.sequence);
        debug_assert_eq!(writer.written().len(), HEADER_LENGTH);
        self.pdu.emit(&mut writer);
        let tag = key.tag(&tagged(packet));
        packet[TAG].copy_from_slice(&tag);
    }
}

/// The octets that the tag covers.
fn tagged(bytes: &[u8]) -> [&[u8]; 2] {
    [&bytes[..TAG.start], &bytes[TAG.end..bytes.len().min(TAGGED)]]
}
