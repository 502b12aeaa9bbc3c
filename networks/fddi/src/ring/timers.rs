//! The token rotation timers of all MACs, without an event for any of them.
//!
//! A MAC's TRT expires at an instant X. A token that comes at `a < X` is early: its earliness `X - a` becomes THT and
//! TRT starts anew, `X := a + T`. If X passes first, Late_Ct is set and TRT starts anew, `X := X + T`; the late token
//! clears Late_Ct and leaves TRT alone. In both cases
//!
//! ```text
//! X := min(X, a) + T
//! ```
//!
//! with Late_Ct clear, so X alone is the state of a MAC between tokens, and it is enough to replay a lap when it has
//! ended. After a lap in which every token was early, X is the last arrival plus T for every MAC. The next token is
//! then early everywhere too, unless the two laps together have lasted T: such laps need no replay at all.

use sojourn_core::{Duration, Time};

use super::course::Course;
use super::path::Path;

/// TRT and Late_Ct of every MAC.
#[derive(Clone, Debug)]
pub(super) struct Timers {
    ttrt: Duration,
    /// Every MAC's last token was early, in a lap that passed every MAC; `expiry` then lies idle.
    all_early: bool,
    /// X after the last lap that has ended.
    expiry: Vec<Time>,
    /// Late tokens, modulo 2^64, of the laps that have ended.
    late: Vec<u64>,
}

impl Timers {
    pub fn new(macs: usize, ttrt: Duration) -> Self {
        Timers { ttrt, all_early: false, expiry: vec![Time::ZERO; macs], late: vec![0; macs] }
    }

    #[inline]
    pub fn ttrt(&self) -> Duration {
        self.ttrt
    }

    #[inline]
    pub fn all_early(&self) -> bool {
        self.all_early
    }

    /// All timers start at `now`, with the time that the claim has ended on.
    pub fn restart(&mut self, now: Time, ttrt: Duration) {
        self.ttrt = ttrt;
        self.all_early = false;
        self.expiry.fill(now + ttrt);
    }

    /// X of `mac` before the token of the present lap comes to it.
    #[inline]
    pub fn expiry_before(&self, mac: u32, course: &Course, path: &Path) -> Time {
        if self.all_early {
            let last = course.earlier(mac, path).expect("the lap before passed every MAC");
            return last + self.ttrt;
        }
        self.expiry[mac as usize]
    }

    /// X of `mac` now.
    pub fn expiry_now(&self, mac: u32, course: &Course, path: &Path) -> Time {
        let expiry = self.expiry_before(mac, course, path);
        match course.arrival(mac, path) {
            Some(arrival) if mac < course.front() => expiry.min(arrival) + self.ttrt,
            _ => expiry,
        }
    }

    /// Takes account of the present lap, which has ended.
    pub fn end_lap(&mut self, course: &Course, path: &Path) {
        if self.all_early {
            let longest = (course.base() + path.round()).since(course.earlier(0, path).expect("a lap of every MAC"));
            if longest < self.ttrt {
                return;
            }
            for mac in 0..path.macs() {
                self.expiry[mac as usize] = self.expiry_before(mac, course, path);
            }
        }
        self.all_early = self.replay(course, path);
    }

    /// Replays the present lap at every MAC it passed; whether that was every one, and all were early.
    fn replay(&mut self, course: &Course, path: &Path) -> bool {
        let legs = course.legs();
        let mut all_early = legs[0].first == 0;
        for (index, leg) in legs.iter().enumerate() {
            let end = legs.get(index + 1).map_or(path.macs(), |next| next.first);
            for mac in leg.first..end {
                let arrival = leg.base + path.offset(mac);
                let expiry = &mut self.expiry[mac as usize];
                // a token at the very instant of expiry is late: TRT has reached zero
                let late = *expiry <= arrival;
                self.late[mac as usize] = self.late[mac as usize].wrapping_add(u64::from(late));
                all_early &= !late;
                *expiry = arrival.min(*expiry) + self.ttrt;
            }
        }
        all_early
    }

    /// Whether the present lap's token came late to `mac`, to which it has come.
    pub fn is_late(&self, mac: u32, course: &Course, path: &Path) -> bool {
        course.arrival(mac, path).is_some_and(|arrival| self.expiry_before(mac, course, path) <= arrival)
    }

    /// Late tokens of `mac` in the laps that have ended.
    pub fn late(&self, mac: u32) -> u64 {
        self.late[mac as usize]
    }

    /// Sets the count of late tokens in the laps that have ended, modulo 2^64.
    pub fn set_late(&mut self, mac: u32, late: u64) {
        self.late[mac as usize] = late;
    }
}
