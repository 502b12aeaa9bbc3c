//! The protocol identifier of I and UI frames.

use std::fmt;

/// The protocol identifier (PID): the layer 3 protocol of an I or UI frame's information (AX.25 v2.2 section 3.4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pid(pub u8);

impl Pid {
    /// X.25 packet layer (ISO 8208), as ROSE uses it.
    pub const X25: Pid = Pid(0x01);
    /// TCP/IP with compressed headers (RFC 1144).
    pub const COMPRESSED_TCP: Pid = Pid(0x06);
    /// TCP/IP with uncompressed headers on a compressing link (RFC 1144).
    pub const UNCOMPRESSED_TCP: Pid = Pid(0x07);
    /// Segmentation fragment (AX.25 v2.2 section 6.6).
    pub const SEGMENT: Pid = Pid(0x08);
    /// TEXNET datagram protocol (obsolete).
    pub const TEXNET: Pid = Pid(0xc3);
    /// Link quality protocol of TEXNET.
    pub const LINK_QUALITY: Pid = Pid(0xc4);
    /// AppleTalk datagram delivery protocol.
    pub const APPLETALK: Pid = Pid(0xca);
    /// AppleTalk address resolution protocol.
    pub const APPLETALK_ARP: Pid = Pid(0xcb);
    /// Internet Protocol datagram (RFC 791).
    pub const IP: Pid = Pid(0xcc);
    /// Address Resolution Protocol (RFC 826).
    pub const ARP: Pid = Pid(0xcd);
    /// FlexNet network layer packet.
    pub const FLEXNET: Pid = Pid(0xce);
    /// NET/ROM packet or NODES broadcast.
    pub const NETROM: Pid = Pid(0xcf);
    /// No layer 3: text between users.
    pub const NONE: Pid = Pid(0xf0);
    /// Escape: the next octet, the first of the information, identifies the protocol.
    pub const ESCAPE: Pid = Pid(0xff);

    /// The protocol's name, if the standard has one.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Pid::X25 => "X.25",
            Pid::COMPRESSED_TCP => "compressed TCP/IP",
            Pid::UNCOMPRESSED_TCP => "uncompressed TCP/IP",
            Pid::SEGMENT => "segment",
            Pid::TEXNET => "TEXNET",
            Pid::LINK_QUALITY => "link quality",
            Pid::APPLETALK => "AppleTalk",
            Pid::APPLETALK_ARP => "AppleTalk ARP",
            Pid::IP => "IP",
            Pid::ARP => "ARP",
            Pid::FLEXNET => "FlexNet",
            Pid::NETROM => "NET/ROM",
            Pid::NONE => "no layer 3",
            Pid::ESCAPE => "escape",
            _ => return None,
        })
    }
}

impl fmt::Debug for Pid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "PID {:02x}", self.0),
        }
    }
}
