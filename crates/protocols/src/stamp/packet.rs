//! The two test packets, in both modes (RFC 8762 sections 4.2 and 4.3, RFC 8972 section 3).

use super::error::ParseError;
use super::error_estimate::ErrorEstimate;
use super::extensions::Extensions;
use super::timestamp::Timestamp;
use super::{AUTHENTICATED_LENGTH, OPEN_LENGTH};
use crate::authentication::{Key, TAG_LENGTH, Tag};
use crate::cursor::{Reader, Writer};
use crate::limits::Truncated;

/// Octets that the tag covers.
const COVERED_LENGTH: usize = AUTHENTICATED_LENGTH - TAG_LENGTH;

/// A test packet of the session-sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Sequence number within the session.
    pub sequence: u32,
    /// Time at which the sender transmitted the packet.
    pub timestamp: Timestamp,
    /// Error estimate of the sender's clock.
    pub error: ErrorEstimate,
    /// STAMP session identifier (SSID; RFC 8972, section 3); 0 without one.
    pub session: u16,
}

/// A test packet of the session-reflector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// Sequence number of the reflector within the session; that of the probe from a stateless reflector.
    pub sequence: u32,
    /// Time at which the reflector transmitted the packet.
    pub timestamp: Timestamp,
    /// Error estimate of the reflector's clock.
    pub error: ErrorEstimate,
    /// SSID of the probe.
    pub session: u16,
    /// Receive timestamp of the probe.
    pub received: Timestamp,
    /// Sequence number of the probe.
    pub probe_sequence: u32,
    /// Transmit timestamp of the probe.
    pub probe_timestamp: Timestamp,
    /// Error estimate of the probe.
    pub probe_error: ErrorEstimate,
    /// TTL or hop limit with which the probe arrived, [`UNKNOWN_TTL`](super::UNKNOWN_TTL) if unknown.
    pub probe_ttl: u8,
}

impl Probe {
    /// Parses the payload of a datagram; with a key, in authenticated mode.
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
    /// Parses the payload of a datagram; with a key, in authenticated mode.
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

/// Length of a test packet in bytes, with a key or without.
pub fn length(key: Option<&Key>) -> usize {
    if key.is_some() { AUTHENTICATED_LENGTH } else { OPEN_LENGTH }
}

/// Verifies the tag; returns the fields of the packet and the octets after it.
fn open<'a>(bytes: &'a [u8], key: Option<&Key>) -> Result<(Fields<'a>, &'a [u8]), ParseError> {
    let authenticated = key.is_some();
    let short = ParseError::TooShort { length: bytes.len(), min: length(key) };
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

/// Reads fields in order; in authenticated mode each starts at a block of 16 octets.
struct Fields<'a> {
    reader: Reader<'a>,
    authenticated: bool,
}

impl Fields<'_> {
    fn sequence(&mut self) -> Result<u32, Truncated> {
        let sequence = self.reader.u32("sequence number")?;
        self.skip(0, 12)?;
        Ok(sequence)
    }

    fn timestamp(&mut self) -> Result<Timestamp, Truncated> {
        self.reader.u64("timestamp").map(Timestamp::from_bits)
    }

    fn error(&mut self) -> Result<ErrorEstimate, Truncated> {
        self.reader.u16("error estimate").map(ErrorEstimate::from_bits)
    }

    fn session(&mut self) -> Result<u16, Truncated> {
        let session = self.reader.u16("SSID")?;
        self.skip(0, 4)?;
        Ok(session)
    }

    fn received(&mut self) -> Result<Timestamp, Truncated> {
        let received = self.timestamp()?;
        self.skip(0, 8)?;
        Ok(received)
    }

    fn ttl(&mut self) -> Result<u8, Truncated> {
        self.skip(2, 6)?;
        self.reader.byte("TTL")
    }

    /// Skips must-be-zero octets without checking them.
    fn skip(&mut self, open: usize, authenticated: usize) -> Result<(), Truncated> {
        let count = if self.authenticated { authenticated } else { open };
        self.reader.take(count, "padding").map(|_| ())
    }
}

/// Writes fields in order into a zeroed buffer.
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
