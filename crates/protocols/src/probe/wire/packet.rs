//! The header, its tag, and the way between bytes and a packet.

use super::{
    CONTROL_LENGTH, Fault, HEADER_LENGTH, Kind, LENGTH, LONGEST, MAGIC, Pdu, SHORTEST, TAG, TAGGED, Token, VERSION,
};
use crate::authentication::Key;
use crate::cursor::{Reader, Writer};

/// One packet, without its padding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The session, [`NO_TOKEN`](super::NO_TOKEN) before there is one.
    pub token: Token,
    /// Counts the packets of a kind: probes and load together, control packets apart.
    pub sequence: u64,
    /// What it says.
    pub pdu: Pdu,
}

/// Whether the tag is that of the key; nothing else of the bytes is looked at.
pub fn authentic(key: &Key, bytes: &[u8]) -> bool {
    if bytes.len() < usize::from(SHORTEST) {
        return false;
    }
    let tag = bytes[TAG].first_chunk().expect("the field has the length of a tag");
    key.is_tag(&tagged(bytes), tag)
}

/// How long the packet says that it is: where the next one begins in a stream. Its tag has not been looked at.
pub fn frame_length(beginning: &[u8]) -> Option<u16> {
    beginning.get(LENGTH)?.first_chunk().copied().map(u16::from_be_bytes)
}

impl Packet {
    /// Reads a packet, once its tag is found right.
    pub fn parse(key: &Key, bytes: &[u8]) -> Result<Packet, Fault> {
        if bytes.len() < usize::from(SHORTEST) {
            return Err(Fault::Short(bytes.len()));
        }
        if !authentic(key, bytes) {
            return Err(Fault::Unauthenticated);
        }
        if bytes[..3] != *MAGIC {
            return Err(Fault::Magic);
        }
        if bytes[3] != VERSION {
            return Err(Fault::Version(bytes[3]));
        }
        let mut reader = Reader(&bytes[TAG.end..]);
        let kind = Kind::of(reader.byte("kind")?)?;
        let flags = reader.byte("flags")?;
        let said = reader.u16("length")?;
        if usize::from(said) != bytes.len() {
            return Err(Fault::Length { said, found: bytes.len() });
        }
        if kind.is_control() && said != CONTROL_LENGTH {
            return Err(Fault::ControlLength(bytes.len()));
        }
        let (token, sequence) = (reader.array("token")?, reader.u64("sequence")?);
        Ok(Packet { token, sequence, pdu: Pdu::parse(kind, flags, &mut reader)? })
    }

    /// The octets it takes: of probes, replies and load as many as are wanted, within what a packet can have.
    pub fn length(&self, wanted: u16) -> u16 {
        if self.pdu.kind().is_control() { CONTROL_LENGTH } else { wanted.clamp(SHORTEST, LONGEST) }
    }

    /// Replaces `buffer` by the packet, padded to [`length`](Self::length) octets.
    pub fn emit(&self, key: &Key, wanted: u16, buffer: &mut Vec<u8>) {
        buffer.clear();
        self.append(key, wanted, buffer);
    }

    /// Puts the packet, padded to [`length`](Self::length) octets, behind what is in `buffer`.
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

/// What the tag vouches for.
fn tagged(bytes: &[u8]) -> [&[u8]; 2] {
    [&bytes[..TAG.start], &bytes[TAG.end..bytes.len().min(TAGGED)]]
}
