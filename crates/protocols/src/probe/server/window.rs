//! Which sequence numbers have been seen: a sliding window (RFC 4303, section 3.4.3; RFC 6479 for its form).

const WORDS: usize = 16;
const BITS: u64 = 64 * WORDS as u64;

/// Remembers the last 1024 numbers below the highest; what is older counts as seen.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    seen: [u64; WORDS],
    /// One above the highest number seen.
    end: u64,
}

impl Window {
    /// Whether `sequence` is seen for the first time.
    pub fn admits(&mut self, sequence: u64) -> bool {
        if sequence >= self.end {
            self.advance(sequence);
        } else if self.end - sequence > BITS {
            return false;
        }
        let (word, bit) = place(sequence);
        let fresh = self.seen[word] & bit == 0;
        self.seen[word] |= bit;
        fresh
    }

    /// Makes room up to `sequence`.
    fn advance(&mut self, sequence: u64) {
        if sequence - self.end >= BITS {
            self.seen = [0; WORDS];
        } else {
            for forgotten in self.end..=sequence {
                let (word, bit) = place(forgotten);
                self.seen[word] &= !bit;
            }
        }
        // the highest number of all has nothing above it and stays new for ever; no session gets there
        self.end = sequence.saturating_add(1);
    }
}

fn place(sequence: u64) -> (usize, u64) {
    let slot = sequence % BITS;
    ((slot / 64) as usize, 1 << (slot % 64))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_number_counts_once_and_an_old_one_not_at_all() {
        let mut window = Window::default();
        assert!(window.admits(0) && !window.admits(0));
        assert!(window.admits(5) && window.admits(3) && !window.admits(5) && !window.admits(3));
        assert!(window.admits(5 + BITS));
        assert!(!window.admits(5), "it fell out of the window");
        assert!(window.admits(6));
        assert!(window.admits(u64::MAX) && !window.admits(6));
    }

    proptest! {
        #[test]
        fn it_agrees_with_a_set_that_forgets_nothing(steps in proptest::collection::vec((0u64..3000, 0u64..2000), 1..400)) {
            let (mut window, mut seen, mut base, mut highest) = (Window::default(), BTreeSet::new(), 0, 0);
            for (offset, step) in steps {
                base += step;
                let sequence = (base + 1500).saturating_sub(offset);
                let in_reach = sequence >= highest || highest - sequence < BITS;
                let fresh = seen.insert(sequence);
                prop_assert_eq!(window.admits(sequence), in_reach && fresh);
                highest = highest.max(sequence);
            }
        }
    }
}
