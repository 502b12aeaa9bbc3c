//! Voice: a stream of packets as a codec makes them, and what a listener behind a play-out buffer would say of it.
//!
//! The stream is an open loop like any other, one packet every packet time. What came of it is judged after the fact,
//! from the stamps of every packet: no buffer runs while packets are under way, and any number of them can be tried on
//! one measurement.

mod codec;
mod spec;
mod stream;

use sojourn_core::Duration;
use sojourn_metrics::Record;
use sojourn_metrics::e_model::{Transmission, mos, r_factor};
use sojourn_metrics::jitter_buffer::{JitterBuffer, Played};

pub use self::codec::{Codec, UnknownCodec};
pub use self::spec::InvalidVoice;
use self::stream::{Stream, streams};
use super::clock_estimate::ClockEstimate;
use super::packets::Packet;
use super::schedule::Schedule;

/// The header that a voice packet has beside its samples, in octets (RTP, RFC 3550, section 5.1).
const RTP_HEADER: u32 = 12;

/// A voice stream and its listener.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Voice {
    /// What turns sound into octets.
    pub codec: Codec,
    /// How much sound a packet holds; also the span between packets.
    pub packet_time: Duration,
    /// From the first packet's arrival to its being played.
    pub start_up: Duration,
    /// How much sound the play-out buffer can hold, at least that of one packet.
    pub buffer: Duration,
}

impl Default for Voice {
    /// G.711 in packets of 20 ms (RFC 3551, section 4.2), played from 40 ms after the first, with room for 200 ms.
    fn default() -> Self {
        let [packet_time, start_up, buffer] = [20, 40, 200].map(Duration::from_millis);
        Voice { codec: Codec::G711, packet_time, start_up, buffer }
    }
}

impl Voice {
    /// When its packets leave.
    pub fn schedule(&self) -> Schedule {
        Schedule::Periodic { interval: self.packet_time }
    }

    /// Octets of user data of a packet: its samples behind an RTP header.
    pub fn octets(&self) -> u32 {
        RTP_HEADER + self.codec.octets_in(self.packet_time)
    }

    /// Samples in a packet.
    pub fn samples(&self) -> u64 {
        self.packet_time.whole(self.codec.sample_time())
    }

    /// What is heard of packets, in their order, into a record. Where the other end told its times, each way is a
    /// stream of its own, and the poorer one speaks for both.
    pub fn report(&self, packets: &[Packet], estimate: Option<&ClockEstimate>, record: &mut Record) {
        let streams = streams(packets, estimate);
        let heard: Vec<Quality> = streams.iter().map(|stream| self.listen(stream)).collect();
        if let Some(poorest) = heard.iter().min_by(|one, other| one.rating.total_cmp(&other.rating)) {
            poorest.record_metrics(self, "", record);
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
        // where nothing is played there is nothing to rate
        let rated = delay.filter(|_| played.played > 0);
        let rating =
            rated.map_or(0.0, |delay| r_factor(self.codec.impairment(), Transmission { delay, loss, burst_ratio }));
        Quality { rating, delay, played }
    }
}

/// What a listener had of a stream.
#[derive(Debug)]
struct Quality {
    rating: f64,
    delay: Option<Duration>,
    played: Played,
}

impl Quality {
    fn record_metrics(&self, voice: &Voice, member: &str, record: &mut Record) {
        let played = &self.played;
        record.scalar(format!("r_factor{member}"), self.rating);
        record.scalar(format!("mos{member}"), mos(self.rating));
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
