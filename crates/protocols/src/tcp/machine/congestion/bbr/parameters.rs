//! Constants of BBR (draft-ietf-ccwg-bbr-04), and what the sender reports.

use sojourn_core::{Duration, Time};

/// Gains of Startup and Drain (StartupPacingGain, StartupCwndGain, DrainPacingGain; 5.3.1 and 5.3.2). That of Drain is 0.5 in a table
/// of version 04 and throughout in 05 and 06; the text of 04 has 0.35.
pub(super) const STARTUP_PACING_GAIN: f64 = 2.77;
pub(super) const DRAIN_PACING_GAIN: f64 = 0.5;
/// DefaultCwndGain (2.5).
pub(super) const CWND_GAIN: f64 = 2.0;
/// BBR.PacingMarginPercent (2.4): below the bandwidth, so that queues drain.
pub(super) const PACING_MARGIN: f64 = 0.99;
/// BBR.MinPipeCwnd, segments (2.7).
pub(super) const MIN_PIPE: u64 = 4;
/// BBR.Beta: what remains of a bound after losses, and BBR.Headroom: what is left for other flows (2.7).
pub(super) const BETA: f64 = 0.7;
pub(super) const HEADROOM: f64 = 0.15;

/// BBR.ProbeRTTInterval, BBR.ProbeRTTDuration and BBR.ProbeRTTCwndGain (2.13.2).
pub(super) const PROBE_RTT_INTERVAL: Duration = Duration::from_secs(5);
pub(super) const PROBE_RTT_DURATION: Duration = Duration::from_millis(200);
pub(super) const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// Growth of the bandwidth in a round trip that shows that more is to be had, and round trips without it (5.3.1.2).
pub(super) const FULL_BW_GROWTH: f64 = 1.25;
pub(super) const FULL_BW_ROUNDS: u32 = 3;
/// BBRStartupFullLossCnt: ranges lost in a round trip that end Startup (5.3.1.3), counted by acknowledgements that show losses.
pub(super) const FULL_LOSS_COUNT: u32 = 6;
/// Round trips after which bandwidth is probed for at the latest, so that Reno gets as much (5.3.3.5.3).
pub(super) const MAX_RENO_ROUNDS: u64 = 63;

/// State of the sender that a rate sample does not include.
#[derive(Clone, Copy, Debug)]
pub(in super::super::super) struct Sending {
    pub now: Time,
    /// C.inflight: octets that are neither delivered nor lost.
    pub pipe: u64,
    /// C.delivered.
    pub delivered: u64,
    /// Whether cwnd limited what was sent in this round trip.
    pub cwnd_limited: bool,
    /// Whether a loss is recovered from.
    pub in_recovery: bool,
}
