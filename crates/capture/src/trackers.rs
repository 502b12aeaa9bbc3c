//! Selects the tracker of the network that a packet belongs to.

use sojourn_core::Time;

use crate::atm::{self, Circuits};
use crate::ip::{IpTracker, link};
use crate::lontalk::{LonTalkTracker, lonip};
use crate::{Ax25, LinkType, Packet, Sink, Tracker, fddi};

/// A kind of network, as scenarios name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Network {
    /// FDDI rings, and IP and XTP over them.
    Fddi,
    /// IP over any other link, without LON/IP.
    Ip,
    /// LonTalk over LON/IP.
    LonTalk,
    /// AX.25, and NET/ROM and ROSE over it.
    PacketRadio,
    /// ATM circuits, and IP over them.
    SwitchedLan,
}

impl Network {
    /// Every kind that captures are analysed of.
    pub const ALL: [Network; 5] =
        [Network::Fddi, Network::Ip, Network::LonTalk, Network::PacketRadio, Network::SwitchedLan];

    /// Its kind in scenarios.
    pub const fn kind(self) -> &'static str {
        match self {
            Network::Fddi => "fddi",
            Network::Ip => "ip",
            Network::LonTalk => "lontalk",
            Network::PacketRadio => "packet-radio",
            Network::SwitchedLan => "switched-lan",
        }
    }

    /// The network of a kind; `None` of one that no capture is analysed of.
    pub fn of_kind(kind: &str) -> Option<Network> {
        Network::ALL.into_iter().find(|network| network.kind() == kind)
    }
}

/// All trackers. IP and XTP over FDDI and ATM go to that of IP.
#[derive(Debug, Default)]
pub struct Trackers {
    ip: IpTracker,
    lontalk: LonTalkTracker,
    ax25: Ax25,
    circuits: Circuits,
}

impl Trackers {
    /// Passes a packet to the tracker that it is for, if that is of `only`; returns its network. IP over FDDI and ATM is of
    /// network `ip` where only that is wanted.
    #[inline]
    pub fn packet(&mut self, packet: &Packet<'_>, only: Option<Network>, out: &mut Sink) -> Option<Network> {
        let wanted = |network| only.is_none_or(|only| only == network);
        if wanted(Network::LonTalk) && (packet.link_type == LinkType::LONTALK || lonip(packet).is_some()) {
            self.lontalk.packet(packet, out);
            return Some(Network::LonTalk);
        }
        if wanted(Network::Ip) && link::is_read(packet.link_type) {
            self.ip.packet(packet, out);
            return Some(Network::Ip);
        }
        self.other(packet, only, out)
    }

    /// Passes on a packet of a link that is not one of IP alone.
    fn other(&mut self, packet: &Packet<'_>, only: Option<Network>, out: &mut Sink) -> Option<Network> {
        let network = match packet.link_type {
            LinkType::AX25 | LinkType::AX25_KISS => Network::PacketRadio,
            LinkType::FDDI => Network::Fddi,
            LinkType::SUNATM | LinkType::ERF if atm::is_atm(packet) => Network::SwitchedLan,
            LinkType::ERF => Network::Ip,
            _ => return None,
        };
        let over = |only| only == network || (only == Network::Ip && network != Network::PacketRadio);
        if !only.is_none_or(over) {
            return None;
        }
        match packet.link_type {
            LinkType::FDDI => fddi::packet(packet, &mut self.ip, out),
            LinkType::SUNATM | LinkType::ERF => self.circuits.packet(packet, &mut self.ip, out),
            _ => self.ax25.packet(packet, out),
        }
        Some(only.unwrap_or(network))
    }

    /// Ends the capture at `end`.
    pub fn finish(&mut self, end: Time, out: &mut Sink) {
        self.lontalk.finish(end, out);
        self.ax25.finish(end, out);
        self.ip.finish(end, out);
    }
}
