//! Main memory on the bus: interleaved ways that answer reads; writes are absorbed.

use std::collections::VecDeque;

/// Memory whose readers are of type `R`.
#[derive(Clone, Debug)]
pub struct Memory<R> {
    ways: Vec<Way<R>>,
    /// Cycles from the end of a command to the request of the answer.
    access: u64,
    /// The way of the next hexaword.
    next: usize,
    /// Reads not yet answered, and the number from which on commanders are suppressed.
    reads: usize,
    limit: usize,
}

#[derive(Clone, Debug)]
struct Way<R> {
    /// The cycle from which on it can take up another read.
    free_from: u64,
    /// Whose reads it works on, in order, and how many of them are ready to be returned.
    readers: VecDeque<R>,
    ready: usize,
}

impl<R> Memory<R> {
    /// Memory of so many ways, each busy `access` cycles for a hexaword.
    pub fn new(ways: usize, access: u64, limit: usize) -> Self {
        let way = || Way { free_from: 0, readers: VecDeque::new(), ready: 0 };
        Memory { ways: (0..ways).map(|_| way()).collect(), access, next: 0, reads: 0, limit }
    }

    /// A read whose command is over by cycle `cycle`: the way that serves it, and the cycle in which it asks for the bus.
    ///
    /// Consecutive reads go to consecutive ways, as those of consecutive hexawords do.
    #[inline]
    pub fn read(&mut self, cycle: u64, reader: R) -> (u32, u64) {
        let number = self.next;
        self.next = (number + 1) % self.ways.len();
        let way = &mut self.ways[number];
        way.free_from = way.free_from.max(cycle) + self.access;
        way.readers.push_back(reader);
        self.reads += 1;
        (number as u32, way.free_from)
    }

    /// A way has an answer ready.
    #[inline]
    pub fn ready(&mut self, way: u32) {
        self.ways[way as usize].ready += 1;
    }

    /// A way is granted the bus for its oldest answer: whose it is, and whether another one is ready.
    #[inline]
    pub fn answer(&mut self, way: u32) -> (R, bool) {
        let way = &mut self.ways[way as usize];
        way.ready -= 1;
        self.reads -= 1;
        (way.readers.pop_front().expect("a way that asks has an answer"), way.ready > 0)
    }

    /// Whether it holds as many reads as it takes (SUP).
    #[inline]
    pub fn is_full(&self) -> bool {
        self.reads >= self.limit
    }
}
