//! The congestion window (RFC 5681).

use sojourn_core::{Duration, Time};

use super::cubic::Cubic;
use super::settings::{Congestion, Settings};

/// How much may be under way, and how that changes.
#[derive(Clone, Debug)]
pub(super) struct Window {
    /// Octets that may be under way.
    octets: u64,
    /// Up to where it grows by slow start.
    threshold: u64,
    /// Octets of a full segment.
    segment: u64,
    /// Part of an octet that growth has not added yet, in 1/`octets` of a segment squared.
    remainder: u64,
    restart: u64,
    algorithm: Congestion,
    cubic: Cubic,
}

impl Window {
    pub fn new(settings: &Settings) -> Self {
        Window {
            octets: settings.initial_cwnd,
            threshold: settings.initial_ssthresh,
            segment: settings.mss.into(),
            remainder: 0,
            restart: settings.restart_window,
            algorithm: settings.congestion,
            cubic: Cubic::default(),
        }
    }

    /// The other end takes segments of `octets` at most.
    pub fn set_segment(&mut self, octets: u64) {
        self.octets = (self.octets / self.segment).max(1) * octets;
        self.restart = (self.restart / self.segment).max(1) * octets;
        self.segment = octets;
    }

    pub fn octets(&self) -> u64 {
        self.octets
    }

    pub fn threshold(&self) -> u64 {
        self.threshold
    }

    /// New data were acknowledged, and no loss is being recovered. The window grows only where it was the limit.
    pub fn acknowledged(&mut self, now: Time, octets: u64, round_trip: Duration, was_limit: bool) {
        if !was_limit {
            self.cubic.forget_epoch();
        } else if self.octets <= self.threshold {
            self.octets += octets.min(self.segment);
        } else if self.algorithm == Congestion::Cubic {
            let (window, segments) = (self.in_segments(self.octets), self.in_segments(octets));
            let grown = self.cubic.grow(now, window, segments, round_trip);
            self.octets = self.octets.max((grown * self.segment as f64) as u64);
        } else {
            // a segment per window, by the acknowledgement
            self.remainder += self.segment * self.segment;
            self.octets += self.remainder / self.octets;
            self.remainder %= self.octets;
        }
    }

    /// A loss with `under_way` octets under way: the window that is aimed at.
    pub fn lost(&mut self, under_way: u64) {
        self.threshold = match self.algorithm {
            Congestion::Cubic => {
                let left = self.cubic.reduce(self.in_segments(self.octets.max(self.segment)));
                (left * self.segment as f64) as u64
            }
            Congestion::Reno | Congestion::NewReno => under_way / 2 / self.segment * self.segment,
        }
        .max(2 * self.segment);
        self.remainder = 0;
    }

    /// Sets the window to the threshold and `segments` full segments more.
    pub fn at_threshold_and(&mut self, segments: u64) {
        self.octets = self.threshold + segments * self.segment;
    }

    /// Sets the window to at most `octets`, and at least a segment.
    pub fn at_most(&mut self, octets: u64) {
        self.octets = self.octets.min(octets).max(self.segment);
    }

    /// A duplicate tells that a segment has left the network.
    pub fn inflate(&mut self) {
        self.octets += self.segment;
    }

    /// Part of what was lost has arrived.
    pub fn deflate(&mut self, octets: u64) {
        let replaced = if octets >= self.segment { self.segment } else { 0 };
        self.octets = (self.octets.saturating_sub(octets) + replaced).max(self.segment);
    }

    /// A timeout: slow start from one segment.
    pub fn collapse(&mut self) {
        self.octets = self.segment;
    }

    /// A silence: what was learnt of the path may no longer hold.
    pub fn restart(&mut self) {
        self.octets = self.octets.min(self.restart);
        self.cubic.forget_epoch();
    }

    fn in_segments(&self, octets: u64) -> f64 {
        octets as f64 / self.segment as f64
    }
}
