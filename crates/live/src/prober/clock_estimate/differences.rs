//! Clock differences: each packet's receive time on one clock less its send time on the other.

use sojourn_core::Time;

use crate::prober::packets::Packet;

/// Error bound of the two timestamps of a one-way delay in nanoseconds: the kernel's are converted by readings of two clocks
/// that lie up to 2 µs apart ([`crate::io::wall_clock`]).
pub const STAMPS_NS: f64 = 2_000.0;

/// The clock differences of a packet, one for each direction.
#[derive(Clone, Copy, Debug)]
pub struct Differences {
    /// This host's clock at the request's departure and at the response's arrival, in nanoseconds.
    pub at: [f64; 2],
    /// The peer's arrival time less this host's departure time.
    pub forward: f64,
    /// The peer's departure time less this host's arrival time.
    pub reverse: f64,
}

/// Time on this host's clock in nanoseconds.
pub fn nanoseconds(at: Time) -> i128 {
    i128::from(at.picoseconds() / 1000)
}

fn ahead(far: u64, ours: Time) -> i128 {
    i128::from(far) - nanoseconds(ours)
}

/// The first clock difference.
pub fn base(packets: &[Packet]) -> Option<i128> {
    packets.iter().find_map(|packet| Some(ahead(packet.far_received?, packet.left())))
}

/// The clock differences of a packet, less the base; `None` without the peer's timestamps or a response.
pub fn differences(packet: &Packet, base_ns: i128) -> Option<Differences> {
    let (forward, reverse) = (packet.far_received?, packet.far_sent?);
    let (sent, received) = (packet.left(), packet.kernel_received.or(packet.received)?);
    Some(Differences {
        at: [nanoseconds(sent) as f64, nanoseconds(received) as f64],
        forward: (ahead(forward, sent) - base_ns) as f64,
        reverse: (ahead(reverse, received) - base_ns) as f64,
    })
}

/// The minimum forward difference and the maximum return difference, corrected for skew. The clock offset lies between
/// them: apart from the first by the forward delay, from the second by the return delay.
pub fn extremes(differences: &[Differences], skew: f64) -> (f64, f64) {
    let forward = differences.iter().map(|packet| packet.forward - skew * packet.at[0]);
    let reverse = differences.iter().map(|packet| packet.reverse - skew * packet.at[1]);
    (forward.fold(f64::INFINITY, f64::min), reverse.fold(f64::NEG_INFINITY, f64::max))
}
