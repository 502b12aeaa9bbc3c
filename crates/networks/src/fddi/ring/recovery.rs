//! When a ring must recover, and how: timers that run out twice, lost tokens, claims.

use sojourn_core::Time;
use sojourn_protocols::fddi::TOKEN_TIME;

use super::{Due, Phase, Ring, claim};

impl Ring {
    /// The first MAC whose TRT runs out with Late_Ct set, at `until` or before, and when.
    ///
    /// `alarm` is a lower bound for all MACs. It only has to be found anew when an event would reach it, about once in
    /// a target rotation time on a busy ring and never on an idle one.
    pub(super) fn alarm_until(&mut self, until: Time) -> Option<(Time, u32)> {
        if self.timers.all_early() {
            // every TRT began anew when the token last came, or later than the lap before began
            let lap = self.course.earlier(0, &self.path).expect("the lap before passed every MAC");
            self.alarm = self.alarm.max(lap + self.timers.ttrt().times(2));
        }
        if until < self.alarm {
            return None;
        }
        let travelling = matches!(self.phase, Phase::Travelling);
        let mut first = None;
        self.alarm = Time::NEVER;
        for mac in 0..self.path.macs() {
            let second = self.second_expiry(mac);
            self.alarm = self.alarm.min(second);
            let in_time = travelling && self.course.next_arrival(mac, Time::ZERO, &self.path) < second;
            if !in_time && second <= until && first.is_none_or(|(at, _)| second < at) {
                first = Some((second, mac));
            }
        }
        first
    }

    /// When TRT of `mac` runs out with Late_Ct set, if no token comes before.
    fn second_expiry(&self, mac: u32) -> Time {
        self.timers.expiry_now(mac, &self.course, &self.path) + self.timers.ttrt()
    }

    /// The token is gone: sooner or later some MAC's TRT has run out twice, or its TVX once.
    pub(super) fn fall_silent(&mut self, now: Time) {
        self.tally.tokens_lost += 1;
        // a TVX that spoilt frames had let run out before is noticed now
        let silent = |mac| (self.last_heard(mac) + self.valid_transmission_timer).max(now);
        let expires = |mac| self.second_expiry(mac).min(silent(mac));
        let first = (0..self.path.macs()).map(|mac| (expires(mac), mac)).min();
        let (at, mac) = first.expect("a ring has a MAC");
        self.end_course(now);
        self.phase = Phase::Silent;
        (self.next, self.due) = (at, Due::Recover(mac));
    }

    /// When the last valid frame or token came to `mac`. A lost or spoilt frame is no valid one.
    fn last_heard(&self, mac: u32) -> Time {
        let token = match self.course.arrival(mac, &self.path) {
            Some(arrival) if mac < self.course.front() => Some(arrival),
            _ => self.course.earlier(mac, &self.path),
        };
        let frame = self.last_valid.map(|(from, end)| end + self.path.time(from, mac));
        token.max(frame).unwrap_or(self.token_since)
    }

    /// `mac` begins to claim: what is on the ring is lost.
    pub(super) fn recover(&mut self, now: Time, mac: u32) {
        if !matches!(self.phase, Phase::Silent) {
            self.end_course(now);
        }
        let duration = claim::duration(&self.macs, &self.path, Some(mac));
        self.claim_until(now + duration);
    }

    /// A claim process ends at `end`.
    pub(super) fn claim_until(&mut self, end: Time) {
        self.tally.claims += 1;
        self.phase = Phase::Claiming;
        self.last_valid = None;
        self.faults.token = false;
        (self.next, self.due) = (end, Due::Token);
    }

    /// The winner of the claim issues a token.
    pub(super) fn issue_token(&mut self, now: Time) {
        let winner = claim::winner(&self.macs);
        self.phase = Phase::Travelling;
        self.token_since = now;
        self.timers.restart(now);
        self.alarm = now + self.timers.ttrt().times(2);
        self.course.restart(winner, now + TOKEN_TIME, &self.path);
        self.observers.iter_mut().for_each(|observer| observer.restart());
        self.plan_travel();
    }

    /// Takes account of a course that ends in the middle of a lap.
    fn end_course(&mut self, now: Time) {
        self.settle(now);
        for mac in 0..self.path.macs() {
            let late = self.late_tokens(mac, now);
            self.timers.set_late(mac, late);
        }
    }
}
