//! What an operator sets, and the choices of a model.

use sojourn_core::Duration;
use thiserror::Error;

use super::output::TrunkId;
use crate::limits::{ParameterOutOfRange, between};
use crate::rose::wire::{CHANNEL_LIMIT, NetworkAddress};

/// Parameters of a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The switch's own address, in full: DNIC, area code, exchange.
    pub address: NetworkAddress,
    /// Where calls to other addresses go; the longest prefix that fits counts, of those alike the first whose link is
    /// ready.
    pub routes: Vec<Route>,
    /// Data packets sent on a channel without an acknowledgement, 1 to 7. Default 7 (Linux net/rose; X.25 has 2).
    pub window: u8,
    /// How long an acknowledgement waits for data to travel with, unless the window is full. Default 5 s (Linux).
    pub ack_hold_back: Duration,
    /// Which end acknowledges data without the D bit. Default the next switch.
    pub significance: Significance,
    /// Octets of data in a packet; a user's longer frame is cut, with the M bit in all parts but the last, 1 to 4096.
    /// Default 256: a whole frame of a user, so that a switch never cuts (its own N1 is 3 octets more).
    pub packet_size: u16,
    /// Packets of a circuit that may wait in one direction until their sender is told to hold on, 1 to 65535. Default
    /// 16, enough for two windows.
    pub queue_limit: u16,
    /// The highest channel of a link that is used, 1 to 4095. Default 50 (Linux).
    pub highest_channel: u16,
    /// T21: how long a call may go unanswered. Default 200 s (X.25, Linux).
    pub t21: Duration,
    /// T22: how long a reset may go unconfirmed. Default 180 s (X.25, Linux).
    pub t22: Duration,
    /// T23: how long a clear request may go unconfirmed. Default 180 s (X.25, Linux).
    pub t23: Duration,
    /// T20: how long a restart may go unconfirmed. Default 180 s (X.25, Linux).
    pub t20: Duration,
    /// T25: how long sent data may go unacknowledged before the circuit is reset; none for ever. Default 200 s (ISO
    /// 8208).
    pub t25: Option<Duration>,
    /// How often resets, clear requests and restarts are sent at all (R22 + 1, R23 + 1, R20 + 1), 1 to 255. Default 2
    /// (X.25).
    pub max_transmissions: u8,
}

/// A route: calls to addresses that begin so go there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The first digits of the addresses, DNIC first.
    pub prefix: NetworkAddress,
    /// The link to the next switch.
    pub trunk: TrunkId,
}

/// Which end acknowledges data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Significance {
    /// The next switch, at once: each link has its own window.
    #[default]
    Local,
    /// The far end: a switch acknowledges what the next has acknowledged, as if the D bit were set.
    EndToEnd,
}

/// A parameter beyond its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// A number beyond its range.
    #[error(transparent)]
    Range(#[from] ParameterOutOfRange),
    /// A switch without an address.
    #[error("a switch needs an address")]
    NoAddress,
    /// A route by a link that the switch does not have.
    #[error("a route leads to link {0}, which the switch does not have")]
    NoTrunk(u16),
}

impl Settings {
    /// The defaults for a switch of this address.
    pub fn new(address: NetworkAddress) -> Self {
        Settings {
            address,
            routes: Vec::new(),
            window: 7,
            ack_hold_back: Duration::from_secs(5),
            significance: Significance::Local,
            packet_size: 256,
            queue_limit: 16,
            highest_channel: 50,
            t21: Duration::from_secs(200),
            t22: Duration::from_secs(180),
            t23: Duration::from_secs(180),
            t20: Duration::from_secs(180),
            t25: Some(Duration::from_secs(200)),
            max_transmissions: 2,
        }
    }

    /// Refuses a parameter beyond its range, of a switch with so many links.
    pub fn check(&self, trunks: u16) -> Result<(), SettingsError> {
        between("window", self.window.into(), 1, 7)?;
        between("packet_limit", self.packet_size.into(), 1, 4096)?;
        between("backlog_limit", self.queue_limit.into(), 1, u16::MAX.into())?;
        between("channel_limit", self.highest_channel.into(), 1, CHANNEL_LIMIT.into())?;
        between("tries", self.max_transmissions.into(), 1, u8::MAX.into())?;
        if self.address.is_empty() {
            return Err(SettingsError::NoAddress);
        }
        match self.routes.iter().find(|route| route.trunk.0 >= trunks) {
            Some(route) => Err(SettingsError::NoTrunk(route.trunk.0)),
            None => Ok(()),
        }
    }
}
