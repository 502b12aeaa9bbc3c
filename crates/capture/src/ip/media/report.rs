//! What is known of a stream of RTP once it has ended, and how listeners would rate it.

use sojourn_core::{Duration, Time};
use sojourn_metrics::codec::Codec;
use sojourn_metrics::e_model::{Transmission, mos, r_factor};
use sojourn_metrics::jitter_buffer::Played;

use super::formats::Format;
use super::window::Delivery;
use crate::ip::endpoints::Endpoint;

/// Playout delay of the jitter buffer by which streams are rated, behind the fastest packets: that of a measurement.
pub const PLAYOUT_DELAY: Duration = Duration::from_millis(40);

/// A stream of RTP from one source to one receiver.
#[derive(Clone, Debug, PartialEq)]
pub struct MediaStream {
    /// Who sends.
    pub from: Endpoint,
    /// Who receives.
    pub to: Endpoint,
    /// Synchronization source (SSRC).
    pub source: u32,
    /// Payload type of the media; `None` of events alone.
    pub payload_type: Option<u8>,
    /// What the payload is, as a session description or the number says.
    pub format: Option<Format>,
    /// Ticks of its timestamps per second, found from the packets where the format is not known.
    pub clock: u32,
    /// Media in a packet.
    pub packet_time: Option<Duration>,
    /// Stamp of the first packet.
    pub begin: Time,
    /// Stamp of the last packet.
    pub end: Time,
    /// Packets captured, copies included.
    pub packets: u64,
    /// Octets of payload, without copies.
    pub octets: u64,
    /// Packets that came again.
    pub copies: u64,
    /// Packets that came behind later ones.
    pub overtaken: u64,
    /// What became of the packets that were sent.
    pub delivery: Delivery,
    /// Interarrival jitter (RFC 3550, A.8); `None` without a packet of media.
    pub jitter: Option<Jitter>,
    /// The longest time between two packets.
    pub largest_gap: Duration,
    /// What its receiver reports over RTCP.
    pub reported: Option<Reported>,
}

/// Interarrival jitter in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jitter {
    /// Mean over the packets.
    pub mean_s: f64,
    /// Largest.
    pub max_s: f64,
}

/// What the receiver of a stream reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reported {
    /// Packets lost on the whole path, by the last report.
    pub lost: i32,
    /// Jitter at the receiver in ticks of the clock, by the last report.
    pub jitter: u32,
    /// Round trips between capture and receiver, and their sum.
    pub round_trips: u32,
    /// Sum of those.
    pub round_trip_sum: Duration,
}

impl Reported {
    /// Mean round trip between capture and receiver.
    pub fn round_trip(&self) -> Option<Duration> {
        (self.round_trips > 0).then(|| self.round_trip_sum.divided(self.round_trips.into()))
    }
}

/// The rating of a stream by the E-model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Transmission rating factor R.
    pub r_factor: f64,
    /// Mean opinion score.
    pub mos: f64,
    /// Mouth-to-ear delay.
    pub delay: Duration,
}

impl MediaStream {
    /// The codec by which it is rated; `None` of others than speech, and of codecs without published impairments.
    pub fn codec(&self) -> Option<Codec> {
        let packets = self.packets.saturating_sub(self.copies).max(1);
        self.format.as_ref()?.codec(self.packet_time?, self.octets as f64 / packets as f64)
    }

    /// Its packets as a jitter buffer of 40 ms plays them.
    pub fn played(&self) -> Played {
        let Delivery { sent, lost, late, gaps, .. } = self.delivery;
        Played { played: sent.saturating_sub(lost + late), lost, late, gaps, ..Played::default() }
    }

    /// The rating, over a network of this one-way delay; `None` without a codec, or under a loss for which its robustness is not
    /// published.
    pub fn rating(&self, network: Duration) -> Option<Rating> {
        let codec = self.codec()?;
        let delay = self.packet_time? + codec.look_ahead() + network + PLAYOUT_DELAY;
        let played = self.played();
        let transmission = Transmission { delay, loss: played.loss(), burst_ratio: played.burst_ratio() };
        // what no one hears is worth nothing
        let r_factor = if played.played > 0 { r_factor(codec.impairment(), transmission)? } else { 0.0 };
        Some(Rating { r_factor, mos: mos(codec.band(), r_factor), delay })
    }
}
