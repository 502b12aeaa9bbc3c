//! HyStart: the end of slow start before the queue overflows.
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
        let Some(rtt) = ack.rtt.filter(|_| cwnd >= LOW_WINDOW) else { return false };
        if ack.position > self.round_end {
            let round_end = ack.snd_max;
            *self = HyStart { round_end, round_start: ack.now, last_ack: ack.now, ..HyStart::default() };
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
