//! Speech codecs: frames, packets, look-ahead and what they impair, for measurements and simulated networks alike.
//!
//! `Ie` and `Bpl` are from ITU-T G.113 (09/2024, with Erratum 1 of 01/2026): narrowband from Appendix I, wideband
//! from Appendix IV (AMR-WB heard binaurally, Tables IV.3 and IV.4, which give robustness for three of its modes),
//! fullband from Appendix V. They are provisional planning values for random loss. The ITU-T has published none for
//! Opus.

use std::fmt;
use std::str::FromStr;

use sojourn_core::Duration;

use crate::e_model::{Band, CodecImpairment};

/// A speech codec at one bit rate.
#[derive(Clone, Copy)]
pub struct Codec(&'static Row);

/// What is known of a codec.
#[derive(Debug)]
struct Row {
    name: &'static str,
    sample_rate: u32,
    frame: Duration,
    frame_octets: u32,
    packet_octets: u32,
    look_ahead: Duration,
    impairment: CodecImpairment,
}

const fn narrow(impairment: f64, robustness: f64) -> CodecImpairment {
    CodecImpairment { band: Band::Narrow, impairment, robustness: Some(robustness) }
}

const fn full(impairment: f64, robustness: f64) -> CodecImpairment {
    CodecImpairment { band: Band::Full, impairment, robustness: Some(robustness) }
}

/// A mode of AMR-WB: frames of 20 ms, 5 ms ahead (3GPP TS 26.190, clause 4); in the octet-aligned format a packet has an
/// octet, a frame one and its speech bits in whole octets (RFC 4867, section 4.4).
const fn amr_wb(name: &'static str, speech_octets: u32, impairment: f64, robustness: f64) -> Row {
    Row {
        name,
        sample_rate: 16_000,
        frame: Duration::from_millis(20),
        frame_octets: 1 + speech_octets,
        packet_octets: 1,
        look_ahead: Duration::from_millis(5),
        impairment: CodecImpairment { band: Band::Wide, impairment, robustness: Some(robustness) },
    }
}

/// A rate of EVS, super-wideband: frames of 20 ms, in all 32 ms from microphone to loudspeaker (3GPP TS 26.445, clause 4.4); in the
/// header-full format a frame has an octet before it (Annex A.2.2).
const fn evs(name: &'static str, speech_octets: u32, impairment: f64, robustness: f64) -> Row {
    Row {
        name,
        sample_rate: 32_000,
        frame: Duration::from_millis(20),
        frame_octets: 1 + speech_octets,
        packet_octets: 0,
        look_ahead: Duration::from_millis(12),
        impairment: full(impairment, robustness),
    }
}

/// A constant rate of Opus, super-wideband: frames of 20 ms, 6.5 ms ahead (RFC 6716, section 2), nothing added (RFC 7587).
/// `Ie` and `Bpl` of random loss: Al-Ahmadi, Pocta, Melvin, by P.863 (`Opus_emodel`, 2021; ACM TOMM 17(4), 2021).
const fn opus(name: &'static str, frame_octets: u32, impairment: f64, robustness: f64) -> Row {
    Row {
        name,
        sample_rate: 48_000,
        frame: Duration::from_millis(20),
        frame_octets,
        packet_octets: 0,
        look_ahead: Duration::from_micros(6500),
        impairment: full(impairment, robustness),
    }
}

const SAMPLE: Duration = Duration::from_micros(125);

/// ITU-T G.711 at 64 kbit/s, with or without the concealment of Appendix I, which delays by 3.75 ms for its overlap.
const fn g711(name: &'static str, look_ahead: Duration, robustness: f64) -> Row {
    Row {
        name,
        sample_rate: 8000,
        frame: SAMPLE,
        frame_octets: 1,
        packet_octets: 0,
        look_ahead,
        impairment: narrow(0.0, robustness),
    }
}

const CODECS: &[Row] = &[
    g711("g711", Duration::from_micros(3750), 25.1),
    g711("g711-plain", Duration::ZERO, 4.3),
    // ITU-T G.729 Annex A with the voice activity detection of Annex B: frames of 10 ms, 5 ms ahead
    Row {
        name: "g729a",
        sample_rate: 8000,
        frame: Duration::from_millis(10),
        frame_octets: 10,
        packet_octets: 0,
        look_ahead: Duration::from_millis(5),
        impairment: narrow(11.0, 19.0),
    },
    // ITU-T G.722 at 64 kbit/s: an octet each 125 us (RFC 3551, section 4.5.2), its filters delay by 1.5 ms (G.114, Annex
    // A); Ie of Table IV.1, Bpl unpublished
    Row {
        name: "g722",
        sample_rate: 16_000,
        frame: SAMPLE,
        frame_octets: 1,
        packet_octets: 0,
        look_ahead: Duration::from_micros(1500),
        impairment: CodecImpairment { band: Band::Wide, impairment: 13.0, robustness: None },
    },
    amr_wb("amr-wb-12.65", 32, 20.0, 4.3),
    amr_wb("amr-wb-23.05", 58, 8.0, 4.6),
    amr_wb("amr-wb-23.85", 60, 10.0, 4.9),
    evs("evs-9.6", 24, 22.7, 13.0),
    evs("evs-13.2", 33, 17.1, 11.7),
    evs("evs-16.4", 41, 10.8, 10.3),
    evs("evs-24.4", 61, 7.2, 11.4),
    evs("evs-32", 80, 8.7, 9.3),
    evs("evs-48", 120, 10.2, 9.6),
    opus("opus-16", 40, 36.88, 13.30),
    opus("opus-28", 70, 23.65, 11.67),
    opus("opus-40", 100, 15.90, 11.35),
];

/// The text names no known codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCodec;

impl FromStr for Codec {
    type Err = UnknownCodec;

    fn from_str(word: &str) -> Result<Codec, UnknownCodec> {
        CODECS.iter().find(|row| row.name == word).map(Codec).ok_or(UnknownCodec)
    }
}

impl Default for Codec {
    fn default() -> Self {
        Codec::G711
    }
}

impl PartialEq for Codec {
    fn eq(&self, other: &Codec) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for Codec {}

impl fmt::Debug for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl Codec {
    /// ITU-T G.711 with the packet-loss concealment of its Appendix I: 64 kbit/s.
    pub const G711: Codec = Codec(&CODECS[0]);
    /// ITU-T G.711 without concealment.
    pub const G711_PLAIN: Codec = Codec(&CODECS[1]);

    /// All codecs.
    pub fn all() -> impl Iterator<Item = Codec> {
        CODECS.iter().map(Codec)
    }

    /// Its name, as in scenarios: `"amr-wb-12.65"`, with the bit rate in kbit/s of those that have several.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// Frame length; a packet holds a whole number of frames.
    pub fn frame(self) -> Duration {
        self.0.frame
    }

    /// Octets of a packet of encoded speech of this length, payload header included.
    pub fn octets_in(self, span: Duration) -> u32 {
        let frames = u32::try_from(span.whole(self.frame())).unwrap_or(u32::MAX);
        frames.saturating_mul(self.0.frame_octets).saturating_add(self.0.packet_octets)
    }

    /// Samples in speech of this length.
    pub fn samples_in(self, span: Duration) -> u64 {
        (u128::from(span.picoseconds()) * u128::from(self.0.sample_rate) / 1_000_000_000_000) as u64
    }

    /// Delay of encoder and decoder beyond the packet: look-ahead, filters, concealment.
    pub fn look_ahead(self) -> Duration {
        self.0.look_ahead
    }

    /// The bandwidth by which it is rated.
    pub fn band(self) -> Band {
        self.0.impairment.band
    }

    /// Equipment impairment and packet-loss robustness (ITU-T G.113, random loss).
    pub fn impairment(self) -> CodecImpairment {
        self.0.impairment
    }
}

#[cfg(test)]
mod published;

#[cfg(test)]
mod tests {
    use super::*;

    fn codec(name: &str) -> Codec {
        name.parse().unwrap_or_else(|_| panic!("{name} is a codec"))
    }

    #[test]
    fn packets_of_twenty_milliseconds_have_the_octets_of_their_formats() {
        let span = Duration::from_millis(20);
        let sizes = [
            ("g711", 160),
            ("g722", 160),
            ("g729a", 20),
            // CMR, table of contents, 253 speech bits in 32 octets
            ("amr-wb-12.65", 34),
            ("evs-13.2", 34),
            ("opus-40", 100),
        ];
        for (name, octets) in sizes {
            assert_eq!(codec(name).octets_in(span), octets, "{name}");
        }
        assert_eq!(codec("g729a").octets_in(Duration::from_millis(19)), 10, "half a frame is none");
    }

    #[test]
    fn the_bit_rate_in_a_name_is_that_of_its_speech() {
        for codec in Codec::all() {
            let Some(rate) = codec.name().rsplit('-').next().and_then(|text| text.parse::<f64>().ok()) else {
                continue;
            };
            let headers = u32::from(!codec.name().starts_with("opus")) + codec.0.packet_octets;
            let octets = codec.octets_in(codec.frame()) - headers;
            // speech bits fill their last octet at most
            let bits = rate * 1e3 * codec.frame().seconds();
            assert!((0.0..8.0).contains(&(f64::from(8 * octets) - bits)), "{codec:?}: {octets} octets");
        }
    }

    #[test]
    fn samples_are_those_of_the_rate_at_which_the_codec_works() {
        let samples = |name: &str| codec(name).samples_in(Duration::from_millis(20));
        assert_eq!(["g711", "g722", "evs-48", "opus-16"].map(samples), [160, 320, 640, 960]);
    }

    #[test]
    fn every_codec_has_a_name_of_its_own_by_which_it_is_found() {
        for codec in Codec::all() {
            assert_eq!(codec.name().parse(), Ok(codec));
        }
        assert_eq!("opus".parse::<Codec>(), Err(UnknownCodec));
    }

    #[test]
    fn a_higher_rate_of_a_codec_impairs_less_but_for_the_fastest_of_amr_wb_and_evs() {
        let impairs = |name: &str| codec(name).impairment().impairment;
        assert!(impairs("evs-9.6") > impairs("evs-13.2") && impairs("evs-13.2") > impairs("evs-24.4"));
        assert!(impairs("opus-16") > impairs("opus-28") && impairs("opus-28") > impairs("opus-40"));
        // the published values, whose order surprises
        assert!(impairs("amr-wb-23.85") > impairs("amr-wb-23.05") && impairs("evs-48") > impairs("evs-24.4"));
    }
}
