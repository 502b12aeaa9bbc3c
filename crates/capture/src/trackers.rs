//! Selects the tracker of a packet: once for its link type, then by what the packet holds.

use sojourn_core::Time;

use crate::atm::{self, Circuits};
use crate::can::{self, Can, DataPhase};
use crate::ip::roles::Servers;
use crate::ip::{IpTracker, link};
use crate::lontalk::{LonTalkTracker, lonip};
use crate::modbus_rtu::{self, ModbusRtu};
use crate::mstp::Mstp;
use crate::{Ax25, LinkType, Packet, Sink, Tracker, fddi};

/// A kind of network, as scenarios name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Network {
    /// Buses of CAN.
    Can,
    /// FDDI rings, and IP and XTP over them.
    Fddi,
    /// IP over any other link, without LON/IP.
    Ip,
    /// LonTalk over LON/IP.
    LonTalk,
    /// Modbus over serial lines.
    Modbus,
    /// BACnet over MS/TP.
    Mstp,
    /// AX.25, and NET/ROM and ROSE over it.
    PacketRadio,
    /// ATM circuits, and IP over them.
    SwitchedLan,
}

impl Network {
    /// Every kind that captures are analysed of.
    pub const ALL: [Network; 8] = [
        Network::Can,
        Network::Fddi,
        Network::Ip,
        Network::LonTalk,
        Network::Modbus,
        Network::Mstp,
        Network::PacketRadio,
        Network::SwitchedLan,
    ];

    /// Its kind in scenarios.
    pub const fn kind(self) -> &'static str {
        match self {
            Network::Can => "can",
            Network::Fddi => "fddi",
            Network::Ip => "ip",
            Network::LonTalk => "lontalk",
            Network::Modbus => "modbus",
            Network::Mstp => "mstp",
            Network::PacketRadio => "packet-radio",
            Network::SwitchedLan => "switched-lan",
        }
    }

    /// The network of a kind; `None` of one that no capture is analysed of.
    pub fn of_kind(kind: &str) -> Option<Network> {
        Network::ALL.into_iter().find(|network| network.kind() == kind)
    }
}

/// All trackers, and which of them packets go to. IP and XTP over FDDI and ATM go to that of IP, and count as of network
/// `ip` where only that is analysed.
#[derive(Debug, Default)]
pub struct Trackers {
    only: Option<Network>,
    /// Of the last packet: most captures have one link type.
    dispatch: (Option<LinkType>, Dispatch),
    ip: IpTracker,
    can: Can,
    lontalk: LonTalkTracker,
    modbus: ModbusRtu,
    mstp: Mstp,
    ax25: Ax25,
    circuits: Circuits,
}

/// The trackers that the packets of a link type go to.
#[derive(Clone, Copy, Debug, Default)]
enum Dispatch {
    /// None: the link type is not read, or nothing over it is wanted.
    #[default]
    Unread,
    Can,
    /// Frames of CAN in cooked captures go to their tracker, LON/IP packets to that of LonTalk, and all others to that of IP,
    /// each only where its network is wanted.
    Ip {
        ip: bool,
        lontalk: bool,
        can: bool,
    },
    LonTalk,
    Modbus,
    Mstp,
    PacketRadio,
    Fddi(Network),
    /// Circuits, and the Ethernet frames that extensible records hold as well; the network of each where it is wanted.
    Circuits {
        atm: Option<Network>,
        ethernet: Option<Network>,
    },
}

impl Dispatch {
    /// That of a link type, where the analysis may be limited to one network.
    fn of(link_type: LinkType, only: Option<Network>) -> Dispatch {
        let wanted = |network| only.is_none_or(|only| only == network);
        // IP over another network is read as such, and as IP
        let over = |network| (wanted(network) || wanted(Network::Ip)).then(|| only.unwrap_or(network));
        match link_type {
            LinkType::CAN_SOCKETCAN if wanted(Network::Can) => Dispatch::Can,
            LinkType::LONTALK if wanted(Network::LonTalk) => Dispatch::LonTalk,
            LinkType::BACNET_MS_TP if wanted(Network::Mstp) => Dispatch::Mstp,
            _ if modbus_rtu::is_read(link_type) && wanted(Network::Modbus) => Dispatch::Modbus,
            LinkType::AX25 | LinkType::AX25_KISS if wanted(Network::PacketRadio) => Dispatch::PacketRadio,
            LinkType::FDDI => over(Network::Fddi).map_or(Dispatch::Unread, Dispatch::Fddi),
            LinkType::SUNATM | LinkType::ERF => {
                Dispatch::Circuits { atm: over(Network::SwitchedLan), ethernet: over(Network::Ip) }
            }
            _ if link::is_read(link_type) => {
                let is_cooked = matches!(link_type, LinkType::LINUX_SLL | LinkType::LINUX_SLL2);
                let can = is_cooked && wanted(Network::Can);
                Dispatch::Ip { ip: wanted(Network::Ip), lontalk: wanted(Network::LonTalk), can }
            }
            _ => Dispatch::Unread,
        }
    }
}

impl Trackers {
    /// Of one network only where `only` names it.
    pub fn of(only: Option<Network>) -> Trackers {
        Trackers { only, ..Trackers::default() }
    }

    /// The same, where `servers` finds who serves over IP.
    pub fn with_servers(only: Option<Network>, servers: &Servers) -> Trackers {
        Trackers { only, ip: IpTracker::new(servers), ..Trackers::default() }
    }

    /// The same, where bits of the data phase of CAN FD count by a bit rate of their own.
    pub fn with_data_phase(mut self, data_phase: DataPhase) -> Trackers {
        self.can.data_phase = data_phase;
        self
    }

    /// Passes a packet to its tracker; returns its network, none where it is not analysed.
    #[inline]
    pub fn packet(&mut self, packet: &Packet<'_>, out: &mut Sink) -> Option<Network> {
        if self.dispatch.0 != Some(packet.link_type) {
            self.dispatch = (Some(packet.link_type), Dispatch::of(packet.link_type, self.only));
        }
        out.take(packet.number, packet.time);
        match self.dispatch.1 {
            Dispatch::Ip { can: true, .. } if can::is_cooked(packet) => {
                self.can.packet(packet, out);
                Some(Network::Can)
            }
            Dispatch::Ip { lontalk: true, .. } if lonip(packet).is_some() => {
                self.lontalk.packet(packet, out);
                Some(Network::LonTalk)
            }
            Dispatch::Ip { ip: true, .. } => {
                self.ip.packet(packet, out);
                Some(Network::Ip)
            }
            dispatch => self.other(dispatch, packet, out),
        }
    }

    /// Passes on a packet of a link that is not one of IP alone.
    fn other(&mut self, dispatch: Dispatch, packet: &Packet<'_>, out: &mut Sink) -> Option<Network> {
        match dispatch {
            Dispatch::Unread | Dispatch::Ip { .. } => None,
            Dispatch::Can => {
                self.can.packet(packet, out);
                Some(Network::Can)
            }
            Dispatch::LonTalk => {
                self.lontalk.packet(packet, out);
                Some(Network::LonTalk)
            }
            Dispatch::Modbus => {
                self.modbus.packet(packet, out);
                Some(Network::Modbus)
            }
            Dispatch::Mstp => {
                self.mstp.packet(packet, out);
                Some(Network::Mstp)
            }
            Dispatch::PacketRadio => {
                self.ax25.packet(packet, out);
                Some(Network::PacketRadio)
            }
            Dispatch::Fddi(network) => {
                fddi::packet(packet, &mut self.ip, out);
                Some(network)
            }
            Dispatch::Circuits { atm, ethernet } => {
                let network = if atm::is_atm(packet) { atm } else { ethernet };
                network.inspect(|_| self.circuits.packet(packet, &mut self.ip, out))
            }
        }
    }

    /// Ends the capture at `end`.
    pub fn finish(&mut self, end: Time, out: &mut Sink) {
        self.can.finish(end, out);
        self.lontalk.finish(end, out);
        self.modbus.finish(end, out);
        self.mstp.finish(end, out);
        self.ax25.finish(end, out);
        self.ip.finish(end, out);
    }
}
