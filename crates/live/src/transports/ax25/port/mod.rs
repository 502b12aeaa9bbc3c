//! Ways to a channel: a KISS TNC over TCP or a serial line, or AX.25 in UDP datagrams.
//!
//! Each is a [`PacketIo`] of frames, and of words for the TNC itself where there is one.

pub mod axudp;
pub mod kiss;
pub mod line;
pub mod serial;

use rustix::io::Errno;
use sojourn_protocols::kiss::Fault;

use crate::io::packet_io::PacketIo;

/// What a datagram of a port is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A frame, without flags and FCS.
    Channel,
    /// A word to the TNC or from it (KISS SetHardware).
    Tnc,
}

/// What a port has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notice {
    /// The way is gone; it is tried again and again.
    Lost(Loss),
    /// The way is there again.
    Restored,
    /// What came was no KISS.
    Garbage(Fault),
    /// A datagram whose FCS is wrong, or that has none.
    BadFcs,
    /// A frame for a station whose host is not known.
    NoRoute,
    /// The network refused a datagram.
    Refused(crate::io::network_error::NetworkError),
}

/// Why the way is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Loss {
    /// The TNC ended the connection.
    #[error("the TNC closed the connection")]
    Closed,
    /// It takes no more bytes.
    #[error("the TNC takes no more bytes")]
    Stuck,
    /// What the operating system says.
    #[error("{0}")]
    System(Errno),
}

/// A way to a channel.
pub trait Port: PacketIo<End = End, Notice = Notice> {
    /// What it is called, in a user's words.
    fn name(&self) -> String;
}

/// The KISS command of a frame, which begins each record of a capture of link type 202.
const KISS_DATA: u8 = 0;

/// Replaces `record` by what a capture holds of a frame; of words to the TNC it holds nothing.
fn capture(end: End, octets: &[u8], record: &mut Vec<u8>) -> bool {
    record.clear();
    record.push(KISS_DATA);
    record.extend_from_slice(octets);
    end == End::Channel
}
