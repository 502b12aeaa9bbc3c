//! Voice: a stream of packets as a codec sends them, rated by the E-model behind a jitter buffer.
//!
//! The stream is open-loop, one packet per packet time. It is rated after the test, from the timestamps of every
//! packet: no buffer runs during the test, so any number of buffers can be evaluated on one measurement.

mod reached;
mod stream;

use std::ops::Range;

use sojourn_core::Duration;
pub use sojourn_metrics::codec::{Codec, UnknownCodec};
use sojourn_metrics::e_model::{Transmission, mos, r_factor};
use sojourn_metrics::jitter_buffer::{JitterBuffer, Played};
use sojourn_metrics::{Observation, Record};

use self::reached::reached_peer;
use self::stream::{Stream, streams};
use super::clock_estimate::ClockEstimate;
use super::packets::Packets;
use super::peer::PeerCounts;
use super::schedule::Schedule;

/// Header of a voice packet, in octets (RTP, RFC 3550, section 5.1).
const RTP_HEADER: u32 = 12;

/// The most speech in a packet: a longer one would be late by itself (RFC 3551 asks receivers for 200 ms).
const LONGEST_PACKET: Duration = Duration::from_millis(200);
/// The longest playout delay and the largest buffer: a voice message, not a conversation.
const LONGEST_BUFFER: Duration = Duration::from_secs(60);

/// A voice stream and its listener.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voice {
    /// Codec of the stream.
    pub codec: Codec,
    /// Speech in a packet; also the interval between packets.
    pub packet_time: Duration,
    /// Playout delay: from the arrival of the first packet until it is played.
    pub start_up: Duration,
    /// Speech that the jitter buffer holds, at least one packet.
    pub buffer: Duration,
}

impl Default for Voice {
    /// G.711 in packets of 20 ms (RFC 3551, section 4.2), played from 40 ms after the first, with room for 200 ms.
    fn default() -> Self {
        let [packet_time, start_up, buffer] = [20, 40, 200].map(Duration::from_millis);
        Voice { codec: Codec::G711, packet_time, start_up, buffer }
    }
}

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

    /// One packet every packet time.
    pub fn schedule(&self) -> Schedule {
        Schedule::Periodic { interval: self.packet_time }
    }

    /// Octets of UDP payload of a packet, RTP header included.
    pub fn octets(&self) -> u32 {
        RTP_HEADER + self.codec.octets_in(self.packet_time)
    }

    /// Samples in a packet.
    pub fn samples(&self) -> u64 {
        self.codec.samples_in(self.packet_time)
    }

    /// Records the quality of the packets of a phase. Where the peer's timestamps are known, each direction is a stream of
    /// its own, and the one with the lower rating is reported for both; where the peer counts what reached it, a loss counts
    /// in its own direction only.
    pub fn report(
        &self,
        packets: &Packets,
        phase: Range<usize>,
        estimate: Option<&ClockEstimate>,
        counts: Option<&PeerCounts>,
        record: &mut Record,
    ) {
        let reached = reached_peer(packets, phase.clone(), counts);
        let streams = streams(&packets.all()[phase], estimate, reached.as_deref());
        let heard: Vec<Quality> = streams.iter().map(|stream| self.listen(stream)).collect();
        if let Some(poorest) = heard.iter().min_by(|one, other| one.goodness().total_cmp(&other.goodness())) {
            poorest.record_metrics(self, "", record);
        }
        if heard.iter().any(|quality| quality.rating.is_none()) {
            record.note(format!("no rating of {:?} under loss: its robustness (Bpl) is not published", self.codec));
        }
        for (stream, quality) in streams.iter().zip(&heard).filter(|_| heard.len() > 1) {
            quality.record_metrics(self, stream.member, record);
        }
    }

    fn listen(&self, stream: &Stream) -> Quality {
        let capacity = self.buffer.whole(self.packet_time).max(1);
        let buffer = JitterBuffer { packet_time: self.packet_time, delay: self.start_up, capacity };
        let played = buffer.play(&stream.arrivals);
        let transit = played.first.and_then(|first| stream.transit(first));
        let delay = transit.map(|transit| self.packet_time + self.codec.look_ahead() + transit + self.start_up);
        let (loss, burst_ratio) = (played.loss(), played.burst_ratio());
        // without a packet played out there is no rating
        let rated = delay.filter(|_| played.played > 0);
        let rating = rated
            .map_or(Some(0.0), |delay| r_factor(self.codec.impairment(), Transmission { delay, loss, burst_ratio }));
        Quality { rating, delay, played }
    }
}

/// Quality of a stream at the receiver.
#[derive(Debug)]
struct Quality {
    /// `None` under a loss of which no effect on the codec is published.
    rating: Option<f64>,
    delay: Option<Duration>,
    played: Played,
}

impl Quality {
    /// Orders streams of a call from the poorest: by rating, or by what was played.
    fn goodness(&self) -> f64 {
        self.rating.unwrap_or(-self.played.loss())
    }

    fn record_metrics(&self, voice: &Voice, member: &str, record: &mut Record) {
        let played = &self.played;
        let applies = |value: Option<f64>| value.map_or(Observation::NotApplicable, Observation::Scalar);
        record.observe(format!("r_factor{member}"), applies(self.rating));
        record.observe(format!("mos{member}"), applies(self.rating.map(|rating| mos(voice.codec.band(), rating))));
        if let Some(delay) = self.delay {
            record.scalar(format!("play_out_delay{member}"), delay.seconds());
        }
        record.scalar(format!("play_out_loss{member}"), played.loss());
        let causes = [("lost", played.lost), ("late", played.late), ("overflow", played.overflowed)];
        for (cause, packets) in causes {
            let share = packets as f64 / played.spoken().max(1) as f64;
            record.scalar(format!("play_out_loss{member}/{cause}"), share);
        }
        record.count(format!("fifo_underflow{member}"), played.underflows);
        record.count(format!("fifo_overflow{member}"), played.overflowed * voice.samples());
    }
}

#[cfg(test)]
mod tests;
