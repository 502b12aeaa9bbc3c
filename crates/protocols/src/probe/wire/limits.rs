//! Limits of a session, requested by a client and granted by an agent.

use super::ParseError;
use crate::cursor::{Reader, Writer};

/// Limits of a session. The rates hold for each direction separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum packet rate, packets/s.
    pub packet_rate: u32,
    /// Bit rate of UDP payload or of the TCP stream, bit/s.
    pub bit_rate: u64,
    /// Volume of both directions together, octets.
    pub octets: u64,
    /// Duration from opening to end, s.
    pub seconds: u32,
    /// Maximum packet length, octets.
    pub longest: u16,
    /// Maximum number of simultaneous TCP connections.
    pub streams: u16,
    /// Idle timeout: the session ends after this without a packet from the client, s.
    pub idle_seconds: u16,
    /// Whether the agent sends load over UDP. An agent without a key sends load to its own host only; otherwise hosts
    /// that share an address could be flooded.
    pub sends: bool,
}

impl Limits {
    /// No limits except the ranges of the fields.
    pub const NONE: Limits = Limits {
        packet_rate: u32::MAX,
        bit_rate: u64::MAX,
        octets: u64::MAX,
        seconds: u32::MAX,
        longest: super::MAX_PACKET,
        streams: u16::MAX,
        idle_seconds: u16::MAX,
        sends: true,
    };

    /// The smaller of both limits, field by field.
    pub fn min(self, other: Limits) -> Limits {
        Limits {
            packet_rate: self.packet_rate.min(other.packet_rate),
            bit_rate: self.bit_rate.min(other.bit_rate),
            octets: self.octets.min(other.octets),
            seconds: self.seconds.min(other.seconds),
            longest: self.longest.min(other.longest),
            streams: self.streams.min(other.streams),
            idle_seconds: self.idle_seconds.min(other.idle_seconds),
            sends: self.sends && other.sends,
        }
    }

    pub(super) fn parse(reader: &mut Reader) -> Result<Limits, ParseError> {
        Ok(Limits {
            packet_rate: reader.u32("packet rate")?,
            bit_rate: reader.u64("bit rate")?,
            octets: reader.u64("volume")?,
            seconds: reader.u32("time")?,
            longest: reader.u16("longest packet")?,
            streams: reader.u16("streams")?,
            idle_seconds: reader.u16("idle time")?,
            sends: match reader.u16("sends")? {
                0 => false,
                1 => true,
                other => return Err(ParseError::Value { field: "sends", value: other as u8 }),
            },
        })
    }

    pub(super) fn emit(&self, writer: &mut Writer) {
        writer.u32(self.packet_rate);
        writer.u64(self.bit_rate);
        writer.u64(self.octets);
        writer.u32(self.seconds);
        writer.u16(self.longest);
        writer.u16(self.streams);
        writer.u16(self.idle_seconds);
        writer.u16(u16::from(self.sends));
    }
}
