//! HyStart: leaves slow start before the queue overflows.
//!
//! Source: S. Ha, I. Rhee, Taming the elephants: new TCP slow start, Computer Networks 55(9), 2011, with the constants of
//! Linux (`net/ipv4/tcp_cubic.c`).

use sojourn_core::{Duration, Time};

use super::sequence::Position;

/// cwnd, in segments, below which slow start goes on (`hystart_low_window`).
const LOW_WINDOW: u64 = 16;
/// RTT samples of a round trip before its least RTT counts (`HYSTART_MIN_SAMPLES`).
const MIN_SAMPLES: u8 = 8;
/// Bounds of the rise of the RTT that counts as a queue (`HYSTART_DELAY_MIN`, `HYSTART_DELAY_MAX`).
const RISE: (Duration, Duration) = (Duration::from_millis(4), Duration::from_millis(16));
/// ACKs with gaps up to this are one burst (`hystart_ack_delta_us`).
const BURST_GAP: Duration = Duration::from_millis(2);
/// Maximum time that a burst may exceed the RTT by (`hystart_ack_delay`).
const BURST_MARGIN: Duration = Duration::from_millis(1);

/// An acknowledgement of new data.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ack {
    pub now: Time,
    /// Octets acknowledged for the first time.
    pub octets: u64,
    /// Octets that the peer newly has, SACKed ones included, and those of them that were marked, as far as the echo reports.
    pub delivered: u64,
    pub marked: u64,
    /// Position up to which all data are acknowledged.
    pub position: Position,
    /// Position after the last one sent.
    pub snd_max: Position,
    /// RTT of the last segment acknowledged, unless it was retransmitted.
    pub rtt: Option<Duration>,
    /// Smoothed RTT.
    pub srtt: Duration,
    /// Whether cwnd limited the sender (RFC 7661).
    pub cwnd_limited: bool,
}

/// State of one slow start.
#[derive(Clone, Copy, Debug)]
pub(super) struct HyStart {
    /// Position whose acknowledgement ends this round trip.
    round_end: Position,
    round_start: Time,
    /// Last ACK of the burst.
    last_ack: Time,
    samples: u8,
    /// Least RTT of the samples of this round trip.
    current: Duration,
}

impl Default for HyStart {
    fn default() -> Self {
        let start = Time::ZERO;
        HyStart { round_end: 0, round_start: start, last_ack: start, samples: 0, current: Duration::MAX }
    }
}

impl HyStart {
    /// Whether slow start at a window of `cwnd` segments ends with this acknowledgement: the RTT has risen above the
    /// least of the connection, `min_rtt`, or a burst of ACKs is as long as half of it, so that as much is in flight as
    /// the path holds.
    pub fn ends_slow_start(&mut self, ack: &Ack, min_rtt: Duration, cwnd: u64) -> bool {
        let Some(rtt) = ack.rtt else { return false };
        if ack.position > self.round_end {
            let round_end = ack.snd_max;
            *self = HyStart { round_end, round_start: ack.now, last_ack: ack.now, ..HyStart::default() };
        }
        // after the round trips, which begin with small windows as well: Linux 6.14, tcp_cubic.c, `hystart_update`
        if cwnd < LOW_WINDOW {
            return false;
        }
        self.burst_is_long(ack, min_rtt, cwnd) | self.rtt_has_risen(rtt, min_rtt)
    }

    fn burst_is_long(&mut self, ack: &Ack, min_rtt: Duration, cwnd: u64) -> bool {
        if ack.now.since(self.last_ack) > BURST_GAP {
            return false;
        }
        self.last_ack = ack.now;
        // four segments at the rate of two windows per RTT
        let margin = ack.srtt.times(2).divided(cwnd).min(BURST_MARGIN);
        ack.now.since(self.round_start) > (min_rtt + margin).divided(2)
    }

    fn rtt_has_risen(&mut self, rtt: Duration, min_rtt: Duration) -> bool {
        self.current = self.current.min(rtt);
        if self.samples < MIN_SAMPLES {
            self.samples += 1;
            return false;
        }
        self.current > min_rtt + min_rtt.divided(8).clamp(RISE.0, RISE.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Duration = Duration::from_millis(20);

    /// An acknowledgement of the segment of this number, a millisecond after the last, of a slow start from ten segments.
    fn ack(number: u64) -> Ack {
        Ack {
            now: Time::ZERO + Duration::from_millis(100 + number),
            octets: 1448,
            delivered: 1448,
            marked: 0,
            position: 1448 * (number + 1),
            snd_max: 1448 * (number + window_before(number)),
            rtt: Some(RTT),
            srtt: RTT,
            cwnd_limited: true,
        }
    }

    fn window_before(number: u64) -> u64 {
        10 + number
    }

    #[test]
    fn round_trips_begin_below_the_least_window_and_a_burst_counts_from_the_next_one() {
        let mut hystart = HyStart::default();
        let last = (0..100).find(|number| hystart.ends_slow_start(&ack(*number), RTT, window_before(*number)));
        // the second round trip begins with the acknowledgement of segment 10, and half of an RTT and a millisecond of it
        // are over 11 ms later; from the sixth, with which the window was 16 segments, it would be segment 17
        assert_eq!(last, Some(21));
    }

    #[test]
    fn below_the_least_window_slow_start_goes_on() {
        let mut hystart = HyStart::default();
        assert!((0..100).all(|number| !hystart.ends_slow_start(&ack(number), RTT, LOW_WINDOW - 1)));
    }
}
