//! The sink for captures: every frame of a medium as bytes with the end of its transmission, and its link type.

use sojourn_core::Time;

/// Link type of the frames, by its number in capture files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkType {
    /// LINKTYPE_ETHERNET: a frame from its destination address on, without the frame check sequence.
    Ethernet = 1,
    /// LINKTYPE_FDDI: frame control and bit-reversed addresses, without the frame check sequence.
    Fddi = 10,
    /// LINKTYPE_RAW: an IPv4 or IPv6 header.
    RawIp = 101,
    /// LINKTYPE_SUNATM: a circuit's numbers and kind, then the packet of an AAL5 frame.
    SunAtm = 123,
    /// LINKTYPE_USER0: a frame of Modbus RTU with its CRC, as tshark reads it where its preferences say `mbrtu`.
    User0 = 147,
    /// LINKTYPE_BACNET_MS_TP: a frame from its preamble to its last CRC.
    BacnetMsTp = 165,
    /// LINKTYPE_ERF: an extensible record with a time stamp of its own, then a cell or an AAL5 frame.
    Erf = 197,
    /// LINKTYPE_AX25_KISS: the command octet of KISS, then an AX.25 frame without its check sequence.
    Ax25Kiss = 202,
    /// LINKTYPE_CAN_SOCKETCAN: identifier with flags, length, flags of CAN FD, data.
    CanSocketCan = 227,
}

/// Receives the frames of a captured replication.
pub trait FrameSink: Send {
    /// Takes one frame as the bytes of its packet record, stamped with the end of its transmission.
    fn frame(&mut self, at: Time, bytes: &[u8]);

    /// Whether what clients send is wanted when they send it, as a capture beside them shows it; else every frame is
    /// taken where it arrives. Only IP networks of packets know the difference.
    fn is_beside_clients(&self) -> bool {
        false
    }
}

/// A sink that drops all frames.
#[derive(Debug)]
pub struct NoFrames;

impl FrameSink for NoFrames {
    fn frame(&mut self, _at: Time, _bytes: &[u8]) {}
}
