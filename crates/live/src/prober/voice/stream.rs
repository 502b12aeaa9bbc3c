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

    /// Of packets generated one packet time after another, with the delay of each; `None` for lost packets.
    fn of(member: &'static str, packets: &[Packet], delays: &[Option<Duration>], paths: u64) -> Stream {
        let generated: Vec<Time> = packets.iter().take(delays.len()).map(|packet| packet.intended).collect();
        let arrivals = generated.iter().zip(delays).map(|(at, delay)| delay.map(|delay| *at + delay)).collect();
        Stream { member, generated, arrivals, paths }
    }
}

/// The streams in packets: of delays on the network alone, as if each packet had left when it was due. What this host adds
/// before a packet leaves and after its kernel has the response is not in them.
///
/// A round-trip stream has the delay variation and the loss of both directions, and half the RTT as delay. Streams by
/// direction are independent of each other. Where it is known which packets `reached` the peer, a loss counts in its own
/// direction only: a packet that was lost on the return reached the peer with the delay of the one before it, and one that
/// never reached the peer is not part of the return stream. Else a packet without a response counts as lost in both. A
/// response of unknown residence time at the peer has the delays of the one before it.
pub fn streams(packets: &[Packet], estimate: Option<&ClockEstimate>, reached: Option<&[bool]>) -> Vec<Stream> {
    let Some(estimate) = estimate else {
        let delays: Vec<Option<Duration>> = packets.iter().map(round_trip).collect();
        return vec![Stream::of("", packets, &delays, 2)];
    };
    let one_way = |packet: &Packet| estimate.one_way_ns(packet);
    let mut forward: Vec<_> = packets.iter().map(|packet| Some(nanoseconds(one_way(packet)?.0))).collect();
    let mut back: Vec<_> = packets.iter().map(|packet| Some(nanoseconds(one_way(packet)?.1))).collect();
    let answered: Vec<bool> = packets.iter().map(|packet| packet.received.is_some()).collect();
    fill(&mut forward, reached.unwrap_or(&answered));
    fill(&mut back, &answered);
    if let Some(reached) = reached {
        back = back.into_iter().zip(reached).filter(|(_, reached)| **reached).map(|(delay, _)| delay).collect();
    }
    vec![Stream::of("/forward", packets, &forward, 1), Stream::of("/return", packets, &back, 1)]
}

/// From a packet's departure to its response at the kernel.
fn round_trip(packet: &Packet) -> Option<Duration> {
    Some(packet.kernel_received.or(packet.received)?.since(packet.left()))
}

/// Gives those that arrived with an unknown delay that of the packet before, or of the first after.
fn fill(delays: &mut [Option<Duration>], arrived: &[bool]) {
    let mut last = delays.iter().copied().flatten().next();
    for (delay, arrived) in delays.iter_mut().zip(arrived) {
        match delay {
            Some(_) => last = *delay,
            None if *arrived => *delay = last,
            None => {}
        }
    }
}

/// A delay; negative ones are clock error.
fn nanoseconds(span_ns: f64) -> Duration {
    Duration::from_picoseconds((span_ns.max(0.0) * 1000.0) as u64)
}
