//! The users of a switch: frames queued and in flight to them, RNR, and the end of their calls.

use std::collections::{BTreeMap, VecDeque};

use super::channel::Closing;
use super::counters::Counters;
use super::endpoint::Endpoint;
use super::output::{ClearReason, Output, UserId};
use super::send_window::Unit;

/// Users by id.
#[derive(Clone, Debug)]
pub(super) struct Users<D> {
    users: BTreeMap<UserId, User<D>>,
    /// Last user id assigned.
    serial: u32,
}

/// A user.
#[derive(Clone, Debug)]
pub(super) struct User<D> {
    pub other: Option<Endpoint>,
    /// Whether its link is up; data for it wait until then.
    up: bool,
    waiting: VecDeque<Unit<D>>,
    /// Frames in flight to the user, each with the P(S) to acknowledge once the user has acknowledged it.
    in_flight: VecDeque<Option<u8>>,
    /// Whether it has been stopped by RNR.
    stopped: bool,
    /// How its call is cleared once it has acknowledged everything.
    closing: Option<Closing>,
}

impl<D> User<D> {
    /// A user whose link is up, or that is being called.
    const fn new(up: bool) -> Self {
        User { other: None, up, waiting: VecDeque::new(), in_flight: VecDeque::new(), stopped: false, closing: None }
    }

    fn deliver(&mut self, outputs: &mut VecDeque<Output<D>>, counters: &mut Counters, name: UserId, unit: Unit<D>) {
        self.in_flight.push_back(unit.origin);
        counters.forwarded += 1;
        outputs.push_back(Output::Deliver { user: name, data: unit.data, more: unit.more });
    }

    /// Frames queued or in flight to the user.
    pub fn backlog(&self) -> usize {
        self.waiting.len() + self.in_flight.len()
    }
}

impl<D> Users<D> {
    pub const fn new() -> Self {
        Users { users: BTreeMap::new(), serial: 0 }
    }

    /// Assigns an id to a user's link.
    pub fn reserve(&mut self) -> UserId {
        self.serial = self.serial.wrapping_add(1);
        UserId(self.serial)
    }

    /// Adds a user whose link is `up`, or that is being called.
    pub fn insert(&mut self, name: UserId, up: bool) {
        self.users.insert(name, User::new(up));
    }

    pub fn get(&self, name: UserId) -> Option<&User<D>> {
        self.users.get(&name)
    }

    pub fn get_mut(&mut self, name: UserId) -> Option<&mut User<D>> {
        self.users.get_mut(&name)
    }

    /// Removes a user; what was not acknowledged is lost.
    pub fn remove(&mut self, counters: &mut Counters, name: UserId) -> Option<User<D>> {
        let user = self.users.remove(&name)?;
        counters.lost += user.backlog() as u64;
        Some(user)
    }

    /// Number of users.
    pub fn count(&self) -> usize {
        self.users.len()
    }

    /// Frames that wait for the links of users.
    pub fn waiting(&self) -> usize {
        self.users.values().map(|user| user.waiting.len()).sum()
    }

    /// Delivers data to a user, once its link is up.
    pub fn send(&mut self, outputs: &mut VecDeque<Output<D>>, counters: &mut Counters, name: UserId, unit: Unit<D>) {
        let Some(user) = self.users.get_mut(&name) else { return };
        if user.up {
            user.deliver(outputs, counters, name, unit);
        } else {
            user.waiting.push_back(unit);
        }
    }

    /// The link of a user is up: delivers what waited for it. Returns the other endpoint of its circuit; `None` if the
    /// link was up before.
    pub fn connected(
        &mut self,
        outputs: &mut VecDeque<Output<D>>,
        counters: &mut Counters,
        name: UserId,
    ) -> Option<Option<Endpoint>> {
        let user = self.users.get_mut(&name).filter(|user| !user.up)?;
        user.up = true;
        for unit in std::mem::take(&mut user.waiting) {
            user.deliver(outputs, counters, name, unit);
        }
        Some(user.other)
    }

    /// A user has acknowledged frames: appends to `freed` the P(S) that the other endpoint, which it returns, may
    /// acknowledge. `None` if there is no such user.
    pub fn acknowledged(&mut self, freed: &mut Vec<u8>, name: UserId, frames: u16) -> Option<Option<Endpoint>> {
        let user = self.users.get_mut(&name)?;
        let count = usize::from(frames).min(user.in_flight.len());
        freed.extend(user.in_flight.drain(..count).flatten());
        Some(user.other)
    }

    /// Sends RNR or RR to a user: the queue of the other endpoint is full, or has room again.
    pub fn set_busy(&mut self, outputs: &mut VecDeque<Output<D>>, name: UserId, busy: bool) {
        let Some(user) = self.users.get_mut(&name) else { return };
        if std::mem::replace(&mut user.stopped, busy) != busy {
            outputs.push_back(Output::SetUserBusy { user: name, busy });
        }
    }

    /// Clears the call of a user once it has acknowledged everything.
    pub fn close(
        &mut self,
        outputs: &mut VecDeque<Output<D>>,
        counters: &mut Counters,
        name: UserId,
        closing: Closing,
    ) {
        let Some(user) = self.users.get_mut(&name) else { return };
        user.other = None;
        user.closing = Some(closing);
        self.disconnect_if_done(outputs, counters, name);
    }

    /// Disconnects a user whose call is cleared and that has acknowledged everything, or whose link is not up.
    pub fn disconnect_if_done(&mut self, outputs: &mut VecDeque<Output<D>>, counters: &mut Counters, name: UserId) {
        let done = |user: &User<D>| user.closing.is_some() && (user.backlog() == 0 || !user.up);
        if !self.users.get(&name).is_some_and(done) {
            return;
        }
        let Some(Closing { cause, diagnostic, facilities }) = self.remove(counters, name).and_then(|user| user.closing)
        else {
            return;
        };
        let address = facilities.and_then(|facilities| facilities.failed_address);
        outputs.push_back(Output::DisconnectUser { user: name, reason: ClearReason { cause, diagnostic, address } });
    }
}
