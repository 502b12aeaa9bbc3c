//! Losses per direction with a stateful reflector, from the sequence numbers of its replies.
//!
//! A stateful reflector numbers its replies in the order in which it received the probes (RFC 8762, section 4.3). A
//! missing number is therefore a lost reply, and the remaining probes without a reply were lost before the reflector.

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

/// Where a session is as some probes begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Sequence number of the first of them.
    pub probe: u64,
    /// Number of the reply to the first of them that reaches the reflector.
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
        Directions::since(Origin::default(), replies, end, probes).0
    }

    /// The same from the replies since an origin; also the origin of the probes after these.
    pub fn since(origin: Origin, replies: &[NumberedReply], end: u32, probes: Range<u64>) -> (Directions, Origin) {
        let mut found = Directions::default();
        found.count_return(replies, &probes);
        let answered: BTreeSet<u64> = replies.iter().map(|reply| reply.probe).collect();
        let mut reflected = replies.to_vec();
        reflected.retain(|reply| (origin.reply..end).contains(&reply.reply));
        reflected.sort_by_key(|reply| reply.reply);
        reflected.dedup_by_key(|reply| reply.reply);
        let later = found.count_forward(origin, &reflected, &answered, end, &probes);
        (found, Origin { probe: probes.end, reply: end.saturating_sub(later) })
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

    /// From replies in the order in which the reflector sent them; returns how many missing ones are of later probes.
    fn count_forward(
        &mut self,
        origin: Origin,
        reflected: &[NumberedReply],
        answered: &BTreeSet<u64>,
        end: u32,
        probes: &Range<u64>,
    ) -> u32 {
        let (mut heard, mut highest, mut expected) = (BTreeSet::new(), origin.probe, origin.reply);
        // probes below this are answered, or known to be received or lost
        let mut unsettled = origin.probe;
        for NumberedReply { probe, reply } in reflected {
            let missing = reply.saturating_sub(expected);
            (unsettled, _) = self.count_missing(missing, unsettled, highest.max(*probe), answered, probes);
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
        self.count_missing(end.saturating_sub(expected), unsettled, u64::MAX, answered, probes).1
    }

    /// Counts probes from `first` below `limit` as received whose replies are missing; what is left over are copies of
    /// probes. Returns the first probe that is not settled, and how many replies were of probes after these.
    fn count_missing(
        &mut self,
        missing: u32,
        first: u64,
        limit: u64,
        answered: &BTreeSet<u64>,
        probes: &Range<u64>,
    ) -> (u64, u32) {
        let (mut next, mut later) = (first, 0);
        for _ in 0..missing {
            while answered.contains(&next) {
                next += 1;
            }
            if next < limit {
                self.received += u64::from(probes.contains(&next));
                later += u32::from(next >= probes.end);
                next += 1;
            } else {
                self.duplicates += u64::from(probes.contains(&limit.min(next)));
            }
        }
        (next, later)
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
    fn windows_one_after_the_other_have_the_faults_that_the_whole_session_has() {
        // lost: probe 2, the replies to 1 and 5, and, at the border of two windows, probe 8 and the reply to 9
        let all = replies(&[(0, 0), (3, 2), (4, 3), (6, 5), (7, 6), (10, 8), (11, 9), (12, 10)]);
        let mut origin = Origin::default();
        for (window, end, received) in [(0..4, 3, 3), (4..8, 8, 4), (8..12, 10, 3)] {
            let (found, next) = Directions::since(origin, &all, end, window.clone());
            assert_eq!(found, Directions { received, ..Directions::default() }, "{window:?}");
            origin = next;
        }
        assert_eq!(origin, Origin { probe: 12, reply: 10 });
    }

    #[test]
    fn a_reply_that_is_missing_at_a_border_belongs_to_the_probe_that_has_none() {
        // all of 0 to 3 are answered: number 4 was the reply to probe 4, which was lost on the return
        let all = replies(&[(0, 0), (1, 1), (2, 2), (3, 3), (5, 5)]);
        let (found, origin) = Directions::since(Origin::default(), &all, 5, 0..4);
        assert_eq!((found.received, origin), (4, Origin { probe: 4, reply: 4 }));
        assert_eq!(Directions::since(origin, &all, 6, 4..6).0.received, 2);
    }

    #[test]
    fn without_a_reply_all_that_the_reflector_numbered_was_lost_on_the_return() {
        assert_eq!(Directions::of(&[], 3, 0..5).received, 3);
    }
}
