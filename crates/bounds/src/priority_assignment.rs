//! Which order of priorities meets all deadlines on a bus that does not interrupt messages: Audsley's assignment (N. C. Audsley, Information
//! Processing Letters 79, 2001). Of several such orders it gives the one that tolerates the longest additional delay (R. I. Davis and A. Burns, Robust
//! priority assignment for messages on Controller Area Network, Real-Time Systems 41, 2009).
//!
//! The worst case of a message depends on which messages are above it and which below, and not on their order: so a message that meets its
//! deadline below all others may have the lowest priority, if any order meets all deadlines.

use sojourn_core::Duration;

use crate::fixed_priority::{Bus, Stream};

/// A message that is to have a priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// When it comes, and how long it takes.
    pub stream: Stream,
    /// The longest response time that it may have on the bus.
    pub deadline: Duration,
}

/// The messages of a bus.
#[derive(Clone, Copy, Debug)]
pub struct Set<'m> {
    /// The bus.
    pub bus: Bus,
    /// Its messages.
    pub messages: &'m [Message],
}

impl Set<'_> {
    /// The priority order, highest first, that tolerates the longest additional delay of the bus. Where no order meets all deadlines:
    /// the messages that still need a priority when none of them meets its deadline as the lowest.
    pub fn assign(&self) -> Result<Vec<usize>, Vec<usize>> {
        let mut left: Vec<usize> = (0..self.messages.len()).collect();
        let (mut lowest_first, mut blocking) = (Vec::new(), Duration::ZERO);
        while !left.is_empty() {
            let mut best: Option<(u64, usize)> = None;
            for (place, &own) in left.iter().enumerate() {
                let higher = self.streams(left.iter().copied().filter(|&other| other != own));
                // one that tolerates no more than the best is not searched further
                let least = best.map_or(0, |(bits, _)| bits + 1);
                if let Some(bits) = self.most_bits(own, &higher, blocking, least) {
                    best = Some((bits, place));
                }
            }
            let Some((_, place)) = best else { return Err(left) };
            let own = left.remove(place);
            blocking = blocking.max(self.messages[own].stream.cost);
            lowest_first.push(own);
        }
        lowest_first.reverse();
        Ok(lowest_first)
    }

    /// The longest additional blocking of the bus in a busy period, in bits, with which all messages in this order, highest priority
    /// first, still meet their deadlines; `None` where one misses it anyway.
    pub fn slack(&self, order: &[usize]) -> Option<u64> {
        let bits = order.iter().enumerate().map(|(place, &own)| {
            let higher = self.streams(order[..place].iter().copied());
            let lower = order[place + 1..].iter().map(|&lower| self.messages[lower].stream.cost);
            self.most_bits(own, &higher, lower.max().unwrap_or_default(), 0)
        });
        bits.collect::<Option<Vec<u64>>>()?.into_iter().min().or(Some(0))
    }

    fn streams(&self, of: impl Iterator<Item = usize>) -> Vec<Stream> {
        of.map(|message| self.messages[message].stream).collect()
    }

    /// The most additional bits with which a message meets its deadline; `None` where it misses it with `least`.
    fn most_bits(&self, own: usize, higher: &[Stream], blocking: Duration, least: u64) -> Option<u64> {
        let Message { stream, deadline } = self.messages[own];
        let meets = |bits: u64| {
            let blocking = blocking + self.bus.bit.times(bits);
            self.bus.response(stream, higher, blocking).is_some_and(|found| found.worst <= deadline)
        };
        if !meets(least) {
            return None;
        }
        // an additional delay is a part of the response time
        let (mut low, mut high) = (least, deadline.whole(self.bus.bit).max(least) + 1);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if meets(middle) { low = middle } else { high = middle }
        }
        Some(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BUS: Bus = Bus { bit: Duration::from_micros(8), faults: None };

    /// Cost, period and deadline in µs.
    fn message([cost, period, deadline]: [u64; 3]) -> Message {
        let [cost, period, deadline] = [cost, period, deadline].map(Duration::from_micros);
        Message { stream: Stream { cost, period, jitter: Duration::ZERO }, deadline }
    }

    fn assigned(messages: &[[u64; 3]]) -> Result<(Vec<usize>, Option<u64>), Vec<usize>> {
        let messages: Vec<Message> = messages.iter().copied().map(message).collect();
        let set = Set { bus: BUS, messages: &messages };
        set.assign().map(|order| (order.clone(), set.slack(&order)))
    }

    #[test]
    fn a_message_that_is_late_as_the_lowest_of_three_becomes_the_highest() {
        // as the lowest it waits for two of 1 ms: 3 ms; as the highest for one that blocks it: 2 ms, and 62 bits of 8 µs are 0.496 ms
        let messages = [[1000, 10_000, 10_000], [1000, 10_000, 10_000], [1000, 10_000, 2500]];
        let (order, slack) = assigned(&messages).unwrap();
        assert_eq!((order[0], slack), (2, Some(62)));
    }

    #[test]
    fn no_order_of_the_three_messages_of_davis_burns_bril_and_lukkien_meets_all_deadlines() {
        // the first needs the highest priority: below one of the others it takes 3 ms; of those the lower takes 3.5 ms in its second instance
        assert_eq!(assigned(&[[1000, 2500, 2500], [1000, 3500, 3250], [1000, 3500, 3250]]), Err(vec![0, 1, 2]));
        // with 3.5 ms for both there is one
        let (order, slack) = assigned(&[[1000, 3500, 3500], [1000, 2500, 2500], [1000, 3500, 3500]]).unwrap();
        assert_eq!((order[0], slack), (1, Some(0)));
    }

    #[test]
    fn the_shortest_deadline_is_not_always_the_highest_priority() {
        // by deadlines the shortest frame is the lowest, waits for two of 1 ms and then for the next of the first: it takes 5.5 ms in an
        // instance of its busy period; above the second it takes 0.5 ms, one that blocks it and two of the first
        let (order, slack) = assigned(&[[1000, 2000, 2000], [1000, 3000, 3000], [500, 4000, 4000]]).unwrap();
        assert_eq!((order, slack), (vec![0, 2, 1], Some(0)));
    }

    #[test]
    fn messages_that_ask_for_all_of_the_bus_have_no_order() {
        assert_eq!(assigned(&[[1000, 2000, 2000], [1000, 2000, 2000]]), Err(vec![0, 1]));
        assert_eq!(assigned(&[]), Ok((vec![], Some(0))));
    }

    /// All orders of this many messages.
    fn orders(count: usize) -> Vec<Vec<usize>> {
        match count {
            0 => vec![vec![]],
            _ => orders(count - 1)
                .into_iter()
                .flat_map(|order| {
                    (0..count).map(move |place| {
                        let mut longer = order.clone();
                        longer.insert(place, count - 1);
                        longer
                    })
                })
                .collect(),
        }
    }

    prop_compose! {
        /// Messages on a bus with a load of 40 to 100 %, with deadlines and jitters near what is just met.
        fn any_set(count: usize)(
            rows in prop::collection::vec((1u64..9, 0u64..60, 25u64..110, 0u64..600), count),
            faults in prop::option::weighted(0.3, 30u64..200),
        ) -> (Bus, Vec<Message>) {
            let messages = rows.into_iter().map(|(cost, more, share, jitter)| {
                let period = 800 * count as u64 + 100 * more;
                let mut message = message([cost * 135, period, period * share / 100]);
                message.stream.jitter = Duration::from_micros(jitter);
                message
            });
            let fault = |ms| crate::fixed_priority::Faults {
                interval: Duration::from_millis(ms), overhead: Duration::from_micros(248),
            };
            (Bus { faults: faults.map(fault), ..BUS }, messages.collect())
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(500))]
        #[test]
        fn an_order_of_six_is_found_if_there_is_one_among_all_720((bus, messages) in any_set(6)) {
            let set = Set { bus, messages: &messages };
            let found = set.assign();
            prop_assert_eq!(found.is_ok(), orders(6).iter().any(|order| set.slack(order).is_some()));
            if let Ok(order) = found {
                prop_assert!(set.slack(&order).is_some());
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]
        #[test]
        fn no_other_order_of_four_tolerates_a_longer_delay((bus, messages) in any_set(4)) {
            let set = Set { bus, messages: &messages };
            let best = orders(4).iter().filter_map(|order| set.slack(order)).max();
            prop_assert_eq!(set.assign().ok().and_then(|order| set.slack(&order)), best);
        }
    }
}
