//! Deficit round robin (Shreedhar and Varghese, 1996): flows take turns. In its turn a flow may send a quantum of
//! octets; what remains because its next packet is too long is kept for its next turn.

use std::collections::VecDeque;

use super::super::packet::Store;
use super::super::settings::{Limit, Overflow};
use super::fifo::Fifo;
use super::flows::Flows;

/// Queues of flows that take turns.
#[derive(Clone, Debug)]
pub struct Drr {
    flows: Flows,
    quantum: u32,
    queues: Vec<Turn>,
    /// Flows that wait, in the order of their turns.
    active: VecDeque<u32>,
    /// Whether the flow at the head has got the quantum of its turn.
    granted: bool,
    /// All that wait.
    packets: u32,
    octets: u64,
    limit: Limit,
    overflow: Overflow,
}

#[derive(Clone, Copy, Debug)]
struct Turn {
    fifo: Fifo,
    deficit: u32,
    /// Whether it is in line.
    active: bool,
}

impl Drr {
    /// Empty queues; `flow_limit` holds for each flow, `limit` for all together.
    pub fn new(flows: Flows, quantum: u32, flow_limit: Limit, limit: Limit, overflow: Overflow) -> Self {
        let queues = vec![Turn { fifo: Fifo::new(flow_limit), deficit: 0, active: false }; flows.count()];
        let active = VecDeque::with_capacity(queues.len());
        Drr { flows, quantum, queues, active, granted: false, packets: 0, octets: 0, limit, overflow }
    }

    #[inline]
    pub fn enqueue(&mut self, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        let octets = store[number].counted;
        let flow = self.flows.of(store[number].frame.connection);
        if !self.queues[flow].fifo.has_room(octets) || !self.makes_room(octets, store, dropped) {
            return dropped.push(number);
        }
        let queue = &mut self.queues[flow];
        if !queue.active {
            // an idle flow keeps no deficit, or it could save up a burst (Shreedhar and Varghese)
            (queue.active, queue.deficit) = (true, 0);
            self.active.push_back(flow as u32);
        }
        queue.fifo.list.push(number, store);
        self.packets += 1;
        self.octets += u64::from(octets);
    }

    #[inline]
    pub fn dequeue(&mut self, store: &Store) -> Option<u32> {
        loop {
            let flow = *self.active.front()?;
            let queue = &mut self.queues[flow as usize];
            if !self.granted {
                queue.deficit += self.quantum;
                self.granted = true;
            }
            // a flow all of whose packets were dropped stays in line until its turn comes
            let octets = queue.fifo.list.front(store).map(|packet| packet.counted);
            if let Some(octets) = octets.filter(|octets| *octets <= queue.deficit) {
                queue.deficit -= octets;
                let number = queue.fifo.list.pop(store);
                self.packets -= 1;
                self.octets -= u64::from(octets);
                if queue.fifo.list.is_empty() {
                    self.end_turn(false);
                }
                return number;
            }
            self.end_turn(octets.is_some());
        }
    }

    /// The flow at the head steps back in line, or out of it.
    fn end_turn(&mut self, stays: bool) {
        self.granted = false;
        let Some(flow) = self.active.pop_front() else { return };
        self.queues[flow as usize].active = stays;
        if stays {
            self.active.push_back(flow);
        }
    }

    /// Whether there is room for this many octets more, be it that of the longest queue's oldest packet.
    fn makes_room(&mut self, octets: u32, store: &Store, dropped: &mut Vec<u32>) -> bool {
        while self.packets >= self.limit.packets || self.octets + u64::from(octets) > self.limit.octets {
            if self.overflow == Overflow::Arriving {
                return false;
            }
            let longest = self.queues.iter_mut().max_by_key(|queue| queue.fifo.list.octets);
            let Some(number) = longest.and_then(|queue| queue.fifo.list.pop(store)) else { return false };
            self.packets -= 1;
            self.octets -= u64::from(store[number].counted);
            dropped.push(number);
        }
        true
    }
}
