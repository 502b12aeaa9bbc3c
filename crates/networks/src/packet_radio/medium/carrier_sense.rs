//! All ears of a channel: which members share one, which carriers each hears, and which does something next.

use sojourn_core::Time;

use super::burst::Carrier;
use super::hearing::{Bits, Hearing};
use super::sense_group::{Ear, Timing};
use super::settings::MemberSettings;

/// The ears of a channel.
#[derive(Debug)]
pub struct Ears {
    ears: Vec<Ear>,
    /// When each does something next.
    alarms: Vec<Time>,
    /// A row for each member, a column for each ear that hears it.
    hearers: Bits,
}

/// What an ear does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alarm {
    /// A contender is to have the channel.
    Fires(u32),
    /// The members of an ear are to be told whether they detect a carrier.
    Notice { ear: u32, detected: bool },
}

impl Ears {
    /// The ears of these members, and who has which.
    pub fn new(members: &[MemberSettings], hearing: &Hearing) -> (Ears, Vec<Option<u32>>) {
        let mut groups: Vec<Group> = Vec::new();
        let assign = |(member, settings): (u32, &MemberSettings)| {
            if settings.full_duplex {
                return None;
            }
            let timing = Timing::of(settings);
            let found = groups.iter().position(|group| group.timing == timing && group.suits(member, hearing));
            let place = found.unwrap_or_else(|| {
                groups.push(Group { timing, members: Vec::new(), watched: false });
                groups.len() - 1
            });
            groups[place].members.push(member);
            groups[place].watched |= settings.watches;
            Some(place as u32)
        };
        let ear_of = (0..).zip(members).map(assign).collect();
        let mut hearers = Bits::new(hearing.members(), groups.len() as u32);
        for (ear, group) in (0..).zip(&groups) {
            (0..hearing.members()).for_each(|sender| hearers.set(sender, ear, group.hears(sender, hearing)));
        }
        let alarms = vec![Time::NEVER; groups.len()];
        let ears = groups.into_iter().map(|group| Ear::new(group.timing, group.members, group.watched)).collect();
        (Ears { ears, alarms, hearers }, ear_of)
    }

    /// When an ear does something next.
    #[inline]
    pub fn next_alarm(&self) -> Time {
        self.alarms.iter().copied().min().unwrap_or(Time::NEVER)
    }

    /// What is due `now`: the first member that fires; if none does, a notice.
    pub fn alarm(&mut self, now: Time) -> Option<Alarm> {
        let due = (0..self.ears.len()).filter(|&ear| self.alarms[ear] == now);
        let firing = |ear: usize| self.ears[ear].firing(now).map(|member| (member, ear));
        let (ear, alarm) = match due.clone().filter_map(firing).min() {
            Some((member, ear)) => {
                self.ears[ear].take(member);
                (ear, Alarm::Fires(member))
            }
            None => {
                let ear = due.min()?;
                (ear, Alarm::Notice { ear: ear as u32, detected: self.ears[ear].tell(now) })
            }
        };
        self.alarms[ear] = self.ears[ear].next_alarm();
        Some(alarm)
    }

    /// A member of `ear` begins to contend and is to let `slots` slots pass.
    pub fn join(&mut self, now: Time, ear: u32, member: u32, slots: u64) {
        let place = ear as usize;
        self.ears[place].join(now, member, slots);
        self.alarms[place] = self.ears[place].next_alarm();
    }

    /// The carrier of `sender` comes on.
    pub fn carrier_on(&mut self, now: Time, sender: u32) {
        for ear in self.hearers.ones(sender) {
            let place = ear as usize;
            self.ears[place].carrier_on(now);
            self.alarms[place] = self.ears[place].next_alarm();
        }
    }

    /// The carrier of `sender` goes off; `left` are on.
    pub fn carrier_off(&mut self, now: Time, sender: u32, left: impl Iterator<Item = Carrier> + Clone) {
        for ear in self.hearers.ones(sender) {
            let place = ear as usize;
            let heard = left.clone().filter(|carrier| self.hearers.get(carrier.member, ear));
            self.ears[place].carrier_off(now, heard.map(|carrier| carrier.keyed).min());
            self.alarms[place] = self.ears[place].next_alarm();
        }
    }

    /// The members of `ear`.
    pub fn members(&self, ear: u32) -> &[u32] {
        &self.ears[ear as usize].members
    }

    /// Whether `ear` detects a carrier.
    pub fn detects(&self, now: Time, ear: u32) -> bool {
        self.ears[ear as usize].detects(now)
    }
}

/// Members that can share an ear: each hears the same of all others, and all hear each other or none does. Those of
/// one that transmit have no use for it meanwhile, so that it may hear them too.
struct Group {
    timing: Timing,
    members: Vec<u32>,
    watched: bool,
}

impl Group {
    fn suits(&self, member: u32, hearing: &Hearing) -> bool {
        let first = self.members[0];
        let mutual = hearing.hears(member, first);
        hearing.hears(first, member) == mutual
            && hearing.alike(first, member)
            && self.members.get(1).is_none_or(|&second| hearing.hears(first, second) == mutual)
    }

    fn hears(&self, sender: u32, hearing: &Hearing) -> bool {
        self.members.iter().find(|&&member| member != sender).is_some_and(|&member| hearing.hears(member, sender))
    }
}
