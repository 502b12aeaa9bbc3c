//! Inputs and outputs of a connection.

use crate::ip::Ecn;
use crate::tcp::wire::Header;

/// A user call or an arriving segment (RFC 9293, 3.9 and 3.10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// Active OPEN: send SYN.
    Connect,
    /// Passive OPEN: wait for a SYN.
    Listen,
    /// SEND: the user has written data, of which [`Connection::send_space`](super::Connection::send_space) are accepted.
    Write {
        /// Number of octets written.
        octets: u64,
    },
    /// RECEIVE: the user has read delivered data; needed with [`Consumption::Reported`](super::Consumption::Reported).
    Read {
        /// Number of octets read since the last call.
        octets: u64,
    },
    /// CLOSE: no more data to send.
    Close,
    /// ABORT: reset the connection.
    Abort,
    /// A segment with a valid checksum arrived.
    Receive {
        /// Header of the segment.
        header: Header,
        /// Octets of data (SEG.LEN without SYN and FIN).
        length: u32,
        /// What its IP header says of congestion.
        ecn: Ecn,
    },
}

/// An action for the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Transmit a segment to the peer.
    Transmit {
        /// Header of the segment.
        header: Header,
        /// Offset of its data in the stream that the user has written, octets.
        offset: u64,
        /// Number of octets of data, 0 to the MSS.
        length: u32,
        /// Why it is sent.
        purpose: Purpose,
        /// What its IP header is to say of congestion.
        ecn: Ecn,
    },
    /// The connection is established.
    Established,
    /// Data have arrived in order.
    Deliver {
        /// Octets since the previous delivery.
        octets: u64,
    },
    /// The peer has closed its direction (FIN), and all its data were delivered.
    EndOfStream,
    /// The send buffer has space again after a write was not accepted in full.
    Writable,
    /// The connection is closed.
    Closed {
        /// Reason for the close.
        end: End,
    },
}

/// Why a segment is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// SYN or RST, without data.
    Control,
    /// Data or FIN, sent for the first time.
    Data,
    /// Data or FIN, retransmitted.
    Retransmission,
    /// Zero-window probe of one octet (RFC 9293, 3.8.6.1).
    WindowProbe,
    /// Pure acknowledgement, without data.
    Acknowledgement,
}

/// Why a connection was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// Both ends closed, and all data were acknowledged.
    Finished,
    /// The user aborted it.
    Aborted,
    /// The peer reset or refused it.
    Reset,
    /// The maximum number of retransmissions was reached.
    TimedOut,
}
