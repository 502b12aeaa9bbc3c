//! The model of the path: its bandwidth and RTT, the aggregation of acknowledgements, and bounds from losses
//! (draft-ietf-ccwg-bbr-04, 5.5).

use sojourn_core::{Duration, Time};

use super::super::super::sent::RateSample;
use super::parameters::{BETA, PROBE_RTT_INTERVAL, Sending};

/// BBR.MinRTTFilterLen (2.13.1).
const MIN_RTT_FILTER: Duration = Duration::from_secs(10);
/// BBR.ExtraAckedFilterLen, round trips (2.11).
const EXTRA_ACKED_FILTER: u64 = 10;

#[derive(Clone, Debug)]
pub(super) struct Model {
    /// Greatest delivery rates of the previous and of this cycle of ProbeBW (BBR.MaxBwFilter).
    max_bw: [f64; 2],
    /// BBR.bw_shortterm and BBR.inflight_shortterm: bounds from losses of late; BBR.inflight_longterm.
    bw_lo: f64,
    pub inflight_lo: u64,
    pub inflight_hi: u64,
    /// Rate and volume of the best sample of this round trip.
    bw_latest: f64,
    pub inflight_latest: u64,
    /// C.delivered at which the round trip of losses ends.
    loss_round_delivered: u64,
    pub loss_round_start: bool,
    pub loss_in_round: bool,
    /// Acknowledgements of this round trip that showed losses, and octets that they showed lost.
    pub loss_events: u32,
    pub lost_in_round: u64,
    next_round_delivered: u64,
    pub round_start: bool,
    round_count: u64,
    pub min_rtt: Option<Duration>,
    min_rtt_stamp: Time,
    /// Least RTT since the last ProbeRTT was due, and when it was measured.
    probe_rtt_min: Option<Duration>,
    pub probe_rtt_min_stamp: Time,
    extra_acked_start: Time,
    extra_acked_delivered: u64,
    /// Greatest excess of delivered octets over what the bandwidth explains, of late: as rounds and octets, of two halves.
    extra_acked: [(u64, u64); 2],
}

impl Model {
    pub fn new() -> Self {
        Model {
            max_bw: [0.0; 2],
            bw_lo: f64::INFINITY,
            inflight_lo: u64::MAX,
            inflight_hi: u64::MAX,
            bw_latest: 0.0,
            inflight_latest: 0,
            loss_round_delivered: 0,
            loss_round_start: false,
            loss_in_round: false,
            loss_events: 0,
            lost_in_round: 0,
            next_round_delivered: 0,
            round_start: false,
            round_count: 0,
            min_rtt: None,
            min_rtt_stamp: Time::ZERO,
            probe_rtt_min: None,
            probe_rtt_min_stamp: Time::ZERO,
            extra_acked_start: Time::ZERO,
            extra_acked_delivered: 0,
            extra_acked: [(0, 0); 2],
        }
    }

    /// BBR.max_bw
    pub fn max_bw(&self) -> f64 {
        self.max_bw[0].max(self.max_bw[1])
    }

    /// BBR.bw
    pub fn bandwidth(&self) -> f64 {
        self.max_bw().min(self.bw_lo)
    }

    /// A cycle of ProbeBW has ended: the bandwidth of the one before it no longer counts.
    pub fn advance_max_bw(&mut self) {
        self.max_bw = [self.max_bw[1], 0.0];
    }

    /// The bounds from losses of late no longer hold.
    pub fn reset_lower_bounds(&mut self) {
        (self.bw_lo, self.inflight_lo) = (f64::INFINITY, u64::MAX);
    }

    /// BBRResetCongestionSignals()
    pub fn reset_signals(&mut self) {
        (self.loss_in_round, self.bw_latest, self.inflight_latest) = (false, 0.0, 0);
    }

    pub fn note_loss(&mut self) {
        self.loss_in_round = true;
    }

    /// A round trip ends when what is sent from now on is delivered.
    pub fn start_round(&mut self, delivered: u64) {
        self.next_round_delivered = delivered;
    }

    /// Takes a sample of the rate, and in a round trip with losses lowers the bounds unless the sender probes for bandwidth.
    pub fn take(&mut self, sample: &RateSample, sending: &Sending, is_probing: bool, cwnd: u64) {
        let rate = sample.rate.unwrap_or(0.0);
        let has_sample = sample.delivered > 0;
        if sample.newly_lost > 0 && !self.loss_in_round {
            // the bounds fall a whole round trip after the first loss (BBRNoteLoss(); 5.5.10.2)
            self.loss_round_delivered = sending.delivered - sample.newly_acked.min(sending.delivered);
        }
        self.loss_round_start = has_sample && sample.prior_delivered >= self.loss_round_delivered;
        self.bw_latest = self.bw_latest.max(rate);
        self.inflight_latest = self.inflight_latest.max(sample.delivered);
        if self.loss_round_start {
            self.loss_round_delivered = sending.delivered;
        }
        if sample.newly_lost > 0 {
            self.loss_in_round = true;
            self.loss_events += 1;
            self.lost_in_round += sample.newly_lost;
        }
        self.round_start = has_sample && sample.prior_delivered >= self.next_round_delivered;
        if self.round_start {
            self.next_round_delivered = sending.delivered;
            self.round_count += 1;
        }
        if rate > 0.0 && (rate >= self.max_bw() || !sample.is_app_limited) {
            self.max_bw[1] = self.max_bw[1].max(rate);
        }
        if self.loss_round_start {
            if self.loss_in_round && !is_probing {
                self.lower_bounds(cwnd);
            }
            self.loss_in_round = false;
        }
    }

    fn lower_bounds(&mut self, cwnd: u64) {
        if self.bw_lo == f64::INFINITY {
            self.bw_lo = self.max_bw();
        }
        if self.inflight_lo == u64::MAX {
            self.inflight_lo = cwnd;
        }
        self.bw_lo = self.bw_latest.max(BETA * self.bw_lo);
        self.inflight_lo = self.inflight_latest.max((BETA * self.inflight_lo as f64) as u64);
    }

    /// The next round trip of losses begins with this sample (BBRAdvanceLatestDeliverySignals()).
    pub fn advance(&mut self, sample: &RateSample) {
        if self.loss_round_start {
            (self.bw_latest, self.inflight_latest) = (sample.rate.unwrap_or(0.0), sample.delivered);
            (self.loss_events, self.lost_in_round) = (0, 0);
        }
    }

    /// How much more was delivered than the bandwidth explains (5.5.9).
    pub fn count_aggregation(&mut self, sample: &RateSample, sending: &Sending, cwnd: u64, full: bool) {
        let interval = sending.now.since(self.extra_acked_start);
        let mut expected = (self.bandwidth() * interval.seconds()) as u64;
        if self.extra_acked_delivered <= expected {
            (self.extra_acked_delivered, self.extra_acked_start, expected) = (0, sending.now, 0);
        }
        self.extra_acked_delivered += sample.newly_acked;
        let extra = self.extra_acked_delivered.saturating_sub(expected).min(cwnd);
        let filter = if full { EXTRA_ACKED_FILTER / 2 } else { 1 };
        if self.round_count >= self.extra_acked[1].0 + filter {
            self.extra_acked = [self.extra_acked[1], (self.round_count, 0)];
        }
        self.extra_acked[1].1 = self.extra_acked[1].1.max(extra);
    }

    pub fn extra_acked(&self) -> u64 {
        self.extra_acked[0].1.max(self.extra_acked[1].1)
    }

    pub fn restart_aggregation(&mut self, now: Time) {
        (self.extra_acked_start, self.extra_acked_delivered) = (now, 0);
    }

    /// Takes an RTT; returns whether the least RTT is so old that it is to be probed for (5.3.4.3).
    pub fn update_min_rtt(&mut self, sample: &RateSample, now: Time) -> bool {
        let expired = self.probe_rtt_min.is_some() && now.since(self.probe_rtt_min_stamp) > PROBE_RTT_INTERVAL;
        if let Some(rtt) = sample.rtt
            && (expired || self.probe_rtt_min.is_none_or(|least| rtt < least))
        {
            (self.probe_rtt_min, self.probe_rtt_min_stamp) = (Some(rtt), now);
        }
        let is_old = now.since(self.min_rtt_stamp) > MIN_RTT_FILTER;
        if let Some(least) = self.probe_rtt_min
            && (is_old || self.min_rtt.is_none_or(|min_rtt| least < min_rtt))
        {
            (self.min_rtt, self.min_rtt_stamp) = (Some(least), self.probe_rtt_min_stamp);
        }
        expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sending(ms: u64, delivered: u64) -> Sending {
        let now = Time::ZERO + Duration::from_millis(ms);
        Sending { now, pipe: 50_000, delivered, cwnd_limited: true, in_recovery: false }
    }

    /// A sample of `rate` octets per second whose segment was sent when `prior` octets were delivered.
    fn sample(rate: f64, prior: u64, lost: u64) -> RateSample {
        RateSample {
            rate: Some(rate),
            rtt: Some(Duration::from_millis(40)),
            newly_acked: 1000,
            newly_lost: lost,
            delivered: 40_000,
            prior_delivered: prior,
            in_flight: 50_000,
            ..RateSample::default()
        }
    }

    #[test]
    fn a_round_trip_with_losses_lowers_the_bounds_to_what_was_delivered_in_it_or_by_three_tenths() {
        let mut model = Model::new();
        let take = |model: &mut Model, rate: f64, prior, delivered, lost| {
            let sample = sample(rate, prior, lost);
            model.take(&sample, &sending(0, delivered), false, 100_000);
            model.advance(&sample);
        };
        take(&mut model, 1e6, 0, 40_000, 0);
        // the round trip of a loss ends with the first sample of a segment sent after it: 59 000 octets had been delivered by then
        take(&mut model, 0.6e6, 20_000, 60_000, 1000);
        take(&mut model, 0.6e6, 40_000, 80_000, 0);
        assert_eq!((model.bandwidth(), model.inflight_lo), (1e6, u64::MAX), "the round trip is not over");
        take(&mut model, 0.6e6, 60_000, 100_000, 0);
        assert_eq!((model.bandwidth(), model.inflight_lo), (1e6, 70_000), "the first sample since then was 1e6");
        take(&mut model, 0.6e6, 80_000, 120_000, 1000);
        take(&mut model, 0.6e6, 100_000, 140_000, 0);
        assert_eq!(model.bandwidth(), 1e6);
        take(&mut model, 0.6e6, 120_000, 160_000, 0);
        assert!((model.bandwidth() - 0.7e6).abs() < 1.0, "{}", model.bandwidth());
        assert_eq!(model.max_bw(), 1e6);
        model.reset_lower_bounds();
        assert_eq!(model.bandwidth(), 1e6);
    }

    #[test]
    fn the_greatest_bandwidth_counts_for_two_cycles() {
        let mut model = Model::new();
        for (rate, expected) in [(2e6, 2e6), (1e6, 2e6), (1e6, 1e6)] {
            model.take(&sample(rate, 0, 0), &sending(0, 40_000), false, 100_000);
            assert_eq!(model.max_bw(), expected);
            model.advance_max_bw();
        }
    }

    #[test]
    fn samples_that_the_application_limits_count_only_if_they_are_greater() {
        let mut model = Model::new();
        model.take(&sample(1e6, 0, 0), &sending(0, 40_000), false, 100_000);
        model.advance_max_bw();
        for (rate, expected) in [(0.5e6, 0.0), (1.5e6, 1.5e6)] {
            let sample = RateSample { is_app_limited: true, ..sample(rate, 0, 0) };
            model.take(&sample, &sending(0, 40_000), false, 100_000);
            assert_eq!(model.max_bw[1], expected);
        }
    }

    #[test]
    fn the_least_rtt_is_due_for_a_probe_after_5_s_and_forgotten_after_10() {
        let mut model = Model::new();
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let rtt = |ms| RateSample { rtt: Some(Duration::from_millis(ms)), ..RateSample::default() };
        assert!(!model.update_min_rtt(&rtt(40), at(1)));
        assert!(!model.update_min_rtt(&rtt(60), at(6)));
        assert!(model.update_min_rtt(&rtt(60), at(7)));
        assert_eq!(model.min_rtt, Some(Duration::from_millis(40)));
        model.update_min_rtt(&rtt(60), at(12));
        assert_eq!(model.min_rtt, Some(Duration::from_millis(60)));
    }
}
