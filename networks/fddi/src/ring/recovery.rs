//! Ring recovery: second expiry of a timer, lost tokens, claims, and interruptions of the ring.

use sojourn_core::Time;
use sojourn_protocols::fddi::TOKEN_TIME;

use super::path::Path;
use super::problems::LONGEST_TTRT;
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
        for mac in (0..self.path.macs()).filter(|mac| !self.off[*mac as usize]) {
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
        let (at, mac) = self.first_expiry(now);
        self.end_course(now);
        self.phase = Phase::Silent;
        (self.next, self.due) = (at, Due::Recover(mac));
    }

    /// The first MAC whose TRT runs out twice or TVX once where nothing more comes, and when.
    fn first_expiry(&self, now: Time) -> (Time, u32) {
        // a TVX that spoilt frames had let run out before is noticed now
        let silent = |mac| (self.last_heard(mac) + self.valid_transmission_timer).max(now);
        let expires = |mac| self.second_expiry(mac).min(silent(mac));
        let powered = (0..self.path.macs()).filter(|mac| !self.off[*mac as usize]);
        powered.map(|mac| (expires(mac), mac)).min().expect("a token has come from a MAC")
    }

    /// The ring is interrupted: what is on it is lost, and nothing more passes. One that is interrupted already stays so.
    pub fn interrupt(&mut self, now: Time) {
        let claims = match self.phase {
            Phase::Interrupted { .. } => return,
            Phase::Claiming => (now, None),
            Phase::Silent => (self.next, self.claimant()),
            Phase::Travelling | Phase::Holding(_) => {
                self.settle(now);
                match self.phase {
                    Phase::Holding(_) => self.cut_frame(now),
                    _ => self.course.pass_before(now, &self.path),
                }
                let (at, mac) = self.first_expiry(now);
                self.tally.tokens_lost += 1;
                self.end_course(now);
                (at, Some(mac))
            }
        };
        self.phase = Phase::Interrupted { claims };
        self.faults.token = false;
        (self.next, self.due) = (Time::NEVER, Due::Nothing);
    }

    /// The frame that is being sent is cut off.
    fn cut_frame(&mut self, now: Time) {
        self.tally.busy = self.tally.busy.saturating_sub(self.next.since(now));
        self.tally.damaged += u64::from(self.next > now);
        if let Some((_, end)) = &mut self.last_valid {
            *end = now.min(*end);
        }
    }

    /// Who claims next on a silent ring.
    fn claimant(&self) -> Option<u32> {
        let Due::Recover(mac) = self.due else { return None };
        Some(mac)
    }

    /// A MAC gets or loses power, and is in the ring or bypassed. The ring is interrupted.
    pub fn set_power(&mut self, mac: u32, on: bool) {
        debug_assert!(matches!(self.phase, Phase::Interrupted { .. }), "a bypass that switches interrupts the ring");
        self.off[mac as usize] = !on;
        self.path = Path::new(&self.macs, &self.off);
        self.observers.iter_mut().filter(|observer| observer.mac == mac).for_each(|observer| observer.is_off = !on);
    }

    /// The fibre before MAC `gap`, the last that was interrupted, carries light again. Without a MAC that has power nothing
    /// comes of it.
    ///
    /// Before the first timer has run out, all is as after a lost token. From then on every MAC claims, and the winner's
    /// claim waits at the interruption. A claim that has not ended after T_Max is followed by beacons, of which those of the
    /// MAC behind the interruption are left: when they come back to it, it claims.
    pub fn mend(&mut self, now: Time, gap: u32) {
        let Phase::Interrupted { claims: (claims, first) } = self.phase else { return };
        if self.off.iter().all(|off| *off) {
            return;
        }
        let is_off = |mac: &u32| self.off[*mac as usize];
        if let Some(mac) = first.filter(|mac| now < claims && !is_off(mac)) {
            self.phase = Phase::Silent;
            (self.next, self.due) = (claims, Due::Recover(mac));
        } else if now < claims + LONGEST_TTRT {
            let duration = claim::duration_after(&self.macs, &self.off, &self.path, gap);
            self.claim_until(now + duration);
        } else {
            let macs = self.path.macs();
            let behind = (0..macs).map(|step| (gap + step) % macs).find(|mac| !is_off(mac));
            let claim = claim::duration(&self.macs, &self.off, &self.path, behind);
            self.claim_until(now + claim::BEACON_TIME + claim);
        }
    }

    /// When the last valid frame or token came to `mac`. A lost or corrupted frame does not count.
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
        let duration = claim::duration(&self.macs, &self.off, &self.path, Some(mac));
        self.claim_until(now + duration);
    }

    /// A claim process ends at `end`.
    pub(super) fn claim_until(&mut self, end: Time) {
        self.tally.claims += 1;
        self.phase = Phase::Claiming;
        self.last_valid = None;
        self.faults.token = false;
        // a course begins a round after time zero at the earliest
        (self.next, self.due) = (end.max(Time::ZERO + self.path.round()), Due::Token);
    }

    /// The winner of the claim issues a token.
    pub(super) fn issue_token(&mut self, now: Time) {
        let winner = claim::winner(&self.macs, &self.off);
        self.phase = Phase::Travelling;
        self.token_since = now;
        self.timers.restart(now, self.macs[winner as usize].requested_ttrt);
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
