//! Detects whether a reflector is stateful, and counts the faults of each direction by its sequence numbers while
//! probing goes on.
//!
//! Until a probe is lost, a stateful reflector's sequence numbers equal those of the probes, as a stateless
//! reflector's always do. A duplicated probe distinguishes them: a stateful reflector gives the second reply the next
//! number (RFC 8762, section 4.3).

use std::ops::Range;

use sojourn_core::{Duration, Time};
use sojourn_protocols::stamp::{Directions, NumberedReply, Origin, Reply, Timestamp};

use crate::prober::peer::{PeerCounts, ReturnFaults};

/// Copies sent at most.
const COPIES: u32 = 3;
/// How long the reply to a copy is waited for.
const COPY_TIMEOUT: Duration = Duration::from_secs(1);

/// A copy of a probe.
#[derive(Clone, Copy, Debug)]
struct ProbeCopy {
    probe: u64,
    timestamp: Timestamp,
    sent: Time,
    /// Number of its reply.
    number: Option<u32>,
}

/// What the next call should do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send a copy of this probe.
    SendCopy(u64),
    /// Wait: what is missing may come.
    Wait,
    /// The counts, `None` if they cannot be known.
    Counts(Option<PeerCounts>),
}

/// The numbers of a session's replies.
#[derive(Debug)]
pub struct Numbering {
    /// Replies since the origin, in order of arrival.
    replies: Vec<NumberedReply>,
    /// Where the next probes to be counted begin; `None` where replies before them are missing.
    origin: Option<Origin>,
    /// Whether the reflector numbers its replies, once that is known.
    is_stateful: Option<bool>,
    copy: Option<ProbeCopy>,
    /// Copies sent.
    copies: u32,
}

impl Default for Numbering {
    fn default() -> Numbering {
        Numbering { replies: Vec::new(), origin: Some(Origin::default()), is_stateful: None, copy: None, copies: 0 }
    }
}

impl Numbering {
    /// Replies so far, in order of arrival.
    pub fn replies(&self) -> &[NumberedReply] {
        &self.replies
    }

    /// Takes a reply to a probe; true if it is to the probe itself, false if to a copy.
    pub fn take(&mut self, probe: u64, reply: &Reply) -> bool {
        self.replies.push(NumberedReply { probe, reply: reply.sequence });
        if reply.sequence != probe as u32 {
            self.is_stateful = Some(true);
        }
        let of_copy = |copy: &&mut ProbeCopy| copy.probe == probe && copy.timestamp == reply.probe_timestamp;
        let Some(copy) = self.copy.as_mut().filter(of_copy) else { return true };
        copy.number = Some(reply.sequence);
        self.is_stateful.get_or_insert(false);
        false
    }

    /// A copy of a probe is sent.
    pub fn sent_copy(&mut self, probe: u64, timestamp: Timestamp, now: Time) {
        self.copy = Some(ProbeCopy { probe, timestamp, sent: now, number: None });
        self.copies += 1;
    }

    /// What is to be done to count the faults of these probes, which follow those counted last.
    pub fn count(&mut self, probes: &Range<u64>, now: Time) -> Step {
        match self.is_stateful {
            Some(true) => {}
            Some(false) => return Step::Counts(None),
            None => return self.find_out(now),
        }
        if self.copy.is_some_and(|copy| copy.number.is_none() && now.since(copy.sent) <= COPY_TIMEOUT) {
            return Step::Wait;
        }
        let later = self.replies.iter().filter(|reply| reply.probe >= probes.end).map(|reply| reply.reply);
        let Some(end) = later.min() else { return Step::Wait };
        let origin = self.origin.filter(|origin| origin.probe <= probes.start && origin.reply <= end);
        // a copy whose reply is missing has a number that looks like that of a lost reply
        let is_whole = self.copy.is_none_or(|copy| copy.number.is_some());
        let Some(origin) = origin.filter(|_| is_whole) else {
            (self.origin, self.copy) = (Some(Origin { probe: probes.end, reply: end }), None);
            // of a reflector that has restarted they have the numbers of later ones
            self.replies.retain(|reply| reply.probe >= probes.end);
            return Step::Counts(None);
        };
        let (found, next) = Directions::since(origin, &self.replies, end, probes.clone());
        self.origin = Some(next);
        let of_copy = self.copy.take_if(|copy| probes.contains(&copy.probe)).is_some();
        Step::Counts(Some(counts(found, of_copy)))
    }

    /// Drops what is not needed to count the probes from `before` on.
    pub fn forget(&mut self, before: u64) {
        if self.is_stateful != Some(true) && self.origin.is_some_and(|origin| origin.probe < before) {
            self.origin = None;
        }
        match self.origin {
            Some(origin) => self.replies.retain(|reply| reply.reply >= origin.reply || reply.probe >= origin.probe),
            None => self.replies.retain(|reply| reply.probe >= before),
        }
    }

    /// Sends a copy of a probe that was answered, whose own reply cannot be taken for that of the copy.
    fn find_out(&mut self, now: Time) -> Step {
        match self.copy {
            Some(copy) if now.since(copy.sent) <= COPY_TIMEOUT => return Step::Wait,
            _ if self.copies == COPIES => return Step::Counts(None),
            _ => {}
        }
        let answered = self.replies.iter().map(|reply| reply.probe).max();
        answered.map_or(Step::Wait, Step::SendCopy)
    }
}

/// The faults as the prober counts them, without a copy of a probe among them.
pub fn counts(found: Directions, with_copy: bool) -> PeerCounts {
    let Directions { received, duplicates, reordered, return_duplicates, return_reordered } = found;
    let duplicates = duplicates.saturating_sub(u64::from(with_copy));
    let of_return = Some(ReturnFaults { duplicates: return_duplicates, reordered: return_reordered });
    PeerCounts { received, duplicates, reordered, of_return, socket_drops: None }
}

#[cfg(test)]
mod tests {
    use sojourn_protocols::stamp::{ErrorEstimate, Format, Probe};

    use super::*;

    const NOW: Time = Time::ZERO;

    /// The reply to a probe, or to a copy of it, with a number.
    fn reply(probe: u32, number: u32, unix_ns: u64) -> Reply {
        let (timestamp, error) = (Timestamp::of(unix_ns, Format::Ntp), ErrorEstimate::of(1e-3, true, Format::Ntp));
        let Probe { sequence, timestamp, error, session } = Probe { sequence: probe, timestamp, error, session: 1 };
        Reply {
            sequence: number,
            timestamp,
            error,
            session,
            received: timestamp,
            probe_sequence: sequence,
            probe_timestamp: timestamp,
            probe_error: error,
            probe_ttl: 255,
        }
    }

    fn answered(numbering: &mut Numbering, pairs: &[(u32, u32)]) {
        for (probe, number) in pairs {
            assert!(numbering.take(u64::from(*probe), &reply(*probe, *number, 1_000)));
        }
    }

    /// Sends a copy of a probe, whose reply gets a number.
    fn copied(numbering: &mut Numbering, probe: u32, number: u32) {
        let sent_ns = 2_000_000_000;
        numbering.sent_copy(probe.into(), Timestamp::of(sent_ns, Format::Ntp), NOW);
        assert!(!numbering.take(probe.into(), &reply(probe, number, sent_ns)), "it is of the copy");
    }

    fn received(step: Step) -> (u64, u64) {
        let Step::Counts(Some(counts)) = step else { panic!("{step:?}") };
        (counts.received, counts.duplicates)
    }

    #[test]
    fn a_reflector_that_gives_a_copy_the_next_number_shows_losses_of_the_return_alone() {
        let mut numbering = Numbering::default();
        // the reply to probe 1 was lost, which numbers like those of the probes do not show
        answered(&mut numbering, &[(0, 0), (2, 2), (3, 3), (4, 4)]);
        assert_eq!(numbering.count(&(0..4), NOW), Step::SendCopy(4));
        copied(&mut numbering, 4, 5);
        assert_eq!(received(numbering.count(&(0..4), NOW)), (4, 0));
        numbering.forget(4);
        answered(&mut numbering, &[(5, 6), (6, 7)]);
        assert_eq!(received(numbering.count(&(4..6), NOW)), (2, 0), "the copy is not a duplicate");
        numbering.forget(6);
        assert_eq!(numbering.replies().len(), 1);
    }

    #[test]
    fn a_reflector_that_gives_a_copy_the_same_number_shows_no_direction() {
        let mut numbering = Numbering::default();
        answered(&mut numbering, &[(0, 0), (2, 2)]);
        assert_eq!(numbering.count(&(0..2), NOW), Step::SendCopy(2));
        copied(&mut numbering, 2, 2);
        for probes in [0..2, 2..4] {
            assert_eq!(numbering.count(&probes, NOW), Step::Counts(None));
            numbering.forget(probes.end);
        }
        assert_eq!(numbering.replies(), []);
    }

    #[test]
    fn a_copy_without_a_reply_is_repeated_and_then_given_up() {
        let mut numbering = Numbering::default();
        answered(&mut numbering, &[(0, 0), (1, 1)]);
        let mut now = NOW;
        for _ in 0..COPIES {
            assert_eq!(numbering.count(&(0..1), now), Step::SendCopy(1));
            numbering.sent_copy(1, Timestamp::of(2_000, Format::Ntp), now);
            assert_eq!(numbering.count(&(0..1), now), Step::Wait);
            now += COPY_TIMEOUT + Duration::from_millis(1);
        }
        assert_eq!(numbering.count(&(0..1), now), Step::Counts(None));
    }

    #[test]
    fn a_reflector_that_restarts_has_a_window_without_directions() {
        let mut numbering = Numbering::default();
        // probe 1 was lost: the reflector numbers its replies
        answered(&mut numbering, &[(0, 0), (2, 1), (3, 2)]);
        assert_eq!(received(numbering.count(&(0..2), NOW)), (1, 0));
        answered(&mut numbering, &[(4, 0), (6, 1), (7, 2)]);
        assert_eq!(numbering.count(&(2..4), NOW), Step::Counts(None));
        assert_eq!(received(numbering.count(&(4..7), NOW)), (2, 0));
    }
}
