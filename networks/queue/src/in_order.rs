//! A single open flow whose customers stay in order: without an event for each visit.
//!
//! Where no customer overtakes another, a block of them passes one station of its path after the other by their recursions (see
//! `recursion`), and nothing has to be sorted by time. The result has the same bits as with events: every station sees the
//! same customers at the same instants in the same order, and draws from a stream of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_core::{Duration, Time};
use sojourn_metrics::Record;

use super::customer::Customer;
use super::observer::Observer;
use super::recursion::BLOCK;
use super::scenario::{Settings, Source};
use super::source::Running;
use super::world::Recorded;

/// Customers that have entered one after the other.
struct Block {
    entered: [Time; BLOCK],
    /// When they reach the next station, or have left the last one.
    now: [Time; BLOCK],
    waited: [Duration; BLOCK],
}

impl Settings {
    /// Whether customers stay in order: no events, one open flow, no station twice on its path, and one server at each but the last.
    pub(super) fn keeps_order(&self) -> bool {
        let [flow] = &self.flows[..] else { return false };
        let (_, before) = flow.path.split_last().expect("a path has a station");
        self.events.is_none()
            && matches!(flow.source, Source::Open { .. })
            && before.iter().all(|&station| self.stations[station].servers == 1)
            && (0..flow.path.len()).all(|place| !flow.path[..place].contains(&flow.path[place]))
    }
}

impl Recorded<'_, true> {
    /// Lets all customers that arrive up to `end` pass, of settings whose customers keep their order; what was observed.
    pub fn pass_in_order(mut self, end: Time, cancelled: &AtomicBool) -> Record {
        let flow = &self.settings.flows[0];
        let Source::Open { begin, .. } = flow.source else {
            unreachable!("customers of an open flow keep their order")
        };
        let Some(Running { process: Some(mut process), mut stream, .. }) = self.sources.pop() else {
            unreachable!("an open flow has a source")
        };
        let path = &flow.path;
        // customers who find no room are noted among those who leave, in the order of arrival
        let fits = path.iter().all(|&station| self.settings.stations[station].capacity.is_none());
        let (size, mut last) = (if fits { BLOCK } else { 1 }, begin);
        let mut block =
            Block { entered: [Time::ZERO; BLOCK], now: [Time::ZERO; BLOCK], waited: [Duration::ZERO; BLOCK] };
        let mut events = 0;
        loop {
            let arrived = process.fill(last, end, &mut stream, &mut block.entered[..size]);
            events += self.pass(&mut block, arrived, end);
            if arrived < size || cancelled.load(Ordering::Relaxed) {
                return Record { events, ..self.finish() };
            }
            last = block.entered[size - 1];
        }
    }

    /// Lets customers visit the stations of their path, as far as they come until `end`; how many arrived at a station, as many
    /// events as that would be.
    fn pass(&mut self, block: &mut Block, arrived: usize, end: Time) -> u64 {
        self.observer.offer_all(arrived as u64);
        block.now[..arrived].copy_from_slice(&block.entered[..arrived]);
        block.waited[..arrived].fill(Duration::ZERO);
        let (mut count, mut events) = (arrived, 0);
        for (visited, &station) in (0..).zip(&self.settings.flows[0].path) {
            let come = block.now[..count].partition_point(|now| *now <= end);
            for late in come..count {
                self.customers.insert(Customer { visited, ..Customer::new(0, block.entered[late]) });
            }
            count = come;
            events += come as u64;
            if self.foreseen[station].visit_all(&mut block.now[..count], &mut block.waited[..count]) < count {
                // of customers who may find no room there is one at a time
                self.observer.lose(block.now[0], 0, block.entered[0]);
                return events;
            }
        }
        self.observer.complete_all(&block.now[..count], 0, &block.entered[..count], &block.waited[..count]);
        events
    }
}
