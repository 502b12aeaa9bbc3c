//! CUBIC (RFC 9438): the window as a cubic function of the time since the last loss.

use sojourn_core::{Duration, Time};

/// The window after a loss, as a share of that before it.
pub(super) const BETA: f64 = 0.7;
/// How fast the window grows, segments per second cubed.
const C: f64 = 0.4;
/// Segments per window that a flow of Reno's would win, for the same mean window.
const RENO_FRIENDLY: f64 = 3.0 * (1.0 - BETA) / (1.0 + BETA);

/// What CUBIC remembers of the last loss. Windows are in segments, as the RFC has them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cubic {
    /// The window before the last loss.
    largest: f64,
    epoch: Option<Epoch>,
}

/// The time since a loss in which the window grew.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    began: Time,
    /// After how many seconds the window is `largest` again.
    plateau: f64,
    origin: f64,
    /// What Reno's window would be.
    friendly: f64,
}

impl Cubic {
    /// A loss, at a window of `segments`: the window that remains. With fast convergence a flow whose window was
    /// already below its last one leaves room for others.
    pub fn reduce(&mut self, segments: f64) -> f64 {
        self.largest = if segments < self.largest { segments * (1.0 + BETA) / 2.0 } else { segments };
        self.epoch = None;
        segments * BETA
    }

    /// The window stood still, for a reason of the application's: time does not count.
    pub fn forget_epoch(&mut self) {
        self.epoch = None;
    }

    /// The window after `acknowledged` segments were acknowledged in congestion avoidance.
    pub fn grow(&mut self, now: Time, segments: f64, acknowledged: f64, round_trip: Duration) -> f64 {
        let largest = self.largest;
        let epoch = self.epoch.get_or_insert_with(|| {
            let origin = largest.max(segments);
            Epoch { began: now, plateau: libm::cbrt((origin - segments) / C), origin, friendly: segments }
        });
        let ahead = (now - epoch.began + round_trip).seconds() - epoch.plateau;
        let target = (C * ahead * ahead * ahead + epoch.origin).clamp(segments, 1.5 * segments);
        let factor = if epoch.friendly < epoch.origin { RENO_FRIENDLY } else { 1.0 };
        epoch.friendly += factor * acknowledged / segments;
        let cubic = segments + (target - segments) / segments * acknowledged;
        cubic.max(epoch.friendly)
    }
}
