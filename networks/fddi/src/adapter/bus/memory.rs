//! Main memory on the bus: interleaved banks that return read data; writes are absorbed.

use std::collections::VecDeque;

/// Memory whose readers are of type `R`.
#[derive(Clone, Debug)]
pub struct Memory<R> {
    banks: Vec<Bank<R>>,
    /// Cycles from the end of a command to the request of the answer.
    access: u64,
    /// Bank of the next hexaword.
    next: usize,
    /// Reads not yet answered, and the number from which on commanders are suppressed.
    reads: usize,
    limit: usize,
}

#[derive(Clone, Debug)]
struct Bank<R> {
    /// The cycle from which on it can take up another read.
    free_from: u64,
    /// Whose reads it works on, in order, and how many of them are ready to be returned.
    readers: VecDeque<R>,
    ready: usize,
}

impl<R> Memory<R> {
    /// Memory of `banks` interleaved banks, each busy `access` cycles for a hexaword.
    pub fn new(banks: usize, access: u64, limit: usize) -> Self {
        let bank = || Bank { free_from: 0, readers: VecDeque::new(), ready: 0 };
        Memory { banks: (0..banks).map(|_| bank()).collect(), access, next: 0, reads: 0, limit }
    }

    /// A read whose command ends by cycle `cycle`: the bank that serves it, and the cycle in which it requests the bus.
    ///
    /// Consecutive reads go to consecutive banks, as those of consecutive hexawords do.
    #[inline]
    pub fn read(&mut self, cycle: u64, reader: R) -> (u32, u64) {
        let number = self.next;
        self.next = (number + 1) % self.banks.len();
        let bank = &mut self.banks[number];
        bank.free_from = bank.free_from.max(cycle) + self.access;
        bank.readers.push_back(reader);
        self.reads += 1;
        (number as u32, bank.free_from)
    }

    /// A bank has data ready.
    #[inline]
    pub fn ready(&mut self, bank: u32) {
        self.banks[bank as usize].ready += 1;
    }

    /// A bank is granted the bus for its oldest data: their reader, and whether more are ready.
    #[inline]
    pub fn answer(&mut self, bank: u32) -> (R, bool) {
        let bank = &mut self.banks[bank as usize];
        bank.ready -= 1;
        self.reads -= 1;
        (bank.readers.pop_front().expect("a bank that requests the bus has data"), bank.ready > 0)
    }

    /// Goes through the readers of all reads that are not answered.
    pub fn each_reader(&mut self, change: impl FnMut(&mut R)) {
        self.banks.iter_mut().flat_map(|bank| &mut bank.readers).for_each(change);
    }

    /// Whether it holds as many reads as it takes (SUP).
    #[inline]
    pub fn is_full(&self) -> bool {
        self.reads >= self.limit
    }
}
