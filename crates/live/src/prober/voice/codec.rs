//! Codecs: their bit rate and their E-model parameters.

use std::str::FromStr;

use sojourn_core::Duration;
use sojourn_metrics::e_model::CodecImpairment;

/// A speech codec: frame length, bit rate and impairment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codec {
    /// ITU-T G.711 with the packet-loss concealment of its Appendix I: 64 kbit/s.
    #[default]
    G711,
    /// ITU-T G.711 without concealment.
    G711Plain,
    /// ITU-T G.729 Annex A, 8 kbit/s, with the voice activity detection of Annex B.
    G729a,
}

/// The text names no known codec.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a codec: g711, g711-plain or g729a")]
pub struct UnknownCodec;

impl FromStr for Codec {
    type Err = UnknownCodec;

    fn from_str(word: &str) -> Result<Codec, UnknownCodec> {
        match word {
            "g711" => Ok(Codec::G711),
            "g711-plain" => Ok(Codec::G711Plain),
            "g729a" => Ok(Codec::G729a),
            _ => Err(UnknownCodec),
        }
    }
}

impl Codec {
    /// Sampling interval: both codecs sample at 8000 Hz.
    pub fn sample_time(self) -> Duration {
        Duration::from_micros(125)
    }

    /// Frame length; a packet holds a whole number of frames.
    pub fn frame(self) -> Duration {
        match self {
            Codec::G711 | Codec::G711Plain => self.sample_time(),
            Codec::G729a => Duration::from_millis(10),
        }
    }

    /// Octets of encoded speech of this length.
    pub fn octets_in(self, span: Duration) -> u32 {
        let octets_of_frame = match self {
            Codec::G711 | Codec::G711Plain => 1,
            Codec::G729a => 10,
        };
        u32::try_from(span.whole(self.frame())).unwrap_or(u32::MAX).saturating_mul(octets_of_frame)
    }

    /// Look-ahead beyond the packet (G.711 Appendix I delays by
    /// 3.75 ms for its overlap; G.729 looks 5 ms ahead).
    pub fn look_ahead(self) -> Duration {
        match self {
            Codec::G711 => Duration::from_micros(3750),
            Codec::G711Plain => Duration::ZERO,
            Codec::G729a => Duration::from_millis(5),
        }
    }

    /// Equipment impairment and packet-loss robustness (ITU-T G.113, Appendix I, random loss).
    pub fn impairment(self) -> CodecImpairment {
        match self {
            Codec::G711 => CodecImpairment { impairment: 0.0, robustness: 25.1 },
            Codec::G711Plain => CodecImpairment { impairment: 0.0, robustness: 4.3 },
            Codec::G729a => CodecImpairment { impairment: 11.0, robustness: 19.0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twenty_milliseconds_are_160_octets_of_one_codec_and_20_of_the_other() {
        let span = Duration::from_millis(20);
        assert_eq!((Codec::G711.octets_in(span), Codec::G729a.octets_in(span)), (160, 20));
        assert_eq!(Codec::G729a.octets_in(Duration::from_millis(19)), 10, "half a frame is none");
    }

    #[test]
    fn a_codec_is_parsed_or_rejected() {
        assert_eq!("g711-plain".parse(), Ok(Codec::G711Plain));
        assert_eq!("opus".parse::<Codec>(), Err(UnknownCodec));
    }
}
