//! Limits answers outside a session: at most a few for one request, and only to the address that sent it first. A
//! captured request that is replayed, from any address, gets no more.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

/// Requests remembered; only who has the key adds one.
const REMEMBERED: usize = 16_384;
/// Answers to one request: a client sends it up to five times, and the network may duplicate it.
const MOST_ANSWERS: u8 = 8;

/// Requests that were answered, by the random value that each carries.
#[derive(Clone, Debug, Default)]
pub(super) struct Answered {
    known: BTreeMap<[u8; 16], (SocketAddr, u8)>,
    /// The same, the oldest first.
    order: VecDeque<[u8; 16]>,
}

impl Answered {
    /// Whether a request that carries `value` is to be answered to `from`; if so it is counted.
    pub fn allows(&mut self, value: [u8; 16], from: SocketAddr) -> bool {
        if let Some((first, answers)) = self.known.get_mut(&value) {
            let allowed = *first == from && *answers < MOST_ANSWERS;
            *answers += u8::from(allowed);
            return allowed;
        }
        if self.order.len() == REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
        self.order.push_back(value);
        self.known.insert(value, (from, 1));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_answered_a_few_times_to_its_first_address_and_never_to_another() {
        let mut answered = Answered::default();
        let [first, other] = ["192.0.2.1:7", "192.0.2.1:8"].map(|address| address.parse().unwrap());
        assert_eq!((0..1000).filter(|_| answered.allows([1; 16], first)).count(), MOST_ANSWERS.into());
        assert!(!answered.allows([1; 16], other));
        assert!(answered.allows([2; 16], other), "another request");
    }

    #[test]
    fn the_oldest_request_is_forgotten_where_there_are_many() {
        let mut answered = Answered::default();
        let from = "192.0.2.1:7".parse().unwrap();
        for number in 0..=REMEMBERED as u128 {
            assert!(answered.allows(number.to_be_bytes(), from));
        }
        assert_eq!((answered.known.len(), answered.order.len()), (REMEMBERED, REMEMBERED));
        assert!(answered.allows(0_u128.to_be_bytes(), "192.0.2.9:7".parse().unwrap()), "forgotten");
    }
}
