//! When a station answers, and when it does not.

use sojourn_core::{Duration, Time};

/// Attempts in a row without an answer, and the time over which they are sent, from which on a station is taken to be off.
const SILENT: u32 = 3;
const SILENCE: Duration = Duration::from_secs(2);
/// Outages that are kept of a station.
const LIMIT: usize = 16;

/// A station that is asked.
#[derive(Clone, Debug, Default)]
pub(super) struct Presence {
    answered: u64,
    /// Attempts since its last answer, and when the first was sent.
    silent: Option<(Time, u32)>,
    outages: Vec<(Time, Option<Time>)>,
}

impl Presence {
    /// It is asked.
    pub fn is_asked(&mut self, time: Time) {
        let (_, attempts) = self.silent.get_or_insert((time, 0));
        *attempts = attempts.saturating_add(1);
    }

    /// It answers what was sent last at `sent`.
    pub fn answers(&mut self, sent: Time) {
        self.answered += 1;
        self.end(sent, Some(sent));
    }

    /// The capture ends.
    pub fn finish(&mut self, end: Time) {
        self.end(end, None);
    }

    /// Whether it never answered.
    pub fn is_dead(&self) -> bool {
        self.answered == 0 && !self.outages.is_empty()
    }

    /// From when until when it did not answer, without an end up to that of the capture.
    pub fn outages(&self) -> &[(Time, Option<Time>)] {
        &self.outages
    }

    fn end(&mut self, now: Time, until: Option<Time>) {
        let Some((begin, attempts)) = self.silent.take() else { return };
        if attempts >= SILENT && now.since(begin) >= SILENCE && self.outages.len() < LIMIT {
            self.outages.push((begin, until));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_over_seconds_without_an_answer_are_an_outage_and_one_lost_reply_is_none() {
        let at = |seconds| Time::ZERO + Duration::from_secs(seconds);
        let mut station = Presence::default();
        station.is_asked(at(1));
        station.is_asked(at(4));
        station.answers(at(4));
        [10, 13, 16, 19].into_iter().for_each(|seconds| station.is_asked(at(seconds)));
        station.answers(at(19));
        [20, 23, 26].into_iter().for_each(|seconds| station.is_asked(at(seconds)));
        station.finish(at(30));
        assert_eq!((station.outages(), station.is_dead()), (&[(at(10), Some(at(19))), (at(20), None)][..], false));
    }
}
