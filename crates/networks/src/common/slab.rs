//! A store whose places are used again: what is in flight lives here, so that no packet costs an allocation.

use std::ops::{Index, IndexMut};

/// No place of any slab.
pub const NONE: u32 = u32::MAX;

/// Values by place.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    values: Vec<T>,
    /// As long as the values: first the places that are free, the one freed last behind the others.
    free: Vec<u32>,
    vacant: usize,
}

impl<T: Clone> Slab<T> {
    /// An empty slab.
    pub const fn new() -> Self {
        Slab { values: Vec::new(), free: Vec::new(), vacant: 0 }
    }

    /// Stores `value` and returns its place.
    #[inline]
    pub fn insert(&mut self, value: T) -> u32 {
        if self.vacant == 0 {
            return self.append(value);
        }
        self.vacant -= 1;
        let place = self.free[self.vacant];
        self.values[place as usize] = value;
        place
    }

    #[cold]
    #[inline(never)]
    fn append(&mut self, value: T) -> u32 {
        self.values.push(value);
        self.free.push(NONE);
        self.values.len() as u32 - 1
    }

    /// Frees a place and returns what it held.
    #[inline]
    pub fn remove(&mut self, place: u32) -> T {
        self.free[self.vacant] = place;
        self.vacant += 1;
        self.values[place as usize].clone()
    }

    /// Places in use.
    pub fn len(&self) -> usize {
        self.values.len() - self.vacant
    }
}

impl<T> Index<u32> for Slab<T> {
    type Output = T;
    #[inline]
    fn index(&self, place: u32) -> &T {
        &self.values[place as usize]
    }
}

impl<T> IndexMut<u32> for Slab<T> {
    #[inline]
    fn index_mut(&mut self, place: u32) -> &mut T {
        &mut self.values[place as usize]
    }
}
