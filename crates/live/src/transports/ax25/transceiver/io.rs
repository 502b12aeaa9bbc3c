//! Inputs and outputs of a transceiver.

use sojourn_protocols::ax25::machine;
use sojourn_protocols::ax25::wire::{Frame, ParseError};

/// Input of the AX.25 station in it.
pub type StationInput = machine::Input<Vec<u8>>;
/// Output of the AX.25 station in it.
pub type StationOutput = machine::Output<Vec<u8>>;

/// Input of a transceiver.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A frame was received.
    Heard(Vec<u8>),
    /// A request of the application to the station.
    Station(StationInput),
    /// Octets in the TNC's transmit queue.
    Queue(u64),
    /// The connection to the TNC was restored or lost.
    Port {
        /// Whether it is connected now.
        open: bool,
    },
    /// Shutdown: frames from here on are sent at once, and may use the reserved airtime.
    Leave,
    /// Send identification, if anything was transmitted since the last.
    Identify,
}

/// Output of a transceiver.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// Pass these octets to the TNC for transmission.
    Transmit(Vec<u8>),
    /// Poll the TNC's queue.
    AskQueue,
    /// The TNC does not report its queue.
    QueueUnknown,
    /// An output of the station other than frames and channel requests.
    Station(StationOutput),
    /// A digipeater repeated a frame of this station.
    Repeated(Frame<Vec<u8>>),
    /// Received octets were not a frame.
    Unreadable(ParseError),
}
