//! Arrival processes: periodic, random, or from a list.
//!
//! [`Arrivals`] describes a process; [`Arrivals::start`] makes a [`Process`] that returns one arrival after the
//! other. Processes driven by anything but time (a value that changes, a poll that returns) belong to the networks,
//! which build them from these.

use std::sync::Arc;

use sojourn_core::{Duration, Stream, Time};

use crate::law::Law;
use crate::sample;
use crate::schedule::later;

/// A kind of arrivals with its parameters. All spans must be above zero unless said.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// Poisson process: gaps from the exponential distribution.
    Poisson {
        /// Mean gap between arrivals, above 0.
        mean_gap: Duration,
    },
    /// One every period, each late by a uniform span of its own.
    Periodic {
        /// Time between arrivals, above 0.
        period: Duration,
        /// The largest lateness, zero allowed.
        jitter: Duration,
    },
    /// Independent gaps of one law.
    Renewal(Box<Law>),
    /// Groups: `size` arrivals `gap` apart; the starts of groups are a Poisson process, and a group that would start while one before
    /// it lasts starts when that has ended.
    Burst {
        /// Arrivals in a group, at least 1.
        size: u32,
        /// Gap inside a group, zero allowed.
        gap: Duration,
        /// Mean span between the starts of groups.
        interval: Duration,
    },
    /// A source that is alternately on and off for exponential spans; a span on begins with an arrival and goes on
    /// with one every `gap`.
    OnOff {
        /// Mean duration of the on state.
        on: Duration,
        /// Mean duration of the off state.
        off: Duration,
        /// Gap between arrivals in the on state.
        gap: Duration,
    },
    /// A closed loop: the next arrival is when the one before is done and the think time over.
    Saturating {
        /// Span between the end of one and the next, zero allowed.
        think: Box<Law>,
    },
    /// Instants from a list, ascending.
    Trace(Arc<[Time]>),
}

impl Arrivals {
    /// The process as if it had been running for long: the first arrival is at a random moment of the first
    /// interval.
    pub fn start(&self) -> Process {
        Process { arrivals: self.clone(), given: 0, begin: Time::ZERO, mark: Time::ZERO }
    }

    /// The process as after a power failure: it begins with an arrival (a group, a span on).
    pub fn start_at_once(&self) -> Process {
        Process { begin: Time::NEVER, ..self.start() }
    }

    /// Whether the next arrival waits for the one before to be done.
    pub fn is_closed(&self) -> bool {
        matches!(self, Arrivals::Saturating { .. })
    }

    /// Mean arrivals per second in the long run; `None` where load or a list decides.
    pub fn rate(&self) -> Option<f64> {
        let per_second = |mean_gap: Duration| 1.0 / mean_gap.seconds();
        match self {
            Arrivals::Poisson { mean_gap } => Some(per_second(*mean_gap)),
            Arrivals::Renewal(gaps) => Some(per_second(gaps.mean)),
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

/// State of an arrival process.
#[derive(Clone, Debug)]
pub struct Process {
    arrivals: Arrivals,
    /// Arrivals given.
    given: usize,
    /// When the process begins, from its first arrival on; never for one that begins with an arrival.
    begin: Time,
    /// The punctual time of a periodic arrival or of a group's start, the end of a span on.
    mark: Time,
}

impl Process {
    /// The kind of arrivals that it gives.
    pub fn arrivals(&self) -> &Arrivals {
        &self.arrivals
    }

    /// The same process before its first arrival.
    pub fn begun_anew(&self) -> Process {
        Process { given: 0, mark: Time::ZERO, ..self.clone() }
    }

    /// The arrival after the one at `last` (of a closed loop: after the one that was done at `last`); `None` when
    /// there are no more. For the first, `last` is when the process begins; a trace begins when its list says.
    #[inline]
    pub fn next(&mut self, last: Time, stream: &mut Stream) -> Option<Time> {
        if self.given == 0 {
            return self.first(last, stream);
        }
        let next = match &self.arrivals {
            Arrivals::Poisson { mean_gap } => last + sample::exponential(stream, *mean_gap),
            Arrivals::Periodic { period, jitter } => {
                self.mark += *period;
                late(self.mark, *jitter, stream).max(last)
            }
            // the heaviest of tails goes beyond the clock
            Arrivals::Renewal(gaps) => later(last, gaps.draw(stream))?,
            Arrivals::Burst { .. } => self.next_of_burst(last, stream),
            Arrivals::OnOff { .. } => self.next_while_on(last, stream),
            Arrivals::Saturating { think } => later(last, think.draw(stream))?,
            Arrivals::Trace(instants) => *instants.get(self.given)?,
        };
        self.given += 1;
        Some(next)
    }

    /// Gives the arrivals that follow the one at `last`, as many as fit and not after `end`, as [`Process::next`] gives them one
    /// by one; returns their number. A number smaller than fits means that there are no more until `end`; then numbers that were not needed
    /// may have been drawn from `stream` as well.
    pub fn fill(&mut self, mut last: Time, end: Time, stream: &mut Stream, arrivals: &mut [Time]) -> usize {
        if let Arrivals::Poisson { mean_gap } = self.arrivals
            && self.given > 0
        {
            return self.fill_poisson(mean_gap, last, end, stream, arrivals);
        }
        for (number, arrival) in arrivals.iter_mut().enumerate() {
            last = self.next(last, stream).unwrap_or(Time::NEVER);
            if last > end {
                return number;
            }
            *arrival = last;
        }
        arrivals.len()
    }

    /// [`Process::fill`] of a Poisson process, without a look at the state that others have.
    fn fill_poisson(
        &mut self,
        mean_gap: Duration,
        mut last: Time,
        end: Time,
        stream: &mut Stream,
        arrivals: &mut [Time],
    ) -> usize {
        let mut gaps = [Duration::ZERO; 64];
        let mut number = 0;
        for part in arrivals.chunks_mut(gaps.len()) {
            sample::exponentials(stream, mean_gap, &mut gaps[..part.len()]);
            for (arrival, &gap) in part.iter_mut().zip(&gaps) {
                last += gap;
                if last > end {
                    return number;
                }
                *arrival = last;
                number += 1;
            }
            self.given += part.len();
        }
        number
    }

    fn begins_with_an_arrival(&self) -> bool {
        self.begin == Time::NEVER
    }

    /// Draws again what has no memory of the arrival given last, which is due at `due` and has not come by `now`: the rest
    /// of an exponential gap is distributed as the whole, also of the one from the beginning of the process to its first arrival.
    /// Returns when that arrival is due now. A gap that is not random is kept.
    pub fn redraw(&mut self, now: Time, due: Time, stream: &mut Stream) -> Time {
        let is_first = self.given == 1;
        if self.given == 0 || due <= now || is_first && self.begins_with_an_arrival() {
            return due;
        }
        let now = if is_first { now.max(self.begin) } else { now };
        match self.arrivals {
            Arrivals::Poisson { mean_gap } => now + sample::exponential(stream, mean_gap),
            // the start of a group; arrivals inside one follow each other by the clock
            Arrivals::Burst { size, interval, .. } if (self.given - 1).is_multiple_of(size as usize) => {
                self.mark = now + sample::exponential(stream, interval);
                self.mark
            }
            Arrivals::OnOff { on, off, .. } if is_first => {
                let begin = now + sample::exponential(stream, off);
                self.mark = begin + sample::exponential(stream, on);
                begin
            }
            // the span on lasts until then at least, and has no memory of how long it has lasted
            Arrivals::OnOff { on, .. } => {
                self.mark = due + sample::exponential(stream, on);
                due
            }
            _ => due,
        }
    }

    #[cold]
    fn first(&mut self, begin: Time, stream: &mut Stream) -> Option<Time> {
        let spread = !self.begins_with_an_arrival();
        if spread {
            self.begin = begin;
        }
        let mut offset = |span: Duration, draw: fn(&mut Stream, Duration) -> Duration| {
            if spread { begin + draw(stream, span) } else { begin }
        };
        let first = match &self.arrivals {
            Arrivals::Poisson { mean_gap } => offset(*mean_gap, sample::exponential),
            Arrivals::Periodic { period, .. } => offset(*period, sample::uniform),
            Arrivals::Renewal(gaps) => offset(gaps.mean, sample::uniform),
            Arrivals::Burst { interval, .. } => offset(*interval, sample::exponential),
            Arrivals::OnOff { off, .. } => offset(*off, sample::exponential),
            Arrivals::Saturating { think } => offset(think.mean, sample::uniform),
            Arrivals::Trace(instants) => *instants.first()?,
        };
        self.given = 1;
        self.mark = first;
        match self.arrivals {
            Arrivals::Periodic { jitter, .. } => return Some(late(first, jitter, stream)),
            Arrivals::OnOff { on, .. } => self.mark += sample::exponential(stream, on),
            _ => {}
        }
        Some(first)
    }

    fn next_of_burst(&mut self, last: Time, stream: &mut Stream) -> Time {
        let Arrivals::Burst { size, gap, interval } = self.arrivals else { unreachable!("asked of bursts alone") };
        if !self.given.is_multiple_of(size as usize) {
            return last + gap;
        }
        // the starts keep their own pace: a group that starts late makes no other one late beyond its own length
        self.mark += sample::exponential(stream, interval);
        self.mark.max(last)
    }

    fn next_while_on(&mut self, last: Time, stream: &mut Stream) -> Time {
        let Arrivals::OnOff { on, off, gap } = self.arrivals else { unreachable!("asked of on-off sources alone") };
        if last + gap <= self.mark {
            return last + gap;
        }
        let begin = self.mark + sample::exponential(stream, off);
        self.mark = begin + sample::exponential(stream, on);
        begin
    }
}

/// A punctual time made late.
#[inline]
fn late(punctual: Time, jitter: Duration, stream: &mut Stream) -> Time {
    if jitter == Duration::ZERO { punctual } else { punctual + sample::uniform(stream, jitter) }
}

#[cfg(test)]
mod tests;
