//! CUBIC: the window grows with the third power of the time since the last congestion event (RFC 9438).

use sojourn_core::{Duration, Time};

/// Multiplicative decrease factor (beta_cubic; RFC 9438, 4.6).
const BETA: f64 = 0.7;
/// Aggressiveness of the growth, segments/s^3 (RFC 9438, 4.1).
const C: f64 = 0.4;
/// Additive increase of the Reno-friendly region, segments per RTT (alpha_cubic; RFC 9438, 4.3). Linux keeps it beyond the
/// window before the loss as well, where the RFC recommends 1: goodput under random loss is a fifth to a third less.
const ALPHA: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// State of CUBIC (RFC 9438). Windows are in segments.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cubic {
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
    pub fn reduce(&mut self, segments: f64) -> f64 {
        self.reduce_to(segments, BETA)
    }

    /// The same, to another share of the window.
    pub fn reduce_to(&mut self, segments: f64, share: f64) -> f64 {
        self.w_max = if segments < self.w_max { segments * (1.0 + BETA) / 2.0 } else { segments };
        self.epoch = None;
        segments * share
    }

    /// The application limited the sender: the time does not count as growth (RFC 9438, 5.8).
    pub fn forget_epoch(&mut self) {
        self.epoch = None;
    }

    /// The window after `acked` segments were acknowledged in congestion avoidance.
    pub fn grow(&mut self, now: Time, segments: f64, acked: f64, srtt: Duration) -> f64 {
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
