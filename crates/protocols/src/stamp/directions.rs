//! What a stateful reflector received, and what of its replies arrived, from the sequence numbers of the replies.
//!
//! A stateful reflector numbers its replies in the order in which it received the probes (RFC 8762, section 4.3), so a
//! number that is missing is a reply that was lost, and the probes without a reply beyond those were lost before it.

use std::collections::BTreeSet;
use std::ops::Range;

/// A reply that arrived, by its two sequence numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberedReply {
    /// Sequence number of the probe.
    pub probe: u64,
    /// Sequence number of the reply.
    pub reply: u32,
}

/// Faults of both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directions {
    /// Probes that reached the reflector, each once.
    pub received: u64,
    /// Further copies of probes that reached it.
    pub duplicates: u64,
    /// Probes that reached it after a later one.
    pub reordered: u64,
    /// Further copies of replies that arrived.
    pub return_duplicates: u64,
    /// Replies that arrived after one sent later.
    pub return_reordered: u64,
}

impl Directions {
    /// Faults of the probes with these sequence numbers, from all replies of the session in order of arrival; `end` is the
    /// number of the reply that followed the last of them. Which of the unanswered probes a missing reply belongs to is
    /// not known: the earliest is taken, so that two phases may exchange the losses at their border.
    pub fn of(replies: &[NumberedReply], end: u32, probes: Range<u64>) -> Directions {
        let mut found = Directions::default();
        found.count_return(replies, &probes);
        let mut reflected = replies.to_vec();
        reflected.sort_by_key(|reply| reply.reply);
        reflected.dedup_by_key(|reply| reply.reply);
        found.count_forward(&reflected, end, &probes);
        found
    }

    fn count_return(&mut self, replies: &[NumberedReply], probes: &Range<u64>) {
        let (mut seen, mut newest) = (BTreeSet::new(), 0);
        for NumberedReply { probe, reply } in replies {
            let is_new = seen.insert(*reply);
            if probes.contains(probe) {
                self.return_duplicates += u64::from(!is_new);
                self.return_reordered += u64::from(is_new && *reply < newest);
            }
            newest = newest.max(*reply);
        }
    }

    /// From replies in the order in which the reflector sent them.
    fn count_forward(&mut self, reflected: &[NumberedReply], end: u32, probes: &Range<u64>) {
        let answered: BTreeSet<u64> = reflected.iter().map(|reply| reply.probe).collect();
        let (mut heard, mut highest, mut expected) = (BTreeSet::new(), 0, 0);
        // probes below this are answered, or known to be received or lost
        let mut unsettled = 0;
        for NumberedReply { probe, reply } in reflected {
            let missing = reply.saturating_sub(expected);
            unsettled = self.count_missing(missing, unsettled, highest.max(*probe), &answered, probes);
            expected = reply.saturating_add(1);
            let is_new = heard.insert(*probe);
            if probes.contains(probe) {
                self.received += u64::from(is_new);
                self.duplicates += u64::from(!is_new);
                self.reordered += u64::from(is_new && *probe < highest);
            }
            highest = highest.max(*probe);
            unsettled = unsettled.max(highest);
        }
        self.count_missing(end.saturating_sub(expected), unsettled, u64::MAX, &answered, probes);
    }

    /// Counts probes from `first` below `limit` as received whose replies are missing; what is left over are copies of
    /// probes. Returns the first probe that is not settled.
    fn count_missing(
        &mut self,
        missing: u32,
        first: u64,
        limit: u64,
        answered: &BTreeSet<u64>,
        probes: &Range<u64>,
    ) -> u64 {
        let mut next = first;
        for _ in 0..missing {
            while answered.contains(&next) {
                next += 1;
            }
            if next < limit {
                self.received += u64::from(probes.contains(&next));
                next += 1;
            } else {
                self.duplicates += u64::from(probes.contains(&limit.min(next)));
            }
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replies(pairs: &[(u64, u32)]) -> Vec<NumberedReply> {
        pairs.iter().map(|(probe, reply)| NumberedReply { probe: *probe, reply: *reply }).collect()
    }

    #[test]
    fn a_missing_number_is_a_lost_reply_and_a_missing_probe_without_one_a_lost_probe() {
        // probes 1 and 2 did not reach the reflector, the replies 2 and 4 to the probes 4 and 6 were lost
        let found = Directions::of(&replies(&[(0, 0), (3, 1), (5, 3)]), 5, 0..7);
        assert_eq!(found, Directions { received: 5, ..Directions::default() });
    }

    #[test]
    fn copies_and_reordering_have_the_direction_in_which_the_numbers_changed() {
        // probe 1 reached the reflector twice, 3 before 2; the reply 4 arrived twice, and 1 after 2
        let found = Directions::of(&replies(&[(0, 0), (1, 2), (1, 1), (3, 3), (2, 4), (2, 4)]), 5, 0..4);
        let expected =
            Directions { received: 4, duplicates: 1, reordered: 1, return_duplicates: 1, return_reordered: 1 };
        assert_eq!(found, expected);
    }

    #[test]
    fn each_phase_has_its_own() {
        // of 0 to 3 the last was lost before the reflector, of 4 to 7 the reply to 5
        let all = replies(&[(0, 0), (1, 1), (2, 2), (4, 3), (6, 5), (7, 6)]);
        let received = |probes| Directions::of(&all, 7, probes).received;
        assert_eq!((received(0..4), received(4..8)), (3, 4));
        let received = |probes| Directions::of(&all[..5], 6, probes).received;
        assert_eq!(received(0..8), 6);
    }

    #[test]
    fn without_a_reply_all_that_the_reflector_numbered_was_lost_on_the_return() {
        assert_eq!(Directions::of(&[], 3, 0..5).received, 3);
    }
}
