//! Segments in flight of all connections: queues in one shared pool, so that memory follows use and is bounded.

use sojourn_core::Time;

use super::loss::Class;

/// Segments kept at the same time, 20 MiB.
pub const SEGMENTS: usize = 1 << 19;

const NONE: u32 = u32::MAX;

/// A segment of data, SYN or FIN that was captured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its sequence numbers: the first, and the one after the last.
    pub range: (u32, u32),
    /// When it was captured last.
    pub time: Time,
    /// Its TSval then (RFC 7323); 0 without timestamps.
    pub ts_val: u32,
    /// The identification field of IPv4 then.
    pub identification: u16,
    /// Whether it was captured more than once.
    pub is_repeated: bool,
    /// Of a retransmission its kind.
    pub class: Class,
}

/// A queue of records in a [`Pool`].
#[derive(Clone, Copy, Debug)]
pub struct Queue {
    head: u32,
    tail: u32,
    length: u32,
}

/// The records of all queues.
#[derive(Debug)]
pub struct Pool {
    nodes: Vec<(Record, u32)>,
    free: u32,
    limit: usize,
}

impl Default for Queue {
    fn default() -> Self {
        Queue { head: NONE, tail: NONE, length: 0 }
    }
}

impl Queue {
    /// Number of records.
    pub fn len(&self) -> u32 {
        self.length
    }
}

impl Pool {
    /// An empty pool of at most `limit` records.
    pub fn new(limit: usize) -> Pool {
        Pool { nodes: Vec::new(), free: NONE, limit }
    }

    /// Appends a record; `false` if the pool is full.
    pub fn push(&mut self, queue: &mut Queue, record: Record) -> bool {
        let place = if self.free != NONE {
            let place = self.free;
            self.free = self.nodes[place as usize].1;
            self.nodes[place as usize] = (record, NONE);
            place
        } else if self.nodes.len() < self.limit {
            self.nodes.push((record, NONE));
            (self.nodes.len() - 1) as u32
        } else {
            return false;
        };
        match self.nodes.get_mut(queue.tail as usize) {
            Some((_, next)) => *next = place,
            None => queue.head = place,
        }
        queue.tail = place;
        queue.length += 1;
        true
    }

    /// The record at the front.
    pub fn front(&self, queue: &Queue) -> Option<&Record> {
        self.nodes.get(queue.head as usize).map(|(record, _)| record)
    }

    /// Removes the record at the front.
    pub fn pop(&mut self, queue: &mut Queue) -> Option<Record> {
        let place = queue.head;
        let (record, next) = self.nodes.get_mut(place as usize)?;
        let record = *record;
        queue.head = std::mem::replace(next, self.free);
        self.free = place;
        queue.length -= 1;
        if queue.head == NONE {
            queue.tail = NONE;
        }
        Some(record)
    }

    /// Removes all records.
    pub fn clear(&mut self, queue: &mut Queue) {
        while self.pop(queue).is_some() {}
    }

    /// Visits the records from the front on as long as `visit` returns `true`.
    pub fn visit(&mut self, queue: &Queue, mut visit: impl FnMut(&mut Record) -> bool) {
        let mut place = queue.head;
        while let Some((record, next)) = self.nodes.get_mut(place as usize) {
            if !visit(record) {
                break;
            }
            place = *next;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(begin: u32) -> Record {
        let range = (begin, begin + 1);
        let class = Class::Fast;
        Record { range, time: Time::ZERO, ts_val: 0, identification: 0, is_repeated: false, class }
    }

    #[test]
    fn queues_share_the_records_of_a_pool_up_to_its_limit() {
        let (mut pool, mut one, mut other) = (Pool::new(3), Queue::default(), Queue::default());
        assert!(pool.push(&mut one, record(1)) && pool.push(&mut other, record(2)) && pool.push(&mut one, record(3)));
        assert!(!pool.push(&mut other, record(4)), "the pool is full");
        assert_eq!(pool.pop(&mut one), Some(record(1)));
        assert!(pool.push(&mut other, record(4)));
        let mut seen = Vec::new();
        pool.visit(&other, |record| {
            seen.push(record.range.0);
            true
        });
        assert_eq!((seen, pool.front(&one).copied(), one.len()), (vec![2, 4], Some(record(3)), 1));
        pool.clear(&mut other);
        assert_eq!((pool.pop(&mut other), other.len()), (None, 0));
        assert!(pool.push(&mut one, record(5)));
        assert_eq!(
            (pool.pop(&mut one), pool.pop(&mut one), pool.pop(&mut one)),
            (Some(record(3)), Some(record(5)), None)
        );
    }
}
