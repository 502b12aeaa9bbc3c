//! What members that hear the same have in common: one carrier detector and one row of slots.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sojourn_core::{Duration, Time};

use super::settings::MemberSettings;

/// The settings that members of one ear share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    pub wait: Duration,
    pub slot_time: Duration,
    pub carrier_detect_delay: Duration,
}

impl Timing {
    pub fn of(settings: &MemberSettings) -> Self {
        let MemberSettings { wait, slot_time, carrier_detect_delay, .. } = *settings;
        Timing { wait, slot_time, carrier_detect_delay }
    }
}

/// Members that detect the same carriers at the same instants, and those of them that contend.
///
/// A contender draws once how many slots it will let pass. Slots are counted over all silences, so that this number
/// stands however often a carrier comes between, and nothing is done for a slot that passes.
#[derive(Debug)]
pub struct Ear {
    timing: Timing,
    pub members: Vec<u32>,
    /// Whether a member wants to be told of carriers.
    watched: bool,
    /// Whether the members have been told of a carrier, and when of either.
    told: bool,
    told_at: Time,
    /// Whether slots are under way; they are until a carrier has been detected.
    open: bool,
    silent_since: Time,
    /// The first slot of this silence.
    first_slot: Time,
    /// The last instant at which the carriers that are on are not detected; never without carriers.
    blind_until: Time,
    /// Slots of all silences before.
    slots: u64,
    /// Contenders that share the slots, by the number of the one they take.
    punctual: BinaryHeap<Reverse<(u64, u32)>>,
    /// Contenders that came in this silence and have slots of their own, by when they fire.
    late: BinaryHeap<Reverse<(Time, u32)>>,
}

impl Ear {
    pub fn new(timing: Timing, members: Vec<u32>, watched: bool) -> Self {
        Ear {
            timing,
            members,
            watched,
            told: false,
            told_at: Time::ZERO,
            open: true,
            silent_since: Time::ZERO,
            first_slot: Time::ZERO,
            blind_until: Time::NEVER,
            slots: 0,
            punctual: BinaryHeap::new(),
            late: BinaryHeap::new(),
        }
    }

    /// `member` begins to contend and is to let `slots` slots pass.
    pub fn join(&mut self, now: Time, member: u32, slots: u64) {
        self.settle(now);
        if self.open && now > self.first_slot {
            self.late.push(Reverse((after(now, self.timing.slot_time, slots), member)));
        } else {
            self.punctual.push(Reverse((self.slots.saturating_add(slots), member)));
        }
    }

    /// When a contender fires or members are to be told of a carrier.
    pub fn next_alarm(&self) -> Time {
        self.next_fire().min(self.next_notice())
    }

    /// When the next contender fires, as far as is known.
    fn next_fire(&self) -> Time {
        if !self.open {
            return Time::NEVER;
        }
        let fire = self.punctual_fire().min(self.late.peek().map_or(Time::NEVER, |Reverse((fire, _))| *fire));
        if fire <= self.blind_until { fire } else { Time::NEVER }
    }

    /// Who fires at `now`: of several the first member.
    pub fn firing(&self, now: Time) -> Option<u32> {
        let punctual = self.punctual.peek().filter(|_| self.punctual_fire() == now).map(|Reverse((_, member))| *member);
        let late = self.late.peek().filter(|Reverse((fire, _))| *fire == now).map(|Reverse((_, member))| *member);
        match (punctual, late) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Takes out the contender that [`firing`](Self::firing) names.
    pub fn take(&mut self, member: u32) {
        if self.late.peek().is_some_and(|Reverse((_, first))| *first == member) {
            self.late.pop();
        } else {
            self.punctual.pop();
        }
    }

    /// A carrier comes on.
    pub fn carrier_on(&mut self, now: Time) {
        self.settle(now);
        self.blind_until = self.blind_until.min(self.detected_after(now));
    }

    /// A carrier goes off; the one of those left that came on first, if any, did so at `first_left`.
    pub fn carrier_off(&mut self, now: Time, first_left: Option<Time>) {
        self.settle(now);
        self.blind_until = first_left.map_or(Time::NEVER, |keyed| self.detected_after(keyed));
        if !self.open && self.blind_until >= now {
            self.open = true;
            self.silent_since = now;
            self.first_slot = now + self.timing.wait;
        }
    }

    /// Whether a carrier is detected.
    pub fn detects(&self, now: Time) -> bool {
        self.blind_until <= now
    }

    /// When the members are to be told that a carrier is detected, or no longer is.
    fn next_notice(&self) -> Time {
        match self.told {
            _ if !self.watched => Time::NEVER,
            false => self.blind_until,
            true if self.open && self.silent_since > self.told_at => self.silent_since,
            true => Time::NEVER,
        }
    }

    /// Tells them; returns which of the two.
    pub fn tell(&mut self, now: Time) -> bool {
        (self.told, self.told_at) = (!self.told, now);
        self.told
    }

    fn punctual_fire(&self) -> Time {
        let fire =
            |Reverse((slot, _)): &Reverse<(u64, u32)>| after(self.first_slot, self.timing.slot_time, slot - self.slots);
        self.punctual.peek().map_or(Time::NEVER, fire)
    }

    fn detected_after(&self, keyed: Time) -> Time {
        keyed + self.timing.carrier_detect_delay
    }

    /// Ends the silence if a carrier has been detected since: counts its slots, and lets late contenders share those
    /// of the next.
    fn settle(&mut self, now: Time) {
        if !self.open || now <= self.blind_until {
            return;
        }
        self.open = false;
        let slot_time = self.timing.slot_time;
        if self.blind_until >= self.first_slot {
            self.slots += (self.blind_until - self.first_slot).whole(slot_time) + 1;
        }
        for Reverse((fire, member)) in self.late.drain() {
            let beyond = fire - self.blind_until - Duration::from_picoseconds(1);
            self.punctual.push(Reverse((self.slots + beyond.whole(slot_time), member)));
        }
    }
}

/// The instant `slots` slots after `start`; never, beyond what a run can reach.
fn after(start: Time, slot_time: Duration, slots: u64) -> Time {
    let span = slot_time.picoseconds().saturating_mul(slots);
    Time::from_picoseconds(start.picoseconds().saturating_add(span))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn ear(wait: u64, carrier_detect_delay: u64) -> Ear {
        let [wait, slot_time, carrier_detect_delay] = [wait, 100, carrier_detect_delay].map(Duration::from_millis);
        Ear::new(Timing { wait, slot_time, carrier_detect_delay }, vec![7, 8], false)
    }

    #[test]
    fn a_contender_goes_on_counting_slots_after_a_carrier() {
        let mut ear = ear(0, 0);
        ear.join(at(0), 7, 5);
        assert_eq!(ear.next_fire(), at(500));
        ear.carrier_on(at(200)); // slots at 0, 100 and 200 have passed
        assert_eq!(ear.next_fire(), Time::NEVER);
        ear.carrier_off(at(1000), None);
        assert_eq!(ear.next_fire(), at(1200));
    }

    #[test]
    fn who_comes_in_a_silence_has_slots_of_its_own_until_a_carrier_comes() {
        let mut ear = ear(0, 0);
        ear.join(at(30), 7, 3);
        assert_eq!(ear.next_fire(), at(330));
        ear.carrier_on(at(200)); // slots at 30 and 130 have passed
        ear.carrier_off(at(1000), None);
        assert_eq!(ear.next_fire(), at(1100));
    }

    #[test]
    fn a_carrier_is_not_seen_before_its_delay_has_passed() {
        let mut ear = ear(0, 100);
        ear.join(at(0), 7, 3);
        ear.join(at(0), 8, 4);
        ear.carrier_on(at(200));
        assert_eq!(ear.firing(at(300)), Some(7));
        ear.take(7);
        assert_eq!(ear.next_fire(), Time::NEVER);
        ear.carrier_off(at(1000), None);
        assert_eq!((ear.next_fire(), ear.firing(at(1000))), (at(1000), Some(8)));
    }

    #[test]
    fn the_first_slot_comes_a_wait_after_the_carrier() {
        let mut ear = ear(40, 0);
        ear.carrier_on(at(10));
        ear.join(at(20), 7, 0);
        ear.carrier_off(at(1000), None);
        assert_eq!(ear.next_fire(), at(1040));
        ear.join(at(1020), 8, 0);
        assert_eq!(ear.firing(at(1040)), Some(7));
    }

    #[test]
    fn a_carrier_too_short_to_be_detected_changes_nothing() {
        let mut ear = ear(0, 100);
        ear.join(at(0), 7, 5);
        ear.carrier_on(at(150));
        ear.carrier_off(at(200), None);
        assert_eq!(ear.next_fire(), at(500));
    }
}
