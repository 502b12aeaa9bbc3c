//! The transport protocol of SAE J1939-21: messages of 9 to 1785 bytes in packets of 7, to one node with flow control (RTS and
//! CTS) or to all without (BAM).

mod message;
mod receiver;
mod sender;

pub use message::{AbortReason, Address, Control, ControlError, DataTransfer, Identifier};
pub use receiver::Receiver;
pub use sender::Sender;

use sojourn_core::Duration;

/// Longest message: 255 packets.
pub const LIMIT: usize = 1785;
/// Data of a packet.
pub const PACKET: usize = 7;
/// Parameter group of connection management (TP.CM).
pub const CONNECTION_MANAGEMENT: u32 = 0xec00;
/// Parameter group of data transfer (TP.DT).
pub const DATA_TRANSFER: u32 = 0xeb00;

/// Timers and limits (SAE J1939-21, 5.10.2.4 and 5.13.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Packets that a receiver takes at a time.
    pub window: u8,
    /// Time between two packets to all, 50 to 200 ms.
    pub spacing: Duration,
    /// How long a receiver waits for the next packet.
    pub t1: Duration,
    /// How long it waits after a clear to send.
    pub t2: Duration,
    /// How long a sender waits for an answer.
    pub t3: Duration,
    /// How long it waits when it is held.
    pub t4: Duration,
}

impl Default for Parameters {
    fn default() -> Self {
        let milliseconds = Duration::from_millis;
        Parameters {
            window: 16,
            spacing: milliseconds(50),
            t1: milliseconds(750),
            t2: milliseconds(1250),
            t3: milliseconds(1250),
            t4: milliseconds(1050),
        }
    }
}

/// What happens to a sender or receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The user sends a message of this many bytes with this parameter group, to all or to one.
    Send {
        /// Bytes.
        size: u16,
        /// Parameter group number.
        pgn: u32,
        /// Whether it is for all.
        to_all: bool,
    },
    /// Connection management of the peer.
    Control(Control),
    /// A packet of the peer, by its sequence number.
    Packet(u8),
    /// The frame that was to be transmitted has been sent.
    Transmitted,
}

/// What a sender or receiver does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Transmit connection management.
    Control(Control),
    /// Transmit the packet with this sequence number, from 1.
    Packet(u8),
    /// The message of this many bytes is complete.
    Complete(u16),
    /// It is given up.
    Failed(AbortReason),
}
