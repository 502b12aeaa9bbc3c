//! A voice stream as a user asks for it: `g711,packet=10 ms,play-out=60 ms,buffer=200 ms`.

use std::str::FromStr;

use sojourn_core::Duration;
use sojourn_scenario::quantity::{Dimension, Quantity};

use super::{Codec, UnknownCodec, Voice};

/// The most sound in a packet: a longer one would be late by itself (RFC 3551 asks receivers for 200 ms).
const LONGEST_PACKET: Duration = Duration::from_millis(200);
/// The longest wait and the largest buffer: a voice message, not a conversation.
const LONGEST_BUFFER: Duration = Duration::from_secs(60);

/// Why what was asked for is no voice stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidVoice {
    /// The first word is no codec.
    #[error("`{0}` {1}")]
    Codec(String, UnknownCodec),
    /// A part is none of those there are.
    #[error("`{0}` is no part of a voice stream: packet=, play-out= or buffer=, each a time")]
    Part(String),
    /// A part has a value that is no time.
    #[error("`{0}` is no time, as 20 ms")]
    Time(String),
    /// A packet that the codec cannot fill.
    #[error("a packet holds whole frames of {frame_us} µs, and at most 200 ms")]
    Packet {
        /// The codec's frame.
        frame_us: u64,
    },
    /// A buffer that holds no packet, or a wait without end.
    #[error("a buffer holds at least one packet, and it waits and holds at most 60 s")]
    Buffer,
}

impl FromStr for Voice {
    type Err = InvalidVoice;

    fn from_str(text: &str) -> Result<Voice, InvalidVoice> {
        let mut parts = text.split(',').map(str::trim);
        let word = parts.next().unwrap_or_default();
        let codec: Codec = word.parse().map_err(|unknown| InvalidVoice::Codec(word.to_owned(), unknown))?;
        let mut voice = Voice { codec, ..Voice::default() };
        for part in parts {
            let (name, value) = part.split_once('=').ok_or_else(|| InvalidVoice::Part(part.to_owned()))?;
            let span = match name.trim() {
                "packet" => &mut voice.packet_time,
                "play-out" => &mut voice.start_up,
                "buffer" => &mut voice.buffer,
                _ => return Err(InvalidVoice::Part(part.to_owned())),
            };
            *span = time(value.trim()).ok_or_else(|| InvalidVoice::Time(value.trim().to_owned()))?;
        }
        voice.checked()
    }
}

impl Voice {
    fn checked(self) -> Result<Voice, InvalidVoice> {
        let frame = self.codec.frame();
        let frames = self.packet_time.whole(frame);
        if frames == 0 || frame.times(frames) != self.packet_time || self.packet_time > LONGEST_PACKET {
            return Err(InvalidVoice::Packet { frame_us: frame.picoseconds() / 1_000_000 });
        }
        if self.buffer < self.packet_time || self.buffer > LONGEST_BUFFER || self.start_up > LONGEST_BUFFER {
            return Err(InvalidVoice::Buffer);
        }
        Ok(self)
    }
}

fn time(text: &str) -> Option<Duration> {
    Quantity::parse(text, Dimension::Time).ok()?.duration()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_codec_alone_is_a_stream_as_telephones_send_it_and_parts_change_it() {
        assert_eq!("g711".parse(), Ok(Voice::default()));
        let voice: Voice = "g729a, packet=30 ms, play-out=60 ms, buffer=0.3 s".parse().unwrap();
        assert_eq!((voice.codec, voice.octets()), (Codec::G729a, 42));
        assert_eq!((voice.start_up, voice.buffer), (Duration::from_millis(60), Duration::from_millis(300)));
    }

    #[test]
    fn what_is_no_stream_is_told_with_what_would_be() {
        let message = |text: &str| text.parse::<Voice>().unwrap_err().to_string();
        assert_eq!(message("opus"), "`opus` is no codec: g711, g711-plain or g729a");
        assert!(message("g711,wait=2 s").contains("packet=, play-out= or buffer="));
        assert_eq!(message("g711,packet=20"), "`20` is no time, as 20 ms");
        assert_eq!(message("g729a,packet=15 ms"), "a packet holds whole frames of 10000 µs, and at most 200 ms");
        assert!(message("g711,packet=0 s").starts_with("a packet holds whole frames of 125 µs"));
        assert!(message("g711,buffer=10 ms").starts_with("a buffer holds at least one packet"));
    }
}
