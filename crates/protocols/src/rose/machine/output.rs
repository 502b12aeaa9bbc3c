//! What goes into a switch and what comes out.

use super::user_path::UserCall;
use crate::rose::wire::{Cause, Diagnostic, NetworkAddress, Packet};

/// A link to a neighbour switch, by its place among the switch's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrunkId(pub u16);

/// A user's link. A later one never has the name of an earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(pub(super) u32);

/// Which channels a switch takes for its own calls. The two ends of a link must differ; the one with the lower callsign
/// usually takes the lowest. Where both took the same one all the same, the call of the end that takes the highest
/// stands, as the DTE's does in X.25.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterfaceRole {
    /// From channel 1 up, as a DCE.
    Dce,
    /// From the highest channel down, as a DTE.
    Dte,
}

/// What a driver tells a switch. Of a link or user that has ended it is without effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Input<D> {
    /// The AX.25 link to a neighbour is up; the packet layer begins with a restart.
    TrunkUp {
        /// Which.
        trunk: TrunkId,
        /// Which channels the switch takes.
        role: InterfaceRole,
    },
    /// The AX.25 link to a neighbour is down, or lost what it carried.
    TrunkDown {
        /// Which.
        trunk: TrunkId,
    },
    /// A packet of a neighbour.
    Receive {
        /// From which.
        trunk: TrunkId,
        /// The packet.
        packet: Packet<D>,
    },
    /// What a neighbour sent is no packet: it is told so.
    Unreadable {
        /// Which.
        trunk: TrunkId,
        /// What is wrong.
        code: Diagnostic,
        /// The first three octets, if there are as many.
        header: Option<[u8; 3]>,
    },
    /// A user has connected, and wants a call.
    UserCallRequest {
        /// A name from [`Switch::reserve_user`](super::Switch::reserve_user).
        user: UserId,
        /// Whom it calls.
        call: UserCall,
    },
    /// A user that was called has answered.
    UserConnected {
        /// Which.
        user: UserId,
    },
    /// A user's link is down, or did not come up.
    UserDisconnected {
        /// Which.
        user: UserId,
        /// Why, as the other end shall be told.
        cause: Cause,
    },
    /// A user sent a frame.
    UserData {
        /// Which.
        user: UserId,
        /// What it carried.
        data: D,
    },
    /// A user has acknowledged frames.
    UserAcknowledged {
        /// Which.
        user: UserId,
        /// How many.
        frames: u16,
    },
}

/// What a switch tells its driver.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<D> {
    /// Send a packet to a neighbour.
    Transmit {
        /// To which.
        trunk: TrunkId,
        /// The packet.
        packet: Packet<D>,
    },
    /// The packet layer of a link is ready for calls.
    TrunkReady {
        /// Which.
        trunk: TrunkId,
    },
    /// A neighbour does not answer restarts: the AX.25 link should be set up anew.
    TrunkFailed {
        /// Which.
        trunk: TrunkId,
    },
    /// Connect to a user.
    CallUser {
        /// The user's name.
        user: UserId,
        /// Who is called on whose behalf.
        call: UserCall,
    },
    /// The call of a user is through.
    CallConnected {
        /// Which.
        user: UserId,
    },
    /// Send a frame to a user.
    Deliver {
        /// To which.
        user: UserId,
        /// What it carries.
        data: D,
        /// M: the next frame continues it.
        more: bool,
    },
    /// Let a user send no more, or let it send again.
    SetUserBusy {
        /// Which.
        user: UserId,
        /// Whether to hold it.
        busy: bool,
    },
    /// Disconnect a user; all that was for it has been acknowledged, or its link is gone.
    DisconnectUser {
        /// Which.
        user: UserId,
        /// Why.
        reason: ClearReason,
    },
}

/// Why a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClearReason {
    /// Why.
    pub cause: Cause,
    /// Why, in more detail.
    pub diagnostic: Diagnostic,
    /// At which switch, if that is known.
    pub address: Option<NetworkAddress>,
}
