//! One class per flow under a common token bucket, as in Linux's HTB. A class sends at its guaranteed rate whatever
//! the others do; beyond that rate it borrows, in turns by octets, what the common bucket has left.
//!
//! A class within its guaranteed rate is served even while the common bucket is in debt, and is charged to it all the
//! same: a flow that stays below its guaranteed rate has strict priority over those that borrow.

use sojourn_core::Time;

use super::super::packet::Store;
use super::super::settings::{Limit, Shaping};
use super::super::shaping::{Bucket, Next};
use super::fifo::Fifo;
use super::flows::Flows;

/// Within its guaranteed rate, and beyond it.
const LEVELS: usize = 2;

/// Classes under one token bucket.
#[derive(Clone, Debug)]
pub struct Htb {
    flows: Flows,
    quantum: i64,
    classes: Vec<Class>,
    /// The bucket of all.
    root: Option<Bucket>,
    /// Whose turn it is, by level.
    turn: [usize; LEVELS],
}

#[derive(Clone, Copy, Debug)]
struct Class {
    fifo: Fifo,
    guaranteed: Bucket,
    ceil: Bucket,
    /// Octets left of its turn, by level.
    deficit: [i64; LEVELS],
}

impl Htb {
    /// Empty classes, each with `limit`.
    pub fn new(
        flows: Flows,
        quantum: u32,
        limit: Limit,
        guaranteed: Shaping,
        ceil: Shaping,
        root: Option<Bucket>,
    ) -> Self {
        let class = Class {
            fifo: Fifo::new(limit),
            guaranteed: Bucket::new(guaranteed),
            ceil: Bucket::new(ceil),
            deficit: [0; LEVELS],
        };
        let classes = vec![class; flows.count()];
        Htb { flows, quantum: i64::from(quantum), classes, root, turn: [0; LEVELS] }
    }

    #[inline]
    pub fn enqueue(&mut self, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        let flow = self.flows.of(store[number].frame.connection);
        self.classes[flow].fifo.enqueue(number, store, dropped);
    }

    /// All packets are dropped.
    pub fn clear(&mut self, store: &Store, dropped: &mut Vec<u32>) {
        for class in &mut self.classes {
            while let Some(number) = class.fifo.list.pop(store) {
                dropped.push(number);
            }
        }
    }

    /// The next class to send, or the time at which one may send.
    pub fn next(&mut self, now: Time, store: &Store) -> Next {
        let mut earliest = Time::NEVER;
        let root = self.root.as_mut().map_or(now, |root| root.ready(now));
        let mut found = [None; LEVELS];
        let count = self.classes.len();
        for step in 0..count {
            for (level, found) in found.iter_mut().enumerate() {
                let place = (self.turn[level] + step) % count;
                let class = &mut self.classes[place];
                if class.fifo.list.is_empty() {
                    continue;
                }
                let guaranteed = class.guaranteed.ready(now);
                // who is within its guaranteed rate does not borrow
                let allowed = if level == 0 { guaranteed } else { root };
                let ready = allowed.max(class.ceil.ready(now));
                earliest = earliest.min(ready);
                if ready == now && (level == 0 || guaranteed > now) {
                    found.get_or_insert(place);
                }
            }
        }
        let chosen = (0..).zip(found).find_map(|(level, place)| Some((level, place?)));
        match chosen {
            Some((level, place)) => Next::Packet(self.send(now, level, place, store)),
            None => Next::NotBefore(earliest),
        }
    }

    fn send(&mut self, now: Time, level: usize, place: usize, store: &Store) -> u32 {
        let class = &mut self.classes[place];
        let number = class.fifo.list.pop(store).expect("a class that waits");
        let octets = store[number].counted;
        class.deficit[level] -= i64::from(octets);
        self.turn[level] = place;
        if class.deficit[level] < 0 {
            class.deficit[level] += self.quantum;
            self.turn[level] = place + 1;
        }
        if level == 0 {
            class.guaranteed.charge(now, octets);
        }
        class.ceil.charge(now, octets);
        if let Some(root) = &mut self.root {
            root.charge(now, octets);
        }
        number
    }
}
