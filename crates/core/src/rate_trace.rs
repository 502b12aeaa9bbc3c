//! What a link can send over time: packet-delivery opportunities, or a piecewise constant rate.
//!
//! Both are a cumulative capacity `C(t)` in bits, by which the service of packets back to back is exact: the last bit of those that
//! began at `s` and have `b` bits together is sent at the first `t` with `C(t) - C(s) >= b`. Times are rounded up to a picosecond
//! once, not packet by packet.

use crate::time::{PICOSECONDS_PER_SECOND, Time};

/// Work of one bit: a picosecond at one bit a second is one unit, so that capacities are whole numbers.
const BIT: u128 = PICOSECONDS_PER_SECOND as u128;
/// Octets of a packet-delivery opportunity of Mahimahi (`PACKET_SIZE` of its `link_queue.hh`).
pub const OPPORTUNITY: u32 = 1504;
/// Octets of a packet there beside those of IP: what its TUN device puts before it, so that an opportunity carries 1500.
pub const OPPORTUNITY_HEADER: u32 = 4;

/// A link's capacity over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateTrace(Form);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    /// Instants, ascending, at each of which [`OPPORTUNITY`] octets may leave; over and over, with the last as period.
    Opportunities(Box<[u64]>),
    Rates {
        steps: Box<[Step]>,
        /// When it begins again; without, the last rate stays.
        period: Option<u64>,
    },
}

/// A rate from a time on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Step {
    from: u64,
    rate: u64,
    /// The work of all steps before.
    before: u128,
}

impl RateTrace {
    /// Opportunities at these instants, which do not descend and end above zero, and again after the last; none if they do not.
    pub fn of_opportunities(at: Vec<Time>) -> Option<RateTrace> {
        let is_valid = at.is_sorted() && at.last().is_some_and(|last| *last > Time::ZERO);
        is_valid.then(|| RateTrace(Form::Opportunities(at.into_iter().map(Time::picoseconds).collect())))
    }

    /// A rate in bit/s from each of these instants on, from 0 and ascending, and again from the beginning at `period` if there is
    /// one; none if the instants are others, or if the link would carry nothing from some time on.
    pub fn of_rates(rates: &[(Time, u64)], period: Option<Time>) -> Option<RateTrace> {
        let ascends = rates.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let (begin, last) = (rates.first()?.0, *rates.last()?);
        if !ascends || begin > Time::ZERO || period.is_some_and(|period| period <= last.0) {
            return None;
        }
        let mut before = 0;
        let mut steps = Vec::with_capacity(rates.len());
        for (number, &(from, rate)) in rates.iter().enumerate() {
            steps.push(Step { from: from.picoseconds(), rate, before });
            let until = rates.get(number + 1).map(|next| next.0).or(period).unwrap_or(from);
            before += u128::from(until.since(from).picoseconds()) * u128::from(rate);
        }
        let goes_on = if period.is_some() { before > 0 } else { last.1 > 0 };
        let period = period.map(Time::picoseconds);
        goes_on.then(|| RateTrace(Form::Rates { steps: steps.into(), period }))
    }

    /// Octets that it counts with an IP packet in place of a link's framing; none where it counts framing.
    pub fn header(&self) -> Option<u32> {
        matches!(self.0, Form::Opportunities(_)).then_some(OPPORTUNITY_HEADER)
    }

    /// The long-term rate in bit/s, rounded down: of a period, or the last one.
    pub fn mean_rate(&self) -> u64 {
        let rate = match &self.0 {
            Form::Rates { steps, period: None } => u128::from(steps[steps.len() - 1].rate),
            _ => self.period().map_or(0, |period| self.of_period() / u128::from(period)),
        };
        u64::try_from(rate).unwrap_or(u64::MAX)
    }

    /// The highest rate in bit/s; none of opportunities, which take no time.
    pub fn peak_rate(&self) -> Option<u64> {
        match &self.0 {
            Form::Opportunities(_) => None,
            Form::Rates { steps, .. } => steps.iter().map(|step| step.rate).max(),
        }
    }

    /// The instants of its opportunities up to its period; none of rates.
    pub fn opportunities(&self) -> Option<impl Iterator<Item = Time>> {
        match &self.0 {
            Form::Opportunities(at) => Some(at.iter().copied().map(Time::from_picoseconds)),
            Form::Rates { .. } => None,
        }
    }

    /// Its rates, each with the instant from which on it is so, and its period if it has one; none of opportunities.
    pub fn rates(&self) -> Option<(impl Iterator<Item = (Time, u64)>, Option<Time>)> {
        match &self.0 {
            Form::Opportunities(_) => None,
            Form::Rates { steps, period } => {
                let rates = steps.iter().map(|step| (Time::from_picoseconds(step.from), step.rate));
                Some((rates, period.map(Time::from_picoseconds)))
            }
        }
    }

    /// The work that the link can do up to an instant, what happens at it included.
    pub fn capacity(&self, now: Time) -> Work {
        let now = now.picoseconds();
        let (periods, within) = self.period().map_or((0, now), |period| (now / period, now % period));
        let done = match &self.0 {
            Form::Opportunities(at) => at.partition_point(|at| *at <= within) as u128 * Work::of(OPPORTUNITY.into()).0,
            Form::Rates { steps, .. } => {
                let step = steps[steps.partition_point(|step| step.from <= within) - 1];
                step.before + u128::from(within - step.from) * u128::from(step.rate)
            }
        };
        Work(u128::from(periods) * self.of_period() + done)
    }

    /// The first instant up to which the link can do this work.
    pub fn when(&self, Work(work): Work) -> Time {
        if work == 0 {
            return Time::ZERO;
        }
        let of_period = self.of_period();
        // work that ends a period is done in it, not in the next
        let periods = (work - 1).checked_div(of_period).unwrap_or(0);
        let rest = work - periods * of_period;
        let within = match &self.0 {
            Form::Opportunities(at) => u128::from(at[rest.div_ceil(Work::of(OPPORTUNITY.into()).0) as usize - 1]),
            Form::Rates { steps, .. } => {
                let step = steps[steps.partition_point(|step| step.before < rest) - 1];
                u128::from(step.from) + (rest - step.before).div_ceil(u128::from(step.rate))
            }
        };
        let at = periods.saturating_mul(u128::from(self.period().unwrap_or(0))).saturating_add(within);
        u64::try_from(at).map_or(Time::NEVER, Time::from_picoseconds)
    }

    fn period(&self) -> Option<u64> {
        match &self.0 {
            Form::Opportunities(at) => at.last().copied(),
            Form::Rates { period, .. } => *period,
        }
    }

    /// The work of a period; 0 without one.
    fn of_period(&self) -> u128 {
        match &self.0 {
            Form::Opportunities(at) => at.len() as u128 * Work::of(OPPORTUNITY.into()).0,
            Form::Rates { period: None, .. } => 0,
            Form::Rates { steps, period: Some(period) } => {
                let last = steps[steps.len() - 1];
                last.before + u128::from(period - last.from) * u128::from(last.rate)
            }
        }
    }
}

/// What a link sends, exact to a bit/s for a picosecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Work(u128);

impl Work {
    /// That of octets.
    pub const fn of(octets: u64) -> Work {
        Work(octets as u128 * 8 * BIT)
    }

    /// The sum of both.
    pub const fn and(self, more: Work) -> Work {
        Work(self.0 + more.0)
    }

    /// What is left of it without `less`, none if that is more.
    pub const fn without(self, less: Work) -> Work {
        Work(self.0.saturating_sub(less.0))
    }

    /// In octets, rounded up.
    pub fn octets(self) -> u64 {
        u64::try_from(self.0.div_ceil(8 * BIT)).unwrap_or(u64::MAX)
    }
}

/// A link that sends packets one after the other by a trace.
#[derive(Clone, Debug)]
pub struct TracedLine<T> {
    trace: T,
    /// What the link will have done when the last packet is sent.
    done: Work,
    free_at: Time,
}

impl<T: std::ops::Deref<Target = RateTrace>> TracedLine<T> {
    /// A link that has sent nothing.
    pub fn new(trace: T) -> TracedLine<T> {
        TracedLine { trace, done: Work::default(), free_at: Time::ZERO }
    }

    /// By which it sends.
    pub fn trace(&self) -> &RateTrace {
        &self.trace
    }

    /// When the last bit is sent of a packet whose turn comes at `now`, when the link is free: what an opportunity has left goes to
    /// those that wait at its instant, and is lost where none does.
    #[inline]
    pub fn send(&mut self, now: Time, octets: u32) -> Time {
        if now > self.free_at {
            self.done = self.trace.capacity(now);
        }
        self.done = self.done.and(Work::of(octets.into()));
        self.free_at = self.trace.when(self.done).max(now);
        self.free_at
    }
}

#[cfg(test)]
mod tests;
