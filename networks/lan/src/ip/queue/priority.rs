//! Strict priority (IEEE 802.1Q, 8.6.8.1): of the traffic classes with waiting packets, the highest sends next. A
//! packet in transmission is not preempted.

use std::sync::Arc;

use sojourn_core::{Time, rekey_fields};

use super::super::packet::Store;
use super::super::settings::Limit;
use super::early::Early;
use super::fifo::Fifo;

/// Traffic classes of IEEE 802.1Q.
const CLASSES: usize = 8;

/// A queue for each traffic class, first in, first out.
#[derive(Clone, Debug)]
pub struct Priority {
    /// The class of each connection.
    classes: Arc<[u8]>,
    queues: Vec<Fifo>,
    /// Early detection of each class; empty without.
    early: Vec<Early>,
    /// A bit for each class in which packets wait.
    waiting: u8,
}

impl Priority {
    /// Empty queues, each with `limit`; `early` gives the early detection of a class, where there is any.
    pub fn new(classes: &Arc<[u8]>, limit: Limit, early: Option<&dyn Fn(usize) -> Early>) -> Self {
        let early = early.into_iter().flat_map(|early| (0..CLASSES).map(early)).collect();
        Priority { classes: Arc::clone(classes), queues: vec![Fifo::new(limit); CLASSES], early, waiting: 0 }
    }

    #[inline]
    pub fn enqueue(&mut self, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        let class = self.classes[store[number].frame.connection as usize];
        let queue = &mut self.queues[class as usize];
        if let Some(early) = self.early.get_mut(usize::from(class))
            && !early.admits(&queue.list, &mut store[number])
        {
            return dropped.push(number);
        }
        queue.enqueue(number, store, dropped);
        // a class whose packet found no room has others
        self.waiting |= u8::from(!self.queues[class as usize].list.is_empty()) << class;
    }

    #[inline]
    pub fn dequeue(&mut self, now: Time, store: &Store) -> Option<u32> {
        let class = self.waiting.checked_ilog2()?;
        let queue = &mut self.queues[class as usize];
        let number = queue.dequeue(store);
        self.waiting ^= u8::from(queue.list.is_empty()) << class;
        if let Some(early) = self.early.get_mut(class as usize).filter(|_| queue.list.is_empty()) {
            early.idles(now);
        }
        number
    }
}

rekey_fields!(Priority { early });
