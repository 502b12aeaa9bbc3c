//! Voice streams in a measurement: one for each direction if the peer's timestamps are known, else one for the round trip.

use sojourn_core::{Duration, Time};

use crate::prober::clock_estimate::ClockEstimate;
use crate::prober::packets::Packet;

/// Packets of a stream to a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Member of its metrics: `"/forward"`, `"/return"`, or empty for the round trip.
    pub member: &'static str,
    /// When each packet was generated.
    generated: Vec<Time>,
    /// When each arrived, counted from its generation; never before that.
    pub arrivals: Vec<Option<Time>>,
    /// One-way paths in the delay: 1, or 2 for the round trip.
    paths: u64,
}

impl Stream {
    /// One-way delay of a packet.
    pub fn transit(&self, packet: usize) -> Option<Duration> {
        Some(self.arrivals[packet]?.since(self.generated[packet]).divided(self.paths))
    }
}

/// The streams in packets.
///
/// A round-trip stream has the delay variation and the loss of both directions, and half the RTT as delay. Streams by
/// direction are independent of each other, except that a packet without a response counts as lost in both.
pub fn streams(packets: &[Packet], estimate: Option<&ClockEstimate>) -> Vec<Stream> {
    let Some(estimate) = estimate else { return vec![stream("", packets, 2, |packet| packet.received)] };
    let forward = |packet: &Packet| {
        let (there_ns, _) = estimate.one_way_ns(packet)?;
        Some(packet.left() + nanoseconds(there_ns))
    };
    // from the peer's sending to the application, as if the peer had sent when this host did
    let reverse = |packet: &Packet| {
        let (_, back_ns) = estimate.one_way_ns(packet)?;
        let wake_up = packet.received?.since(packet.kernel_received.or(packet.received)?);
        Some(packet.intended + nanoseconds(back_ns) + wake_up)
    };
    vec![stream("/forward", packets, 1, forward), stream("/return", packets, 1, reverse)]
}

fn stream(member: &'static str, packets: &[Packet], paths: u64, arrival: impl Fn(&Packet) -> Option<Time>) -> Stream {
    let generated = packets.iter().map(|packet| packet.intended).collect();
    let arrivals = packets.iter().map(|packet| arrival(packet).map(|at| at.max(packet.intended))).collect();
    Stream { member, generated, arrivals, paths }
}

/// A delay; negative ones are clock error.
fn nanoseconds(span_ns: f64) -> Duration {
    Duration::from_picoseconds((span_ns.max(0.0) * 1000.0) as u64)
}
