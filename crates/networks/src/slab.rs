//! A store whose places are used again: what is in flight lives here, so that no packet costs an allocation.

use std::ops::{Index, IndexMut};

/// No place of any slab.
pub const NONE: u32 = u32::MAX;

/// Values by place.
#[derive(Clone, Debug)]
pub struct Slab<T> {
    values: Vec<T>,
    free: Vec<u32>,
}

impl<T: Clone> Slab<T> {
    /// An empty slab.
    pub const fn new() -> Self {
        Slab { values: Vec::new(), free: Vec::new() }
    }

    /// Stores `value` and returns its place.
    #[inline]
    pub fn insert(&mut self, value: T) -> u32 {
        if let Some(place) = self.free.pop() {
            self.values[place as usize] = value;
            return place;
        }
        self.values.push(value);
        self.values.len() as u32 - 1
    }

    /// Frees a place and returns what it held.
    #[inline]
    pub fn remove(&mut self, place: u32) -> T {
        self.free.push(place);
        self.values[place as usize].clone()
    }

    /// Places in use.
    pub fn len(&self) -> usize {
        self.values.len() - self.free.len()
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
