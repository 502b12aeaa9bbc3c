//! Transmit queues. What a node offers to the bus decides whether the analysis of priorities applies to it: behind a FIFO a
//! frame of high priority waits for those of low priority before it.

use std::collections::VecDeque;

/// How a node chooses which of its frames takes part in arbitration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// The frame of the highest priority of all.
    Priority,
    /// The oldest.
    Fifo,
    /// The one of the highest priority of those in this many mailboxes; the rest waits, the oldest first.
    Mailboxes(u32),
    /// The same, where a frame of higher priority takes the mailbox of one that is not being sent; the rest waits by priority.
    AbortingMailboxes(u32),
    /// The one of the highest priority, of each identifier only the latest.
    Latest,
}

/// A frame in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its arbitration field: the lower wins.
    pub priority: u32,
    /// What it stands for.
    pub frame: u32,
    /// Its place among frames of one identifier.
    turn: u32,
}

/// What became of a frame that was to be queued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// It waits.
    Queued,
    /// It waits in place of this one.
    Replaced(u32),
    /// There is no room.
    Full,
}

/// The frames that a node wants to send. The one that is on the bus is not among them: [`take`](TransmitQueue::take) removes it, and
/// [`put_back`](TransmitQueue::put_back) returns it after an error.
#[derive(Clone, Debug)]
pub struct TransmitQueue {
    discipline: Discipline,
    /// Most frames that wait.
    room: usize,
    /// What takes part in arbitration; in the order of arrival.
    offered: VecDeque<Entry>,
    /// What waits for a mailbox.
    waiting: VecDeque<Entry>,
    /// Whether the frame that was taken still has its mailbox.
    is_sending: bool,
    turn: u32,
}

impl TransmitQueue {
    /// An empty queue with room for this many frames.
    pub fn new(discipline: Discipline, room: usize) -> Self {
        TransmitQueue {
            discipline,
            room,
            offered: VecDeque::new(),
            waiting: VecDeque::new(),
            is_sending: false,
            turn: 0,
        }
    }

    /// Frames that wait.
    pub fn len(&self) -> usize {
        self.offered.len() + self.waiting.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.offered.is_empty()
    }

    /// Adds a frame.
    #[inline]
    pub fn push(&mut self, priority: u32, frame: u32) -> Pushed {
        self.turn = self.turn.wrapping_add(1);
        let entry = Entry { priority, frame, turn: self.turn };
        if self.discipline == Discipline::Latest
            && let Some(old) = self.offered.iter_mut().find(|old| old.priority == priority)
        {
            return Pushed::Replaced(std::mem::replace(old, entry).frame);
        }
        if self.len() >= self.room {
            return Pushed::Full;
        }
        match self.free_mailboxes() {
            0 => self.wait(entry),
            _ => self.offered.push_back(entry),
        }
        Pushed::Queued
    }

    /// The frame that takes part in arbitration.
    #[inline]
    pub fn head(&self) -> Option<&Entry> {
        self.offered.get(self.place()?)
    }

    /// Removes that frame: it is being sent.
    #[inline]
    pub fn take(&mut self) -> Option<Entry> {
        let place = self.place()?;
        self.is_sending = true;
        if place == 0 { self.offered.pop_front() } else { self.offered.remove(place) }
    }

    /// The frame that was taken has been sent, or is given up.
    #[inline]
    pub fn done(&mut self) {
        self.is_sending = false;
        self.fill();
    }

    /// The frame that was taken has met an error and is to be sent again; the one that is dropped instead, since a newer one of its
    /// identifier has come.
    pub fn put_back(&mut self, entry: Entry) -> Option<u32> {
        self.is_sending = false;
        let is_overtaken =
            self.discipline == Discipline::Latest && self.offered.iter().any(|other| other.priority == entry.priority);
        if is_overtaken {
            return Some(entry.frame);
        }
        self.offered.push_front(entry);
        None
    }

    /// Removes all frames.
    pub fn clear(&mut self) -> impl Iterator<Item = u32> + '_ {
        self.is_sending = false;
        self.offered.drain(..).chain(self.waiting.drain(..)).map(|entry| entry.frame)
    }

    /// All frames, in no order.
    pub fn frames(&self) -> impl Iterator<Item = u32> + '_ {
        self.offered.iter().chain(&self.waiting).map(|entry| entry.frame)
    }

    fn free_mailboxes(&self) -> usize {
        match self.discipline {
            Discipline::Mailboxes(count) | Discipline::AbortingMailboxes(count) => {
                (count as usize).saturating_sub(self.offered.len() + usize::from(self.is_sending))
            }
            _ => usize::MAX,
        }
    }

    /// A frame finds no mailbox.
    fn wait(&mut self, entry: Entry) {
        let Discipline::AbortingMailboxes(_) = self.discipline else { return self.waiting.push_back(entry) };
        let key = |entry: &Entry| (entry.priority, entry.turn);
        let lowest = self.offered.iter_mut().max_by_key(|offered| key(offered));
        let waits = match lowest {
            Some(lowest) if key(&entry) < key(lowest) => std::mem::replace(lowest, entry),
            _ => entry,
        };
        let place = self.waiting.partition_point(|other| key(other) < key(&waits));
        self.waiting.insert(place, waits);
    }

    /// Moves frames that wait to free mailboxes.
    #[inline]
    fn fill(&mut self) {
        while !self.waiting.is_empty() && self.free_mailboxes() > 0 {
            self.offered.extend(self.waiting.pop_front());
        }
    }

    /// The place of the frame that takes part in arbitration: of equal priorities the oldest.
    #[inline]
    fn place(&self) -> Option<usize> {
        match self.discipline {
            Discipline::Fifo => (!self.offered.is_empty()).then_some(0),
            _ if self.offered.len() < 2 => (!self.offered.is_empty()).then_some(0),
            _ => {
                let entries = self.offered.iter().enumerate();
                Some(entries.min_by_key(|(_, entry)| (entry.priority, entry.turn))?.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order in which a queue sends frames that have all come before the first is sent.
    fn order(discipline: Discipline, priorities: &[u32]) -> Vec<u32> {
        let mut queue = TransmitQueue::new(discipline, 100);
        for (frame, &priority) in (0..).zip(priorities) {
            queue.push(priority, frame);
        }
        let next = || {
            let entry = queue.take()?;
            queue.done();
            Some(entry.priority)
        };
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn every_discipline_sends_in_its_order() {
        let priorities = [5, 9, 1, 7, 0];
        assert_eq!(order(Discipline::Priority, &priorities), [0, 1, 5, 7, 9]);
        assert_eq!(order(Discipline::Fifo, &priorities), priorities);
        // 5 and 9 have the mailboxes: 5, then 1 with 9, then 7, then 0
        assert_eq!(order(Discipline::Mailboxes(2), &priorities), [5, 1, 7, 0, 9]);
        assert_eq!(order(Discipline::AbortingMailboxes(2), &priorities), [0, 1, 5, 7, 9]);
    }

    #[test]
    fn frames_of_one_identifier_stay_in_order() {
        let mut queue = TransmitQueue::new(Discipline::Priority, 10);
        (0..3).for_each(|frame| _ = queue.push(4, frame));
        let first = queue.take().unwrap();
        assert_eq!(queue.put_back(first), None, "an error: it is sent again");
        let frames: Vec<u32> = std::iter::from_fn(|| queue.take().map(|entry| entry.frame)).collect();
        assert_eq!(frames, [0, 1, 2]);
    }

    #[test]
    fn a_newer_value_replaces_the_one_that_waits_but_not_the_one_on_the_bus() {
        let mut queue = TransmitQueue::new(Discipline::Latest, 10);
        assert_eq!(queue.push(4, 0), Pushed::Queued);
        assert_eq!(queue.push(4, 1), Pushed::Replaced(0));
        let sending = queue.take().unwrap();
        assert_eq!((sending.frame, queue.push(4, 2)), (1, Pushed::Queued));
        assert_eq!(queue.put_back(sending), Some(1), "the frame that met an error is out of date");
        assert_eq!(queue.take().map(|entry| entry.frame), Some(2));
    }

    #[test]
    fn a_full_queue_refuses() {
        let mut queue = TransmitQueue::new(Discipline::Fifo, 2);
        assert_eq!([0, 1, 2].map(|frame| queue.push(1, frame)), [Pushed::Queued, Pushed::Queued, Pushed::Full]);
        assert_eq!(queue.clear().collect::<Vec<_>>(), [0, 1]);
        assert!(queue.is_empty());
    }

    #[test]
    fn the_mailbox_of_a_frame_on_the_bus_is_not_free() {
        let mut queue = TransmitQueue::new(Discipline::Mailboxes(1), 10);
        queue.push(9, 0);
        queue.take();
        queue.push(1, 1);
        assert_eq!(queue.head(), None, "it waits for the mailbox");
        queue.done();
        assert_eq!(queue.head().map(|entry| entry.frame), Some(1));
    }
}
