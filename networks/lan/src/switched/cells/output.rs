//! A switch output: its queue or queues, and the buffer that it shares with other outputs.

use sojourn_core::Time;

use super::cell::Cell;
use super::line::Line;
use super::marking::Marker;
use super::settings::{MarkAt, Victim};
use super::transit::Transit;
use super::waiting::Waiting;

/// An output port of a switch.
#[derive(Clone, Debug)]
pub struct Output {
    /// Its queue or queues.
    pub waiting: Waiting,
    /// Index of the buffer that it shares.
    pub pool: usize,
    /// Which packet is dropped when that is full.
    pub victim: Victim,
    /// Its EFCI, if it marks.
    pub marker: Option<Marker>,
}

/// A buffer that some outputs share.
#[derive(Clone, Debug)]
pub struct Pool {
    /// The output ports that share it.
    pub ports: Vec<u32>,
    /// Cells in it, as far as its outputs are settled: never fewer than there are.
    pub occupied: u32,
    /// Its capacity in cells.
    pub limit: u32,
    /// Cells below which neither the limit nor a threshold can be reached.
    pub carefree: u32,
    /// An output's part of what is free, at most.
    pub share: Option<f64>,
}

impl Output {
    /// Sends all that begins until `now`.
    #[inline]
    pub fn settle(&mut self, now: Time, line: &mut Line, pool: &mut Pool, transit: &mut Transit) {
        while line.next_start <= now {
            let start = line.next_start;
            let mut cell = self.waiting.pop().expect("a line with a start has a cell");
            line.queue.leave(start);
            pool.occupied -= 1;
            if let Some(marker) = &mut self.marker {
                marker.mark(MarkAt::Departure, &mut cell, line, transit);
            }
            line.send(start, cell);
            line.next_start = if line.queue.length() == 0 { Time::NEVER } else { line.free };
        }
    }

    /// Takes a cell into its connection's queue, or sends it at once. All before `now` must be settled, and there must be room.
    #[inline]
    pub fn take(&mut self, now: Time, mut cell: Cell, line: &mut Line, pool: &mut Pool, transit: &mut Transit) {
        if let Some(marker) = &mut self.marker {
            marker.mark(MarkAt::Arrival, &mut cell, line, transit);
        }
        if line.queue.length() == 0 {
            line.next_start = line.earliest(now);
            if line.next_start == now {
                return self.pass(now, cell, line, transit);
            }
        }
        self.waiting.push(transit.steps[cell.step()].queue, cell);
        line.joined(now, cell);
        pool.occupied += 1;
    }

    /// Sends a cell at once that finds nothing waiting and the line free.
    fn pass(&mut self, now: Time, mut cell: Cell, line: &mut Line, transit: &mut Transit) {
        if let Some(marker) = &mut self.marker {
            marker.mark(MarkAt::Departure, &mut cell, line, transit);
        }
        line.next_start = Time::NEVER;
        line.passed(cell);
        line.send(now, cell);
    }

    /// Drops the first or last cell of a queue, as the rule for victims says. All before `now` must be settled.
    pub fn push_out(&mut self, now: Time, queue: u32, line: &mut Line, pool: &mut Pool) -> Option<Cell> {
        let Waiting::PerConnection(queues) = &mut self.waiting else { return None };
        let cell = queues.remove(queue, self.victim == Victim::TailOfLongest)?;
        line.dropped(now, cell);
        if line.queue.length() == 0 {
            line.next_start = Time::NEVER;
        }
        pool.occupied -= 1;
        Some(cell)
    }
}

impl Pool {
    /// Whether an output that holds `own` cells may not have another.
    pub fn is_full_for(&self, own: u32) -> bool {
        let free = self.limit - self.occupied.min(self.limit);
        free == 0 || self.share.is_some_and(|share| f64::from(own) >= share * f64::from(free))
    }
}
