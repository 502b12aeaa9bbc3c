//! The tracker of each network, and which one a packet is for.

use sojourn_core::Time;

use crate::ip::{IpTracker, link};
use crate::lontalk::{LonTalkTracker, lonip};
use crate::{Ax25, LinkType, Packet, Sink, Tracker};

/// A kind of network, as scenarios name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Network {
    /// IP over any link, without LON/IP.
    Ip,
    /// LonTalk over LON/IP.
    LonTalk,
    /// AX.25, and NET/ROM and ROSE over it.
    PacketRadio,
}

impl Network {
    /// Every kind that captures are analysed of.
    pub const ALL: [Network; 3] = [Network::Ip, Network::LonTalk, Network::PacketRadio];

    /// Its kind in scenarios.
    pub const fn kind(self) -> &'static str {
        match self {
            Network::Ip => "ip",
            Network::LonTalk => "lontalk",
            Network::PacketRadio => "packet-radio",
        }
    }

    /// The network of a kind; `None` of one that no capture is analysed of.
    pub fn of_kind(kind: &str) -> Option<Network> {
        Network::ALL.into_iter().find(|network| network.kind() == kind)
    }
}

/// All trackers.
#[derive(Debug, Default)]
pub(crate) struct Trackers {
    ip: IpTracker,
    lontalk: LonTalkTracker,
    ax25: Ax25,
}

impl Trackers {
    /// Passes a packet to the tracker that it is for, if that is of `only`; returns its network.
    #[inline]
    pub fn packet(&mut self, packet: &Packet<'_>, only: Option<Network>, out: &mut Sink) -> Option<Network> {
        let wanted = |network| only.is_none_or(|only| only == network);
        if wanted(Network::LonTalk) && lonip(packet).is_some() {
            self.lontalk.packet(packet, out);
            return Some(Network::LonTalk);
        }
        if wanted(Network::PacketRadio) && matches!(packet.link_type, LinkType::AX25 | LinkType::AX25_KISS) {
            self.ax25.packet(packet, out);
            return Some(Network::PacketRadio);
        }
        if wanted(Network::Ip) && link::is_read(packet.link_type) {
            self.ip.packet(packet, out);
            return Some(Network::Ip);
        }
        None
    }

    /// Ends the capture at `end`.
    pub fn finish(&mut self, end: Time, out: &mut Sink) {
        self.lontalk.finish(end, out);
        self.ax25.finish(end, out);
        self.ip.finish(end, out);
    }
}
