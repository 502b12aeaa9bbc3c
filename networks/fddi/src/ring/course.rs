//! The course of the token: its arrival times at each MAC in this lap and the previous one.
//!
//! A lap begins at MAC 0. Between two holds, each arrival of the token is the sum of `base` and the MAC's offset. A
//! lap is therefore stored as its [`Leg`]s, one more for each hold, and an idle lap is one number.

use sojourn_core::{Duration, Time};

use super::path::Path;

/// From MAC `first` on the token comes at `base` plus the MAC's offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leg {
    pub first: u32,
    pub base: Time,
}

/// The token's course since the last claim.
#[derive(Clone, Debug)]
pub(super) struct Course {
    lap: u64,
    /// The MAC that issued the token.
    issuer: u32,
    /// The first MAC that the token has not been dealt with in this lap.
    front: u32,
    legs: Vec<Leg>,
    before: Vec<Leg>,
}

impl Course {
    /// A ring before its first claim, without a token.
    pub fn new() -> Self {
        Course { lap: 0, issuer: 0, front: 0, legs: Vec::new(), before: Vec::new() }
    }

    /// A token whose last symbol leaves `issuer` at `now`. At least a round must have passed since time zero.
    pub fn restart(&mut self, issuer: u32, now: Time, path: &Path) {
        let to_issuer = path.offset(issuer) + path.latency(issuer);
        let base = Time::ZERO + (now.since(Time::ZERO) - to_issuer);
        (self.lap, self.issuer, self.front) = (0, issuer, issuer + 1);
        self.before.clear();
        self.legs.clear();
        self.legs.push(Leg { first: self.front, base });
    }

    #[inline]
    pub fn front(&self) -> u32 {
        self.front
    }

    /// Which token since the claim the present lap brings to `mac`, from 1.
    #[inline]
    pub fn token_number(&self, mac: u32) -> u64 {
        self.lap + u64::from(mac > self.issuer)
    }

    /// The present lap's legs.
    pub fn legs(&self) -> &[Leg] {
        &self.legs
    }

    /// When the token comes, or came, to `mac` in the present lap; `None` if the lap began behind it.
    #[inline]
    pub fn arrival(&self, mac: u32, path: &Path) -> Option<Time> {
        arrival(&self.legs, mac, path)
    }

    /// The same for the lap before.
    #[inline]
    pub fn earlier(&self, mac: u32, path: &Path) -> Option<Time> {
        arrival(&self.before, mac, path)
    }

    /// When the token will next come to `mac`, at `from` or later, unless it is captured before.
    #[inline]
    pub fn next_arrival(&self, mac: u32, from: Time, path: &Path) -> Time {
        let round = if mac < self.front { path.round() } else { Duration::ZERO };
        let first = self.base() + path.offset(mac) + round;
        if first >= from {
            return first;
        }
        let missed = from.since(first).picoseconds().div_ceil(path.round().picoseconds());
        first + path.round().times(missed)
    }

    /// How many laps end before the token comes to `mac` at `at`.
    #[inline]
    pub fn laps_until(&self, mac: u32, at: Time, path: &Path) -> u64 {
        at.since(self.base() + path.offset(mac)).whole(path.round())
    }

    /// How many laps have ended before `now`, unless the token was captured.
    pub fn laps_before(&self, now: Time, path: &Path) -> u64 {
        let since = now.since(self.base()).picoseconds();
        since.saturating_sub(1) / path.round().picoseconds()
    }

    /// `mac` has dealt with the token.
    #[inline]
    pub fn visit(&mut self, mac: u32) {
        self.front = mac + 1;
    }

    /// The MAC that dealt with the token last has held it back by `hold`.
    #[inline]
    pub fn delay(&mut self, hold: Duration) {
        self.legs.push(Leg { first: self.front, base: self.base() + hold });
    }

    /// Passes, without dealing with the token, all MACs to which it came before `now`.
    pub fn pass_before(&mut self, now: Time, path: &Path) {
        let base = self.base();
        while self.front < path.macs() && base + path.offset(self.front) < now {
            self.front += 1;
        }
    }

    /// The token comes to MAC 0 again.
    #[inline]
    pub fn wrap(&mut self, path: &Path) {
        let base = self.base() + path.round();
        std::mem::swap(&mut self.legs, &mut self.before);
        self.legs.clear();
        self.legs.push(Leg { first: 0, base });
        self.front = 0;
        self.lap += 1;
    }

    /// Whether no MAC held the token in this lap and the one before.
    #[inline]
    pub fn is_idle(&self) -> bool {
        matches!((&self.before[..], &self.legs[..]), ([Leg { first: 0, .. }], [Leg { first: 0, .. }]))
    }

    /// `laps` idle laps end.
    pub fn skip(&mut self, laps: u64, path: &Path) {
        let skipped = path.round().times(laps);
        self.before[0].base += skipped;
        self.legs[0].base += skipped;
        self.front = 0;
        self.lap += laps;
    }

    /// The base of the leg the token is on.
    #[inline]
    pub fn base(&self) -> Time {
        self.legs.last().expect("a token has a course").base
    }
}

fn arrival(legs: &[Leg], mac: u32, path: &Path) -> Option<Time> {
    // few legs lie between a MAC and the token: the holds of one lap
    let leg = legs.partition_point(|leg| leg.first <= mac).checked_sub(1)?;
    Some(legs[leg].base + path.offset(mac))
}
