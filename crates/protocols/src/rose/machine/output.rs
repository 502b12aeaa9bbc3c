//! Inputs and outputs of a switch, and the names of its trunks and users.

use super::user_path::UserCall;
use crate::rose::wire::{Cause, Diagnostic, NetworkAddress, Packet};

/// A trunk: the link to a neighbour switch, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TrunkId(pub u16);

/// A user's link. Numbers are not reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(pub(super) u32);

/// The role of a switch on a trunk, which decides the logical channels it selects for its own calls. The two ends must
/// differ; the one with the lower callsign is usually the DCE. In a call collision the DTE's call stands (X.25 section
/// 4.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InterfaceRole {
    /// Selects the lowest free channel.
    Dce,
    /// Selects the highest free channel.
    Dte,
}

/// What a driver passes to a switch. For a trunk or user that has ended it has no effect.
#[derive(Clone, Debug, PartialEq)]
pub enum Input<D> {
    /// The AX.25 link to a neighbour is up; the packet layer starts with a restart.
    TrunkUp {
        /// The trunk that it concerns.
        trunk: TrunkId,
        /// The switch's role on the trunk.
        role: InterfaceRole,
    },
    /// The AX.25 link to a neighbour is down, or was reset.
    TrunkDown {
        /// The trunk that it concerns.
        trunk: TrunkId,
    },
    /// A packet was received from a neighbour.
    Receive {
        /// The trunk it was received on.
        trunk: TrunkId,
        /// The packet with its header.
        packet: Packet<D>,
    },
    /// A neighbour sent an invalid packet, which is reported to it by DIAGNOSTIC.
    Unreadable {
        /// The trunk that it concerns.
        trunk: TrunkId,
        /// The diagnostic code to report.
        code: Diagnostic,
        /// The first three octets of the packet, if it has them.
        header: Option<[u8; 3]>,
    },
    /// A user has connected and requests a call.
    UserCallRequest {
        /// An id from [`Switch::reserve_user`](super::Switch::reserve_user).
        user: UserId,
        /// The parties and path of the call.
        call: UserCall,
    },
    /// The link to a called user is up.
    UserConnected {
        /// The user that it concerns.
        user: UserId,
    },
    /// A user's link is down, or could not be established.
    UserDisconnected {
        /// The user that it concerns.
        user: UserId,
        /// The cause to report to the other end.
        cause: Cause,
    },
    /// A user sent a frame.
    UserData {
        /// The user that it concerns.
        user: UserId,
        /// The information of the frame.
        data: D,
    },
    /// A user has acknowledged frames.
    UserAcknowledged {
        /// The user that it concerns.
        user: UserId,
        /// Number of frames newly acknowledged.
        frames: u16,
    },
}

/// What a switch requests of or reports to its driver.
#[derive(Clone, Debug, PartialEq)]
pub enum Output<D> {
    /// Send a packet to a neighbour.
    Transmit {
        /// The trunk to send on.
        trunk: TrunkId,
        /// The packet with its header.
        packet: Packet<D>,
    },
    /// The packet layer of a trunk is ready for calls (r1).
    TrunkReady {
        /// The trunk that it concerns.
        trunk: TrunkId,
    },
    /// A neighbour does not confirm restarts: the AX.25 link should be re-established.
    TrunkFailed {
        /// The trunk that it concerns.
        trunk: TrunkId,
    },
    /// Connect to a user.
    CallUser {
        /// The id of the user's link.
        user: UserId,
        /// The parties and path of the call.
        call: UserCall,
    },
    /// The call of a user is connected.
    CallConnected {
        /// The user that it concerns.
        user: UserId,
    },
    /// Send a frame to a user.
    Deliver {
        /// The user that it concerns.
        user: UserId,
        /// The information of the frame.
        data: D,
        /// M: the next frame continues these data.
        more: bool,
    },
    /// Stop a user by RNR, or let it send again.
    SetUserBusy {
        /// The user that it concerns.
        user: UserId,
        /// Whether the user must stop.
        busy: bool,
    },
    /// Disconnect a user; it has acknowledged all data, or its link is down.
    DisconnectUser {
        /// The user that it concerns.
        user: UserId,
        /// Why the call was cleared.
        reason: ClearReason,
    },
}

/// Why a call was cleared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClearReason {
    /// The clearing cause of X.25.
    pub cause: Cause,
    /// The diagnostic code of X.25.
    pub diagnostic: Diagnostic,
    /// The switch that cleared the call, if known.
    pub address: Option<NetworkAddress>,
}
