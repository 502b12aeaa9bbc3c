//! Cause and diagnostic codes of clear, reset and restart.

use std::fmt;

/// The cause of CLEAR, RESET and RESTART REQUEST (X.25 tables 5-7 to 5-9).
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cause(pub u8);

impl Cause {
    /// Originated by a user or the other end.
    pub const DTE_ORIGINATED: Cause = Cause(0x00);
    /// The called station accepts no more calls.
    pub const NUMBER_BUSY: Cause = Cause(0x01);
    /// A facility is invalid.
    pub const INVALID_FACILITY: Cause = Cause(0x03);
    /// A switch has no free channel or buffer.
    pub const NETWORK_CONGESTION: Cause = Cause(0x05);
    /// A trunk on the route is down. In RESTART the same code means that the network is operational.
    pub const OUT_OF_ORDER: Cause = Cause(0x09);
    /// The called station may not be called.
    pub const ACCESS_BARRED: Cause = Cause(0x0b);
    /// There is no route to the address.
    pub const NOT_OBTAINABLE: Cause = Cause(0x0d);
    /// Procedure error of the other end.
    pub const REMOTE_PROCEDURE_ERROR: Cause = Cause(0x11);
    /// Procedure error of this end.
    pub const LOCAL_PROCEDURE_ERROR: Cause = Cause(0x13);
    /// The called station does not respond.
    pub const SHIP_ABSENT: Cause = Cause(0x39);

    /// The name of the cause, if ROSE uses it.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Cause::DTE_ORIGINATED => "user disconnected",
            Cause::NUMBER_BUSY => "number busy",
            Cause::INVALID_FACILITY => "invalid facility",
            Cause::NETWORK_CONGESTION => "network congestion",
            Cause::OUT_OF_ORDER => "out of order",
            Cause::ACCESS_BARRED => "access barred",
            Cause::NOT_OBTAINABLE => "not obtainable",
            Cause::REMOTE_PROCEDURE_ERROR => "remote procedure error",
            Cause::LOCAL_PROCEDURE_ERROR => "local procedure error",
            Cause::SHIP_ABSENT => "ship absent",
            _ => return None,
        })
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "cause {:02x}", self.0),
        }
    }
}

/// A diagnostic code (X.25 annex E).
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Diagnostic(pub u8);

impl Diagnostic {
    /// No additional information (code 0).
    pub const NONE: Diagnostic = Diagnostic(0);
    /// P(S) is not the one expected.
    pub const INVALID_SEND_NUMBER: Diagnostic = Diagnostic(1);
    /// P(R) acknowledges a packet that has not been sent.
    pub const INVALID_RECEIVE_NUMBER: Diagnostic = Diagnostic(2);
    /// Packet type invalid for state p1 (ready).
    pub const INVALID_WHEN_READY: Diagnostic = Diagnostic(20);
    /// Packet type invalid for states p2 and p3 (call setup).
    pub const INVALID_WHILE_CALLING: Diagnostic = Diagnostic(21);
    /// Packet type invalid for state p4 (data transfer).
    pub const INVALID_WHEN_CONNECTED: Diagnostic = Diagnostic(23);
    /// Packet on an unassigned logical channel.
    pub const UNASSIGNED_CHANNEL: Diagnostic = Diagnostic(36);
    /// The packet is too long.
    pub const TOO_LONG: Diagnostic = Diagnostic(39);
    /// Unauthorized INTERRUPT CONFIRMATION: no interrupt was sent.
    pub const UNAUTHORISED_INTERRUPT_CONFIRMATION: Diagnostic = Diagnostic(43);
    /// Unauthorized INTERRUPT: the previous one is not confirmed.
    pub const UNAUTHORISED_INTERRUPT: Diagnostic = Diagnostic(44);
    /// Timer expired, without a code of its own.
    pub const TIMER: Diagnostic = Diagnostic(48);
    /// T21 expired: CALL REQUEST not accepted in time.
    pub const CALL_TIMER: Diagnostic = Diagnostic(49);
    /// T23 expired: CLEAR REQUEST not confirmed in time.
    pub const CLEAR_TIMER: Diagnostic = Diagnostic(50);
    /// T22 expired: RESET REQUEST not confirmed in time.
    pub const RESET_TIMER: Diagnostic = Diagnostic(51);
    /// T20 expired: RESTART REQUEST not confirmed in time.
    pub const RESTART_TIMER: Diagnostic = Diagnostic(52);
    /// The called address is invalid.
    pub const INVALID_CALLED_ADDRESS: Diagnostic = Diagnostic(67);
    /// No logical channel available.
    pub const NO_CHANNEL: Diagnostic = Diagnostic(71);
    /// Call collision: both ends selected the same channel.
    pub const CALL_COLLISION: Diagnostic = Diagnostic(72);
    /// A required facility is missing (Linux net/rose).
    pub const MISSING_FACILITY: Diagnostic = Diagnostic(76);
    /// Routing loop: the call passes this switch already (Linux net/rose).
    pub const ROUTING_LOOP: Diagnostic = Diagnostic(120);
}

impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "diagnostic {}", self.0)
    }
}
