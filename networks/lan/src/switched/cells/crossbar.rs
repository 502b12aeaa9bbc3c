//! An input-queued switch: in each cell slot, a crossbar moves one cell from each matched input to its output.

use std::collections::VecDeque;

use sojourn_core::time::UnitTime;
use sojourn_core::{Time, rekey_fields};

use super::cell::Cell;
use super::line::{CELL_BITS, Line};
use super::marking::Marker;
use super::matching::{Matcher, bits};
use super::settings::MarkAt;
use super::transit::Transit;
use super::waiting::RoundRobin;

/// The crossbar and the buffers of its inputs.
#[derive(Clone, Debug)]
pub struct Crossbar {
    /// Its outputs' ports; input `i` is the other direction of the same link.
    ports: Vec<u32>,
    /// The fastest link's rate: a cell moves in its cell's time.
    rate: u64,
    slot: UnitTime,
    free_running: bool,
    /// The end of the last slot, and the beginning of the next; never while nothing waits.
    slot_end: Time,
    next_slot: Time,
    buffers: Buffers,
    /// By input: cells that wait.
    occupied: Vec<u32>,
    /// Cells that an input holds.
    pub limit: u32,
    /// By output: the inputs that have something for it.
    requests: Vec<u64>,
    /// The outputs for which any input has a cell.
    asked: u64,
    matcher: Matcher,
    /// By output, if it marks.
    markers: Vec<Option<Marker>>,
}

/// What waits at the inputs.
#[derive(Clone, Debug)]
pub enum Buffers {
    /// One queue per input.
    Fifo(Vec<VecDeque<Cell>>),
    /// By input times outputs plus output: a queue per connection.
    PerConnection(Vec<RoundRobin>),
}

impl Crossbar {
    /// An idle crossbar between links of which the fastest has `rate` bits a second.
    pub fn new(
        ports: Vec<u32>,
        rate: u64,
        free_running: bool,
        (buffers, limit): (Buffers, u32),
        matcher: Matcher,
        markers: Vec<Option<Marker>>,
    ) -> Self {
        Crossbar {
            rate,
            slot: UnitTime::of_bits(CELL_BITS, rate),
            free_running,
            slot_end: Time::ZERO,
            next_slot: Time::NEVER,
            buffers,
            occupied: vec![0; ports.len()],
            limit,
            requests: vec![0; ports.len()],
            asked: 0,
            matcher,
            markers,
            ports,
        }
    }

    /// A queue for a connection from an input to an output; its number, or that of the output where all share one.
    pub fn add(&mut self, input: u32, output: u32) -> u32 {
        match &mut self.buffers {
            Buffers::Fifo(_) => output,
            Buffers::PerConnection(pairs) => pairs[input as usize * self.ports.len() + output as usize].add(),
        }
    }

    /// When cells move next; never while none wait.
    #[inline]
    pub fn next_slot(&self) -> Time {
        self.next_slot
    }

    /// Cells that wait at an input. All before now must be settled.
    #[inline]
    pub fn occupied(&self, input: u32) -> u32 {
        self.occupied[input as usize]
    }

    /// Moves all that begins until `now`.
    #[inline]
    pub fn settle(&mut self, now: Time, lines: &mut [Line], transit: &mut Transit) {
        while self.next_slot <= now {
            let start = self.next_slot;
            let free = self.free_outputs(start, lines);
            if free == 0 {
                self.next_slot = self.first_output(lines);
                continue;
            }
            self.slot_end = start + self.slot.next_unit();
            self.move_cells(start, free, lines, transit);
            self.next_slot = if self.asked == 0 { Time::NEVER } else { self.slot_end };
        }
    }

    /// Takes a cell for an output into its input's buffer. All before `now` must be settled, and there must be room.
    pub fn take(
        &mut self,
        now: Time,
        mut cell: Cell,
        (input, output): (u32, u32),
        line: &mut Line,
        transit: &mut Transit,
    ) {
        if let Some(marker) = &mut self.markers[output as usize] {
            marker.mark(MarkAt::Arrival, &mut cell, line, transit);
        }
        if self.next_slot == Time::NEVER {
            self.next_slot = self.begin(now);
        }
        line.joined(now, cell);
        self.occupied[input as usize] += 1;
        match &mut self.buffers {
            Buffers::PerConnection(pairs) => {
                let pair = input as usize * self.ports.len() + output as usize;
                pairs[pair].push(transit.steps[cell.step()].queue, cell);
            }
            Buffers::Fifo(queues) => {
                let queue = &mut queues[input as usize];
                queue.push_back(cell);
                if queue.len() > 1 {
                    return;
                }
            }
        }
        self.requests[output as usize] |= 1 << input;
        self.asked |= 1 << output;
    }

    /// All cells that wait.
    pub fn waiting(&self) -> Box<dyn Iterator<Item = Cell> + '_> {
        match &self.buffers {
            Buffers::Fifo(queues) => Box::new(queues.iter().flatten().copied()),
            Buffers::PerConnection(pairs) => Box::new(pairs.iter().flat_map(RoundRobin::iter)),
        }
    }

    /// The first slot that a cell can have that comes at `now`, when nothing else waits.
    fn begin(&mut self, now: Time) -> Time {
        if now <= self.slot_end { self.slot_end } else { self.slot_from(now) }
    }

    /// The first slot after a pause, from an instant on.
    fn slot_from(&mut self, from: Time) -> Time {
        if self.free_running {
            return self.slot.boundary(from);
        }
        self.slot.restart();
        from
    }

    /// The requested outputs that are not sending: a slow link sends for many slots.
    #[inline]
    fn free_outputs(&self, start: Time, lines: &[Line]) -> u64 {
        let busy = |output: &u32| lines[self.ports[*output as usize] as usize].free > start;
        bits(self.asked).filter(busy).fold(self.asked, |free, output| free & !(1 << output))
    }

    /// The first slot in which an output is free, when all that are asked for are sending.
    fn first_output(&mut self, lines: &[Line]) -> Time {
        let free = bits(self.asked).map(|output| lines[self.ports[output as usize] as usize].free);
        let first = free.min().expect("a crossbar with a slot has a cell");
        self.slot_from(first)
    }

    fn move_cells(&mut self, start: Time, free: u64, lines: &mut [Line], transit: &mut Transit) {
        for &(input, output) in self.matcher.matches(&self.requests, free) {
            let line = &mut lines[self.ports[output as usize] as usize];
            let (cell, next) = match &mut self.buffers {
                Buffers::PerConnection(pairs) => {
                    let queues = &mut pairs[input as usize * self.ports.len() + output as usize];
                    (queues.pop(), (!queues.is_empty()).then_some(output))
                }
                Buffers::Fifo(queues) => {
                    let queue = &mut queues[input as usize];
                    (queue.pop_front(), queue.front().map(|cell| transit.steps[cell.step()].queue))
                }
            };
            let mut cell = cell.expect("who asks has a cell");
            line.queue.leave(start);
            self.occupied[input as usize] -= 1;
            self.requests[output as usize] &= !(1 << input);
            if let Some(next) = next {
                self.requests[next as usize] |= 1 << input;
                self.asked |= 1 << next;
            }
            if self.requests[output as usize] == 0 {
                self.asked &= !(1 << output);
            }
            if let Some(marker) = &mut self.markers[output as usize] {
                marker.mark(MarkAt::Departure, &mut cell, line, transit);
            }
            if line.rate() == self.rate {
                line.send_until(start, self.slot_end, cell);
            } else {
                line.send(start, cell);
            }
        }
    }
}

rekey_fields!(Crossbar { matcher });
