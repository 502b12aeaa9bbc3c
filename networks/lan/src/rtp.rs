//! Packets of RTP, as captures show them.

use sojourn_core::Duration;
use sojourn_metrics::codec::Codec;
use sojourn_protocols::{StreamRange, UserData};

/// Octets of the header (RFC 3550, 5.1).
pub const HEADER: u32 = 12;
/// The synchronization source of the first talker; those of the others follow.
pub const FIRST_SOURCE: u32 = 0x5350_0000;
/// The first payload type without a number of its own (RFC 3551, 6).
const DYNAMIC: u8 = 96;

/// What the headers of a stream say of its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RtpFormat {
    payload_type: u8,
    /// Ticks of the timestamp in a packet time.
    ticks: u32,
}

/// A packet of a talker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spoken {
    /// Its packet time.
    pub packet_time: u32,
    /// Its sequence number.
    pub number: u16,
    /// Whether a talkspurt begins with it.
    pub begins: bool,
}

/// A packet: the header, then octets of its talker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rtp {
    /// Index of the talker.
    pub talker: u32,
    /// Which of its packets it is.
    pub spoken: Spoken,
    /// What it carries.
    pub format: RtpFormat,
    /// Octets, with the header.
    pub length: u16,
}

impl RtpFormat {
    /// That of a codec whose packets are this far apart.
    pub fn of(codec: Codec, packet_time: Duration) -> RtpFormat {
        let (payload_type, clock) = of_codec(codec);
        let ticks = u128::from(packet_time.picoseconds()) * u128::from(clock) / 1_000_000_000_000;
        RtpFormat { payload_type, ticks: ticks as u32 }
    }
}

/// The payload type and the clock of a codec (RFC 3551, table 4: that of G.722 is 8 kHz; RFC 4867, RFC 7587, 3GPP TS 26.445).
fn of_codec(codec: Codec) -> (u8, u32) {
    match codec.name() {
        "g711" | "g711-plain" => (0, 8_000),
        "g722" => (9, 8_000),
        "g729a" => (18, 8_000),
        name if name.starts_with("opus") => (DYNAMIC, 48_000),
        _ => (DYNAMIC, 16_000),
    }
}

impl UserData for Rtp {
    fn length(&self) -> usize {
        self.length.into()
    }

    fn emit(&self, buffer: &mut [u8]) {
        let Spoken { packet_time, number, begins } = self.spoken;
        let Some((header, payload)) = buffer.split_first_chunk_mut::<{ HEADER as usize }>() else { return };
        header[0] = 2 << 6;
        header[1] = u8::from(begins) << 7 | self.format.payload_type;
        header[2..4].copy_from_slice(&number.to_be_bytes());
        header[4..8].copy_from_slice(&packet_time.wrapping_mul(self.format.ticks).to_be_bytes());
        header[8..].copy_from_slice(&FIRST_SOURCE.wrapping_add(self.talker).to_be_bytes());
        let (length, offset) = (payload.len() as u16, packet_time.wrapping_mul(self.length.into()));
        StreamRange { stream: self.talker, offset, length }.emit(payload);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_has_the_header_of_its_codec_number_and_time() {
        let spoken = Spoken { packet_time: 3, number: 2, begins: true };
        let format = RtpFormat { payload_type: 18, ticks: 160 };
        let mut octets = [0; 32];
        Rtp { talker: 5, spoken, format, length: 32 }.emit(&mut octets);
        // version 2; marker and type 18; number 2; timestamp 3 x 160; source
        assert_eq!(octets[..12], [0x80, 0x92, 0, 2, 0, 0, 1, 0xe0, 0x53, 0x50, 0, 5]);
    }

    #[test]
    fn codecs_have_the_payload_types_and_clocks_of_their_profiles() {
        let of = |name: &str| of_codec(name.parse().unwrap());
        let found = ["g711", "g722", "g729a", "opus-28", "amr-wb-12.65"].map(of);
        assert_eq!(found, [(0, 8_000), (9, 8_000), (18, 8_000), (96, 48_000), (96, 16_000)]);
    }
}
