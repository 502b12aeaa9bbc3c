//! How much a session may do: what a client wants, and what an agent grants.

use super::Fault;
use crate::cursor::{Reader, Writer};

/// Bounds of one session. All hold for what the client sends and, apart, for what the agent sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Packets per second.
    pub packet_rate: u32,
    /// Bits per second, of UDP payload or of the TCP stream.
    pub bit_rate: u64,
    /// Octets in all, of both directions together.
    pub octets: u64,
    /// Seconds from opening to end.
    pub seconds: u32,
    /// Octets of one packet.
    pub longest: u16,
    /// TCP connections at a time.
    pub streams: u16,
    /// Seconds without a packet of the client after which the session ends.
    pub idle_seconds: u16,
    /// Whether the agent sends load over UDP. An agent without a key does so on its own host alone, since whoever
    /// shares a host behind a cookie's address could be flooded otherwise.
    pub sends: bool,
}

impl Limits {
    /// No bound but those of the fields.
    pub const NONE: Limits = Limits {
        packet_rate: u32::MAX,
        bit_rate: u64::MAX,
        octets: u64::MAX,
        seconds: u32::MAX,
        longest: super::LONGEST,
        streams: u16::MAX,
        idle_seconds: u16::MAX,
        sends: true,
    };

    /// The tighter of the two in each.
    pub fn tighter(self, other: Limits) -> Limits {
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

    pub(super) fn parse(reader: &mut Reader) -> Result<Limits, Fault> {
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
                other => return Err(Fault::Value { field: "sends", value: other as u8 }),
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
