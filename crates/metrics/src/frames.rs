//! The sink that captures read: every frame a medium carried, as bytes, with the instant it ended; and what a
//! network's frames begin with.

use sojourn_core::Time;

/// What the bytes of a network's frames begin with, by the number that capture files give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// LINKTYPE_FDDI: frame control and bit-reversed addresses, without the frame check sequence.
    Fddi = 10,
    /// LINKTYPE_RAW: an IPv4 or IPv6 header.
    RawIp = 101,
    /// LINKTYPE_SUNATM: a circuit's numbers and kind, then the packet of an AAL5 frame.
    SunAtm = 123,
    /// LINKTYPE_ERF: an extensible record with a time stamp of its own, then a cell or an AAL5 frame.
    Erf = 197,
    /// LINKTYPE_AX25_KISS: the command octet of KISS, then an AX.25 frame without its check sequence.
    Ax25Kiss = 202,
}

/// Where the frames of a replication go when a capture was asked for.
pub trait FrameSink: Send {
    /// Takes one frame as the bytes of its packet record, stamped with the end of its transmission.
    fn frame(&mut self, at: Time, bytes: &[u8]);
}
