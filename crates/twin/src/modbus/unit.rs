//! When a unit answers, and when it is silent.

use sojourn_core::Time;

/// Requests in a row without an answer from which on a unit is taken to be off.
const SILENT: u32 = 2;
/// Outages that are kept of a unit.
const OUTAGE_LIMIT: usize = 16;

/// A unit of a line.
#[derive(Clone, Debug, Default)]
pub(super) struct Unit {
    answered: u64,
    /// Requests in a row without an answer: when the first was sent, how many, and their attempts.
    silent: Option<(Time, u32, u64)>,
    /// From when until when it did not answer.
    outages: Vec<(Time, Option<Time>)>,
    /// Attempts, and those of them that were lost while it was on.
    pub attempts: u64,
    pub lost: u64,
}

impl Unit {
    /// It answered a request that was sent last at `sent`.
    pub fn answers(&mut self, sent: Time, attempts: u32) {
        self.answered += 1;
        let was_off = self.end_silence(Some(sent));
        self.attempts += u64::from(attempts);
        // while it comes back, earlier attempts are part of the silence
        self.lost += if was_off { 0 } else { u64::from(attempts.saturating_sub(1)) };
    }

    /// It did not answer a request that was sent first at `begin`.
    pub fn is_silent(&mut self, begin: Time, attempts: u32) {
        let (_, requests, tries) = self.silent.get_or_insert((begin, 0, 0));
        *requests = requests.saturating_add(1);
        *tries += u64::from(attempts);
    }

    /// The capture ends.
    pub fn finish(&mut self) {
        self.end_silence(None);
    }

    /// Whether it never answered.
    pub fn is_dead(&self) -> bool {
        self.answered == 0
    }

    /// From when until when it did not answer, without an end up to that of the capture.
    pub fn outages(&self) -> &[(Time, Option<Time>)] {
        &self.outages
    }

    fn end_silence(&mut self, until: Option<Time>) -> bool {
        let Some((begin, requests, attempts)) = self.silent.take() else { return false };
        let is_off = requests >= SILENT && self.outages.len() < OUTAGE_LIMIT;
        if is_off {
            self.outages.push((begin, until));
        } else {
            self.attempts += attempts;
            self.lost += attempts;
        }
        is_off
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use super::*;

    fn at(seconds: u64) -> Time {
        Time::ZERO + Duration::from_secs(seconds)
    }

    #[test]
    fn two_requests_in_a_row_without_an_answer_are_an_outage_and_one_is_a_loss() {
        let mut unit = Unit::default();
        unit.answers(at(1), 1);
        unit.is_silent(at(2), 4);
        unit.answers(at(3), 2);
        unit.is_silent(at(4), 4);
        unit.is_silent(at(5), 4);
        unit.answers(at(6), 3);
        unit.is_silent(at(7), 4);
        unit.is_silent(at(8), 4);
        unit.finish();
        assert_eq!(unit.outages(), [(at(4), Some(at(6))), (at(7), None)]);
        // one request of four attempts, and the first of two
        assert_eq!((unit.lost, unit.attempts, unit.is_dead()), (5, 10, false));
    }

    #[test]
    fn a_unit_that_never_answers_is_dead() {
        let mut unit = Unit::default();
        unit.is_silent(at(1), 1);
        unit.finish();
        assert!(unit.is_dead());
    }
}
