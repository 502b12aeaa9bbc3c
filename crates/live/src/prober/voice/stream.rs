//! What of a measurement is a stream of voice: one each way where the other end told its times, else one there and back.

use sojourn_core::{Duration, Time};

use crate::prober::clock_estimate::ClockEstimate;
use crate::prober::packets::Packet;

/// Packets on their way to a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// What a metric's name has behind it: `"/forward"`, `"/return"`, or nothing for there and back.
    pub member: &'static str,
    /// When each was spoken.
    spoken: Vec<Time>,
    /// When each was there, had its way begun when it was spoken; never before that.
    pub arrivals: Vec<Option<Time>>,
    /// Ways that an arrival has behind it: 1, or 2 for there and back.
    paths: u64,
}

impl Stream {
    /// How long a packet was on one way.
    pub fn transit(&self, packet: usize) -> Option<Duration> {
        Some(self.arrivals[packet]?.since(self.spoken[packet]).divided(self.paths))
    }
}

/// The streams in packets.
///
/// There and back means: one listener who hears the delay variation and the loss of both ways, with half the round trip
/// for delay. Each way by itself: what delays one direction leaves the other alone. Where a packet without an answer
/// was lost nobody told, so it counts against both.
pub fn streams(packets: &[Packet], estimate: Option<&ClockEstimate>) -> Vec<Stream> {
    let Some(estimate) = estimate else { return vec![stream("", packets, 2, |packet| packet.received)] };
    let forward = |packet: &Packet| {
        let (there_ns, _) = estimate.one_way_ns(packet)?;
        Some(packet.left() + nanoseconds(there_ns))
    };
    // from the other end's sending on, as if it had sent when this end spoke, and up to the application
    let reverse = |packet: &Packet| {
        let (_, back_ns) = estimate.one_way_ns(packet)?;
        let wake_up = packet.received?.since(packet.kernel_received.or(packet.received)?);
        Some(packet.intended + nanoseconds(back_ns) + wake_up)
    };
    vec![stream("/forward", packets, 1, forward), stream("/return", packets, 1, reverse)]
}

fn stream(member: &'static str, packets: &[Packet], paths: u64, arrival: impl Fn(&Packet) -> Option<Time>) -> Stream {
    let spoken = packets.iter().map(|packet| packet.intended).collect();
    let arrivals = packets.iter().map(|packet| arrival(packet).map(|at| at.max(packet.intended))).collect();
    Stream { member, spoken, arrivals, paths }
}

/// A span; what comes out below zero does so by the error of the clocks.
fn nanoseconds(span_ns: f64) -> Duration {
    Duration::from_picoseconds((span_ns.max(0.0) * 1000.0) as u64)
}
