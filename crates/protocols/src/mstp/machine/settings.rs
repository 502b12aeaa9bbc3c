//! Addresses, timers and counts of a node.

use sojourn_core::Duration;

use crate::limits::{ParameterOutOfRange, between, timer};
use crate::mstp::HIGHEST_MASTER;

/// `T_no_token`: silence after which the token counts as lost (bacnet-stack).
pub const NO_TOKEN: Duration = Duration::from_millis(500);
/// `T_slot`: the interval in which a node may generate a token, one for each address (bacnet-stack).
pub const SLOT: Duration = Duration::from_millis(10);
/// `T_reply_timeout`: how long a node waits for a reply; 255 to 300 ms (135), bacnet-stack has 250 ms.
pub const REPLY_TIMEOUT: Duration = Duration::from_millis(255);
/// `T_reply_delay`: the latest beginning of a reply; at most 250 ms (135), bacnet-stack has 245 ms.
pub const REPLY_DELAY: Duration = Duration::from_millis(245);
/// `T_usage_timeout`: how long a node waits for the use of a token that it has passed; 20 to 35 ms (135-2016bm), before 20 to 100 ms.
pub const USAGE_TIMEOUT: Duration = Duration::from_millis(35);
/// `N_min_octets`: more octets than these are activity of another node.
pub const MIN_OCTETS: u32 = 4;
/// `N_poll`: tokens between two sweeps of the addresses between a node and its successor.
pub const POLL: u32 = 50;
/// `N_retry_token`: repetitions of a token that is not used.
pub const RETRY_TOKEN: u32 = 1;

/// Parameters of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The node's address (TS): 0 to 127 of a master, 0 to 254 of a slave.
    pub address: u8,
    /// The highest address that is polled (Max_Master), at least that of the node.
    pub max_master: u8,
    /// Frames that the node sends for each token (Max_Info_Frames), 1 to 255.
    pub max_info_frames: u32,
    /// Tokens between two sweeps (`N_poll`), 2 to 1000.
    pub poll: u32,
    /// Repetitions of a token that is not used (`N_retry_token`).
    pub retry_token: u32,
    /// `T_no_token`.
    pub no_token: Duration,
    /// `T_slot`.
    pub slot: Duration,
    /// `T_reply_timeout`.
    pub reply_timeout: Duration,
    /// `T_reply_delay`.
    pub reply_delay: Duration,
    /// `T_usage_timeout`.
    pub usage_timeout: Duration,
    /// Addresses, bit n for address n, that are declared to have no device.
    pub vacant: u128,
    /// How long the node waits for a reply to Poll For Master from a vacant address; may be zero.
    pub vacant_timeout: Duration,
}

impl Settings {
    /// The defaults of a node with this address.
    pub const fn new(address: u8) -> Self {
        Settings {
            address,
            max_master: HIGHEST_MASTER,
            max_info_frames: 1,
            poll: POLL,
            retry_token: RETRY_TOKEN,
            no_token: NO_TOKEN,
            slot: SLOT,
            reply_timeout: REPLY_TIMEOUT,
            reply_delay: REPLY_DELAY,
            usage_timeout: USAGE_TIMEOUT,
            vacant: 0,
            vacant_timeout: USAGE_TIMEOUT,
        }
    }

    /// Rejects parameters of a master outside their ranges.
    pub(super) fn check_master(&self) -> Result<(), ParameterOutOfRange> {
        between("Max_Master", u32::from(self.max_master), 1, u32::from(HIGHEST_MASTER))?;
        between("address", u32::from(self.address), 0, u32::from(self.max_master))?;
        between("Max_Info_Frames", self.max_info_frames, 1, 255)?;
        between("N_poll", self.poll, 2, 1_000)?;
        between("N_retry_token", self.retry_token, 0, 1_000)?;
        timer("T_no_token in ms", self.no_token)?;
        timer("T_slot in ms", self.slot)?;
        timer("T_reply_timeout in ms", self.reply_timeout)?;
        timer("T_usage_timeout in ms", self.usage_timeout)?;
        timer("T_reply_delay in ms", self.reply_delay)
    }

    /// Rejects parameters of a slave outside their ranges.
    pub(super) fn check_slave(&self) -> Result<(), ParameterOutOfRange> {
        between("address", u32::from(self.address), 0, 254)?;
        timer("T_reply_delay in ms", self.reply_delay)
    }

    /// The address after `address`, modulo Max_Master + 1.
    pub(super) fn after(&self, address: u8) -> u8 {
        if address >= self.max_master { 0 } else { address + 1 }
    }

    /// How long the node waits for a reply to Poll For Master from `address`.
    pub(super) fn poll_timeout(&self, address: u8) -> Duration {
        let is_vacant = self.vacant >> (address & HIGHEST_MASTER) & 1 == 1;
        if is_vacant { self.vacant_timeout } else { self.usage_timeout }
    }
}
