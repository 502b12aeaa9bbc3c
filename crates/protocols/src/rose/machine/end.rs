//! The ends of a circuit inside a switch.

use std::collections::VecDeque;

use super::channel::Closing;
use super::output::{TrunkId, UserId};
use super::sending::Unit;

/// A channel of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChannelId {
    pub trunk: TrunkId,
    pub number: u16,
}

/// One end of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Channel(ChannelId),
    User(UserId),
}

/// A user's end.
#[derive(Debug)]
pub(super) struct User<D> {
    pub other: Option<End>,
    /// Whether its link is up; what is for it waits until then.
    pub up: bool,
    pub waiting: VecDeque<Unit<D>>,
    /// Frames handed over and not acknowledged: where each is to be acknowledged in turn.
    pub handed: VecDeque<Option<u8>>,
    /// Whether it has been told to send no more.
    pub held: bool,
    /// Once it has acknowledged everything, its call ends so.
    pub closing: Option<Closing>,
}

impl<D> User<D> {
    /// A user whose link is up, or that is being called.
    pub const fn new(up: bool) -> Self {
        User { other: None, up, waiting: VecDeque::new(), handed: VecDeque::new(), held: false, closing: None }
    }

    /// Frames that it has not acknowledged.
    pub fn backlog(&self) -> usize {
        self.waiting.len() + self.handed.len()
    }
}
