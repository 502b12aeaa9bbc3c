//! The poll cycle of a supervisor: requests to several stations, in the same order each round.

use std::collections::BTreeMap;

use sojourn_core::Time;

use super::distance::quantile;

/// Requests kept in order, from the first.
const IN_ORDER: usize = 4096;
/// Share of requests that must follow the order of the cycle.
const ORDERLY: f64 = 0.9;
/// A gap longer than this multiple of the usual gap is the wait for the next round.
const WAIT: f64 = 1.5;

/// The order in which one station sends requests to others, each by a number of the caller's.
#[derive(Clone, Debug, Default)]
pub struct Polls {
    requests: Vec<(u32, Time)>,
}

/// A poll cycle.
#[derive(Clone, Debug, PartialEq)]
pub struct PollCycle {
    /// The receivers in the order of a round.
    pub receivers: Vec<u32>,
    /// Interval between polls, s.
    pub interval: f64,
    /// Shortest interval between the starts of rounds, s; 0 where rounds follow each other at `interval`.
    pub cycle: f64,
    /// Share of the requests that follow the order, 0 to 1.
    pub in_order: f64,
    /// Share of the gaps that are the interval within the smear; others waited for a response, or for the next round.
    pub at_interval: f64,
    /// Requests looked at.
    pub requests: usize,
}

impl Polls {
    /// A new request to `receiver` was sent at `at`.
    pub fn sent(&mut self, receiver: u32, at: Time) {
        if self.requests.len() < IN_ORDER {
            self.requests.push((receiver, at));
        }
    }

    /// The cycle, if there is one of at least two receivers and three rounds.
    pub fn cycle(&self, smear: f64) -> Option<PollCycle> {
        let successors = self.usual_successors();
        let mut receivers = round(&successors, self.requests.first()?.0)?;
        if receivers.len() < 2 || self.requests.len() < 3 * receivers.len() {
            return None;
        }
        let pairs = || self.requests.windows(2);
        let orderly = pairs().filter(|pair| successors[&pair[0].0] == pair[1].0).count();
        let in_order = orderly as f64 / pairs().count() as f64;
        if in_order < ORDERLY {
            return None;
        }
        let gap = |pair: &[(u32, Time)]| pair[1].1.since(pair[0].1).seconds();
        let mut gaps: Vec<f64> = pairs().map(gap).collect();
        gaps.sort_by(f64::total_cmp);
        let interval = quantile(&gaps, 0.5);
        let near = gaps.iter().filter(|&&gap| (gap - interval).abs() <= smear.max(0.02 * interval)).count();
        let cycle = self.wait_for_round(&mut receivers, interval);
        let at_interval = near as f64 / gaps.len() as f64;
        Some(PollCycle { receivers, interval, cycle, in_order, at_interval, requests: self.requests.len() })
    }

    /// By receiver, the one most often asked next.
    fn usual_successors(&self) -> BTreeMap<u32, u32> {
        let mut counts: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
        for pair in self.requests.windows(2) {
            *counts.entry(pair[0].0).or_default().entry(pair[1].0).or_default() += 1;
        }
        let usual = |next: BTreeMap<u32, u32>| next.into_iter().max_by_key(|&(_, count)| count).map(|(next, _)| next);
        counts.into_iter().filter_map(|(receiver, next)| Some((receiver, usual(next)?))).collect()
    }

    /// The shortest time between rounds, if the first request of a round waits for it; `receivers` then begins with that
    /// one.
    fn wait_for_round(&self, receivers: &mut [u32], interval: f64) -> f64 {
        let mut before: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
        for pair in self.requests.windows(2) {
            before.entry(pair[1].0).or_default().push(pair[1].1.since(pair[0].1).seconds());
        }
        let median = |gaps: &mut Vec<f64>| {
            gaps.sort_by(f64::total_cmp);
            quantile(gaps, 0.5)
        };
        let waits = before.iter_mut().map(|(&receiver, gaps)| (receiver, median(gaps)));
        let Some((first, wait)) = waits.max_by(|a, b| a.1.total_cmp(&b.1)) else { return 0.0 };
        if wait <= WAIT * interval {
            let lowest =
                receivers.iter().enumerate().min_by_key(|&(_, &receiver)| receiver).map_or(0, |(place, _)| place);
            receivers.rotate_left(lowest);
            return 0.0;
        }
        let place = receivers.iter().position(|&receiver| receiver == first).unwrap_or(0);
        receivers.rotate_left(place);
        let starts: Vec<Time> =
            self.requests.iter().filter(|&&(receiver, _)| receiver == first).map(|&(_, at)| at).collect();
        let mut rounds: Vec<f64> = starts.windows(2).map(|pair| pair[1].since(pair[0]).seconds()).collect();
        median(&mut rounds)
    }
}

/// The receivers reached from `first` until it is reached again; `None` unless all are.
fn round(successors: &BTreeMap<u32, u32>, first: u32) -> Option<Vec<u32>> {
    let mut receivers = vec![first];
    let mut next = *successors.get(&first)?;
    while next != first {
        if receivers.len() > successors.len() {
            return None;
        }
        receivers.push(next);
        next = *successors.get(&next)?;
    }
    (receivers.len() == successors.len()).then_some(receivers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_core::Duration;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    #[test]
    fn a_supervisor_that_polls_five_stations_every_100_ms_is_found() {
        let mut polls = Polls::default();
        (0..500_u32).for_each(|n| polls.sent(10 + n % 5, at(u64::from(n) * 100 + u64::from(n % 7))));
        let cycle = polls.cycle(0.01).unwrap();
        assert_eq!(cycle.receivers, [10, 11, 12, 13, 14]);
        assert!((cycle.interval - 0.1).abs() < 0.002 && cycle.cycle == 0.0, "{cycle:?}");
        assert!(cycle.in_order > 0.99 && cycle.at_interval > 0.99, "{cycle:?}");
    }

    #[test]
    fn the_wait_for_the_next_round_is_the_cycle() {
        let mut polls = Polls::default();
        for round in 0..20_u64 {
            [7, 3, 9].into_iter().zip(0..).for_each(|(receiver, place)| {
                polls.sent(receiver, at(round * 5_000 + 50 * place));
            });
        }
        let cycle = polls.cycle(0.001).unwrap();
        assert_eq!(cycle.receivers, [7, 3, 9]);
        assert!((cycle.interval - 0.05).abs() < 1e-9 && (cycle.cycle - 5.0).abs() < 1e-9, "{cycle:?}");
    }

    #[test]
    fn a_poll_without_a_request_in_the_capture_now_and_then_is_still_a_cycle() {
        let mut polls = Polls::default();
        (0..600_u32).filter(|n| n % 41 != 0).for_each(|n| polls.sent(n % 6, at(u64::from(n) * 200)));
        assert_eq!(polls.cycle(0.01).unwrap().receivers, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn requests_in_random_order_are_no_cycle() {
        let mut stream = sojourn_core::Streams::new(4, 0).stream("order");
        let mut polls = Polls::default();
        (0..600).for_each(|n| polls.sent(stream.below(6), at(n * 200)));
        assert_eq!(polls.cycle(0.01), None);
    }
}
