//! Carrier sense and slots shared by members that hear the same stations.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use sojourn_core::{Duration, Time, rekey_fields};

use super::dcd_hold::DcdHold;
use super::settings::{FirstSlot, MemberSettings};

/// Settings that the members of one group share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    pub dwait: Duration,
    pub slottime: Duration,
    /// From when a member may contend until it decides first.
    pub lead: Duration,
    pub dcd_delay: Duration,
}

impl Timing {
    pub fn of(settings: &MemberSettings) -> Self {
        let MemberSettings { dwait, slottime, dcd_delay, .. } = *settings;
        let lead = match settings.first_slot {
            FirstSlot::AtOnce => Duration::ZERO,
            FirstSlot::AfterSlottime => slottime,
        };
        Timing { dwait, slottime, lead, dcd_delay }
    }
}

/// Members that detect the same carriers at the same instants, and those of them that contend.
///
/// A contender draws once how many slots it skips. Slots are numbered over all idle periods, so the draw holds however many
/// carriers intervene, and a skipped slot costs no event.
#[derive(Clone, Debug)]
pub struct SenseGroup {
    timing: Timing,
    hold: DcdHold,
    bit_rate: u64,
    pub members: Vec<u32>,
    /// Whether a member observes carriers.
    watched: bool,
    /// Whether the members were last notified of a carrier, and when they were notified.
    notified: bool,
    notified_at: Time,
    /// Whether the channel is idle: until a carrier has been detected.
    idle: bool,
    /// In the future while detection outlasts a carrier.
    idle_since: Time,
    /// When members may contend, and the first slot of this idle period.
    contends_from: Time,
    first_slot: Time,
    /// The last instant at which the carriers that are on are not detected; never without carriers.
    undetected_until: Time,
    /// Slots of all previous idle periods.
    slots: u64,
    /// Contenders that share the slots, by the number of the slot they take.
    shared: BinaryHeap<Reverse<(u64, u32)>>,
    /// Contenders that started in this idle period and have slots of their own, by transmission time.
    own: BinaryHeap<Reverse<(Time, u32)>>,
}

impl SenseGroup {
    /// Members with `hold` on a channel of a bit rate.
    pub fn new(timing: Timing, (hold, bit_rate): (DcdHold, u64), members: Vec<u32>, watched: bool) -> Self {
        SenseGroup {
            timing,
            hold,
            bit_rate,
            members,
            watched,
            notified: false,
            notified_at: Time::ZERO,
            idle: true,
            idle_since: Time::ZERO,
            contends_from: Time::ZERO,
            first_slot: Time::ZERO + timing.lead,
            undetected_until: Time::NEVER,
            slots: 0,
            shared: BinaryHeap::new(),
            own: BinaryHeap::new(),
        }
    }

    /// `member` starts to contend and skips `slots` slots.
    pub fn join(&mut self, now: Time, member: u32, slots: u64) {
        self.end_idle_period(now);
        if self.idle && now > self.contends_from {
            self.own.push(Reverse((after(now + self.timing.lead, self.timing.slottime, slots), member)));
        } else {
            self.shared.push(Reverse((self.slots.saturating_add(slots), member)));
        }
    }

    /// When the next contender transmits or members are notified of a carrier change.
    pub fn next_event(&self) -> Time {
        self.next_transmission().min(self.next_notification())
    }

    /// When the next contender transmits, as far as is known.
    fn next_transmission(&self) -> Time {
        if !self.idle {
            return Time::NEVER;
        }
        let at = self.next_shared().min(self.own.peek().map_or(Time::NEVER, |Reverse((at, _))| *at));
        if at <= self.undetected_until { at } else { Time::NEVER }
    }

    /// The contender that transmits at `now`: of several the one with the lowest number.
    pub fn transmitting(&self, now: Time) -> Option<u32> {
        if self.next_transmission() != now {
            return None;
        }
        let shared = self.shared.peek().filter(|_| self.next_shared() == now).map(|Reverse((_, member))| *member);
        let own = self.own.peek().filter(|Reverse((at, _))| *at == now).map(|Reverse((_, member))| *member);
        match (shared, own) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Removes the contender that [`transmitting`](Self::transmitting) returned.
    pub fn take(&mut self, member: u32) {
        if self.own.peek().is_some_and(|Reverse((_, first))| *first == member) {
            self.own.pop();
        } else {
            self.shared.pop();
        }
    }

    /// A carrier comes on.
    pub fn carrier_on(&mut self, now: Time) {
        if self.is_held(now) {
            // no idle period has begun: the new carrier is detected as the last one was
            (self.idle, self.undetected_until) = (false, now);
        }
        self.end_idle_period(now);
        self.undetected_until = self.undetected_until.min(self.detected_after(now));
    }

    /// A carrier goes off; the one of those left that came on first, if any, did so at `first_left`.
    pub fn carrier_off(&mut self, now: Time, first_left: Option<Time>) {
        self.end_idle_period(now);
        let undetected_until = first_left.map_or(Time::NEVER, |keyed| self.detected_after(keyed));
        if !self.idle && undetected_until >= now {
            if first_left.is_some() && !self.hold.is_none() {
                // the carrier that is left came on while another was detected
                self.undetected_until = now;
                return;
            }
            self.idle = true;
            self.idle_since = now + self.hold.next(self.bit_rate);
            self.contends_from = self.idle_since + self.timing.dwait;
            self.first_slot = self.contends_from + self.timing.lead;
        }
        self.undetected_until = undetected_until;
    }

    /// Whether a carrier is detected, one that has gone off included.
    pub fn detects(&self, now: Time) -> bool {
        self.undetected_until <= now || self.is_held(now)
    }

    /// Whether detection outlasts a carrier.
    fn is_held(&self, now: Time) -> bool {
        self.idle && now < self.idle_since
    }

    /// When the members are notified of a carrier change.
    fn next_notification(&self) -> Time {
        match self.notified {
            _ if !self.watched => Time::NEVER,
            false => self.undetected_until,
            true if self.idle && self.idle_since > self.notified_at => self.idle_since,
            true => Time::NEVER,
        }
    }

    /// Notifies the members; returns whether a carrier is detected.
    pub fn notify(&mut self, now: Time) -> bool {
        (self.notified, self.notified_at) = (!self.notified, now);
        self.notified
    }

    fn next_shared(&self) -> Time {
        let at =
            |Reverse((slot, _)): &Reverse<(u64, u32)>| after(self.first_slot, self.timing.slottime, slot - self.slots);
        self.shared.peek().map_or(Time::NEVER, at)
    }

    fn detected_after(&self, keyed: Time) -> Time {
        keyed + self.timing.dcd_delay
    }

    /// Ends the idle period if a carrier has been detected: counts its slots, and moves contenders with slots of their own
    /// to the shared slots of the next.
    fn end_idle_period(&mut self, now: Time) {
        if !self.idle || now <= self.undetected_until {
            return;
        }
        self.idle = false;
        let slottime = self.timing.slottime;
        if self.undetected_until >= self.first_slot {
            // the slot at `first_slot` has passed too
            self.slots += (self.undetected_until - self.first_slot).whole(slottime) + 1;
        }
        for Reverse((at, member)) in self.own.drain() {
            // a decision at the last undetected instant is still taken without the carrier
            let beyond = at - self.undetected_until - Duration::from_picoseconds(1);
            self.shared.push(Reverse((self.slots + beyond.whole(slottime), member)));
        }
    }
}

rekey_fields!(SenseGroup { hold });

/// The instant `slots` slots after `start`; never, beyond what a run can reach.
fn after(start: Time, slottime: Duration, slots: u64) -> Time {
    let span = slottime.picoseconds().saturating_mul(slots);
    Time::from_picoseconds(start.picoseconds().saturating_add(span))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    const TIMING: Timing = Timing {
        dwait: Duration::ZERO,
        slottime: Duration::from_millis(100),
        lead: Duration::ZERO,
        dcd_delay: Duration::ZERO,
    };

    fn group_of(timing: Timing, hold: u64) -> SenseGroup {
        SenseGroup::new(timing, (DcdHold::Constant(Duration::from_millis(hold)), 1200), vec![7, 8], true)
    }

    fn new_group(dwait: u64, dcd_delay: u64) -> SenseGroup {
        let [dwait, dcd_delay] = [dwait, dcd_delay].map(Duration::from_millis);
        group_of(Timing { dwait, dcd_delay, ..TIMING }, 0)
    }

    #[test]
    fn a_contender_resumes_counting_slots_after_a_carrier() {
        let mut group = new_group(0, 0);
        group.join(at(0), 7, 5);
        assert_eq!(group.next_transmission(), at(500));
        group.carrier_on(at(200)); // slots at 0, 100 and 200 have passed
        assert_eq!(group.next_transmission(), Time::NEVER);
        group.carrier_off(at(1000), None);
        assert_eq!(group.next_transmission(), at(1200));
    }

    #[test]
    fn a_contender_that_starts_in_an_idle_period_has_slots_of_its_own_until_the_next_carrier() {
        let mut group = new_group(0, 0);
        group.join(at(30), 7, 3);
        assert_eq!(group.next_transmission(), at(330));
        group.carrier_on(at(200)); // slots at 30 and 130 have passed
        group.carrier_off(at(1000), None);
        assert_eq!(group.next_transmission(), at(1100));
    }

    #[test]
    fn a_carrier_is_not_detected_before_the_dcd_delay() {
        let mut group = new_group(0, 100);
        group.join(at(0), 7, 3);
        group.join(at(0), 8, 4);
        group.carrier_on(at(200));
        assert_eq!(group.transmitting(at(300)), Some(7));
        group.take(7);
        assert_eq!(group.next_transmission(), Time::NEVER);
        group.carrier_off(at(1000), None);
        assert_eq!((group.next_transmission(), group.transmitting(at(1000))), (at(1000), Some(8)));
    }

    #[test]
    fn the_first_slot_begins_dwait_after_the_carrier() {
        let mut group = new_group(40, 0);
        group.carrier_on(at(10));
        group.join(at(20), 7, 0);
        group.carrier_off(at(1000), None);
        assert_eq!(group.next_transmission(), at(1040));
        group.join(at(1020), 8, 0);
        assert_eq!(group.transmitting(at(1040)), Some(7));
    }

    #[test]
    fn a_contender_that_waits_for_a_slot_time_first_decides_from_then_on() {
        let mut group = group_of(Timing { lead: Duration::from_millis(100), ..TIMING }, 0);
        group.join(at(30), 7, 3);
        assert_eq!(group.next_transmission(), at(430));
        group.carrier_on(at(120)); // before its first slot, at 130
        group.join(at(150), 8, 0);
        group.carrier_off(at(1000), None);
        assert_eq!((group.next_transmission(), group.transmitting(at(1100))), (at(1100), Some(8)));
        group.take(8);
        assert_eq!((group.next_transmission(), group.transmitting(at(1400))), (at(1400), Some(7)));
    }

    #[test]
    fn a_carrier_is_detected_until_the_hold_is_over() {
        let mut group = group_of(TIMING, 50);
        group.join(at(0), 7, 1);
        group.carrier_on(at(10));
        assert_eq!(group.next_event(), at(10));
        assert!(group.notify(at(10)));
        group.carrier_off(at(500), None);
        assert!(group.detects(at(549)) && !group.detects(at(550)));
        assert_eq!((group.next_event(), group.notify(at(550))), (at(550), false));
        assert_eq!(group.next_transmission(), at(550)); // its slot at 0 has passed
    }

    #[test]
    fn a_carrier_that_comes_on_within_the_hold_is_detected_at_once() {
        let mut group = group_of(Timing { dcd_delay: Duration::from_millis(20), ..TIMING }, 50);
        group.carrier_on(at(0));
        assert!(group.notify(at(20)));
        group.join(at(30), 7, 0);
        group.carrier_off(at(500), None);
        group.carrier_on(at(545));
        assert!(group.detects(at(551)));
        assert_eq!(group.next_event(), Time::NEVER);
        group.carrier_off(at(900), None);
        assert_eq!((group.next_event(), group.transmitting(at(950))), (at(950), Some(7)));
    }

    #[test]
    fn a_carrier_too_short_to_be_detected_changes_nothing() {
        let mut group = new_group(0, 100);
        group.join(at(0), 7, 5);
        group.carrier_on(at(150));
        group.carrier_off(at(200), None);
        assert_eq!(group.next_transmission(), at(500));
    }
}
