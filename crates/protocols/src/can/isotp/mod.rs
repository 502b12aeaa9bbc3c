//! ISO-TP (ISO 15765-2): messages of up to 4095 bytes in frames, with flow control by the receiver.
//!
//! ```text
//! 0 len | data                 single frame; of frames above 8 bytes 00 len | data
//! 1 len 12 bits | data         first frame, answered by flow control
//! 2 index | data               consecutive frame
//! 3 status | BS | STmin        flow control
//! ```

mod pdu;
mod receiver;
mod sender;

pub use pdu::{FlowStatus, Pdu, PduError, Separation};
pub use receiver::Receiver;
pub use sender::Sender;

use sojourn_core::Duration;

/// Longest message without the escape sequence of first frames.
pub const LIMIT: usize = 4095;

/// Timers and limits of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Bytes of a full frame: 8, or up to 64 of CAN FD.
    pub frame: u8,
    /// Consecutive frames that the receiver takes between two flow controls; 0: all.
    pub block_size: u8,
    /// Shortest time that the receiver wants between consecutive frames.
    pub separation: Separation,
    /// How long a sender waits for flow control (N_Bs).
    pub n_bs: Duration,
    /// How long a receiver waits for a consecutive frame (N_Cr).
    pub n_cr: Duration,
}

impl Default for Parameters {
    /// ISO 15765-2, table 14: timeouts of 1000 ms.
    fn default() -> Self {
        let timeout = Duration::from_millis(1000);
        Parameters { frame: 8, block_size: 0, separation: Separation(0), n_bs: timeout, n_cr: timeout }
    }
}

/// What happens to a sender or receiver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input<D> {
    /// The user sends a message.
    Send(D),
    /// A frame of the peer.
    Received(Pdu<D>),
    /// The frame that was to be transmitted has been sent.
    Transmitted,
}

/// What a sender or receiver does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Output<D> {
    /// Transmit a frame.
    Transmit(Pdu<D>),
    /// A part of a message has arrived.
    Data(D),
    /// The message of this many bytes is complete: sent, or received.
    Complete(u16),
    /// It is given up.
    Failed(Failure),
}

/// Why a message is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No flow control (N_Bs).
    FlowControlTimeout,
    /// No consecutive frame (N_Cr).
    ConsecutiveTimeout,
    /// A consecutive frame with another index than the next.
    WrongSequence,
    /// The receiver has no room.
    Overflow,
    /// The message is empty or too long.
    Length,
}
