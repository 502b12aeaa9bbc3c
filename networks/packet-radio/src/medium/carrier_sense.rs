//! Carrier sense of a channel: the groups of members, the carriers that each group detects, and the next event.

use sojourn_core::{Time, rekey_fields};

use super::burst::Carrier;
use super::dcd_hold::DcdHold;
use super::hearing::{Bits, Hearing};
use super::sense_group::{SenseGroup, Timing};
use super::settings::MemberSettings;

/// The carrier-sense groups of a channel.
#[derive(Clone, Debug)]
pub struct CarrierSense {
    groups: Vec<SenseGroup>,
    /// Next event of each group.
    next: Vec<Time>,
    /// A row for each member, a column for each group that hears it.
    hearers: Bits,
}

/// An event of a carrier-sense group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SenseEvent {
    /// A contender gets the channel.
    Transmit(u32),
    /// The members of a group start or cease to detect a carrier.
    Carrier { group: u32, detected: bool },
}

impl CarrierSense {
    /// Groups these members; returns the group of each, none for full-duplex members.
    pub fn new(members: &[MemberSettings], hearing: &Hearing, bit_rate: u64) -> (CarrierSense, Vec<Option<u32>>) {
        let mut groups: Vec<Group> = Vec::new();
        let assign = |(member, settings): (u32, &MemberSettings)| {
            if settings.full_duplex {
                return None;
            }
            let timing = Timing::of(settings);
            let shares = |group: &Group| group.hold.is_none() && settings.dcd_hold.is_none() && group.timing == timing;
            let found = groups.iter().position(|group| shares(group) && group.suits(member, hearing));
            let place = found.unwrap_or_else(|| {
                let hold = settings.dcd_hold.clone();
                groups.push(Group { timing, hold, members: Vec::new(), watched: false });
                groups.len() - 1
            });
            groups[place].members.push(member);
            groups[place].watched |= settings.watches;
            Some(place as u32)
        };
        let group_of = (0..).zip(members).map(assign).collect();
        let mut hearers = Bits::new(hearing.members(), groups.len() as u32);
        for (number, group) in (0..).zip(&groups) {
            (0..hearing.members()).for_each(|sender| hearers.set(sender, number, group.hears(sender, hearing)));
        }
        let next = vec![Time::NEVER; groups.len()];
        let group = |group: Group| {
            let Group { timing, hold, members, watched } = group;
            SenseGroup::new(timing, (hold, bit_rate), members, watched)
        };
        let groups = groups.into_iter().map(group).collect();
        (CarrierSense { groups, next, hearers }, group_of)
    }

    /// When the next event of a group is due.
    #[inline]
    pub fn next_event(&self) -> Time {
        self.next.iter().copied().min().unwrap_or(Time::NEVER)
    }

    /// The event due `now`: the transmission of the first member; if there is none, a carrier change.
    pub fn handle(&mut self, now: Time) -> Option<SenseEvent> {
        let due = (0..self.groups.len()).filter(|&group| self.next[group] == now);
        let transmitting = |group: usize| self.groups[group].transmitting(now).map(|member| (member, group));
        let (group, event) = match due.clone().filter_map(transmitting).min() {
            Some((member, group)) => {
                self.groups[group].take(member);
                (group, SenseEvent::Transmit(member))
            }
            None => {
                let group = due.min()?;
                (group, SenseEvent::Carrier { group: group as u32, detected: self.groups[group].notify(now) })
            }
        };
        self.next[group] = self.groups[group].next_event();
        Some(event)
    }

    /// A member of `group` starts to contend and skips `slots` slots.
    pub fn join(&mut self, now: Time, group: u32, member: u32, slots: u64) {
        let place = group as usize;
        self.groups[place].join(now, member, slots);
        self.next[place] = self.groups[place].next_event();
    }

    /// The carrier of `sender` comes on.
    pub fn carrier_on(&mut self, now: Time, sender: u32) {
        for group in self.hearers.ones(sender) {
            let place = group as usize;
            self.groups[place].carrier_on(now);
            self.next[place] = self.groups[place].next_event();
        }
    }

    /// The carrier of `sender` goes off; `left` are on.
    pub fn carrier_off(&mut self, now: Time, sender: u32, left: impl Iterator<Item = Carrier> + Clone) {
        for group in self.hearers.ones(sender) {
            let place = group as usize;
            let heard = left.clone().filter(|carrier| self.hearers.get(carrier.member, group));
            self.groups[place].carrier_off(now, heard.map(|carrier| carrier.keyed).min());
            self.next[place] = self.groups[place].next_event();
        }
    }

    /// The members of `group`, in ascending order.
    pub fn members(&self, group: u32) -> &[u32] {
        &self.groups[group as usize].members
    }

    /// Whether `group` detects a carrier.
    pub fn detects(&self, now: Time, group: u32) -> bool {
        self.groups[group as usize].detects(now)
    }
}

rekey_fields!(CarrierSense { groups });

/// Members that can share carrier sense: each hears the same other members, and all hear each other or none does. A member
/// that transmits does not use its carrier sense, so the group may hear its own members too; unless it detects carriers
/// that have gone off: not its own, so that it shares with no other.
#[derive(Clone)]
struct Group {
    timing: Timing,
    hold: DcdHold,
    members: Vec<u32>,
    watched: bool,
}

impl Group {
    fn suits(&self, member: u32, hearing: &Hearing) -> bool {
        let first = self.members[0];
        let mutual = hearing.hears(member, first);
        hearing.hears(first, member) == mutual
            && hearing.hear_alike(first, member)
            && self.members.get(1).is_none_or(|&second| hearing.hears(first, second) == mutual)
    }

    fn hears(&self, sender: u32, hearing: &Hearing) -> bool {
        self.members.iter().find(|&&member| member != sender).is_some_and(|&member| hearing.hears(member, sender))
    }
}
