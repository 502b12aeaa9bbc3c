//! The roles of a switch's AX.25 links.

use std::collections::BTreeMap;

use sojourn_core::Time;
use sojourn_protocols::ax25::machine::LinkId;
use sojourn_protocols::rose::machine::{TrunkId, UserId};

/// A link of one of the station's ports.
pub type PortLink = (usize, LinkId);

/// The role of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It leads to another switch.
    Trunk(TrunkId),
    /// It leads to a user.
    User(UserId),
    /// It leads to a user whose call is cleared; it is disconnected once the call progress text is acknowledged.
    Closing,
}

/// All links of a switch.
#[derive(Clone, Debug)]
pub struct Links {
    roles: BTreeMap<PortLink, Role>,
    users: BTreeMap<UserId, PortLink>,
    /// Unacknowledged frames of call progress texts; they precede all others.
    texts: BTreeMap<PortLink, u16>,
    /// For each trunk its link, while it has one, and when the link is requested again.
    trunks: Vec<(Option<PortLink>, Time)>,
}

impl Links {
    /// No links yet, of `trunks` trunks.
    pub fn new(trunks: usize) -> Self {
        let trunks = vec![(None, Time::NEVER); trunks];
        Links { roles: BTreeMap::new(), users: BTreeMap::new(), texts: BTreeMap::new(), trunks }
    }

    /// The role of a link.
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

    /// Adds a link.
    pub fn add(&mut self, link: PortLink, role: Role) {
        self.roles.insert(link, role);
        match role {
            Role::User(user) => {
                self.users.insert(user, link);
            }
            Role::Trunk(trunk) => self.trunks[usize::from(trunk.0)] = (Some(link), Time::NEVER),
            Role::Closing => {}
        }
    }

    /// Counts a text frame sent to a user.
    pub fn text_sent(&mut self, link: PortLink) {
        *self.texts.entry(link).or_default() += 1;
    }

    /// Of `frames` frames that a user has acknowledged, the number that are not texts.
    pub fn without_texts(&mut self, link: PortLink, frames: u16) -> u16 {
        let texts = self.texts.remove(&link).unwrap_or(0);
        if texts > frames {
            self.texts.insert(link, texts - frames);
        }
        frames.saturating_sub(texts)
    }

    /// Removes a link; returns its role.
    pub fn remove(&mut self, link: PortLink) -> Option<Role> {
        let role = self.roles.remove(&link)?;
        self.texts.remove(&link);
        match role {
            Role::User(user) => {
                self.users.remove(&user);
            }
            Role::Trunk(trunk) => self.trunks[usize::from(trunk.0)].0 = None,
            Role::Closing => {}
        }
        Some(role)
    }

    /// A trunk's link is requested again at `at`.
    pub fn retry(&mut self, trunk: TrunkId, at: Time) {
        self.trunks[usize::from(trunk.0)].1 = at;
    }

    /// A trunk whose link is to be requested now.
    pub fn due(&mut self, now: Time) -> Option<TrunkId> {
        let index = self.trunks.iter().position(|(link, at)| link.is_none() && *at <= now)?;
        self.trunks[index].1 = Time::NEVER;
        Some(TrunkId(index as u16))
    }

    /// When the next link is to be requested.
    pub fn next_due(&self) -> Time {
        self.trunks.iter().map(|(_, at)| *at).min().unwrap_or(Time::NEVER)
    }
}
