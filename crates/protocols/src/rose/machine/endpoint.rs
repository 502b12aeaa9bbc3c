//! The endpoints of a circuit within a switch.

use std::collections::VecDeque;

use super::channel::Closing;
use super::output::{TrunkId, UserId};
use super::send_window::Unit;

/// A logical channel of a trunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ChannelId {
    pub trunk: TrunkId,
    pub number: u16,
}

/// One endpoint of a circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    Channel(ChannelId),
    User(UserId),
}

/// A user endpoint.
#[derive(Debug)]
pub(super) struct User<D> {
    pub other: Option<Endpoint>,
    /// Whether its link is up; data for it wait until then.
    pub up: bool,
    pub waiting: VecDeque<Unit<D>>,
    /// Frames in flight to the user, each with the P(S) to acknowledge once the user has acknowledged it.
    pub in_flight: VecDeque<Option<u8>>,
    /// Whether it has been stopped by RNR.
    pub stopped: bool,
    /// How its call is cleared once it has acknowledged everything.
    pub closing: Option<Closing>,
}

impl<D> User<D> {
    /// A user whose link is up, or that is being called.
    pub const fn new(up: bool) -> Self {
        User { other: None, up, waiting: VecDeque::new(), in_flight: VecDeque::new(), stopped: false, closing: None }
    }

    /// Frames queued or in flight to the user.
    pub fn backlog(&self) -> usize {
        self.waiting.len() + self.in_flight.len()
    }
}
