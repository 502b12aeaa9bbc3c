//! A captured packet.

use sojourn_core::Time;

/// Link type of an interface, by its number in capture files (<https://www.tcpdump.org/linktypes.html>).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkType(pub u32);

impl LinkType {
    /// An address family in the byte order of the capturing host, then IP: loopback of BSD and macOS.
    pub const NULL: LinkType = LinkType(0);
    /// Ethernet, without the frame check sequence.
    pub const ETHERNET: LinkType = LinkType(1);
    /// AX.25 without KISS's command octet.
    pub const AX25: LinkType = LinkType(3);
    /// FDDI: frame control and bit-reversed addresses, without the frame check sequence.
    pub const FDDI: LinkType = LinkType(10);
    /// An IPv4 or IPv6 header, as BSD numbers it.
    pub const BSD_RAW_IP: LinkType = LinkType(12);
    /// An IPv4 or IPv6 header, as OpenBSD numbers it.
    pub const OPENBSD_RAW_IP: LinkType = LinkType(14);
    /// An IPv4 or IPv6 header.
    pub const RAW_IP: LinkType = LinkType(101);
    /// An address family in network byte order, then IP: loopback of OpenBSD.
    pub const LOOP: LinkType = LinkType(108);
    /// Linux "cooked" capture of any interface.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// A circuit's numbers and kind, then the packet of an AAL5 frame.
    pub const SUNATM: LinkType = LinkType(123);
    /// An extensible record with a time stamp of its own, then a cell, an AAL5 frame or an Ethernet frame.
    pub const ERF: LinkType = LinkType(197);
    /// The command octet of KISS, then an AX.25 frame without its check sequence.
    pub const AX25_KISS: LinkType = LinkType(202);
    /// An IPv4 header.
    pub const IPV4: LinkType = LinkType(228);
    /// An IPv6 header.
    pub const IPV6: LinkType = LinkType(229);
    /// A LonTalk packet with its CRC, as packet logs have it; no number of capture files, which have 16 bits.
    pub const LONTALK: LinkType = LinkType(0x1_0000);
    /// Linux "cooked" capture, version 2.
    pub const LINUX_SLL2: LinkType = LinkType(276);
}

/// A packet of a capture.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'a> {
    /// Its number in the merged capture, from 1.
    pub number: u64,
    /// Its stamp, counted from the first packet of the capture; nanoseconds at best.
    pub time: Time,
    /// Its interface, from 0 over all files.
    pub interface: u32,
    /// Link type of the interface.
    pub link_type: LinkType,
    /// The captured bytes.
    pub data: &'a [u8],
    /// Its length in bytes before the capture cut it to its snap length.
    pub original_length: u32,
}

impl<'a> Packet<'a> {
    /// A packet of the first interface that the capture holds whole.
    pub const fn whole(number: u64, time: Time, link_type: LinkType, data: &'a [u8]) -> Self {
        Packet { number, time, interface: 0, link_type, data, original_length: data.len() as u32 }
    }
}
