//! What the ports of a bus offer, and who wins arbitration among it.
//!
//! A tournament: an offer that changes costs the logarithm of the number of ports, and arbitration no search. A bus of 50
//! ports at full load (`benches/run`) takes less than half the time that it took with a search of all ports for each frame.

use sojourn_core::clone_fields;

/// The key of a port that offers nothing: below every arbitration field.
const NOTHING: u64 = u64::MAX;

/// Who has the lowest arbitration field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Winner {
    /// Its port.
    pub port: u32,
    /// Another that has the same.
    pub twin: Option<u32>,
    /// How many take part.
    pub contenders: u64,
}

/// The arbitration fields that are offered.
#[derive(Debug)]
pub struct Offers {
    /// A binary tree: node `n` has the lower key of nodes `2 n` and `2 n + 1`, the second half are the ports. A key is an arbitration field and
    /// its port.
    keys: Vec<u64>,
    contenders: u64,
}

clone_fields!([] Offers { keys, contenders });

impl Offers {
    /// Nothing is offered by this many ports.
    pub fn new(ports: usize) -> Offers {
        Offers { keys: vec![NOTHING; 2 * ports.next_power_of_two()], contenders: 0 }
    }

    /// A port offers a frame with this arbitration field, or nothing.
    #[inline]
    pub fn set(&mut self, port: u32, field: Option<u32>) {
        let mut at = self.keys.len() / 2 + port as usize;
        let key = field.map_or(NOTHING, |field| u64::from(field) << 32 | u64::from(port));
        let before = self.keys[at];
        if before == key {
            return;
        }
        self.contenders += u64::from(before == NOTHING);
        self.contenders -= u64::from(key == NOTHING);
        self.keys[at] = key;
        while at > 1 {
            let lower = self.keys[at].min(self.keys[at ^ 1]);
            at /= 2;
            if self.keys[at] == lower {
                return;
            }
            self.keys[at] = lower;
        }
    }

    /// Who wins, if anything is offered; of two with the same field the first.
    #[inline]
    pub fn winner(&self) -> Option<Winner> {
        let key = self.keys[1];
        if key == NOTHING {
            return None;
        }
        let port = key as u32;
        let second = self.second(port);
        let twin = (second >> 32 == key >> 32).then_some(second as u32);
        Some(Winner { port, twin, contenders: self.contenders })
    }

    /// The lowest key of the others: the lowest of those that lost to the winner itself.
    #[inline]
    fn second(&self, winner: u32) -> u64 {
        let mut at = self.keys.len() / 2 + winner as usize;
        let mut lowest = NOTHING;
        while at > 1 {
            lowest = lowest.min(self.keys[at ^ 1]);
            at /= 2;
        }
        lowest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn offers(fields: &[Option<u32>]) -> Offers {
        let mut offers = Offers::new(fields.len());
        (0..).zip(fields).for_each(|(port, field)| offers.set(port, *field));
        offers
    }

    #[test]
    fn the_lowest_field_wins_and_the_others_lose() {
        let found = offers(&[None, Some(7), Some(3), None, Some(9)]).winner().unwrap();
        assert_eq!(found, Winner { port: 2, twin: None, contenders: 3 });
        assert_eq!(offers(&[Some(5), Some(8), Some(5)]).winner().unwrap().twin, Some(2));
        assert_eq!(offers(&[None; 3]).winner(), None);
        assert_eq!(offers(&[Some(0)]).winner(), Some(Winner { port: 0, twin: None, contenders: 1 }));
    }

    proptest! {
        #[test]
        fn after_any_changes_it_is_what_a_search_of_all_finds(
            changes in proptest::collection::vec((0..9_u32, proptest::option::of(0..6_u32)), 1..60),
        ) {
            let mut fields = [None; 9];
            let mut offers = offers(&fields);
            for (port, field) in changes {
                fields[port as usize] = field;
                offers.set(port, field);
                let lowest = fields.iter().flatten().min();
                let of_lowest: Vec<u32> = (0..).zip(&fields).filter(|(_, one)| one.as_ref() == lowest).map(|(port, _)| port).collect();
                let expected = lowest.map(|_| Winner {
                    port: of_lowest[0],
                    twin: of_lowest.get(1).copied(),
                    contenders: fields.iter().flatten().count() as u64,
                });
                prop_assert_eq!(offers.winner(), expected);
            }
        }
    }
}
