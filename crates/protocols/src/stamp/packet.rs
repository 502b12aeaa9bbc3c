//! The two test packets, in both modes (RFC 8762 sections 4.2 and 4.3, RFC 8972 section 3).

use super::error::ParseError;
use super::error_estimate::ErrorEstimate;
use super::extensions::Extensions;
use super::timestamp::Timestamp;
use super::{AUTHENTICATED_LENGTH, OPEN_LENGTH};
use crate::authentication::{Key, TAG_LENGTH, Tag};
use crate::cursor::{CutField, Reader, Writer};

/// What the tag covers.
const COVERED_LENGTH: usize = AUTHENTICATED_LENGTH - TAG_LENGTH;

/// A test packet of the session-sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Counts the probes of a session.
    pub sequence: u32,
    /// When it was sent.
    pub timestamp: Timestamp,
    /// How far its clock may be off.
    pub error: ErrorEstimate,
    /// SSID: which session of the sender's address it belongs to; 0 for one without sessions.
    pub session: u16,
}

/// A test packet of the session-reflector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Counts the replies of a session, or is the probe's number again when the reflector keeps no state.
    pub sequence: u32,
    /// When it was sent.
    pub timestamp: Timestamp,
    /// How far the reflector's clock may be off.
    pub error: ErrorEstimate,
    /// SSID, the probe's.
    pub session: u16,
    /// When the probe was received.
    pub received: Timestamp,
    /// What the probe said.
    pub probe_sequence: u32,
    /// What the probe said.
    pub probe_timestamp: Timestamp,
    /// What the probe said.
    pub probe_error: ErrorEstimate,
    /// TTL or hop limit with which the probe arrived, [`UNKNOWN_TTL`](super::UNKNOWN_TTL) if nobody saw it.
    pub probe_ttl: u8,
}

impl Probe {
    /// Reads a datagram's payload.
    pub fn parse<'a>(bytes: &'a [u8], key: Option<&Key>) -> Result<(Probe, Extensions<'a>), ParseError> {
        let (mut fields, rest) = open(bytes, key)?;
        let probe = Probe {
            sequence: fields.sequence()?,
            timestamp: fields.timestamp()?,
            error: fields.error()?,
            session: fields.reader.u16("SSID")?,
        };
        Ok((probe, Extensions(rest)))
    }

    /// Replaces `packet` by this probe; TLVs may be appended.
    pub fn emit(&self, key: Option<&Key>, packet: &mut Vec<u8>) {
        emit(key, packet, |fields| {
            fields.sequence(self.sequence);
            fields.stamp(self.timestamp, self.error);
            fields.writer.u16(self.session);
        });
    }
}

impl Reply {
    /// Reads a datagram's payload.
    pub fn parse<'a>(bytes: &'a [u8], key: Option<&Key>) -> Result<(Reply, Extensions<'a>), ParseError> {
        let (mut fields, rest) = open(bytes, key)?;
        let reply = Reply {
            sequence: fields.sequence()?,
            timestamp: fields.timestamp()?,
            error: fields.error()?,
            session: fields.session()?,
            received: fields.received()?,
            probe_sequence: fields.sequence()?,
            probe_timestamp: fields.timestamp()?,
            probe_error: fields.error()?,
            probe_ttl: fields.ttl()?,
        };
        Ok((reply, Extensions(rest)))
    }

    /// Replaces `packet` by this reply; the probe's TLVs may be appended.
    pub fn emit(&self, key: Option<&Key>, packet: &mut Vec<u8>) {
        emit(key, packet, |fields| {
            fields.sequence(self.sequence);
            fields.stamp(self.timestamp, self.error);
            fields.writer.u16(self.session);
            fields.pad(0, 4);
            fields.writer.bytes(&self.received.to_bytes());
            fields.pad(0, 8);
            fields.sequence(self.probe_sequence);
            fields.stamp(self.probe_timestamp, self.probe_error);
            fields.pad(2, 6);
            fields.writer.byte(self.probe_ttl);
        });
    }
}

/// The bytes of a test packet, with a key or without.
pub fn length(key: Option<&Key>) -> usize {
    if key.is_some() { AUTHENTICATED_LENGTH } else { OPEN_LENGTH }
}

/// The fields of a packet whose tag is right, and what is behind it.
fn open<'a>(bytes: &'a [u8], key: Option<&Key>) -> Result<(Fields<'a>, &'a [u8]), ParseError> {
    let authenticated = key.is_some();
    let short = ParseError::TooShort { length: bytes.len(), least: length(key) };
    let Some(key) = key else {
        let (fields, rest) = bytes.split_at_checked(OPEN_LENGTH).ok_or(short)?;
        return Ok((Fields { reader: Reader(fields), authenticated }, rest));
    };
    let (fields, rest) = bytes.split_at_checked(COVERED_LENGTH).ok_or(short)?;
    let (tag, rest) = rest.split_first_chunk::<TAG_LENGTH>().ok_or(short)?;
    if !key.is_tag(&[fields], tag) {
        return Err(ParseError::Tag);
    }
    Ok((Fields { reader: Reader(fields), authenticated }, rest))
}

fn emit(key: Option<&Key>, packet: &mut Vec<u8>, fill: impl FnOnce(&mut Emitted<'_>)) {
    packet.clear();
    packet.resize(length(key), 0);
    fill(&mut Emitted { writer: Writer::new(packet), authenticated: key.is_some() });
    if let Some(key) = key {
        let tag: Tag = key.tag(&[&packet[..COVERED_LENGTH]]);
        packet[COVERED_LENGTH..].copy_from_slice(&tag);
    }
}

/// Fields from front to back; with authentication each begins at a block of 16 octets.
struct Fields<'a> {
    reader: Reader<'a>,
    authenticated: bool,
}

impl Fields<'_> {
    fn sequence(&mut self) -> Result<u32, CutField> {
        let sequence = self.reader.u32("sequence number")?;
        self.skip(0, 12)?;
        Ok(sequence)
    }

    fn timestamp(&mut self) -> Result<Timestamp, CutField> {
        self.reader.u64("timestamp").map(Timestamp::from_bits)
    }

    fn error(&mut self) -> Result<ErrorEstimate, CutField> {
        self.reader.u16("error estimate").map(ErrorEstimate::from_bits)
    }

    fn session(&mut self) -> Result<u16, CutField> {
        let session = self.reader.u16("SSID")?;
        self.skip(0, 4)?;
        Ok(session)
    }

    fn received(&mut self) -> Result<Timestamp, CutField> {
        let received = self.timestamp()?;
        self.skip(0, 8)?;
        Ok(received)
    }

    fn ttl(&mut self) -> Result<u8, CutField> {
        self.skip(2, 6)?;
        self.reader.byte("TTL")
    }

    /// Passes over octets that must be zero and are not looked at.
    fn skip(&mut self, open: usize, authenticated: usize) -> Result<(), CutField> {
        let count = if self.authenticated { authenticated } else { open };
        self.reader.take(count, "padding").map(|_| ())
    }
}

/// The same for writing, into zeros.
struct Emitted<'a> {
    writer: Writer<'a>,
    authenticated: bool,
}

impl Emitted<'_> {
    fn sequence(&mut self, sequence: u32) {
        self.writer.u32(sequence);
        self.pad(0, 12);
    }

    fn stamp(&mut self, timestamp: Timestamp, error: ErrorEstimate) {
        self.writer.bytes(&timestamp.to_bytes());
        self.writer.u16(error.bits());
    }

    fn pad(&mut self, open: usize, authenticated: usize) {
        self.writer.space(if self.authenticated { authenticated } else { open });
    }
}
