//! What a transceiver is told, and what it tells.

use sojourn_protocols::ax25::machine;
use sojourn_protocols::ax25::wire::{Frame, ParseError};

/// What goes into the station within.
pub type StationInput = machine::Input<Vec<u8>>;
/// What comes out of it.
pub type StationOutput = machine::Output<Vec<u8>>;

/// What a driver tells a transceiver.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A frame was heard.
    Heard(Vec<u8>),
    /// A request of the user's.
    Station(StationInput),
    /// So many octets wait in the TNC's transmit queue.
    Queue(u64),
    /// The way to the TNC is open, or is not.
    Port {
        /// Which of the two.
        open: bool,
    },
    /// The user goes: what comes from here on goes out at once, and may use the reserve.
    Leave,
    /// Says who it is, if it has transmitted since it did so last.
    Identify,
}

/// What a transceiver tells its driver.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// These octets to the TNC, to be transmitted.
    Transmit(Vec<u8>),
    /// The TNC is to tell its queue.
    AskQueue,
    /// The TNC does not tell its queue.
    QueueUnknown,
    /// What the station says, transmissions and wishes for the channel apart.
    Station(StationOutput),
    /// A frame of this station's own, repeated by a digipeater.
    Repeated(Frame<Vec<u8>>),
    /// What was heard is no frame.
    Unreadable(ParseError),
}
