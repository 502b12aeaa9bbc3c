//! A single open flow whose customers stay in order: without an event for each visit.
//!
//! Where no customer overtakes another, each passes all stations of its path by their recursions (see `station`) before the
//! next arrives, and nothing has to be sorted by time. The result has the same bits as with events: every station sees the
//! same customers at the same instants in the same order, and draws from a stream of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_core::{Duration, Time};

use super::scenario::{Settings, Source};
use super::world::{Customer, Customers, Running};

/// Customers between two reads of the cancel flag.
const CUSTOMERS_BETWEEN_CHECKS: u32 = 4096;

impl Settings {
    /// Whether customers stay in order: one open flow, no station twice on its path, and one server at each but the last.
    pub(super) fn keeps_order(&self) -> bool {
        let [flow] = &self.flows[..] else { return false };
        let (_, before) = flow.path.split_last().expect("a path has a station");
        matches!(flow.source, Source::Open { .. })
            && before.iter().all(|&station| self.stations[station].servers == 1)
            && (0..flow.path.len()).all(|place| !flow.path[..place].contains(&flow.path[place]))
    }
}

impl Customers<'_> {
    /// Lets all customers that arrive up to `end` pass, of settings whose customers keep their order.
    pub fn pass_in_order(&mut self, end: Time, cancelled: &AtomicBool) {
        let Some(Running::Open { mut process, begin, mut stream }) = self.sources.pop() else { return };
        let mut last = begin;
        let mut countdown = CUSTOMERS_BETWEEN_CHECKS;
        while let Some(arrival) = process.next(last, &mut stream).filter(|arrival| *arrival <= end) {
            self.pass(arrival, end);
            last = arrival;
            countdown -= 1;
            if countdown == 0 {
                if cancelled.load(Ordering::Relaxed) {
                    return;
                }
                countdown = CUSTOMERS_BETWEEN_CHECKS;
            }
        }
    }

    /// Lets one customer visit the stations of its path, as far as it comes until `end`.
    #[inline]
    fn pass(&mut self, arrival: Time, end: Time) {
        self.metrics.offer();
        let (mut now, mut waited) = (arrival, Duration::ZERO);
        for (visited, &station) in (0..).zip(&self.settings.flows[0].path) {
            if now > end {
                self.customers.insert(Customer { flow: 0, visited, entered: arrival, waited });
                return;
            }
            let Some(visit) = self.stations[station].visit(now) else { return self.metrics.lose(now, 0, arrival) };
            waited += visit.begin.since(now);
            now = visit.departure;
        }
        self.metrics.complete(now, 0, arrival, waited);
    }
}
