//! BBR version 3: a rate and a volume of data in flight that follow from a model of the path (draft-ietf-ccwg-bbr-04, whose names
//! and sections these are).
//!
//! | file | concern |
//! |---|---|
//! | `model.rs` | bandwidth, RTT, aggregation, and what losses say of the volume in flight (5.5) |
//! | `state.rs`, `phases.rs` | Startup, Drain, ProbeBW and ProbeRTT, and when they change (5.3) |
//! | `parameters.rs` | constants, and what the sender reports |
//! | `mod.rs` | pacing rate and cwnd that follow (5.6) |
//!
//! Not modelled: segments are not offloaded in bursts, so that the send quantum is one of them; marks of ECN, to which the draft
//! specifies no response: data are Not-ECT.

mod model;
mod parameters;
mod phases;
mod state;

use sojourn_core::Time;

use self::model::Model;
pub(in super::super) use self::parameters::Sending;
use self::parameters::{HEADROOM, MIN_PIPE, PACING_MARGIN, PROBE_RTT_CWND_GAIN, STARTUP_PACING_GAIN};
use self::state::{Phase, State};
use super::super::sent::RateSample;

/// State of BBR.
#[derive(Clone, Debug)]
pub(in super::super) struct Bbr {
    smss: u64,
    initial_cwnd: u64,
    cwnd: u64,
    /// BBR.prior_cwnd: cwnd before a recovery or ProbeRTT.
    prior_cwnd: u64,
    /// C.pacing_rate, octets per second.
    pacing_rate: f64,
    model: Model,
    state: State,
    was_in_recovery: bool,
    idle_restart: bool,
    /// Draws of the waits between probes.
    draws: u32,
}

impl Bbr {
    /// Before the first segment; `seed` distinguishes connections.
    pub fn new(smss: u64, cwnd: u64, seed: u32) -> Self {
        Bbr {
            smss,
            initial_cwnd: cwnd,
            cwnd,
            prior_cwnd: 0,
            // 5.6.2: an RTT of a millisecond until one is measured
            pacing_rate: STARTUP_PACING_GAIN * cwnd as f64 / 1e-3,
            model: Model::new(),
            state: State::new(),
            was_in_recovery: false,
            idle_restart: false,
            draws: seed | 1,
        }
    }

    /// SMSS and cwnd after the negotiation of options.
    pub fn set_smss(&mut self, smss: u64, cwnd: u64) {
        (self.smss, self.cwnd, self.initial_cwnd) = (smss, cwnd, cwnd);
    }

    /// Octets per second at which segments leave.
    pub fn pacing_rate(&self) -> f64 {
        self.pacing_rate
    }

    /// Whether it is in ProbeRTT.
    pub fn is_probing_rtt(&self) -> bool {
        self.state.phase == Phase::ProbeRtt
    }

    /// An acknowledgement has given `sample`; returns cwnd (5.2.3).
    pub fn on_ack(&mut self, cwnd: u64, sample: &RateSample, sending: &Sending) -> u64 {
        self.cwnd = cwnd;
        if sample.newly_acked == 0 && sample.newly_lost == 0 {
            return cwnd;
        }
        if let Some(rtt) = sample.rtt.filter(|_| self.model.min_rtt.is_none()) {
            self.pacing_rate = STARTUP_PACING_GAIN * cwnd as f64 / rtt.seconds();
        }
        self.follow_recovery(sending);
        self.model.take(sample, sending, self.state.is_probing(), self.cwnd);
        if self.model.round_start {
            self.state.rounds_since_probe += 1;
        }
        self.model.count_aggregation(sample, sending, self.cwnd, self.state.full_bw_reached);
        self.check_full_bandwidth(sample);
        self.check_startup(sample, sending);
        self.check_drain(sending);
        self.update_cycle(sample, sending);
        let expired = self.model.update_min_rtt(sample, sending.now);
        self.check_probe_rtt(expired, sample, sending);
        self.model.advance(sample);
        self.set_pacing_rate(self.state.pacing_gain());
        self.set_cwnd(sample, sending);
        self.cwnd
    }

    /// A timeout: all in flight counts as lost (5.6.4.4). cwnd is restored at the end of the recovery.
    pub fn on_rto(&mut self) {
        self.model.note_loss();
        self.save_cwnd();
        self.was_in_recovery = true;
        self.cwnd = self.smss;
    }

    /// The sender goes on after it had nothing to send (5.4.1).
    pub fn on_idle_restart(&mut self, now: Time) {
        self.idle_restart = true;
        self.model.restart_aggregation(now);
        if self.state.is_probe_bw() {
            self.set_pacing_rate(1.0);
        }
    }

    /// cwnd is saved when a recovery begins, and restored at its end (5.6.4.4).
    fn follow_recovery(&mut self, sending: &Sending) {
        match (self.was_in_recovery, sending.in_recovery) {
            (false, true) => self.save_cwnd(),
            (true, false) => self.restore_cwnd(),
            _ => {}
        }
        self.was_in_recovery = sending.in_recovery;
    }

    fn save_cwnd(&mut self) {
        let is_lowered = self.was_in_recovery || self.state.phase == Phase::ProbeRtt;
        self.prior_cwnd = if is_lowered { self.prior_cwnd.max(self.cwnd) } else { self.cwnd };
    }

    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }

    fn min_pipe(&self) -> u64 {
        MIN_PIPE * self.smss
    }

    /// BBRInflight(): the volume of `gain` bandwidth-delay products, and what bursts and probes need on top (5.6.4.2).
    fn inflight(&self, bandwidth: f64, gain: f64) -> u64 {
        self.bdp(bandwidth, gain).map_or(self.initial_cwnd, |bdp| self.quantized(bdp))
    }

    /// BBRBDPMultiple(): `gain` bandwidth-delay products, once an RTT was measured.
    fn bdp(&self, bandwidth: f64, gain: f64) -> Option<u64> {
        self.model.min_rtt.map(|min_rtt| (gain * bandwidth * min_rtt.seconds()) as u64)
    }

    fn quantized(&self, inflight: u64) -> u64 {
        let up = if self.state.phase == Phase::Up { 2 * self.smss } else { 0 };
        inflight.max(3 * self.smss).max(self.min_pipe()) + up
    }

    /// BBRTargetInflight(): what is in flight when the model is right (5.3.3.5.3).
    fn target_inflight(&self) -> u64 {
        self.bdp(self.model.bandwidth(), 1.0).unwrap_or(self.initial_cwnd).min(self.cwnd)
    }

    /// BBRInflightWithHeadroom() (5.3.3.6).
    fn with_headroom(&self) -> u64 {
        if self.model.inflight_hi == u64::MAX {
            return u64::MAX;
        }
        let headroom = ((HEADROOM * self.model.inflight_hi as f64) as u64).max(self.smss);
        self.model.inflight_hi.saturating_sub(headroom).max(self.min_pipe())
    }

    fn probe_rtt_cwnd(&self) -> u64 {
        self.inflight(self.model.bandwidth(), PROBE_RTT_CWND_GAIN).max(self.min_pipe())
    }

    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.model.bandwidth() * PACING_MARGIN;
        if rate > 0.0 && (self.state.full_bw_reached || rate > self.pacing_rate) {
            self.pacing_rate = rate;
        }
    }

    /// 5.6.4.6
    fn set_cwnd(&mut self, sample: &RateSample, sending: &Sending) {
        let bdp = self.bdp(self.model.bandwidth(), self.state.cwnd_gain()).unwrap_or(self.initial_cwnd);
        let max_inflight = self.quantized(bdp + self.model.extra_acked());
        if self.state.full_bw_reached {
            self.cwnd = (self.cwnd + sample.newly_acked).min(max_inflight);
        } else if self.cwnd < max_inflight || sending.delivered < self.initial_cwnd {
            self.cwnd += sample.newly_acked;
        }
        self.cwnd = self.cwnd.max(self.min_pipe());
        if self.state.phase == Phase::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        let cap = match self.state.phase {
            Phase::Down | Phase::Refill | Phase::Up => self.model.inflight_hi,
            Phase::ProbeRtt | Phase::Cruise => self.with_headroom(),
            Phase::Startup | Phase::Drain => u64::MAX,
        };
        self.cwnd = self.cwnd.min(cap.min(self.model.inflight_lo).max(self.min_pipe()));
    }

    /// A number from 0 to below 1: not from the network's streams, which a machine knows nothing of, but from a generator of its
    /// own (Marsaglia, Xorshift RNGs, 2003).
    fn draw(&mut self) -> f64 {
        self.draws ^= self.draws << 13;
        self.draws ^= self.draws >> 17;
        self.draws ^= self.draws << 5;
        f64::from(self.draws) / 4_294_967_296.0
    }
}
