//! A captured packet.

use std::fmt::{self, Display};

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
    /// PPP, perhaps with address and control of HDLC.
    pub const PPP: LinkType = LinkType(9);
    /// FDDI: frame control and bit-reversed addresses, without the frame check sequence.
    pub const FDDI: LinkType = LinkType(10);
    /// An IPv4 or IPv6 header, as BSD numbers it.
    pub const BSD_RAW_IP: LinkType = LinkType(12);
    /// An IPv4 or IPv6 header, as OpenBSD numbers it.
    pub const OPENBSD_RAW_IP: LinkType = LinkType(14);
    /// PPP in frames of HDLC.
    pub const PPP_HDLC: LinkType = LinkType(50);
    /// A session of PPPoE, without Ethernet.
    pub const PPPOE: LinkType = LinkType(51);
    /// An IPv4 or IPv6 header.
    pub const RAW_IP: LinkType = LinkType(101);
    /// HDLC as Cisco has it.
    pub const CISCO_HDLC: LinkType = LinkType(104);
    /// 802.11, without a header of the adapter.
    pub const IEEE_802_11: LinkType = LinkType(105);
    /// Frame Relay.
    pub const FRAME_RELAY: LinkType = LinkType(107);
    /// An address family in network byte order, then IP: loopback of OpenBSD.
    pub const LOOP: LinkType = LinkType(108);
    /// Linux "cooked" capture of any interface.
    pub const LINUX_SLL: LinkType = LinkType(113);
    /// 802.11 behind a header of Prism.
    pub const PRISM: LinkType = LinkType(119);
    /// A circuit's numbers and kind, then the packet of an AAL5 frame.
    pub const SUNATM: LinkType = LinkType(123);
    /// 802.11 behind a header of radiotap.
    pub const RADIOTAP: LinkType = LinkType(127);
    /// A user's own, the first of sixteen: a frame of Modbus RTU, as Wireshark reads it where its preferences say so.
    pub const USER0: LinkType = LinkType(147);
    /// 802.11 behind a header of AVS.
    pub const AVS: LinkType = LinkType(163);
    /// BACnet MS/TP: a frame from its preamble on.
    pub const BACNET_MS_TP: LinkType = LinkType(165);
    /// An extensible record with a time stamp of its own, then a cell, an AAL5 frame or an Ethernet frame.
    pub const ERF: LinkType = LinkType(197);
    /// The command octet of KISS, then an AX.25 frame without its check sequence.
    pub const AX25_KISS: LinkType = LinkType(202);
    /// A frame of CAN behind its identifier with flags, its length and the flags of CAN FD.
    pub const CAN_SOCKETCAN: LinkType = LinkType(227);
    /// An IPv4 header.
    pub const IPV4: LinkType = LinkType(228);
    /// An IPv6 header.
    pub const IPV6: LinkType = LinkType(229);
    /// A record of an RTAC (Schweitzer Engineering Laboratories): a header, then octets of a serial line.
    pub const RTAC_SERIAL: LinkType = LinkType(250);
    /// A LonTalk packet with its CRC, as packet logs have it; no number of capture files, which have 16 bits.
    pub const LONTALK: LinkType = LinkType(0x1_0000);
    /// Linux "cooked" capture, version 2.
    pub const LINUX_SLL2: LinkType = LinkType(276);
}

/// Names of link types that captures often have, by number.
#[rustfmt::skip]
const NAMES: [(u32, &str); 36] = [
    (0, "loopback of BSD"), (1, "Ethernet"), (3, "AX.25"), (6, "Token Ring"), (8, "SLIP"), (9, "PPP"), (10, "FDDI"), (12, "raw IP"),
    (14, "raw IP"), (50, "PPP in HDLC frames"), (51, "PPPoE"), (101, "raw IP"), (104, "Cisco HDLC"), (105, "802.11"),
    (107, "Frame Relay"), (108, "loopback of OpenBSD"), (113, "Linux cooked"), (119, "802.11 with Prism header"), (123, "SunATM"),
    (127, "802.11 with radiotap"), (147, "user 0, Modbus RTU"), (163, "802.11 with AVS header"), (165, "BACnet MS/TP"), (187, "Bluetooth H4"), (189, "USB of Linux"),
    (195, "802.15.4"), (197, "ERF"), (201, "Bluetooth H4 with direction"), (202, "AX.25 with KISS"), (220, "USB of Linux"),
    (227, "CAN"), (228, "IPv4"), (229, "IPv6"), (249, "USB of Windows"), (250, "RTAC serial"), (276, "Linux cooked, version 2"),
];

impl Display for LinkType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.binary_search_by_key(&self.0, |(number, _)| *number) {
            Ok(index) => write!(f, "{} ({})", self.0, NAMES[index].1),
            Err(_) => self.0.fmt(f),
        }
    }
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

/// A packet by its stamp and its number, as far as packets are numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Its stamp.
    pub time: Time,
    /// Its number in the merged capture, from 1.
    pub frame: Option<u64>,
}

impl<'a> Packet<'a> {
    /// A packet of the first interface that the capture holds whole.
    pub const fn whole(number: u64, time: Time, link_type: LinkType, data: &'a [u8]) -> Self {
        Packet { number, time, interface: 0, link_type, data, original_length: data.len() as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_types_have_names_by_number() {
        assert!(NAMES.is_sorted_by(|(one, _), (other, _)| one < other));
        assert_eq!(
            (LinkType(127).to_string().as_str(), LinkType(999).to_string().as_str()),
            ("127 (802.11 with radiotap)", "999")
        );
    }
}
