//! Offset and skew of the peer's clock, estimated from the packets of the measurement.
//!
//! A request and its response show the sum of both one-way delays, never their difference: the estimate may be wrong by
//! half of the minimum RTT, with any number of packets, if all of that delay were in one direction. The minimum delays met
//! no queue, so only they are used (Paxson, "On calibrating measurements of packet transit times", 1998); the skew is the
//! median slope between windows (Theil and Sen).

use sojourn_core::Time;

use super::packets::Packet;
use crate::io::wall_clock::Pair;

/// Windows whose minimum delays are compared.
const WINDOWS: usize = 32;
/// Passes over the windows: the first finds nearly all of the skew, the second the rest.
const PASSES: usize = 2;

/// The peer's clock relative to this host's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockEstimate {
    /// Nanoseconds subtracted from every difference, so that the remainder fits a float.
    base_ns: i128,
    /// Offset of its clock at time 0 beyond the base, in nanoseconds.
    offset_ns: f64,
    /// Relative skew: seconds that its clock gains per second.
    pub skew: f64,
    /// Error bound of the offset, in nanoseconds.
    pub error_ns: f64,
}

/// The clock differences of a packet, one for each direction.
#[derive(Clone, Copy, Debug)]
struct Differences {
    /// This host's clock at the request's departure and at the response's arrival, in nanoseconds.
    at: [f64; 2],
    /// The peer's arrival time less this host's departure time.
    forward: f64,
    /// The peer's departure time less this host's arrival time.
    reverse: f64,
}

impl ClockEstimate {
    /// The estimate from all packets with the peer's timestamps; `None` with fewer than two.
    pub fn of(packets: &[Packet]) -> Option<ClockEstimate> {
        let base_ns = packets.iter().find_map(|packet| Some(ahead(packet.far_received?, packet.left())))?;
        let differences: Vec<Differences> = packets.iter().filter_map(|packet| differences(packet, base_ns)).collect();
        if differences.len() < 2 {
            return None;
        }
        let mut skew = 0.0;
        for _ in 0..PASSES {
            skew += slope(&offsets(&differences, skew));
        }
        let (forward, reverse) = extremes(&differences, skew);
        let residuals = offsets(&differences, skew).into_iter().map(|(_, offset)| offset);
        let offset_ns = (forward + reverse) / 2.0;
        let scatter = median(residuals.map(|offset| (offset - offset_ns).abs()).collect());
        Some(ClockEstimate { base_ns, offset_ns, skew, error_ns: ((forward - reverse) / 2.0).max(0.0) + scatter })
    }

    /// Clock offset of the peer to this host's wall clock in seconds, if its timestamps are wall-clock time.
    pub fn ahead_of_wall_s(&self, now: Pair) -> f64 {
        let beyond = (self.base_ns - i128::from(now.ahead())) as f64;
        (beyond + self.offset_ns + self.skew * nanoseconds(now.at) as f64) * 1e-9
    }

    /// One-way delays of the request and the response, in nanoseconds; either may be negative by the clock error.
    pub fn one_way_ns(&self, packet: &Packet) -> Option<(f64, f64)> {
        let Differences { at, forward, reverse } = differences(packet, self.base_ns)?;
        Some((forward - self.offset_ns - self.skew * at[0], self.offset_ns + self.skew * at[1] - reverse))
    }
}

fn nanoseconds(at: Time) -> i128 {
    i128::from(at.picoseconds() / 1000)
}

fn ahead(far: u64, ours: Time) -> i128 {
    i128::from(far) - nanoseconds(ours)
}

fn differences(packet: &Packet, base_ns: i128) -> Option<Differences> {
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
fn extremes(differences: &[Differences], skew: f64) -> (f64, f64) {
    let forward = differences.iter().map(|packet| packet.forward - skew * packet.at[0]);
    let reverse = differences.iter().map(|packet| packet.reverse - skew * packet.at[1]);
    (forward.fold(f64::INFINITY, f64::min), reverse.fold(f64::NEG_INFINITY, f64::max))
}

/// Time and offset of each window.
fn offsets(differences: &[Differences], skew: f64) -> Vec<(f64, f64)> {
    let width = differences.len().div_ceil(WINDOWS).max(2);
    let windows = differences.chunks(width).filter(|window| window.len() >= 2);
    let offset = |window: &[Differences]| {
        let (forward, reverse) = extremes(window, skew);
        let middle = (window[0].at[0] + window[window.len() - 1].at[1]) / 2.0;
        (middle, (forward + reverse) / 2.0)
    };
    windows.map(offset).collect()
}

/// The median slope between any two points.
fn slope(points: &[(f64, f64)]) -> f64 {
    let pairs = points.iter().enumerate().flat_map(|(index, a)| points[index + 1..].iter().map(move |b| (a, b)));
    median(pairs.map(|(a, b)| (b.1 - a.1) / (b.0 - a.0)).filter(|slope| slope.is_finite()).collect())
}

/// The middle value; 0 of none.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Duration;
    use sojourn_core::random::Streams;

    const AHEAD_NS: i128 = 1_700_000_000_123_456_789;

    /// 2000 packets in 20 s over one-way delays of at least 300 and 100 µs with queueing, to a clock with this skew.
    fn packets(skew: f64) -> Vec<Packet> {
        let mut stream = Streams::new(7, 0).stream("queues");
        let mut queue = || -libm::log(stream.unit()) * 200_000.0;
        let far = |ns: f64| (AHEAD_NS + (ns + skew * ns) as i128) as u64;
        let one = |index: u64| {
            let sent = (index * 10_000_000) as f64;
            let forward = sent + 300_000.0 + queue();
            let reverse = forward + 20_000.0;
            let received = reverse + 100_000.0 + queue();
            Packet {
                intended: Time::ZERO,
                sent: Time::ZERO + Duration::from_nanos(sent as u64),
                departed: None,
                received: Some(Time::ZERO + Duration::from_nanos(received as u64)),
                kernel_received: None,
                far_received: Some(far(forward)),
                far_sent: Some(far(reverse)),
            }
        };
        (0..2000).map(one).collect()
    }

    #[test]
    fn the_offset_is_right_within_its_error_and_the_skew_to_a_part_in_a_million() {
        for skew in [0.0, 40e-6, -120e-6] {
            let found = ClockEstimate::of(&packets(skew)).unwrap();
            assert!((found.skew - skew).abs() < 2e-6, "{} for {skew}", found.skew);
            let wrong_ns = (found.base_ns - AHEAD_NS) as f64 + found.offset_ns;
            assert!(wrong_ns.abs() <= found.error_ns, "{wrong_ns} within {}", found.error_ns);
            assert!((150_000.0..300_000.0).contains(&found.error_ns), "half of the least round trip and little more");
        }
    }

    #[test]
    fn the_offset_to_the_wall_clock_is_right_within_its_error() {
        let skew = 40e-6;
        let found = ClockEstimate::of(&packets(skew)).unwrap();
        let (at, behind_ns) = (Duration::from_secs(30), 1_500_000);
        let far_ns = AHEAD_NS + (at.seconds() * 1e9 * (1.0 + skew)) as i128;
        let now = Pair { at: Time::ZERO + at, wall_ns: (far_ns - behind_ns) as i64, width: Duration::ZERO };
        // the skew is known to a part in a million, 30 µs after half a minute
        assert!((found.ahead_of_wall_s(now) - 1.5e-3).abs() <= found.error_ns * 1e-9 + 60e-6);
    }

    #[test]
    fn one_way_delays_add_up_to_the_round_trip_and_lie_within_the_error_of_the_truth() {
        let packets = packets(40e-6);
        let found = ClockEstimate::of(&packets).unwrap();
        for packet in &packets {
            let (forward, reverse) = found.one_way_ns(packet).unwrap();
            let round = packet.response().unwrap().seconds() * 1e9 - 20_000.0;
            assert!((forward + reverse - round).abs() < 100.0);
            assert!(forward >= 300_000.0 - found.error_ns && reverse >= 100_000.0 - found.error_ns);
        }
    }

    #[test]
    fn a_peer_without_timestamps_has_no_clock_estimate() {
        let mut silent = packets(0.0);
        silent.iter_mut().for_each(|packet| (packet.far_received, packet.far_sent) = (None, None));
        assert_eq!(ClockEstimate::of(&silent), None);
    }
}
