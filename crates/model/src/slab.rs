//! A slab: a store that reuses its slots. Items in flight live here, so that no packet costs an allocation.
//!
//! The crate `slab` is similar, but its keys take 8 bytes in every event, and each access tests whether the slot is vacant.

use std::ops::{Index, IndexMut};

use sojourn_core::clone_fields;

/// The key of no slot.
pub const NONE: u32 = u32::MAX;

/// Values in reused slots; a key stays valid until its value is removed.
#[derive(Debug)]
pub struct Slab<T> {
    values: Vec<T>,
    /// As long as `values`; the first `vacant` are the free slots, most recently freed last.
    free: Vec<u32>,
    vacant: usize,
}

clone_fields!([T: Clone] Slab<T> { values, free, vacant });

impl<T: Clone> Slab<T> {
    /// An empty slab.
    pub const fn new() -> Self {
        Slab { values: Vec::new(), free: Vec::new(), vacant: 0 }
    }

    /// Stores `value` and returns its key.
    #[inline]
    pub fn insert(&mut self, value: T) -> u32 {
        if self.vacant == 0 {
            return self.append(value);
        }
        self.vacant -= 1;
        let key = self.free[self.vacant];
        self.values[key as usize] = value;
        key
    }

    #[cold]
    #[inline(never)]
    fn append(&mut self, value: T) -> u32 {
        self.values.push(value);
        self.free.push(NONE);
        self.values.len() as u32 - 1
    }

    /// Frees the slot of `key` and returns its value.
    #[inline]
    pub fn remove(&mut self, key: u32) -> T {
        self.free[self.vacant] = key;
        self.vacant += 1;
        self.values[key as usize].clone()
    }

    /// The values in use, in the order of their keys; for the end of a run.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries().map(|(_, value)| value)
    }

    /// The values in use with their keys, in the order of these; for what happens seldom.
    pub fn entries(&self) -> impl Iterator<Item = (u32, &T)> {
        let mut used = vec![true; self.values.len()];
        self.free[..self.vacant].iter().for_each(|&key| used[key as usize] = false);
        (0..).zip(&self.values).zip(used).filter(|(_, used)| *used).map(|(entry, _)| entry)
    }

    /// All values, those of free slots included, as they were when they were freed.
    pub fn slots(&self) -> &[T] {
        &self.values
    }

    /// Number of values stored.
    pub fn len(&self) -> usize {
        self.values.len() - self.vacant
    }

    /// Whether none is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<T: Clone> Default for Slab<T> {
    fn default() -> Self {
        Slab::new()
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, key: u32) -> &T {
        &self.values[key as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, key: u32) -> &mut T {
        &mut self.values[key as usize]
    }
}
