//! Which of a switch's AX.25 links is what.

use std::collections::BTreeMap;

use sojourn_core::Time;
use sojourn_protocols::ax25::machine::LinkId;
use sojourn_protocols::rose::machine::{TrunkId, UserId};

/// A link of one of the station's ports.
pub type PortLink = (usize, LinkId);

/// What a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It leads to another switch.
    Trunk(TrunkId),
    /// It leads to a user.
    User(UserId),
    /// It led to a user whose call is over, and ends once it has been told why.
    Leaving,
}

/// All links of a switch.
#[derive(Debug)]
pub struct Links {
    roles: BTreeMap<PortLink, Role>,
    users: BTreeMap<UserId, PortLink>,
    /// Frames of words that users have not acknowledged; they come before all others.
    words: BTreeMap<PortLink, u16>,
    /// For each trunk its link, while it has one, and when one is asked for again.
    trunks: Vec<(Option<PortLink>, Time)>,
}

impl Links {
    /// None yet, of so many trunks.
    pub fn new(trunks: usize) -> Self {
        let trunks = vec![(None, Time::NEVER); trunks];
        Links { roles: BTreeMap::new(), users: BTreeMap::new(), words: BTreeMap::new(), trunks }
    }

    /// What a link is.
    pub fn role(&self, link: PortLink) -> Option<Role> {
        self.roles.get(&link).copied()
    }

    /// The link of a user.
    pub fn of_user(&self, user: UserId) -> Option<PortLink> {
        self.users.get(&user).copied()
    }

    /// The link of a trunk.
    pub fn of_trunk(&self, trunk: TrunkId) -> Option<PortLink> {
        self.trunks[usize::from(trunk.0)].0
    }

    /// The links of all users.
    pub fn users(&self) -> impl Iterator<Item = PortLink> + '_ {
        self.users.values().copied()
    }

    /// All links.
    pub fn all(&self) -> impl Iterator<Item = PortLink> + '_ {
        self.roles.keys().copied()
    }

    /// Notes what a link is.
    pub fn add(&mut self, link: PortLink, role: Role) {
        self.roles.insert(link, role);
        match role {
            Role::User(user) => {
                self.users.insert(user, link);
            }
            Role::Trunk(trunk) => self.trunks[usize::from(trunk.0)] = (Some(link), Time::NEVER),
            Role::Leaving => {}
        }
    }

    /// A user is sent a frame of words.
    pub fn said(&mut self, link: PortLink) {
        *self.words.entry(link).or_default() += 1;
    }

    /// Of so many frames that a user has acknowledged, those that are not words.
    pub fn not_words(&mut self, link: PortLink, frames: u16) -> u16 {
        let words = self.words.remove(&link).unwrap_or(0);
        if words > frames {
            self.words.insert(link, words - frames);
        }
        frames.saturating_sub(words)
    }

    /// Forgets a link, and tells what it was.
    pub fn remove(&mut self, link: PortLink) -> Option<Role> {
        let role = self.roles.remove(&link)?;
        self.words.remove(&link);
        match role {
            Role::User(user) => {
                self.users.remove(&user);
            }
            Role::Trunk(trunk) => self.trunks[usize::from(trunk.0)].0 = None,
            Role::Leaving => {}
        }
        Some(role)
    }

    /// A trunk's link is asked for again at `at`.
    pub fn retry(&mut self, trunk: TrunkId, at: Time) {
        self.trunks[usize::from(trunk.0)].1 = at;
    }

    /// A trunk whose link is to be asked for now.
    pub fn due(&mut self, now: Time) -> Option<TrunkId> {
        let index = self.trunks.iter().position(|(link, at)| link.is_none() && *at <= now)?;
        self.trunks[index].1 = Time::NEVER;
        Some(TrunkId(index as u16))
    }

    /// When the next trunk is due.
    pub fn next_due(&self) -> Time {
        self.trunks.iter().map(|(_, at)| *at).min().unwrap_or(Time::NEVER)
    }
}
