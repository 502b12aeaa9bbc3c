//! Event counters of a machine: one per event that it names.

use std::marker::PhantomData;

/// Counts of the `N` events that `C` names; an event's number is its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counters<C, const N: usize> {
    counts: [u64; N],
    names: PhantomData<C>,
}

impl<C, const N: usize> Default for Counters<C, N> {
    fn default() -> Self {
        Counters { counts: [0; N], names: PhantomData }
    }
}

impl<C: Copy + Into<usize>, const N: usize> Counters<C, N> {
    /// Increments `counter`.
    pub(crate) fn count(&mut self, counter: C) {
        self.counts[counter.into()] += 1;
    }

    /// The count of `counter`.
    pub fn get(&self, counter: C) -> u64 {
        self.counts[counter.into()]
    }
}
