//! What goes into a connection and what comes out.

use crate::tcp::wire::Header;

/// What a driver tells a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// The user wants the connection.
    Connect,
    /// The user waits for the other end to want it.
    Listen,
    /// The user has written more. [`Connection::send_space`](super::Connection::send_space) says how much is taken.
    Write {
        /// How many octets.
        octets: u64,
    },
    /// The user has read what was delivered, where [`Consumption::Reported`](super::Consumption::Reported) is set.
    Read {
        /// How many octets.
        octets: u64,
    },
    /// The user writes no more.
    Close,
    /// The user ends the connection at once.
    Abort,
    /// A segment with a valid checksum came in.
    Receive {
        /// Its header.
        header: Header,
        /// Octets of data.
        length: u32,
    },
}

/// What a connection tells its driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// Transmit a segment.
    Transmit {
        /// Its header.
        header: Header,
        /// Where its data begin in the stream of what the user has written.
        offset: u64,
        /// How many octets of data it carries.
        length: u32,
        /// What it is sent for.
        purpose: Purpose,
    },
    /// The connection is up.
    Established,
    /// Data have come, in order.
    Deliver {
        /// How many octets more.
        octets: u64,
    },
    /// The other end writes no more.
    EndOfStream,
    /// There is room again for the user to write.
    Writable,
    /// The connection is over.
    Closed {
        /// Why.
        end: End,
    },
}

/// What a segment is sent for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Purpose {
    /// Sets the connection up or resets it.
    Control,
    /// Data, or the end of data, for the first time.
    Data,
    /// Data again.
    Retransmission,
    /// An octet beyond the window, to learn whether it is still closed.
    WindowProbe,
    /// Acknowledges alone.
    Acknowledgement,
}

/// Why a connection is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum End {
    /// Both ends have finished.
    Finished,
    /// The user ended it.
    Aborted,
    /// The other end ended it, or did not want it.
    Reset,
    /// The other end did not answer.
    TimedOut,
}
