//! When the states of BBR change (draft-ietf-ccwg-bbr-04, 5.3).

use sojourn_core::Duration;

use super::super::super::sent::{LOSS_THRESH, RateSample};
use super::Bbr;
use super::parameters::{
    BETA, FULL_BW_GROWTH, FULL_BW_ROUNDS, FULL_LOSS_COUNT, MAX_RENO_ROUNDS, PROBE_RTT_DURATION, Sending,
};
use super::state::{AckPhase, Phase};

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
        (state.rounds_since_probe, state.probe_wait) = (rounds, Duration::from_seconds(wait).unwrap_or(Duration::ZERO));
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
