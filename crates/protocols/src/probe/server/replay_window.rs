//! Anti-replay window over sequence numbers (RFC 4303, section 3.4.3; implemented as in RFC 6479).

const WORDS: usize = 16;
const BITS: u64 = 64 * WORDS as u64;

/// Covers the last 1024 numbers below the highest; older ones count as received.
#[derive(Clone, Debug, Default)]
pub(super) struct ReplayWindow {
    seen: [u64; WORDS],
    /// One above the highest number received.
    end: u64,
}

impl ReplayWindow {
    /// Whether `sequence` is received for the first time.
    pub fn is_new(&mut self, sequence: u64) -> bool {
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

    /// Advances the window to `sequence`.
    fn advance(&mut self, sequence: u64) {
        if sequence - self.end >= BITS {
            self.seen = [0; WORDS];
        } else {
            for forgotten in self.end..=sequence {
                let (word, bit) = place(forgotten);
                self.seen[word] &= !bit;
            }
        }
        // u64::MAX always counts as new; no session reaches it
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
    fn a_number_is_accepted_once_and_one_below_the_window_never() {
        let mut window = ReplayWindow::default();
        assert!(window.is_new(0) && !window.is_new(0));
        assert!(window.is_new(5) && window.is_new(3) && !window.is_new(5) && !window.is_new(3));
        assert!(window.is_new(5 + BITS));
        assert!(!window.is_new(5), "below the window");
        assert!(window.is_new(6));
        assert!(window.is_new(u64::MAX) && !window.is_new(6));
    }

    proptest! {
        #[test]
        fn the_window_agrees_with_a_set_of_all_numbers(steps in proptest::collection::vec((0u64..3000, 0u64..2000), 1..400)) {
            let (mut window, mut seen, mut base, mut highest) = (ReplayWindow::default(), BTreeSet::new(), 0, 0);
            for (offset, step) in steps {
                base += step;
                let sequence = (base + 1500).saturating_sub(offset);
                let in_reach = sequence >= highest || highest - sequence < BITS;
                let fresh = seen.insert(sequence);
                prop_assert_eq!(window.is_new(sequence), in_reach && fresh);
                highest = highest.max(sequence);
            }
        }
    }
}
