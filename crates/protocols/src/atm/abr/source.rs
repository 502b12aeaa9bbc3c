//! Source behaviour: which cell may leave when, and how the rate follows (Traffic Management 4.0, 5.10.4, rules 1 to
//! 13; the drafts of 1995 by [`Parameters`]).

use sojourn_core::{Duration, Time};

use super::parameters::{Decrease, IdleRule, Parameters};
use super::rate_cell::RateCell;

/// The beginning of one direction of a connection.
///
/// A caller asks [`earliest`](Self::earliest) when a cell may leave, and then which by [`choose`](Self::choose). It
/// sends the cell that it was given; a link may make it wait, as long as cells keep their order.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    parameters: Parameters,
    allowed: f64,
    /// Between two cells at the allowed rate, if there is any.
    spacing: Option<Duration>,
    /// When the next cell may leave.
    slot: Time,
    /// When the last cell left, if one did.
    last: Option<Time>,
    last_forward: Option<Time>,
    /// When the last cell beyond the rate left.
    last_out_of_rate: Option<Time>,
    since_forward: u32,
    unanswered: u32,
    returning: Option<RateCell>,
    returned_since_forward: bool,
    /// Cells a second that cells sent since the last answer have cost (EPRCA of 1994).
    lent: f64,
}

/// A cell that may leave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Choice {
    /// A forward resource management cell.
    Forward {
        /// What it says.
        content: RateCell,
        /// Whether it is beyond the rate, and to be dropped before others (CLP 1).
        out_of_rate: bool,
    },
    /// A resource management cell that goes back to the other source.
    Backward(RateCell),
    /// Data.
    Data,
}

impl Source {
    /// A source that has sent nothing.
    pub fn new(parameters: Parameters) -> Self {
        Source {
            allowed: parameters.initial_rate,
            spacing: spacing(parameters.initial_rate),
            slot: if parameters.initial_rate > 0.0 { Time::ZERO } else { Time::NEVER },
            parameters,
            last: None,
            last_forward: None,
            last_out_of_rate: None,
            since_forward: 0,
            unanswered: 0,
            returning: None,
            returned_since_forward: false,
            lent: 0.0,
        }
    }

    /// What it may send, cells a second (ACR).
    pub fn allowed(&self) -> f64 {
        self.allowed
    }

    /// Whether a resource management cell waits to go back.
    pub fn returns(&self) -> bool {
        self.returning.is_some()
    }

    /// A resource management cell has been turned around and is to go back. One that still waits is replaced: the newer
    /// says more.
    pub fn give_back(&mut self, mut cell: RateCell) {
        let replaced = self.returning.filter(|_| self.parameters.keeps_congestion);
        cell.congestion |= replaced.is_some_and(|replaced| replaced.congestion);
        self.returning = Some(cell);
    }

    /// When [`choose`](Self::choose) will next give a cell, with `data` waiting or not; [`Time::NEVER`] if never.
    #[inline]
    pub fn earliest(&self, data: bool) -> Time {
        let in_rate = if data || self.returns() { self.slot } else { self.due_by_time() };
        in_rate.min(self.due_out_of_rate(data))
    }

    /// The cell that leaves at `now`, if one may, `data` waiting or not. Data that are not given yet keep waiting.
    #[inline]
    pub fn choose(&mut self, now: Time, data: bool) -> Option<Choice> {
        if now < self.earliest(data) {
            return None;
        }
        if now >= self.slot && self.forward_is_due(now, data) {
            return Some(self.forward(now));
        }
        if now >= self.slot && self.returns() && (!self.returned_since_forward || !data) {
            self.returned_since_forward = true;
            let content = self.returning.take();
            self.sent(now);
            return content.map(Choice::Backward);
        }
        if now >= self.slot && data {
            self.sent(now);
            return Some(Choice::Data);
        }
        (now >= self.due_out_of_rate(data)).then(|| {
            self.last_out_of_rate = Some(now);
            Choice::Forward { content: self.content(), out_of_rate: true }
        })
    }

    /// A resource management cell came back (rules 8 and 9).
    pub fn answer(&mut self, cell: RateCell) {
        let Parameters { minimum_rate, peak_rate, increase, decrease, decreases, .. } = self.parameters;
        if !cell.notification {
            self.unanswered = 0;
        }
        let lent = std::mem::take(&mut self.lent);
        let rate = match decreases {
            Decrease::OnCongestion if cell.congestion => self.allowed * (1.0 - decrease),
            Decrease::WithEveryCell if cell.congestion => self.allowed,
            _ if cell.no_increase => self.allowed + lent,
            _ => self.allowed + lent + increase,
        };
        self.allow(rate.min(peak_rate).min(cell.explicit_rate).max(minimum_rate));
    }

    /// Whether a forward resource management cell is next, at a time when a cell may leave (rules 2 and 3a).
    fn forward_is_due(&self, now: Time, data: bool) -> bool {
        let Some(last) = self.last_forward else { return data || self.returns() };
        let Parameters { cells_per_forward, least_cells_per_forward, longest_silence, .. } = self.parameters;
        let by_count = self.since_forward + 1 >= cells_per_forward && (data || self.returns());
        let by_time = self.since_forward >= least_cells_per_forward && now.since(last) >= longest_silence;
        by_count || by_time
    }

    /// When a forward resource management cell leaves though nothing waits.
    fn due_by_time(&self) -> Time {
        let enough = self.since_forward >= self.parameters.least_cells_per_forward;
        match self.last_forward {
            Some(last) if enough && self.parameters.forward_without_data => {
                (last + self.parameters.longest_silence).max(self.slot)
            }
            _ => Time::NEVER,
        }
    }

    /// When a forward resource management cell leaves beyond the rate (rule 11).
    fn due_out_of_rate(&self, data: bool) -> Time {
        let rate = self.parameters.out_of_rate;
        if self.allowed > rate || !data {
            return Time::NEVER;
        }
        let last = self.last_out_of_rate.max(self.last_forward);
        last.map_or(Time::ZERO, |last| spacing(rate).map_or(Time::NEVER, |spacing| last + spacing))
    }

    fn forward(&mut self, now: Time) -> Choice {
        self.lose_what_was_not_used(now);
        if self.unanswered >= self.parameters.unanswered_limit {
            let rate = self.allowed * (1.0 - self.parameters.unanswered_decrease);
            self.allow(rate.max(self.parameters.minimum_rate));
        }
        self.unanswered = self.unanswered.saturating_add(1);
        let content = self.content();
        self.sent(now);
        self.last_forward = Some(now);
        self.since_forward = 0;
        self.returned_since_forward = false;
        Choice::Forward { content, out_of_rate: false }
    }

    /// What a forward resource management cell says now (rules 7 and 10).
    fn content(&self) -> RateCell {
        RateCell {
            notification: false,
            congestion: false,
            no_increase: false,
            explicit_rate: self.parameters.peak_rate,
            current_rate: self.allowed,
            minimum_rate: self.parameters.minimum_rate,
        }
    }

    /// What a silence costs (rule 5).
    fn lose_what_was_not_used(&mut self, now: Time) {
        let Some(last) = self.last_forward else { return };
        let (silence, initial) = (now.since(last), self.parameters.initial_rate);
        if self.allowed <= initial {
            return;
        }
        match self.parameters.idle {
            IdleRule::Keep => {}
            IdleRule::Reset(limit) if silence > limit => self.allow(initial),
            IdleRule::Reset(_) => {}
            IdleRule::Decay { factor, per_second } => {
                let nominal = f64::from(self.parameters.cells_per_forward) / self.allowed;
                if silence.seconds() > factor * nominal {
                    let left = (1.0 - silence.seconds() * per_second).max(0.0);
                    self.allow((self.allowed * left).max(initial));
                }
            }
        }
    }

    /// A cell of the rate leaves.
    #[inline]
    fn sent(&mut self, now: Time) {
        self.since_forward = self.since_forward.saturating_add(1);
        self.last = Some(now);
        if self.parameters.decreases == Decrease::WithEveryCell {
            let per_cell = self.parameters.decrease / f64::from(self.parameters.cells_per_forward);
            let rate = (self.allowed * (1.0 - per_cell)).max(self.parameters.minimum_rate);
            self.lent += self.allowed - rate;
            self.set_allowed(rate);
        }
        self.slot = self.next_slot();
    }

    fn allow(&mut self, rate: f64) {
        self.set_allowed(rate);
        if self.parameters.reschedules {
            self.slot = self.next_slot();
        }
    }

    fn set_allowed(&mut self, rate: f64) {
        let Parameters { minimum_rate, peak_rate, .. } = self.parameters;
        debug_assert!((minimum_rate..=peak_rate).contains(&rate), "an allowed rate of {rate}");
        self.allowed = rate;
        self.spacing = spacing(rate);
    }

    #[inline]
    fn next_slot(&self) -> Time {
        let Some(spacing) = self.spacing else { return Time::NEVER };
        self.last.map_or(Time::ZERO, |last| last + spacing)
    }
}

/// The time between two cells at `rate` cells a second, if it is one.
fn spacing(rate: f64) -> Option<Duration> {
    if rate > 0.0 { Duration::from_seconds(1.0 / rate) } else { None }
}
