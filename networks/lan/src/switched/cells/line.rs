//! One direction of a link: the cell in transmission, and those in flight to the next queue.
//!
//! The order in which waiting cells leave for a line is computed lazily, when it is needed: no later arrival changes
//! when an earlier cell left. A cell therefore costs one event per link, its arrival.

use std::collections::VecDeque;

use sojourn_core::time::UnitTime;
use sojourn_core::{Duration, Time, rekey_fields};
use sojourn_metrics::Observation;
use sojourn_metrics::trace::LevelTrace;

use super::cell::Cell;
use super::losses::Losses;
use crate::fabric::LinkChange;

/// Bits of a cell on the line.
pub const CELL_BITS: u64 = 424;

/// One direction of a link.
#[derive(Clone, Debug)]
pub struct Line {
    /// Bits a second that cells may use.
    rate: u64,
    cell_time: UnitTime,
    slotted: bool,
    /// When the last cell's last bit has left.
    pub free: Time,
    /// When the next of the waiting cells begins; never without one.
    pub next_start: Time,
    after: After,
    /// Cells in flight, each with the instant at which it is through.
    in_flight: VecDeque<(Time, Cell)>,
    ends: Option<Ends>,
    losses: Losses,
    /// Cells that wait for this line, wherever they do.
    pub queue: Level,
    /// Cells begun since the tally began, and what was left then of the one before.
    pub sent: u64,
    /// Cells that waited then.
    pub waited: u32,
    left_over: Duration,
    /// Cells dropped here since then.
    pub drops: u64,
    /// Cells marked here since then.
    pub marked: u64,
}

/// What a line to a host keeps, so that only the cells that the host acts upon cost an event: those that end a packet,
/// and those of resource management. The others are looked at with the next of these.
#[derive(Clone, Debug, Default)]
struct Ends {
    /// When those in flight are through.
    in_flight: VecDeque<Time>,
    /// How many wait.
    waiting: u32,
}

/// From a cell's sending to its next queue: the later of two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct After {
    /// Counted from its last bit's leaving.
    pub last_bit: Duration,
    /// Counted from its first bit's.
    pub first_bit: Duration,
}

impl Line {
    /// An idle line of `rate` bits a second, that leads from a switch to a host, or not.
    pub fn new(rate: u64, slotted: bool, after: After, losses: Losses, leaves_to_host: bool) -> Self {
        Line {
            rate,
            cell_time: UnitTime::of_bits(CELL_BITS, rate),
            slotted,
            free: Time::ZERO,
            next_start: Time::NEVER,
            after,
            in_flight: VecDeque::new(),
            // a lost cell is reported at once
            ends: (leaves_to_host && losses.are_none()).then(Ends::default),
            losses,
            queue: Level::default(),
            sent: 0,
            waited: 0,
            left_over: Duration::ZERO,
            drops: 0,
            marked: 0,
        }
    }

    /// The link changes for cells that begin from now on.
    pub fn change(&mut self, change: LinkChange) {
        self.losses.change(change);
    }

    /// When a cell that waits since `from` can begin, if nothing else waits.
    #[inline]
    pub fn earliest(&self, from: Time) -> Time {
        if from <= self.free {
            return self.free;
        }
        if self.slotted { self.cell_time.clone().boundary(from) } else { from }
    }

    /// Sends a cell from `start` on, at the line's own pace.
    #[inline]
    pub fn send(&mut self, start: Time, cell: Cell) {
        if start != self.free {
            self.begin_burst(start);
        }
        let end = start + self.cell_time.next_unit();
        self.send_until(start, end, cell);
    }

    /// A gap: of the last burst nothing is left, unless slots go on through it.
    fn begin_burst(&mut self, start: Time) {
        if self.slotted {
            self.cell_time.boundary(start);
        } else {
            self.cell_time.restart();
        }
    }

    /// Sends a cell from `start` to `end`.
    #[inline]
    pub fn send_until(&mut self, start: Time, end: Time, mut cell: Cell) {
        debug_assert!(start >= self.free, "no link sends two cells at a time");
        self.free = end;
        self.sent += 1;
        if self.losses.takes_one() {
            cell.set(Cell::LOST);
        }
        let at = (end + self.after.last_bit).max(start + self.after.first_bit);
        if let Some(ends) = &mut self.ends
            && cell.is_acted_upon()
        {
            ends.waiting -= 1;
            ends.in_flight.push_back(at);
        }
        self.in_flight.push_back((at, cell));
    }

    /// A cell comes to wait for this line at a switch.
    #[inline]
    pub fn joined(&mut self, now: Time, cell: Cell) {
        self.queue.join(now, 1);
        self.passed(cell);
    }

    /// A cell comes at a switch that is about to be sent.
    #[inline]
    pub fn passed(&mut self, cell: Cell) {
        if let Some(ends) = &mut self.ends {
            ends.waiting += u32::from(cell.is_acted_upon());
        }
    }

    /// A cell that waited for this line is dropped.
    pub fn dropped(&mut self, now: Time, cell: Cell) {
        self.queue.leave(now);
        if let Some(ends) = &mut self.ends {
            ends.waiting -= u32::from(cell.is_acted_upon());
        }
    }

    /// When the line can next deliver a cell with an effect: one in flight, or else the next waiting one, whose
    /// transmission begins at `next_start`.
    #[inline]
    pub fn due(&self, next_start: Time) -> Time {
        let (first, waits) = match &self.ends {
            None => (self.in_flight.front().map(|(at, _)| *at), true),
            Some(ends) => (ends.in_flight.front().copied(), ends.waiting > 0),
        };
        match first {
            Some(at) => at,
            None if !waits || next_start == Time::NEVER => Time::NEVER,
            None => next_start + self.least(),
        }
    }

    /// Whether no cell with an effect is in flight.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.ends.as_ref().map_or(self.in_flight.is_empty(), |ends| ends.in_flight.is_empty())
    }

    /// A cell that is through at `now`, the first of several, if there is one.
    #[inline]
    pub fn arrived(&mut self, now: Time) -> Option<Cell> {
        let cell = self.in_flight.pop_front_if(|(at, _)| *at <= now).map(|(_, cell)| cell)?;
        if let Some(ends) = &mut self.ends
            && cell.is_acted_upon()
        {
            ends.in_flight.pop_front();
        }
        Some(cell)
    }

    /// Cells in flight on the link, the first to arrive first.
    pub fn in_flight(&self) -> impl Iterator<Item = Cell> {
        self.in_flight.iter().map(|(_, cell)| *cell)
    }

    /// Its rate in bits a second.
    pub fn rate(&self) -> u64 {
        self.rate
    }

    /// How long the cells that wait take to leave.
    pub fn delay(&self) -> Duration {
        Duration::from_units(u64::from(self.queue.length()) * CELL_BITS, self.rate)
    }

    /// Counts from `now` on: the warm-up is over.
    pub fn reset_counts(&mut self, now: Time) {
        (self.sent, self.drops, self.marked) = (0, 0, 0);
        self.waited = self.queue.length();
        self.left_over = self.free.since(now);
    }

    /// How long bits were sent from when the tally began until `now`.
    pub fn busy(&self, now: Time) -> Duration {
        let begun = self.left_over + Duration::from_units(self.sent * CELL_BITS, self.rate);
        begun.saturating_sub(self.free.since(now))
    }

    /// The least time from a cell's first bit until it is through.
    #[inline]
    fn least(&self) -> Duration {
        (self.cell_time.shortest() + self.after.last_bit).max(self.after.first_bit)
    }
}

/// How many cells wait: now, at most, and on average.
///
/// The average is the waits' sum over time: each cell counts from when it came to when it left.
#[derive(Clone, Debug, Default)]
pub struct Level {
    length: u32,
    max: u32,
    mean_from: Time,
    /// Instants of leaving less instants of coming, picoseconds, modulo 2^128.
    waited: u128,
    trace: Option<Box<LevelTrace>>,
}

impl Level {
    /// Begins the mean at `mean_from`, and keeps a trace if one is given.
    pub fn watch(&mut self, mean_from: Time, trace: Option<LevelTrace>) {
        self.mean_from = mean_from;
        self.trace = trace.map(Box::new);
    }

    /// Cells in the queue.
    #[inline]
    pub fn length(&self) -> u32 {
        self.length
    }

    /// `cells` cells join the queue.
    #[inline]
    pub fn join(&mut self, now: Time, cells: u32) {
        self.length += cells;
        let came = u128::from(now.max(self.mean_from).picoseconds());
        self.waited = self.waited.wrapping_sub(u128::from(cells) * came);
        if self.trace.is_some() {
            self.draw(now);
        }
    }

    /// A cell leaves the queue.
    #[inline]
    pub fn leave(&mut self, now: Time) {
        self.length -= 1;
        self.waited = self.waited.wrapping_add(u128::from(now.max(self.mean_from).picoseconds()));
        if self.trace.is_some() {
            self.draw(now);
        }
    }

    /// Those who came and could not leave at once were this many.
    #[inline]
    pub fn note(&mut self) {
        self.max = self.max.max(self.length);
    }

    /// Mean and maximum up to `now`, and the trace.
    pub fn finish(&mut self, now: Time) -> (Observation, Vec<(u64, f64)>) {
        let until = now.max(self.mean_from);
        let waited = self.waited.wrapping_add(u128::from(self.length) * u128::from(until.picoseconds()));
        let span = until.since(self.mean_from).picoseconds();
        let mean = if span == 0 { f64::from(self.length) } else { waited as f64 / span as f64 };
        let trace = self.trace.take().map_or(Vec::new(), |trace| trace.finish(now));
        (Observation::TimeWeighted { mean, max: f64::from(self.max) }, trace)
    }

    #[cold]
    fn draw(&mut self, now: Time) {
        let level = f64::from(self.length);
        if let Some(trace) = &mut self.trace {
            trace.set(now, level);
        }
    }
}

rekey_fields!(Line { losses });
