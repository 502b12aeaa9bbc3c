//! The jobs of a host's CPU.

use sojourn_core::Duration;

/// A job of a host's CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// The user of a stream writes: takes no time itself, but begins the sending that does.
    Write(u32),
    /// Sends a frame.
    Send(u32),
    /// Takes a frame received.
    Receive(u32),
    /// Delivers data that waited for their acknowledgement.
    Deliver(u32),
    /// Spends time on what has happened already.
    Spend(Duration),
}
