//! The states of BBR and when they change (draft-ietf-ccwg-bbr-04, 5.3).

use sojourn_core::{Duration, Time};

use super::super::super::sent::RateSample;
use super::{BETA, Bbr, CWND_GAIN, DRAIN_PACING_GAIN, LOSS_THRESH, STARTUP_PACING_GAIN, Sending, seconds};

/// BBR.ProbeRTTInterval, BBR.ProbeRTTDuration and BBR.ProbeRTTCwndGain (2.13.2).
pub(super) const PROBE_RTT_INTERVAL: Duration = Duration::from_secs(5);
const PROBE_RTT_DURATION: Duration = Duration::from_millis(200);
pub(super) const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// Growth of the bandwidth in a round trip that shows that more is to be had, and round trips without it (5.3.1.2).
const FULL_BW_GROWTH: f64 = 1.25;
const FULL_BW_ROUNDS: u32 = 3;
/// BBRStartupFullLossCnt: ranges lost in a round trip that end Startup (5.3.1.3), counted by acknowledgements that show losses.
const FULL_LOSS_COUNT: u32 = 6;
/// Round trips after which bandwidth is probed for at the latest, so that Reno gets as much (5.3.3.5.3).
const MAX_RENO_ROUNDS: u64 = 63;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    Startup,
    Drain,
    /// ProbeBW_DOWN: below the bandwidth, until what is in flight leaves headroom.
    Down,
    /// ProbeBW_CRUISE: at the bandwidth.
    Cruise,
    /// ProbeBW_REFILL: at the bandwidth for a round trip, without the bounds from losses.
    Refill,
    /// ProbeBW_UP: above the bandwidth, until the bandwidth or losses say that the path is full.
    Up,
    ProbeRtt,
}

/// What acknowledgements are of (BBR.ack_phase).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AckPhase {
    Refilling,
    Starting,
    Feedback,
    Stopping,
    Init,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub phase: Phase,
    ack_phase: AckPhase,
    full_bw: f64,
    full_bw_count: u32,
    full_bw_now: bool,
    pub full_bw_reached: bool,
    /// When the probe of bandwidth, or the wait for it, began.
    cycle_stamp: Time,
    probe_wait: Duration,
    pub rounds_since_probe: u64,
    /// Whether samples are of segments that were sent while bandwidth was probed for.
    probe_samples: bool,
    /// Octets delivered for each segment that the bound grows by, those delivered, and how often that was halved.
    probe_up_count: u64,
    probe_up_acked: u64,
    probe_up_rounds: u32,
    probe_rtt_done: Option<Time>,
    probe_rtt_round_done: bool,
}

impl State {
    pub fn new() -> Self {
        State {
            phase: Phase::Startup,
            ack_phase: AckPhase::Init,
            full_bw: 0.0,
            full_bw_count: 0,
            full_bw_now: false,
            full_bw_reached: false,
            cycle_stamp: Time::ZERO,
            probe_wait: Duration::ZERO,
            rounds_since_probe: 0,
            probe_samples: false,
            probe_up_count: u64::MAX,
            probe_up_acked: 0,
            probe_up_rounds: 0,
            probe_rtt_done: None,
            probe_rtt_round_done: false,
        }
    }

    pub fn pacing_gain(&self) -> f64 {
        match self.phase {
            Phase::Startup => STARTUP_PACING_GAIN,
            Phase::Drain => DRAIN_PACING_GAIN,
            Phase::Down => 0.9,
            Phase::Cruise | Phase::Refill | Phase::ProbeRtt => 1.0,
            Phase::Up => 1.25,
        }
    }

    pub fn cwnd_gain(&self) -> f64 {
        match self.phase {
            Phase::Up => 2.25,
            Phase::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => CWND_GAIN,
        }
    }

    pub fn is_probe_bw(&self) -> bool {
        matches!(self.phase, Phase::Down | Phase::Cruise | Phase::Refill | Phase::Up)
    }

    /// Whether losses are expected, since more than the known bandwidth is sent.
    pub fn is_probing(&self) -> bool {
        matches!(self.phase, Phase::Startup | Phase::Refill | Phase::Up)
    }

    fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_count, self.full_bw_now) = (0.0, 0, false);
    }
}

impl Bbr {
    /// Whether the bandwidth has stopped to grow (5.3.1.2).
    pub(super) fn check_full_bandwidth(&mut self, sample: &RateSample) {
        let state = &mut self.state;
        if state.full_bw_now || !self.model.round_start || sample.is_app_limited || sample.newly_acked == 0 {
            return;
        }
        let rate = sample.rate.unwrap_or(0.0);
        if rate >= state.full_bw * FULL_BW_GROWTH {
            state.reset_full_bw();
            state.full_bw = rate;
        } else {
            state.full_bw_count += 1;
            state.full_bw_now = state.full_bw_count >= FULL_BW_ROUNDS;
            state.full_bw_reached |= state.full_bw_now;
        }
    }

    /// Startup ends with a full path, or with losses (5.3.1.3).
    pub(super) fn check_startup(&mut self, sample: &RateSample, sending: &Sending) {
        if self.state.phase != Phase::Startup {
            return;
        }
        let has_losses = self.model.loss_round_start && self.model.loss_events >= FULL_LOSS_COUNT;
        if has_losses && self.model.lost_in_round as f64 > LOSS_THRESH * sample.in_flight as f64 && sending.in_recovery
        {
            self.state.full_bw_reached = true;
            self.model.inflight_hi = self.inflight(self.model.max_bw(), 1.0).max(self.model.inflight_latest);
        }
        if self.state.full_bw_reached {
            self.state.phase = Phase::Drain;
        }
    }

    /// Drain ends when no queue is left by the model (5.3.2).
    pub(super) fn check_drain(&mut self, sending: &Sending) {
        if self.state.phase == Phase::Drain && sending.pipe <= self.inflight(self.model.bandwidth(), 1.0) {
            self.start_down(sending);
        }
    }

    /// The cycle of ProbeBW (5.3.3.6).
    pub(super) fn update_cycle(&mut self, sample: &RateSample, sending: &Sending) {
        if !self.state.full_bw_reached {
            return;
        }
        self.adapt_upper_bound(sample, sending);
        match self.state.phase {
            Phase::Down => {
                if !self.starts_refill(sending) && self.may_cruise(sending) {
                    self.state.phase = Phase::Cruise;
                }
            }
            Phase::Cruise => {
                self.starts_refill(sending);
            }
            Phase::Refill if self.model.round_start => {
                self.state.probe_samples = true;
                self.start_up(sample, sending);
            }
            Phase::Up => {
                if self.is_up_over(sample, sending) {
                    self.start_down(sending);
                }
            }
            Phase::Refill | Phase::Startup | Phase::Drain | Phase::ProbeRtt => {}
        }
    }

    pub(super) fn start_down(&mut self, sending: &Sending) {
        self.model.reset_signals();
        self.model.start_round(sending.delivered);
        let (rounds, wait) = (u64::from(self.draw() < 0.5), 2.0 + self.draw());
        let state = &mut self.state;
        state.probe_up_count = u64::MAX;
        // a wait of 2 to 3 s from now on (5.3.3.5.3)
        (state.rounds_since_probe, state.probe_wait) = (rounds, seconds(wait));
        (state.cycle_stamp, state.ack_phase, state.phase) = (sending.now, AckPhase::Stopping, Phase::Down);
    }

    /// Refills the path if it is time to probe for bandwidth.
    fn starts_refill(&mut self, sending: &Sending) -> bool {
        let reno_rounds = (self.target_inflight() / self.smss).min(MAX_RENO_ROUNDS);
        let state = &mut self.state;
        let waited = sending.now.since(state.cycle_stamp) > state.probe_wait;
        let starts = waited || state.rounds_since_probe >= reno_rounds;
        if starts {
            (state.probe_up_rounds, state.probe_up_acked) = (0, 0);
            (state.ack_phase, state.phase) = (AckPhase::Refilling, Phase::Refill);
            self.model.reset_lower_bounds();
            self.model.start_round(sending.delivered);
        }
        starts
    }

    fn start_up(&mut self, sample: &RateSample, sending: &Sending) {
        let state = &mut self.state;
        state.reset_full_bw();
        state.full_bw = sample.rate.unwrap_or(0.0);
        (state.cycle_stamp, state.ack_phase, state.phase) = (sending.now, AckPhase::Starting, Phase::Up);
        self.model.start_round(sending.delivered);
        self.raise_slope();
    }

    /// Whether little enough is in flight to leave the path at its bandwidth (5.3.3.6).
    fn may_cruise(&self, sending: &Sending) -> bool {
        sending.pipe <= self.with_headroom() && sending.pipe <= self.inflight(self.model.max_bw(), 1.0)
    }

    /// Whether the bandwidth no longer grows, though more is in flight (5.3.3.6).
    fn is_up_over(&mut self, sample: &RateSample, sending: &Sending) -> bool {
        if sending.cwnd_limited && self.cwnd >= self.model.inflight_hi {
            self.state.reset_full_bw();
            self.state.full_bw = sample.rate.unwrap_or(0.0);
            return false;
        }
        self.state.full_bw_now
    }

    /// What acknowledgements say of the volume that the path holds without losses (5.5.10).
    fn adapt_upper_bound(&mut self, sample: &RateSample, sending: &Sending) {
        match self.state.ack_phase {
            AckPhase::Starting if self.model.round_start => self.state.ack_phase = AckPhase::Feedback,
            AckPhase::Stopping if self.model.round_start => {
                (self.state.ack_phase, self.state.probe_samples) = (AckPhase::Init, false);
                if self.state.is_probe_bw() && !sample.is_app_limited {
                    self.model.advance_max_bw();
                }
            }
            _ => {}
        }
        if let Some((in_flight, is_app_limited)) = sample.too_many.filter(|_| self.state.probe_samples) {
            self.on_too_much_in_flight(in_flight, is_app_limited, sending);
        }
        if sample.lost as f64 > LOSS_THRESH * sample.in_flight as f64 {
            if self.state.probe_samples {
                self.on_too_much_in_flight(sample.in_flight, sample.is_app_limited, sending);
            }
        } else if self.model.inflight_hi < u64::MAX {
            self.model.inflight_hi = self.model.inflight_hi.max(sample.in_flight);
            if self.state.phase == Phase::Up {
                self.raise_upper_bound(sample, sending);
            }
        }
    }

    /// 5.5.10.2
    fn on_too_much_in_flight(&mut self, in_flight: u64, is_app_limited: bool, sending: &Sending) {
        self.state.probe_samples = false;
        if !is_app_limited {
            self.model.inflight_hi = in_flight.max((BETA * self.target_inflight() as f64) as u64);
        }
        if self.state.phase == Phase::Up {
            self.start_down(sending);
        }
    }

    /// The bound grows by one segment, then two, four, eight, ... in each round trip of the probe (5.3.3.6).
    fn raise_upper_bound(&mut self, sample: &RateSample, sending: &Sending) {
        if !sending.cwnd_limited || self.cwnd < self.model.inflight_hi {
            return;
        }
        let state = &mut self.state;
        state.probe_up_acked += sample.newly_acked;
        if state.probe_up_acked >= state.probe_up_count {
            let segments = state.probe_up_acked / state.probe_up_count;
            state.probe_up_acked -= segments * state.probe_up_count;
            self.model.inflight_hi += segments * self.smss;
        }
        if self.model.round_start {
            self.raise_slope();
        }
    }

    fn raise_slope(&mut self) {
        let state = &mut self.state;
        let growth = 1_u64 << state.probe_up_rounds;
        state.probe_up_rounds = (state.probe_up_rounds + 1).min(30);
        state.probe_up_count = (self.cwnd / growth).max(self.smss);
    }

    /// ProbeRTT: little in flight for 200 ms once the least RTT was not seen for 5 s (5.3.4).
    pub(super) fn check_probe_rtt(&mut self, expired: bool, sample: &RateSample, sending: &Sending) {
        if self.state.phase != Phase::ProbeRtt && expired && !self.idle_restart {
            self.save_cwnd();
            self.state.phase = Phase::ProbeRtt;
            (self.state.probe_rtt_done, self.state.ack_phase) = (None, AckPhase::Stopping);
            self.model.start_round(sending.delivered);
        }
        if self.state.phase == Phase::ProbeRtt {
            self.go_on_with_probe_rtt(sending);
        }
        self.idle_restart &= sample.newly_acked == 0;
    }

    fn go_on_with_probe_rtt(&mut self, sending: &Sending) {
        match self.state.probe_rtt_done {
            None if sending.pipe <= self.probe_rtt_cwnd() => {
                self.state.probe_rtt_done = Some(sending.now + PROBE_RTT_DURATION);
                self.state.probe_rtt_round_done = false;
                self.model.start_round(sending.delivered);
            }
            None => {}
            Some(done) => {
                self.state.probe_rtt_round_done |= self.model.round_start;
                if self.state.probe_rtt_round_done && sending.now > done {
                    self.end_probe_rtt(sending);
                }
            }
        }
    }

    fn end_probe_rtt(&mut self, sending: &Sending) {
        self.model.probe_rtt_min_stamp = sending.now;
        self.restore_cwnd();
        self.model.reset_lower_bounds();
        if self.state.full_bw_reached {
            self.start_down(sending);
            self.state.phase = Phase::Cruise;
        } else {
            self.state.phase = Phase::Startup;
        }
    }
}
