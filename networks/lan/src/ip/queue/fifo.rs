//! FIFO: packets leave in order of arrival; one that exceeds the limit is dropped (tail drop).

use super::super::packet::{List, Store};
use super::super::settings::Limit;

/// A queue with one limit.
#[derive(Clone, Copy, Debug)]
pub struct Fifo {
    /// The packets, in order of arrival.
    pub list: List,
    limit: Limit,
}

impl Fifo {
    /// An empty queue with a limit in packets and octets.
    pub const fn new(limit: Limit) -> Self {
        Fifo { list: List::new(), limit }
    }

    /// Whether this many octets more would find room.
    #[inline]
    pub fn has_room(&self, octets: u32) -> bool {
        self.list.packets < self.limit.packets && self.list.octets + u64::from(octets) <= self.limit.octets
    }

    #[inline]
    pub fn enqueue(&mut self, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        match self.has_room(store[number].counted) {
            true => self.list.push(number, store),
            false => dropped.push(number),
        }
    }

    #[inline]
    pub fn dequeue(&mut self, store: &Store) -> Option<u32> {
        self.list.pop(store)
    }
}
