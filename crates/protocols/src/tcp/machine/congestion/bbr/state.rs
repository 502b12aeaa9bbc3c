//! The states of BBR (draft-ietf-ccwg-bbr-04, 5.3).

use sojourn_core::{Duration, Time};

use super::parameters::{CWND_GAIN, DRAIN_PACING_GAIN, PROBE_RTT_CWND_GAIN, STARTUP_PACING_GAIN};

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
    pub ack_phase: AckPhase,
    pub full_bw: f64,
    pub full_bw_count: u32,
    pub full_bw_now: bool,
    pub full_bw_reached: bool,
    /// When the probe of bandwidth, or the wait for it, began.
    pub cycle_stamp: Time,
    pub probe_wait: Duration,
    pub rounds_since_probe: u64,
    /// Whether samples are of segments that were sent while bandwidth was probed for.
    pub probe_samples: bool,
    /// Octets delivered for each segment that the bound grows by, those delivered, and how often that was halved.
    pub probe_up_count: u64,
    pub probe_up_acked: u64,
    pub probe_up_rounds: u32,
    pub probe_rtt_done: Option<Time>,
    pub probe_rtt_round_done: bool,
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

    pub fn reset_full_bw(&mut self) {
        (self.full_bw, self.full_bw_count, self.full_bw_now) = (0.0, 0, false);
    }
}
