//! Congestion control: cwnd and ssthresh, and the algorithms that move them.
//!
//! | file | concern |
//! |---|---|
//! | `reno.rs` | Reno and NewReno (RFC 5681, RFC 6582) |
//! | `cubic.rs` | CUBIC (RFC 9438) |

mod cubic;
mod reno;

use sojourn_core::Duration;

use self::cubic::Cubic;
use self::reno::Reno;
use super::hystart::{Ack, HyStart};
use super::settings::{Congestion, Settings};

/// Congestion window and slow-start threshold, octets.
#[derive(Clone, Debug)]
pub(super) struct CongestionControl {
    cwnd: u64,
    ssthresh: u64,
    /// Sender maximum segment size (SMSS).
    smss: u64,
    restart_window: u64,
    byte_counting: bool,
    algorithm: Algorithm,
    /// HyStart, where CUBIC has it.
    hystart: Option<HyStart>,
    /// Least RTT of a segment since the last timeout, if one was measured.
    min_rtt: Option<Duration>,
}

/// What is particular to an algorithm.
#[derive(Clone, Debug)]
enum Algorithm {
    /// Reno and NewReno, which differ in loss recovery alone.
    Reno(Reno),
    Cubic(Cubic),
}

impl Algorithm {
    fn new(settings: &Settings) -> Self {
        match settings.congestion {
            Congestion::Reno | Congestion::NewReno => Algorithm::Reno(Reno::default()),
            Congestion::Cubic => Algorithm::Cubic(Cubic::default()),
        }
    }

    /// The application limited the sender: the time does not count as growth.
    fn forget_epoch(&mut self) {
        if let Algorithm::Cubic(cubic) = self {
            cubic.forget_epoch();
        }
    }
}

impl CongestionControl {
    pub fn new(settings: &Settings) -> Self {
        CongestionControl {
            cwnd: settings.initial_cwnd,
            ssthresh: settings.initial_ssthresh,
            smss: settings.mss.into(),
            restart_window: settings.restart_window,
            algorithm: Algorithm::new(settings),
            byte_counting: settings.byte_counting,
            hystart: (settings.congestion == Congestion::Cubic && settings.clock.is_fine()).then(HyStart::default),
            min_rtt: None,
        }
    }

    /// Sets SMSS after option negotiation; windows keep their number of segments.
    pub fn set_smss(&mut self, smss: u64) {
        self.cwnd = (self.cwnd / self.smss).max(1) * smss;
        self.restart_window = (self.restart_window / self.smss).max(1) * smss;
        self.smss = smss;
    }

    pub fn cwnd(&self) -> u64 {
        self.cwnd
    }

    pub fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    /// New data were acknowledged outside loss recovery. cwnd grows only if it limited the sender (RFC 7661).
    pub fn on_ack(&mut self, ack: &Ack) {
        self.min_rtt = self.min_rtt.into_iter().chain(ack.rtt).min();
        let octets = self.slow_start(ack);
        if !ack.cwnd_limited {
            self.algorithm.forget_epoch();
        } else if octets > 0 {
            self.avoid_congestion(ack, octets);
        }
    }

    /// `octets` were acknowledged in congestion avoidance.
    fn avoid_congestion(&mut self, ack: &Ack, octets: u64) {
        match &mut self.algorithm {
            Algorithm::Cubic(cubic) => {
                let [cwnd, acked] = [self.cwnd, octets].map(|octets| octets as f64 / self.smss as f64);
                // Linux has the least RTT where RFC 9438, 4.2 has the smoothed one, which a full queue lengthens
                let grown = cubic.grow(ack.now, cwnd, acked, self.min_rtt.unwrap_or(ack.srtt));
                self.cwnd = self.cwnd.max((grown * self.smss as f64) as u64);
            }
            // a segment per window (RFC 5681, 3.1, with its equation 3 for hosts that count acknowledgements)
            Algorithm::Reno(reno) => {
                let acked = if self.byte_counting { octets } else { self.smss };
                self.cwnd += reno.growth(self.cwnd, self.smss * acked);
            }
        }
    }

    /// Grows cwnd if it is in slow start; returns the octets acknowledged that are left for congestion avoidance.
    fn slow_start(&mut self, ack: &Ack) -> u64 {
        let ends_below = self.cwnd < self.ssthresh;
        if let (true, Some(hystart), Some(min_rtt)) = (ends_below, &mut self.hystart, self.min_rtt)
            && hystart.ends_slow_start(ack, min_rtt, self.cwnd / self.smss)
        {
            self.ssthresh = self.cwnd;
        }
        if !ack.cwnd_limited {
            return ack.octets;
        }
        if self.byte_counting {
            let grown = ack.octets.min(self.ssthresh.saturating_sub(self.cwnd));
            self.cwnd += grown;
            return ack.octets - grown;
        }
        if self.cwnd > self.ssthresh {
            return ack.octets;
        }
        self.cwnd += ack.octets.min(self.smss);
        0
    }

    /// A loss was detected with `flight_size` octets in flight: lowers ssthresh.
    pub fn on_loss(&mut self, flight_size: u64) {
        let smss = self.smss;
        let reduced = match &mut self.algorithm {
            // whole segments, as Linux counts them
            Algorithm::Cubic(cubic) => cubic.reduce((self.cwnd.max(smss) as f64 / smss as f64).floor()) as u64 * smss,
            Algorithm::Reno(reno) => reno.halve(flight_size) / smss * smss,
        };
        self.ssthresh = reduced.max(2 * smss);
    }

    /// Sets cwnd to ssthresh + `segments` x SMSS.
    pub fn set_cwnd_to_ssthresh_plus(&mut self, segments: u64) {
        self.cwnd = self.ssthresh + segments * self.smss;
    }

    /// Limits cwnd to `max`, but not below one segment.
    pub fn limit_cwnd(&mut self, max: u64) {
        self.cwnd = self.cwnd.min(max).max(self.smss);
    }

    /// A duplicate ACK in fast recovery: a segment has left the network (RFC 5681, 3.2, step 4).
    pub fn inflate(&mut self) {
        self.cwnd += self.smss;
    }

    /// A partial acknowledgement of `acked` octets in fast recovery (RFC 6582, 3.2, step 3).
    pub fn deflate(&mut self, acked: u64) {
        let added = if acked >= self.smss { self.smss } else { 0 };
        self.cwnd = (self.cwnd.saturating_sub(acked) + added).max(self.smss);
    }

    /// A retransmission timeout: slow start from the loss window of one segment (RFC 5681, 3.1).
    pub fn on_rto(&mut self) {
        self.cwnd = self.smss;
        self.hystart = self.hystart.map(|_| HyStart::default());
        self.min_rtt = None;
    }

    /// The sender was idle for longer than the RTO (RFC 5681, 4.1).
    pub fn restart_after_idle(&mut self) {
        self.cwnd = self.cwnd.min(self.restart_window);
        self.algorithm.forget_epoch();
    }
}
