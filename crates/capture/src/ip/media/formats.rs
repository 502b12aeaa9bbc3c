//! What a payload type is: by number (RFC 3551, 6), or as a session description says, and which codec rates it.

use sojourn_core::Duration;
use sojourn_metrics::codec::Codec;

/// An encoding and the clock of its timestamps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// Its name as of session descriptions: `PCMU`, `opus`.
    pub encoding: String,
    /// Ticks of its timestamps per second.
    pub clock: u32,
}

/// Encodings by number (RFC 3551, 6; 18 of G.729 included).
#[rustfmt::skip]
const STATIC: [(u8, &str, u32); 23] = [
    (0, "PCMU", 8_000), (3, "GSM", 8_000), (4, "G723", 8_000), (5, "DVI4", 8_000), (6, "DVI4", 16_000), (7, "LPC", 8_000),
    (8, "PCMA", 8_000), (9, "G722", 8_000), (10, "L16", 44_100), (11, "L16", 44_100), (12, "QCELP", 8_000), (13, "CN", 8_000),
    (14, "MPA", 90_000), (15, "G728", 8_000), (16, "DVI4", 11_025), (17, "DVI4", 22_050), (18, "G729", 8_000),
    (25, "CelB", 90_000), (26, "JPEG", 90_000), (31, "H261", 90_000), (32, "MPV", 90_000), (33, "MP2T", 90_000),
    (34, "H263", 90_000),
];

/// The clocks of most encodings, in ticks per second.
pub const CLOCKS: [u32; 7] = [8_000, 16_000, 24_000, 32_000, 44_100, 48_000, 90_000];

impl Format {
    /// That of a number which is assigned.
    pub fn of_number(payload_type: u8) -> Option<Format> {
        let (_, encoding, clock) = STATIC.iter().find(|(number, ..)| *number == payload_type)?;
        Some(Format { encoding: (*encoding).to_owned(), clock: *clock })
    }

    /// Whether it carries signals, such as digits, whose timestamps stand still (RFC 4733).
    pub fn is_event(&self) -> bool {
        self.encoding.eq_ignore_ascii_case("telephone-event") || self.encoding.eq_ignore_ascii_case("tone")
    }

    /// The codec that rates it, of several bit rates that which fills packets of this length closest; `None` of one without
    /// published impairments.
    pub fn codec(&self, packet_time: Duration, octets: f64) -> Option<Codec> {
        let encoding = self.encoding.to_ascii_lowercase();
        let family = match encoding.as_str() {
            "pcmu" | "pcma" => return Some(Codec::G711),
            "g729" | "g729a" => "g729a",
            "g722" => "g722",
            "amr-wb" => "amr-wb-",
            "evs" => "evs-",
            "opus" => "opus-",
            _ => return None,
        };
        let off = |codec: &Codec| (f64::from(codec.octets_in(packet_time)) - octets).abs();
        Codec::all()
            .filter(|codec| codec.name() == family || (family.ends_with('-') && codec.name().starts_with(family)))
            .min_by(|one, other| off(one).total_cmp(&off(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codec(encoding: &str, octets: f64) -> Option<&'static str> {
        let format = Format { encoding: encoding.to_owned(), clock: 8_000 };
        format.codec(Duration::from_millis(20), octets).map(Codec::name)
    }

    #[test]
    fn numbers_are_those_of_the_profile() {
        assert!(STATIC.is_sorted_by(|(one, ..), (other, ..)| one < other));
        let name = |number| Format::of_number(number).map(|format| (format.encoding, format.clock));
        assert_eq!((name(8), name(14)), (Some(("PCMA".to_owned(), 8_000)), Some(("MPA".to_owned(), 90_000))));
        assert_eq!(name(96), None, "dynamic");
    }

    #[test]
    fn a_codec_of_several_rates_is_that_which_fills_the_packets() {
        assert_eq!((codec("PCMA", 160.0), codec("G729", 20.0)), (Some("g711"), Some("g729a")));
        assert_eq!((codec("AMR-WB", 33.0), codec("AMR-WB", 61.5)), (Some("amr-wb-12.65"), Some("amr-wb-23.85")));
        assert_eq!((codec("opus", 71.3), codec("GSM", 33.0)), (Some("opus-28"), None));
    }
}
