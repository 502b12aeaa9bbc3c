//! Parameters of a switch.

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
    /// Routes to other addresses: longest prefix match; among equal prefixes the first whose trunk is ready.
    pub routes: Vec<Route>,
    /// Window W: data packets in flight on a channel, 1 to 7. Default 7 (Linux net/rose; X.25 has 2).
    pub window: u8,
    /// Acknowledgement delay (hold back): how long P(R) waits to be carried by data, unless the window is full. Default 5 s
    /// (Linux).
    pub ack_hold_back: Duration,
    /// Significance of P(R) for data without the D bit. Default local.
    pub significance: Significance,
    /// Maximum octets of data in a packet, 1 to 4096; a longer frame of a user is fragmented, with the M bit in all
    /// fragments except the last. Default 256: a whole frame of a user (the switch's own N1 is 3 octets more).
    pub packet_size: u16,
    /// Packets of a circuit queued in one direction at which their sender is stopped by RNR, 1 to 65535. Default 16, enough
    /// for two windows.
    pub queue_limit: u16,
    /// Highest logical channel used on a trunk, 1 to 4095. Default 50 (Linux).
    pub highest_channel: u16,
    /// T21: time for CALL REQUEST to be accepted. Default 200 s (X.25, Linux).
    pub t21: Duration,
    /// T22: time for RESET REQUEST to be confirmed. Default 180 s (X.25, Linux).
    pub t22: Duration,
    /// T23: time for CLEAR REQUEST to be confirmed. Default 180 s (X.25, Linux).
    pub t23: Duration,
    /// T20: time for RESTART REQUEST to be confirmed. Default 180 s (X.25, Linux).
    pub t20: Duration,
    /// T25: time for data to be acknowledged before the circuit is reset; `None` for no limit. Default 200 s (ISO 8208).
    pub t25: Option<Duration>,
    /// Transmissions of RESET, CLEAR and RESTART REQUEST (R22 + 1, R23 + 1, R20 + 1), 1 to 255. Default 2 (X.25).
    pub max_transmissions: u8,
}

/// A route for addresses with a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    /// The first digits of the addresses, DNIC first.
    pub prefix: NetworkAddress,
    /// The trunk to the next switch.
    pub trunk: TrunkId,
}

/// The significance of P(R): which end acknowledges data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Significance {
    /// Local: the next switch acknowledges at once; each trunk has its own window.
    #[default]
    Local,
    /// End to end: a switch acknowledges what the next has acknowledged, as if the D bit were set.
    EndToEnd,
}

/// Why settings are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SettingsError {
    /// A parameter out of range.
    #[error(transparent)]
    Range(#[from] ParameterOutOfRange),
    /// The switch has no address.
    #[error("a switch needs an address")]
    NoAddress,
    /// A route uses a trunk that the switch does not have.
    #[error("a route uses trunk {0}, which the switch does not have")]
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

    /// Checks that every parameter is in range, for a switch with `trunks` trunks.
    pub fn check(&self, trunks: u16) -> Result<(), SettingsError> {
        between("window", self.window.into(), 1, 7)?;
        between("packet size", self.packet_size.into(), 1, 4096)?;
        between("queue limit", self.queue_limit.into(), 1, u16::MAX.into())?;
        between("highest channel", self.highest_channel.into(), 1, CHANNEL_LIMIT.into())?;
        between("transmissions", self.max_transmissions.into(), 1, u8::MAX.into())?;
        if self.address.is_empty() {
            return Err(SettingsError::NoAddress);
        }
        match self.routes.iter().find(|route| route.trunk.0 >= trunks) {
            Some(route) => Err(SettingsError::NoTrunk(route.trunk.0)),
            None => Ok(()),
        }
    }
}
