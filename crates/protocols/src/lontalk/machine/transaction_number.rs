//! Transaction numbers: 0 after a reset, then 1 to 15 cyclically, separately for each priority class.
//!
//! The number last used to a destination is not reused to it within 24 s, since the receiver may still have a receive
//! record of the old message and take the new one for a duplicate.

use std::hint::cold_path;

use sojourn_core::{Duration, Time};

use smallvec::SmallVec;

use crate::lontalk::wire::Destination;

/// How long a destination's last number is kept.
pub(super) const MEMORY: Duration = Duration::from_secs(24);

/// The transaction numbers of a node.
#[derive(Clone, Debug, Default)]
pub(super) struct TransactionNumbers {
    next: [u8; 2],
    /// Most of thousands of nodes send to one other, whose entry then needs no allocation.
    recent: SmallVec<[Recent; 1]>,
}

#[derive(Clone, Debug)]
struct Recent {
    destination: Destination,
    priority: bool,
    number: u8,
    at: Time,
}

impl TransactionNumbers {
    /// A number for a new transaction.
    pub fn take(&mut self, now: Time, priority: bool, destination: Destination) -> u8 {
        self.expire(now);
        let mut number = self.next[usize::from(priority)];
        match self.recent.iter_mut().find(|used| used.destination == destination && used.priority == priority) {
            Some(used) => {
                if used.number == number {
                    number = next_number(number);
                }
                (used.number, used.at) = (number, now);
            }
            None => {
                cold_path();
                self.recent.push(Recent { destination, priority, number, at: now });
            }
        }
        self.next[usize::from(priority)] = next_number(number);
        number
    }

    fn expire(&mut self, now: Time) {
        let mut index = 0;
        while index < self.recent.len() {
            if now.since(self.recent[index].at) > MEMORY {
                self.recent.swap_remove(index);
            } else {
                index += 1;
            }
        }
    }
}

const fn next_number(number: u8) -> u8 {
    number % 15 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lontalk::wire::SubnetNode;

    fn node(node: u8) -> Destination {
        Destination::Node(SubnetNode::new(1, node))
    }

    #[test]
    fn numbers_start_at_0_and_then_cycle_through_1_to_15() {
        let mut numbers = TransactionNumbers::default();
        let taken: Vec<u8> = (0..18).map(|_| numbers.take(Time::ZERO, false, node(1))).collect();
        assert_eq!(taken, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1, 2]);
    }

    #[test]
    fn each_priority_class_counts_on_its_own() {
        let mut numbers = TransactionNumbers::default();
        numbers.take(Time::ZERO, false, node(1));
        numbers.take(Time::ZERO, false, node(1));
        assert_eq!(numbers.take(Time::ZERO, true, node(1)), 0);
    }

    #[test]
    fn a_destinations_last_number_is_skipped_within_24_seconds_and_not_after() {
        for (wait, expected) in [(23, 2), (25, 1)] {
            let mut numbers = TransactionNumbers::default();
            numbers.take(Time::ZERO, false, node(9));
            assert_eq!(numbers.take(Time::ZERO, false, node(1)), 1);
            for _ in 0..14 {
                numbers.take(Time::ZERO, false, node(2));
            }
            let later = Time::ZERO + Duration::from_secs(wait);
            assert_eq!(numbers.take(later, false, node(1)), expected);
        }
    }
}
