//! Congestion control: cwnd and ssthresh under Reno and NewReno (RFC 5681) and CUBIC (RFC 9438).

use sojourn_core::{Duration, Time};

use super::hystart::{Ack, HyStart};
use super::settings::{Congestion, Settings};

/// Congestion window and slow-start threshold, octets.
#[derive(Clone, Debug)]
pub(super) struct CongestionControl {
    cwnd: u64,
    ssthresh: u64,
    /// Sender maximum segment size (SMSS).
    smss: u64,
    /// Fraction of an octet by which cwnd has not grown yet, in units of 1/cwnd.
    remainder: u64,
    restart_window: u64,
    byte_counting: bool,
    algorithm: Congestion,
    cubic: Cubic,
    /// HyStart, where CUBIC has it.
    hystart: Option<HyStart>,
    /// Least RTT of a segment since the last timeout, if one was measured.
    min_rtt: Option<Duration>,
}

impl CongestionControl {
    pub fn new(settings: &Settings) -> Self {
        CongestionControl {
            cwnd: settings.initial_cwnd,
            ssthresh: settings.initial_ssthresh,
            smss: settings.mss.into(),
            remainder: 0,
            restart_window: settings.restart_window,
            algorithm: settings.congestion,
            cubic: Cubic::default(),
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
            self.cubic.forget_epoch();
        } else if octets == 0 {
        } else if self.algorithm == Congestion::Cubic {
            let (cwnd, acked) = (self.in_segments(self.cwnd), self.in_segments(octets));
            // Linux has the least RTT where RFC 9438, 4.2 has the smoothed one, which a full queue lengthens
            let grown = self.cubic.grow(ack.now, cwnd, acked, self.min_rtt.unwrap_or(ack.srtt));
            self.cwnd = self.cwnd.max((grown * self.smss as f64) as u64);
        } else {
            // a segment per window (RFC 5681, 3.1, with its equation 3 for hosts that count acknowledgements)
            self.remainder += self.smss * if self.byte_counting { octets } else { self.smss };
            self.cwnd += self.remainder / self.cwnd;
            self.remainder %= self.cwnd;
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
        self.ssthresh = match self.algorithm {
            Congestion::Cubic => {
                // whole segments, as Linux counts them
                let ssthresh = self.cubic.reduce(self.in_segments(self.cwnd.max(self.smss)).floor());
                ssthresh as u64 * self.smss
            }
            Congestion::Reno | Congestion::NewReno => flight_size / 2 / self.smss * self.smss,
        }
        .max(2 * self.smss);
        self.remainder = 0;
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
        self.cubic.forget_epoch();
    }

    fn in_segments(&self, octets: u64) -> f64 {
        octets as f64 / self.smss as f64
    }
}

/// Multiplicative decrease factor (beta_cubic; RFC 9438, 4.6).
const BETA: f64 = 0.7;
/// Aggressiveness of the growth, segments/s^3 (RFC 9438, 4.1).
const C: f64 = 0.4;
/// Additive increase of the Reno-friendly region, segments per RTT (alpha_cubic; RFC 9438, 4.3). Linux keeps it beyond the
/// window before the loss as well, where the RFC recommends 1: goodput under random loss is a fifth to a third less.
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// State of CUBIC (RFC 9438). Windows are in segments.
#[derive(Clone, Copy, Debug, Default)]
struct Cubic {
    /// W_max: window before the last congestion event.
    w_max: f64,
    epoch: Option<Epoch>,
}

/// A congestion avoidance epoch.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Time,
    /// K: seconds until the window reaches `origin`.
    k: f64,
    /// Window of the plateau.
    origin: f64,
    /// W_est: window of Reno.
    w_est: f64,
}

impl Cubic {
    /// A congestion event at a window of `segments`: returns the reduced window. With fast convergence a flow whose
    /// W_max decreases releases bandwidth to new flows (RFC 9438, 4.7).
    fn reduce(&mut self, segments: f64) -> f64 {
        self.w_max = if segments < self.w_max { segments * (1.0 + BETA) / 2.0 } else { segments };
        self.epoch = None;
        segments * BETA
    }

    /// The application limited the sender: the time does not count as growth (RFC 9438, 5.8).
    fn forget_epoch(&mut self) {
        self.epoch = None;
    }

    /// The window after `acked` segments were acknowledged in congestion avoidance.
    fn grow(&mut self, now: Time, segments: f64, acked: f64, srtt: Duration) -> f64 {
        let w_max = self.w_max;
        let epoch = self.epoch.get_or_insert_with(|| {
            let origin = w_max.max(segments);
            Epoch { start: now, k: libm::cbrt((origin - segments) / C), origin, w_est: segments }
        });
        let t = (now - epoch.start + srtt).seconds() - epoch.k;
        let target = (C * t * t * t + epoch.origin).clamp(segments, 1.5 * segments);
        epoch.w_est += ALPHA * acked / segments;
        let cubic = segments + (target - segments) / segments * acked;
        cubic.max(epoch.w_est)
    }
}
