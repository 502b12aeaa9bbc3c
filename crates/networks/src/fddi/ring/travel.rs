//! A circulating token: where it is, and which MAC captures it next.

use sojourn_core::Time;

use super::{Due, Ring};

impl Ring {
    /// The token arrives at `mac` at `at`; no MAC before it captures it.
    #[inline]
    pub(super) fn advance(&mut self, mac: u32, at: Time) {
        let laps = self.course.laps_until(mac, at, &self.path);
        if laps > 0 {
            self.end_laps(laps);
        }
        self.course.visit(mac);
    }

    /// The present lap and others without a capture have ended, `laps` in all.
    pub(super) fn end_laps(&mut self, laps: u64) {
        for left in (1..=laps).rev() {
            if self.timers.all_early() && self.course.is_idle() {
                // the token goes on coming early, once a round
                self.course.skip(left, &self.path);
                for observer in &mut self.observers {
                    let last = self.course.earlier(observer.mac, &self.path).expect("an idle lap passes every MAC");
                    observer.idle_tokens(last, self.path.round());
                }
                return;
            }
            self.timers.end_lap(&self.course, &self.path);
            for observer in &mut self.observers {
                if let Some(arrival) = self.course.arrival(observer.mac, &self.path) {
                    observer.token(arrival);
                }
            }
            self.course.wrap(&self.path);
        }
    }

    /// The next event of a token that has just left a MAC.
    pub(super) fn plan_travel(&mut self) {
        let front = self.course.front();
        let next = self.waiting.next_from(front).or_else(|| self.waiting.next_from(0));
        (self.next, self.due) = match next {
            Some(mac) => (self.course.next_arrival(mac, Time::ZERO, &self.path), Due::Visit(mac)),
            None => (Time::NEVER, Due::Nothing),
        };
        // within a round the token comes to every MAC; from then on it comes early enough
        let round = self.course.base() + self.path.round() + self.path.offset(front.saturating_sub(1));
        if let Some((at, mac)) = self.alarm_until(self.next.min(round)) {
            (self.next, self.due) = (at, Due::Recover(mac));
        }
    }
}
