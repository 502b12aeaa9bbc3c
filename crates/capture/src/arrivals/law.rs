//! A law of arrivals with its parameters, and how well it fits.

use std::fmt;

/// A law of arrivals, under the names of a scenario's `arrivals`. All parameters are seconds unless stated otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// Exponential gaps of this mean.
    Poisson {
        /// Mean gap between messages, s.
        interval: f64,
    },
    /// One message per interval, each late by a uniform time of its own.
    Periodic {
        /// Interval between messages, s.
        interval: f64,
        /// Largest lateness of a message, s.
        jitter: f64,
    },
    /// Independent gaps of a normal distribution.
    Normal {
        /// Mean gap between messages, s.
        interval: f64,
        /// Standard deviation of a gap, s.
        deviation: f64,
    },
    /// The next message follows the completion of the last one.
    Saturating {
        /// Think time between the end of one message and the next, s.
        think: f64,
        /// Uniform random addition to the think time, s.
        spread: f64,
    },
    /// Groups of a constant number of messages; the groups are a Poisson process.
    Burst {
        /// Messages of a group.
        size: u32,
        /// Gap between the messages of a group, s.
        gap: f64,
        /// Mean time from the start of a group to the start of the next, s.
        interval: f64,
    },
    /// Periodic while on, silent while off; both periods exponential.
    OnOff {
        /// Gap between messages while on, s.
        interval: f64,
        /// Mean length of an on period, s.
        on: f64,
        /// Mean length of an off period, s.
        off: f64,
    },
    /// On change of value, with a throttle and a heartbeat.
    Heartbeat {
        /// Max send time, s; where no gap reaches it, the longest gap seen.
        max_interval: f64,
        /// Whether gaps reach the max send time: else it is a lower bound.
        max_seen: bool,
        /// Min send time (throttle), s.
        min_interval: f64,
        /// Mean time between changes of the value, s.
        change_interval: f64,
    },
}

impl Law {
    /// The word of the law in a scenario.
    pub const fn word(&self) -> &'static str {
        match self {
            Law::Poisson { .. } => "poisson",
            Law::Periodic { .. } => "periodic",
            Law::Normal { .. } => "normal",
            Law::Saturating { .. } => "saturating",
            Law::Burst { .. } => "burst",
            Law::OnOff { .. } => "on-off",
            Law::Heartbeat { .. } => "heartbeat",
        }
    }

    /// Number of parameters estimated: of two laws that fit, the one with fewer is chosen.
    pub const fn parameters(&self) -> u32 {
        match self {
            Law::Poisson { .. } => 1,
            Law::Periodic { .. } | Law::Normal { .. } | Law::Saturating { .. } => 2,
            Law::Burst { .. } | Law::OnOff { .. } | Law::Heartbeat { .. } => 3,
        }
    }
}

/// A law with its goodness of fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The law with its estimated parameters.
    pub law: Law,
    /// Largest difference of the distribution functions of the gaps and of the law, 0 to 1 (Kolmogorov and Smirnov).
    pub distance: f64,
    /// Gaps that the distance was computed from.
    pub gaps: usize,
}

/// Critical distance times the square root of the number of gaps, at the level of 1 %, for an exponential law whose mean
/// was estimated (Lilliefors, 1969); it serves for all laws, since the parameters of all are estimated.
const CRITICAL: f64 = 1.25;
/// A distance that does not matter for a model of the flow, whatever the number of gaps.
const NEGLIGIBLE: f64 = 0.05;

impl Fit {
    /// Whether the gaps do not contradict the law at the level of 1 %, or differ from it by a negligible distance.
    pub fn is_good(&self) -> bool {
        self.distance <= self.critical()
    }

    /// Distance above which the gaps contradict the law.
    pub fn critical(&self) -> f64 {
        (CRITICAL / (self.gaps as f64).sqrt()).max(NEGLIGIBLE)
    }
}

impl fmt::Display for Fit {
    /// `Kolmogorov-Smirnov distance 0.021 of 59 gaps, below the critical 0.163`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = if self.is_good() { "below" } else { "above" };
        let Fit { distance, gaps, .. } = self;
        write!(
            f,
            "Kolmogorov-Smirnov distance {distance:.3} of {gaps} gaps, {side} the critical {:.3}",
            self.critical()
        )
    }
}
