//! The limits of a voice stream.

use sojourn_core::Duration;

use super::Voice;

/// The most speech in a packet: a longer one would be late by itself (RFC 3551 asks receivers for 200 ms).
const LONGEST_PACKET: Duration = Duration::from_millis(200);
/// The longest playout delay and the largest buffer: a voice message, not a conversation.
const LONGEST_BUFFER: Duration = Duration::from_secs(60);

/// Why settings are not those of a voice stream.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidVoice {
    /// A packet that the codec cannot fill.
    #[error("a packet holds whole frames of {frame_us} µs, and at most 200 ms")]
    Packet {
        /// Length of the codec's frame, in microseconds.
        frame_us: u64,
    },
    /// A buffer shorter than a packet, or a buffer or playout delay beyond 60 s.
    #[error("a jitter buffer holds at least one packet, and delays and holds at most 60 s")]
    Buffer,
}

impl Voice {
    /// The stream, if its packets hold whole frames and its buffer at least one packet.
    pub fn checked(self) -> Result<Voice, InvalidVoice> {
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

#[cfg(test)]
mod tests {
    use super::super::Codec;
    use super::*;

    #[test]
    fn a_packet_holds_whole_frames_and_a_buffer_at_least_one_packet() {
        let [ten, fifteen, thirty] = [10, 15, 30].map(Duration::from_millis);
        let of = |codec, packet_time| Voice { codec, packet_time, ..Voice::default() };
        assert_eq!(of(Codec::G729a, thirty).checked().map(|voice| voice.octets()), Ok(42));
        assert_eq!(of(Codec::G729a, fifteen).checked(), Err(InvalidVoice::Packet { frame_us: 10_000 }));
        assert_eq!(of(Codec::G711, Duration::ZERO).checked(), Err(InvalidVoice::Packet { frame_us: 125 }));
        assert_eq!(Voice { buffer: ten, ..Voice::default() }.checked(), Err(InvalidVoice::Buffer));
    }
}
