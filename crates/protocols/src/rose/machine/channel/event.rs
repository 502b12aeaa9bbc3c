//! Events of a channel, for the other endpoint of its circuit.

use std::sync::Arc;

use super::super::send_window::Unit;
use crate::rose::wire::{Cause, Diagnostic, Facilities};

/// Why a circuit is cleared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::rose::machine) struct Closing {
    pub cause: Cause,
    pub diagnostic: Diagnostic,
    pub facilities: Option<Arc<Facilities>>,
}

impl Closing {
    pub const fn new(cause: Cause, diagnostic: Diagnostic) -> Self {
        Closing { cause, diagnostic, facilities: None }
    }
}

/// An event on a channel, for the other endpoint of the circuit.
#[derive(Debug)]
pub(in crate::rose::machine) enum ChannelEvent<D> {
    /// Nothing further to do.
    Nothing,
    /// The neighbour has acknowledged packets, or is ready again.
    Progress,
    /// The call is accepted.
    Accepted,
    /// Data received in sequence.
    Data(Unit<D>),
    /// The circuit was reset; data are lost.
    Reset(Cause, Diagnostic),
    /// Interrupt data.
    Interrupt(D),
    /// The interrupt is confirmed.
    InterruptConfirmed,
    /// The neighbour cleared the circuit, and the clear is confirmed to it.
    Cleared(Closing),
    /// The neighbour confirmed the clear of this switch.
    Confirmed,
    /// Procedure error: the packet is invalid in this state, and the circuit must be cleared.
    ProcedureError(Diagnostic),
}
