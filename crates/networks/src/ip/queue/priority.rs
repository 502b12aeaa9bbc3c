//! Strict priority (IEEE 802.1Q, 8.6.8.1): of the traffic classes in which packets wait, the highest sends next. A packet that
//! is being sent is not interrupted.

use std::sync::Arc;

use super::super::packet::Store;
use super::super::settings::Limit;
use super::fifo::Fifo;

/// Traffic classes of IEEE 802.1Q.
const CLASSES: usize = 8;

/// A queue for each traffic class, first in, first out.
#[derive(Clone, Debug)]
pub struct Priority {
    /// The class of each connection.
    classes: Arc<[u8]>,
    queues: Vec<Fifo>,
    /// A bit for each class in which packets wait.
    waiting: u8,
}

impl Priority {
    /// Empty queues, each with `limit`.
    pub fn new(classes: &Arc<[u8]>, limit: Limit) -> Self {
        Priority { classes: Arc::clone(classes), queues: vec![Fifo::new(limit); CLASSES], waiting: 0 }
    }

    #[inline]
    pub fn enqueue(&mut self, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        let class = self.classes[store[number].frame.connection as usize];
        self.queues[class as usize].enqueue(number, store, dropped);
        // a class whose packet found no room has others
        self.waiting |= u8::from(!self.queues[class as usize].list.is_empty()) << class;
    }

    #[inline]
    pub fn dequeue(&mut self, store: &Store) -> Option<u32> {
        let class = self.waiting.checked_ilog2()?;
        let queue = &mut self.queues[class as usize];
        let number = queue.dequeue(store);
        self.waiting ^= u8::from(queue.list.is_empty()) << class;
        number
    }
}
