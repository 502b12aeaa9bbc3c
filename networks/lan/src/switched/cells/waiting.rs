//! Cells that wait for an output: one queue, or one per connection served round robin.

use std::collections::VecDeque;

use super::cell::Cell;

/// The queue or queues of an output.
#[derive(Clone, Debug)]
pub enum Waiting {
    /// One FIFO queue for all connections.
    Fifo(VecDeque<Cell>),
    /// One queue per connection, served round robin.
    PerConnection(RoundRobin),
}

impl Waiting {
    /// A cell joins the queue of its connection.
    #[inline]
    pub fn push(&mut self, queue: u32, cell: Cell) {
        match self {
            Waiting::Fifo(cells) => cells.push_back(cell),
            Waiting::PerConnection(queues) => queues.push(queue, cell),
        }
    }

    /// The cell whose turn it is.
    #[inline]
    pub fn pop(&mut self) -> Option<Cell> {
        match self {
            Waiting::Fifo(cells) => cells.pop_front(),
            Waiting::PerConnection(queues) => queues.pop(),
        }
    }

    /// All cells that wait.
    pub fn iter(&self) -> Box<dyn Iterator<Item = Cell> + '_> {
        match self {
            Waiting::Fifo(cells) => Box::new(cells.iter().copied()),
            Waiting::PerConnection(queues) => Box::new(queues.iter()),
        }
    }
}

/// Queues of which those that hold something are served one cell each, in turn.
#[derive(Clone, Debug, Default)]
pub struct RoundRobin {
    queues: Vec<VecDeque<Cell>>,
    /// Queues that hold something, the next one first.
    turns: VecDeque<u32>,
}

impl RoundRobin {
    /// One queue more; its number.
    pub fn add(&mut self) -> u32 {
        self.queues.push(VecDeque::new());
        self.queues.len() as u32 - 1
    }

    /// A cell joins a queue.
    #[inline]
    pub fn push(&mut self, queue: u32, cell: Cell) {
        let cells = &mut self.queues[queue as usize];
        if cells.is_empty() {
            self.turns.push_back(queue);
        }
        cells.push_back(cell);
    }

    /// The first cell of the queue whose turn it is.
    #[inline]
    pub fn pop(&mut self) -> Option<Cell> {
        let queue = self.turns.pop_front()?;
        let cells = &mut self.queues[queue as usize];
        let cell = cells.pop_front();
        if !cells.is_empty() {
            self.turns.push_back(queue);
        }
        cell
    }

    /// Whether all queues are empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// All cells that wait.
    pub fn iter(&self) -> impl Iterator<Item = Cell> + '_ {
        self.queues.iter().flatten().copied()
    }

    /// The longest queue, the first of several, and its length.
    pub fn longest(&self) -> (u32, usize) {
        let lengths = (0..).zip(self.queues.iter().map(VecDeque::len));
        lengths.fold((0, 0), |longest, queue| if queue.1 > longest.1 { queue } else { longest })
    }

    /// Takes a queue's first or last cell away.
    pub fn remove(&mut self, queue: u32, last: bool) -> Option<Cell> {
        let cells = &mut self.queues[queue as usize];
        let cell = if last { cells.pop_back() } else { cells.pop_front() };
        if cells.is_empty() {
            self.turns.retain(|turn| *turn != queue);
        }
        cell
    }
}
