//! The share of octets that was marked, as DCTCP (RFC 8257) and Prague estimate it.

use sojourn_core::{Duration, Time};

use super::super::sequence::Position;

/// g: weight of a window in the estimate (RFC 8257, 4.2).
const GAIN: f64 = 1.0 / 16.0;

/// DCTCP.Alpha and what it is estimated from (RFC 8257, 3.3).
#[derive(Clone, Copy, Debug)]
pub(super) struct MarkedShare {
    alpha: f64,
    /// Octets delivered in this window, and those of them that were marked.
    delivered: u64,
    marked: u64,
    /// DCTCP.WindowEnd: position whose acknowledgement ends this window.
    window_end: Position,
    /// When the window began, which lasts for `shortest` at least.
    window_start: Time,
    shortest: Duration,
}

impl MarkedShare {
    /// Before the first mark everything counts as marked, so that the first reduction is by half (RFC 8257, 3.3).
    pub fn new(shortest: Duration) -> Self {
        MarkedShare { alpha: 1.0, delivered: 0, marked: 0, window_end: 0, window_start: Time::ZERO, shortest }
    }

    /// `delivered` octets arrived, of which `marked` were marked; all before `acked` are acknowledged.
    pub fn observe(&mut self, now: Time, [delivered, marked]: [u64; 2], acked: Position, snd_max: Position) {
        self.delivered += delivered;
        self.marked += marked.min(delivered);
        if acked < self.window_end || now.since(self.window_start) < self.shortest {
            return;
        }
        if self.delivered > 0 {
            let share = self.marked as f64 / self.delivered as f64;
            self.alpha += GAIN * (share - self.alpha);
        }
        (self.delivered, self.marked) = (0, 0);
        (self.window_end, self.window_start) = (snd_max, now);
    }

    /// The window that is left of `cwnd` after marks (RFC 8257, 3.3, step 9).
    pub fn reduced(&self, cwnd: u64) -> u64 {
        (cwnd as f64 * (1.0 - self.alpha / 2.0)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The estimate after `windows` windows of ten segments each, `marked` of them marked.
    fn after(windows: u64, marked: u64) -> f64 {
        let mut share = MarkedShare::new(Duration::ZERO);
        for segment in 1..=10 * windows {
            let marks = if segment % 10 < marked { 1000 } else { 0 };
            share.observe(Time::ZERO, [1000, marks], 1000 * segment, 1000 * (segment + 10));
        }
        share.alpha
    }

    #[test]
    fn the_estimate_approaches_the_share_of_marks_by_a_sixteenth_of_the_distance_in_each_window() {
        // the first acknowledgement ends a window of its own, without marks where none are marked
        for windows in [2, 10, 40] {
            let expected = libm::pow(15.0 / 16.0, windows as f64);
            assert!((after(windows, 0) - expected).abs() < 1e-9, "{} after {windows}", after(windows, 0));
        }
        assert!((after(200, 3) - 0.3).abs() < 0.02, "{}", after(200, 3));
        assert!((after(200, 10) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_window_is_reduced_by_half_of_the_share() {
        let mut share = MarkedShare::new(Duration::ZERO);
        assert_eq!(share.reduced(100_000), 50_000);
        share.alpha = 0.1;
        assert_eq!(share.reduced(100_000), 95_000);
    }
}
