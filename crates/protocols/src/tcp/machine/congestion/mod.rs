//! Congestion control: cwnd and ssthresh, and the algorithms that move them.
//!
//! | file | concern |
//! |---|---|
//! | `reno.rs` | Reno and NewReno (RFC 5681, RFC 6582) |
//! | `cubic.rs` | CUBIC (RFC 9438) |
//! | `dctcp.rs` | the share of marks, by which DCTCP (RFC 8257) reduces |
//! | `prague.rs` | TCP Prague |
//! | `bbr/` | BBR version 3 (draft-ietf-ccwg-bbr) |

mod bbr;
mod cubic;
mod dctcp;
mod prague;
mod reno;

use sojourn_core::{Duration, Time};

use self::bbr::Bbr;
pub(super) use self::bbr::Sending;
use self::cubic::Cubic;
use self::dctcp::MarkedShare;
use self::prague::Prague;
use self::reno::Reno;
use super::hystart::{Ack, HyStart};
use super::sent::RateSample;
use super::sequence::Position;
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
    /// Whether marks reduce cwnd less than losses do.
    abe: bool,
    /// SND.MAX when marks last reduced cwnd: it is not reduced again for what was sent before.
    reduced_up_to: Position,
    /// HyStart, where CUBIC has it.
    hystart: Option<HyStart>,
    /// Least RTT of a segment since the last timeout, if one was measured.
    min_rtt: Option<Duration>,
}

/// Shares of cwnd that ABE leaves after marks (beta_ecn; RFC 8511, 3.1).
const RENO_ABE: f64 = 0.8;
const CUBIC_ABE: f64 = 0.85;
/// Pacing rates relative to cwnd / SRTT, below half of ssthresh and above (Linux: `tcp_pacing_ss_ratio`,
/// `tcp_pacing_ca_ratio`).
const SLOW_START_GAIN: f64 = 2.0;
const AVOIDANCE_GAIN: f64 = 1.2;

/// What is particular to an algorithm.
#[derive(Clone, Debug)]
enum Algorithm {
    /// Reno and NewReno, which differ in loss recovery alone.
    Reno(Reno),
    Cubic(Cubic),
    /// DCTCP grows as Reno does.
    Dctcp(Reno, MarkedShare),
    Prague(Reno, Prague),
    Bbr(Box<Bbr>),
}

impl Algorithm {
    fn new(settings: &Settings) -> Self {
        match settings.congestion {
            Congestion::Reno | Congestion::NewReno => Algorithm::Reno(Reno::default()),
            Congestion::Cubic => Algorithm::Cubic(Cubic::default()),
            Congestion::Dctcp => Algorithm::Dctcp(Reno::default(), MarkedShare::new(Duration::ZERO)),
            Congestion::Prague => Algorithm::Prague(Reno::default(), Prague::new()),
            Congestion::Bbr => {
                Algorithm::Bbr(Box::new(Bbr::new(settings.mss.into(), settings.initial_cwnd, settings.iss)))
            }
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
            abe: settings.abe,
            reduced_up_to: 0,
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
        if let Algorithm::Bbr(bbr) = &mut self.algorithm {
            bbr.set_smss(smss, self.cwnd);
        }
    }

    pub fn cwnd(&self) -> u64 {
        self.cwnd
    }

    pub fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    /// New data were acknowledged outside loss recovery. cwnd grows only if it limited the sender (RFC 7661).
    pub fn on_ack(&mut self, ack: &Ack) {
        if self.is_rate_based() {
            return;
        }
        self.min_rtt = self.min_rtt.into_iter().chain(ack.rtt).min();
        let octets = self.slow_start(ack);
        if !ack.cwnd_limited {
            self.algorithm.forget_epoch();
        } else if octets > 0 {
            self.avoid_congestion(ack, octets);
        }
    }

    /// Whether cwnd follows from samples of the rate, not from single acknowledgements and losses.
    #[inline]
    pub fn is_rate_based(&self) -> bool {
        matches!(self.algorithm, Algorithm::Bbr(_))
    }

    /// Whether BBR holds next to nothing in flight, to measure the RTT.
    pub fn is_probing_rtt(&self) -> bool {
        matches!(&self.algorithm, Algorithm::Bbr(bbr) if bbr.is_probing_rtt())
    }

    /// An acknowledgement gives a sample of the rate.
    pub fn on_sample(&mut self, sample: &RateSample, sending: &Sending) {
        if let Algorithm::Bbr(bbr) = &mut self.algorithm {
            self.cwnd = bbr.on_ack(self.cwnd, sample, sending);
        }
    }

    /// The peer has more, and has echoed marks or none: estimates the share of marks.
    #[inline]
    pub fn on_delivery(&mut self, ack: &Ack) {
        let octets = [ack.delivered, ack.marked];
        match &mut self.algorithm {
            Algorithm::Dctcp(_, share) => share.observe(ack.now, octets, ack.position, ack.snd_max),
            Algorithm::Prague(_, prague) => prague.share.observe(ack.now, octets, ack.position, ack.snd_max),
            Algorithm::Reno(_) | Algorithm::Cubic(_) | Algorithm::Bbr(_) => {}
        }
    }

    /// Whether cwnd is held after a reduction by marks: what was in flight then is not all acknowledged.
    #[inline]
    pub fn is_held(&self, acked: Position) -> bool {
        acked < self.reduced_up_to && !self.is_scalable()
    }

    /// Marks are echoed with `flight_size` octets in flight, up to `snd_max`: reduces cwnd, once in a round trip and as after a
    /// loss (RFC 3168, 6.1.2), less with ABE, or by the share of marks. Returns whether it did.
    ///
    /// cwnd falls at once, or where it `falls_in_proportion` by PRR in the next round trip.
    pub fn on_marks(&mut self, echo: &Ack, flight_size: u64, falls_in_proportion: bool) -> bool {
        let Ack { now, position: acked, snd_max, .. } = *echo;
        // acknowledgements of what was sent before still carry the echo
        let again = acked > self.reduced_up_to;
        let may = match &mut self.algorithm {
            Algorithm::Prague(_, prague) => again && prague.may_reduce(now),
            _ => again,
        };
        if may {
            self.reduced_up_to = snd_max;
            self.ssthresh = self.reduced_by_marks(flight_size).max(2 * self.smss);
            if !falls_in_proportion {
                self.cwnd = self.cwnd.min(self.ssthresh);
            }
        }
        may
    }

    fn reduced_by_marks(&mut self, flight_size: u64) -> u64 {
        let (smss, abe) = (self.smss, self.abe);
        match &mut self.algorithm {
            Algorithm::Dctcp(_, share) => share.reduced(self.cwnd),
            Algorithm::Prague(_, prague) => prague.share.reduced(self.cwnd),
            Algorithm::Reno(_) if abe => (flight_size as f64 * RENO_ABE) as u64 / smss * smss,
            Algorithm::Cubic(cubic) if abe => {
                cubic.reduce_to((self.cwnd / smss).max(1) as f64, CUBIC_ABE) as u64 * smss
            }
            Algorithm::Reno(_) | Algorithm::Cubic(_) | Algorithm::Bbr(_) => self.reduced_by_loss(flight_size),
        }
    }

    /// Whether it reacts to the share of marks.
    pub fn is_scalable(&self) -> bool {
        matches!(self.algorithm, Algorithm::Dctcp(..) | Algorithm::Prague(..))
    }

    /// Octets per second at which segments are paced, after a first RTT (`tcp_update_pacing_rate()` of Linux).
    pub fn pacing_rate(&self, flight_size: u64, srtt: Option<Duration>) -> Option<f64> {
        if let Algorithm::Bbr(bbr) = &self.algorithm {
            return Some(bbr.pacing_rate());
        }
        let srtt = srtt.filter(|srtt| *srtt > Duration::ZERO)?;
        let gain = match self.algorithm {
            _ if self.cwnd < self.ssthresh / 2 => SLOW_START_GAIN,
            Algorithm::Prague(..) => 1.0,
            _ => AVOIDANCE_GAIN,
        };
        Some(gain * self.cwnd.max(flight_size) as f64 / srtt.seconds())
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
            Algorithm::Bbr(_) => {}
            Algorithm::Dctcp(reno, _) => self.cwnd += reno.growth(self.cwnd, self.smss * octets),
            // what was marked lets the window not grow
            Algorithm::Prague(reno, _) => {
                let unmarked = octets.saturating_sub(ack.marked);
                let share = Prague::pace_of_growth(ack.srtt) * (self.smss * unmarked) as f64;
                self.cwnd += reno.growth(self.cwnd, share as u64);
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
        self.ssthresh = self.reduced_by_loss(flight_size).max(2 * self.smss);
    }

    fn reduced_by_loss(&mut self, flight_size: u64) -> u64 {
        let smss = self.smss;
        match &mut self.algorithm {
            // whole segments, as Linux counts them
            Algorithm::Cubic(cubic) => cubic.reduce((self.cwnd.max(smss) as f64 / smss as f64).floor()) as u64 * smss,
            // a loss counts in scalable congestion controls as in Reno (RFC 8257, 3.5; RFC 9331, 4.3)
            Algorithm::Reno(reno) | Algorithm::Dctcp(reno, _) | Algorithm::Prague(reno, _) => {
                reno.halve(flight_size) / smss * smss
            }
            // of no meaning in BBR
            Algorithm::Bbr(_) => self.ssthresh,
        }
    }

    /// Sets cwnd to ssthresh + `segments` x SMSS.
    pub fn set_cwnd_to_ssthresh_plus(&mut self, segments: u64) {
        if self.is_rate_based() {
            return;
        }
        self.cwnd = self.ssthresh + segments * self.smss;
    }

    /// Sets cwnd, to one segment at least.
    pub fn set_cwnd(&mut self, cwnd: u64) {
        self.cwnd = cwnd.max(self.smss);
    }

    /// Limits cwnd to `max`, but not below one segment.
    pub fn limit_cwnd(&mut self, max: u64) {
        if !self.is_rate_based() {
            self.cwnd = self.cwnd.min(max).max(self.smss);
        }
    }

    /// A duplicate ACK in fast recovery: a segment has left the network (RFC 5681, 3.2, step 4).
    pub fn inflate(&mut self) {
        if !self.is_rate_based() {
            self.cwnd += self.smss;
        }
    }

    /// A partial acknowledgement of `acked` octets in fast recovery (RFC 6582, 3.2, step 3).
    pub fn deflate(&mut self, acked: u64) {
        if self.is_rate_based() {
            return;
        }
        let added = if acked >= self.smss { self.smss } else { 0 };
        self.cwnd = (self.cwnd.saturating_sub(acked) + added).max(self.smss);
    }

    /// A retransmission timeout: slow start from the loss window of one segment (RFC 5681, 3.1).
    pub fn on_rto(&mut self) {
        self.cwnd = self.smss;
        if let Algorithm::Bbr(bbr) = &mut self.algorithm {
            bbr.on_rto();
        }
        self.hystart = self.hystart.map(|_| HyStart::default());
        self.min_rtt = None;
    }

    /// The sender was idle for longer than the RTO (RFC 5681, 4.1).
    pub fn restart_after_idle(&mut self, now: Time) {
        if let Algorithm::Bbr(bbr) = &mut self.algorithm {
            bbr.on_idle_restart(now);
            return;
        }
        self.cwnd = self.cwnd.min(self.restart_window);
        self.algorithm.forget_epoch();
    }
}
