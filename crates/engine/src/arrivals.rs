//! When things arrive: from a clock, from chance, or from a list.
//!
//! [`Arrivals`] says how; [`Arrivals::start`] makes a [`Process`] that gives one arrival after the other.
//! Processes that answer to something else than time (a value that changes, a poll that returns) are the
//! networks' own, made of these.

use std::sync::Arc;

use sojourn_core::{Duration, Stream, Time};

use crate::sample;

/// A kind of arrivals with its parameters. All spans must be above zero unless said.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Exponential gaps.
    Poisson {
        /// Mean gap.
        mean_gap: Duration,
    },
    /// One every period.
    Periodic {
        /// The period.
        period: Duration,
        /// The first arrival's time, zero allowed; drawn uniformly from a period when `None`.
        phase: Option<Duration>,
    },
    /// Normal gaps, draws below zero drawn again.
    Normal {
        /// Mean gap.
        mean_gap: Duration,
        /// Standard deviation of a gap, zero allowed.
        deviation: Duration,
    },
    /// Groups: `size` arrivals `gap` apart; from one group's start to the next an exponential span, at least
    /// the group's own length.
    Burst {
        /// Arrivals in a group, at least 1.
        size: u32,
        /// Gap inside a group, zero allowed.
        gap: Duration,
        /// Mean span between the starts of groups.
        interval: Duration,
    },
    /// A source that is on and off by turns for exponential spans, off at first; a span on begins with an arrival
    /// and goes on with one every `gap`.
    OnOff {
        /// Mean span on.
        on: Duration,
        /// Mean span off.
        off: Duration,
        /// Gap while on.
        gap: Duration,
    },
    /// A closed loop: the next arrival is whenever the one before is done and the think time over.
    Saturating {
        /// Span between the end of one and the next, zero allowed.
        think: Duration,
    },
    /// Instants from a list, ascending.
    Trace(Arc<[Time]>),
}

impl Arrivals {
    /// The process from time 0 on.
    pub fn start(&self) -> Process {
        Process { arrivals: self.clone(), given: 0, until: Time::ZERO }
    }

    /// Whether the next arrival waits for the one before to be done.
    pub fn is_closed(&self) -> bool {
        matches!(self, Arrivals::Saturating { .. })
    }

    /// Mean arrivals per second; `None` where load or a list decides.
    pub fn rate(&self) -> Option<f64> {
        let per_second = |mean_gap: Duration| 1.0 / mean_gap.seconds();
        match self {
            Arrivals::Poisson { mean_gap } | Arrivals::Normal { mean_gap, .. } => Some(per_second(*mean_gap)),
            Arrivals::Periodic { period, .. } => Some(per_second(*period)),
            Arrivals::Burst { size, interval, .. } => Some(f64::from(*size) * per_second(*interval)),
            Arrivals::OnOff { on, off, gap } => {
                // a span on begins with an arrival and goes on for a geometric number of gaps
                let in_a_span = -1.0 / libm::expm1(-gap.seconds() / on.seconds());
                Some(in_a_span / (on.seconds() + off.seconds()))
            }
            Arrivals::Saturating { .. } | Arrivals::Trace(_) => None,
        }
    }
}

/// Arrivals under way.
#[derive(Clone, Debug)]
pub struct Process {
    arrivals: Arrivals,
    /// Arrivals given.
    given: usize,
    /// End of the current span on; start of the current group.
    until: Time,
}

impl Process {
    /// The arrival after the one at `last` (time 0 at first; of a closed loop, when the one before was done);
    /// `None` when there are no more.
    #[inline]
    pub fn next(&mut self, last: Time, stream: &mut Stream) -> Option<Time> {
        let first = self.given == 0;
        let next = match &self.arrivals {
            Arrivals::Poisson { mean_gap } => last + sample::exponential(stream, *mean_gap),
            Arrivals::Periodic { period, phase } if first => {
                last + phase.unwrap_or_else(|| sample::uniform(stream, *period))
            }
            Arrivals::Periodic { period, .. } => last + *period,
            Arrivals::Normal { mean_gap, deviation } => last + sample::normal(stream, *mean_gap, *deviation),
            Arrivals::Burst { .. } => return Some(self.next_of_burst(last, stream)),
            Arrivals::OnOff { .. } => self.next_while_on(last, stream),
            Arrivals::Saturating { .. } if first => last,
            Arrivals::Saturating { think } => last + *think,
            Arrivals::Trace(instants) => *instants.get(self.given)?,
        };
        self.given += 1;
        Some(next)
    }

    fn next_of_burst(&mut self, last: Time, stream: &mut Stream) -> Time {
        let Arrivals::Burst { size, gap, interval } = self.arrivals else { unreachable!("asked of bursts alone") };
        if self.given % size as usize != 0 {
            self.given += 1;
            return last + gap;
        }
        self.given += 1;
        self.until = last.max(self.until + sample::exponential(stream, interval));
        self.until
    }

    fn next_while_on(&mut self, last: Time, stream: &mut Stream) -> Time {
        let Arrivals::OnOff { on, off, gap } = self.arrivals else { unreachable!("asked of on-off sources alone") };
        let mut next = last + gap;
        while next > self.until {
            let begin = self.until + sample::exponential(stream, off);
            self.until = begin + sample::exponential(stream, on);
            next = begin;
        }
        next
    }
}

#[cfg(test)]
mod tests;
