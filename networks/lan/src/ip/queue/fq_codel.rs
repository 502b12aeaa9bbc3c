//! FQ-CoDel (RFC 8290): flows take turns by octets as in deficit round robin, each under CoDel. New flows, and flows
//! too sparse to build a queue, go before those that have one.

use std::collections::VecDeque;

use sojourn_core::Time;

use super::super::packet::{List, Store};
use super::super::settings::{ControlledDelay, Limit};
use super::codel::Control;
use super::flows::Flows;

/// The most packets of the longest queue that are dropped at a time when all room is taken (RFC 8290, section 4.1).
const MOST_DROPPED: u32 = 64;

/// Queues of flows that take turns, new flows first.
#[derive(Clone, Debug)]
pub struct FqCodel {
    flows: Flows,
    quantum: u32,
    limit: Limit,
    queues: Vec<FlowQueue>,
    new: VecDeque<u32>,
    old: VecDeque<u32>,
    /// All that wait.
    packets: u32,
    octets: u64,
}

#[derive(Clone, Copy, Debug)]
struct FlowQueue {
    list: List,
    control: Control,
    /// Octets it may still send in its turn.
    credits: i64,
    /// Whether it is in one of the two lines.
    in_line: bool,
}

impl FqCodel {
    /// Empty queues; `longest` are the octets of the longest packet.
    pub fn new(flows: Flows, quantum: u32, limit: Limit, delay: ControlledDelay, longest: u32) -> Self {
        let queue = FlowQueue { list: List::new(), control: Control::new(delay, longest), credits: 0, in_line: false };
        let queues = vec![queue; flows.count()];
        let line = || VecDeque::with_capacity(queues.len());
        let (new, old) = (line(), line());
        FqCodel { flows, quantum, limit, queues, new, old, packets: 0, octets: 0 }
    }

    #[inline]
    pub fn enqueue(&mut self, number: u32, store: &mut Store, dropped: &mut Vec<u32>) {
        let flow = self.flows.of(store[number].frame.connection);
        let queue = &mut self.queues[flow];
        queue.list.push(number, store);
        self.packets += 1;
        self.octets += u64::from(store[number].counted);
        if !queue.in_line {
            queue.in_line = true;
            queue.credits = i64::from(self.quantum);
            self.new.push_back(flow as u32);
        }
        if self.packets > self.limit.packets || self.octets > self.limit.octets {
            self.drop_from_longest(store, dropped);
        }
    }

    #[inline]
    pub fn dequeue(&mut self, now: Time, store: &mut Store, dropped: &mut Vec<u32>) -> Option<u32> {
        loop {
            let is_new = !self.new.is_empty();
            let line = if is_new { &mut self.new } else { &mut self.old };
            let flow = *line.front()?;
            let queue = &mut self.queues[flow as usize];
            if queue.credits <= 0 {
                queue.credits += i64::from(self.quantum);
                line.pop_front();
                self.old.push_back(flow);
                continue;
            }
            let before = (queue.list.packets, queue.list.octets);
            let packet = queue.control.dequeue(now, &mut queue.list, store, dropped);
            self.packets -= before.0 - queue.list.packets;
            self.octets -= before.1 - queue.list.octets;
            if let Some(number) = packet {
                queue.credits -= i64::from(store[number].counted);
                return packet;
            }
            // a new flow waits once among the old ones, lest it come back as new before their turn
            line.pop_front();
            if is_new {
                self.old.push_back(flow);
            } else {
                queue.in_line = false;
            }
        }
    }

    /// Half of the packets of the queue with the most octets go, from its head.
    fn drop_from_longest(&mut self, store: &Store, dropped: &mut Vec<u32>) {
        let Some(queue) = self.queues.iter_mut().max_by_key(|queue| queue.list.octets) else { return };
        let before = queue.list.octets;
        // in a batch, since each drop costs a search for the longest queue (RFC 8290, 4.1)
        let count = (queue.list.packets / 2).clamp(1, MOST_DROPPED);
        for _ in 0..count {
            // from the head, so that the sender learns of the loss one queueing delay earlier
            dropped.extend(queue.list.pop(store));
        }
        self.packets -= count;
        self.octets -= before - queue.list.octets;
    }
}
