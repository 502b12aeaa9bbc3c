//! Why a call is cleared, a circuit reset or a link restarted.

use std::fmt;

/// The cause of CLEAR, RESET and RESTART REQUEST (X.25 tables 5-7 to 5-9).
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cause(pub u8);

impl Cause {
    /// A user or the other end wanted it.
    pub const DTE_ORIGINATED: Cause = Cause(0x00);
    /// The station called takes no more calls.
    pub const NUMBER_BUSY: Cause = Cause(0x01);
    /// A facility makes no sense.
    pub const INVALID_FACILITY: Cause = Cause(0x03);
    /// A switch has no more channels or buffers.
    pub const NETWORK_CONGESTION: Cause = Cause(0x05);
    /// A link on the way is down. Of RESTART the same number means that the network works again.
    pub const OUT_OF_ORDER: Cause = Cause(0x09);
    /// The station called may not be called.
    pub const ACCESS_BARRED: Cause = Cause(0x0b);
    /// No route leads to the address.
    pub const NOT_OBTAINABLE: Cause = Cause(0x0d);
    /// The other end broke the rules.
    pub const REMOTE_PROCEDURE_ERROR: Cause = Cause(0x11);
    /// This end broke the rules.
    pub const LOCAL_PROCEDURE_ERROR: Cause = Cause(0x13);
    /// The station called does not answer.
    pub const SHIP_ABSENT: Cause = Cause(0x39);

    /// The cause in words, of those that ROSE uses.
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

/// The diagnostic code that says more (X.25 annex E).
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Diagnostic(pub u8);

impl Diagnostic {
    /// Nothing more to say.
    pub const NONE: Diagnostic = Diagnostic(0);
    /// P(S) is not the number expected.
    pub const INVALID_SEND_NUMBER: Diagnostic = Diagnostic(1);
    /// P(R) acknowledges what has not been sent.
    pub const INVALID_RECEIVE_NUMBER: Diagnostic = Diagnostic(2);
    /// The packet's type does not fit a free channel (state p1).
    pub const INVALID_WHEN_READY: Diagnostic = Diagnostic(20);
    /// The packet's type does not fit a call under way (states p2 and p3).
    pub const INVALID_WHILE_CALLING: Diagnostic = Diagnostic(21);
    /// The packet's type does not fit a call that is up (state p4).
    pub const INVALID_WHEN_CONNECTED: Diagnostic = Diagnostic(23);
    /// The packet belongs to no channel.
    pub const UNASSIGNED_CHANNEL: Diagnostic = Diagnostic(36);
    /// There is more data than a packet may have.
    pub const TOO_LONG: Diagnostic = Diagnostic(39);
    /// An interrupt was confirmed that was not sent.
    pub const UNAUTHORISED_INTERRUPT_CONFIRMATION: Diagnostic = Diagnostic(43);
    /// A second interrupt came before the first was confirmed.
    pub const UNAUTHORISED_INTERRUPT: Diagnostic = Diagnostic(44);
    /// A timer expired that has no code of its own.
    pub const TIMER: Diagnostic = Diagnostic(48);
    /// A call was not answered in time.
    pub const CALL_TIMER: Diagnostic = Diagnostic(49);
    /// A clear request was not confirmed in time.
    pub const CLEAR_TIMER: Diagnostic = Diagnostic(50);
    /// A reset request was not confirmed in time.
    pub const RESET_TIMER: Diagnostic = Diagnostic(51);
    /// A restart request was not confirmed in time.
    pub const RESTART_TIMER: Diagnostic = Diagnostic(52);
    /// The address called is none.
    pub const INVALID_CALLED_ADDRESS: Diagnostic = Diagnostic(67);
    /// No logical channel is free.
    pub const NO_CHANNEL: Diagnostic = Diagnostic(71);
    /// Both ends took the same channel.
    pub const CALL_COLLISION: Diagnostic = Diagnostic(72);
    /// A facility that must be there is missing (Linux net/rose).
    pub const MISSING_FACILITY: Diagnostic = Diagnostic(76);
    /// The call passes this switch already: a route leads back (Linux net/rose).
    pub const ROUTING_LOOP: Diagnostic = Diagnostic(120);
}

impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "diagnostic {}", self.0)
    }
}
