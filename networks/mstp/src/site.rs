//! A site in the network's own types: media, stations, flows.

use sojourn_core::Duration;
use sojourn_model::effect::Timeline;
use sojourn_model::laws::RandomTime;
use sojourn_model::traffic::Arrivals;
use sojourn_model::uart::Format;
use sojourn_protocols::mstp::machine::Settings;

/// Everything a replication needs to know.
#[derive(Clone, Debug)]
pub struct Site {
    /// Trunks and IP networks, in the order of the scenario.
    pub media: Vec<Medium>,
    /// Stations, `count` unrolled.
    pub stations: Vec<Station>,
    /// Ports of all stations, those of a station next to each other.
    pub ports: Vec<PortSettings>,
    /// Flows in the order of the scenario.
    pub flows: Vec<Flow>,
    /// What happens during a run, if anything does.
    pub timeline: Option<Timeline>,
}

/// A trunk or an IP network.
#[derive(Clone, Debug)]
pub struct Medium {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: MediumKind,
    /// Its ports, by index in the site.
    pub ports: Vec<u32>,
}

/// What a medium is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MediumKind {
    /// An RS-485 trunk.
    Trunk(Trunk),
    /// An IP network.
    Ip {
        /// Of the link of each station.
        bit_rate: u64,
        /// One-way.
        delay: Duration,
    },
}

/// Parameters of a trunk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trunk {
    /// How characters are sent.
    pub format: Format,
    /// Bit error rate.
    pub bit_error_rate: f64,
    /// `T_turnaround`.
    pub turnaround: Duration,
    /// `T_frame_gap`.
    pub frame_gap: Duration,
    /// `T_postdrive`.
    pub postdrive: Duration,
}

/// A device.
#[derive(Clone, Debug)]
pub struct Station {
    /// Its name.
    pub name: String,
    /// Its ports, by index in the site.
    pub ports: std::ops::Range<u32>,
    /// When it replies.
    pub reply: Reply,
    /// Latency of tokens and other frames that need no application.
    pub token_latency: RandomTime,
    /// From a request to its reply.
    pub reply_latency: RandomTime,
    /// Added for each property.
    pub reply_per_property: Duration,
    /// Of a router.
    pub forward: Duration,
    /// How often timers are looked at; zero: at once.
    pub timer_resolution: Duration,
}

impl Station {
    /// Whether it forwards between media.
    pub fn is_router(&self) -> bool {
        self.ports.len() > 1
    }
}

/// When a station replies to requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// As soon as it is ready.
    Immediate,
    /// With its token; Reply Postponed at once.
    Postpone,
    /// With its token; Reply Postponed at the end of `T_reply_delay`.
    Late,
}

/// What a station has on a medium.
#[derive(Clone, Debug)]
pub struct PortSettings {
    /// The station.
    pub station: u32,
    /// The medium.
    pub medium: u16,
    /// Its node on a trunk; none on an IP network.
    pub node: Option<NodeSettings>,
}

/// A node of a trunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeSettings {
    /// Whether it is a slave.
    pub is_slave: bool,
    /// Parameters of the protocol machine.
    pub protocol: Settings,
}

/// Requests or notifications of one service.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Its name.
    pub name: String,
    /// Senders, one for each pair; of a poll, and with Who-Is, each station once.
    pub from: Vec<u32>,
    /// By sender, whom it asks: one, or all in turn, or all at once.
    pub to: Vec<Vec<u32>>,
    /// The service.
    pub service: Service,
    /// Octets of the NPDU.
    pub data: u16,
    /// Octets of the reply's.
    pub response_data: u16,
    /// Properties of a request.
    pub properties: u32,
    /// `APDU_Timeout`.
    pub apdu_timeout: Duration,
    /// `Number_Of_APDU_Retries`.
    pub retries: u8,
    /// Requests of a sender without a reply.
    pub outstanding: u32,
    /// When they come.
    pub arrivals: Arrivals,
    /// Whether senders begin together.
    pub together: bool,
    /// When the flow begins.
    pub delay: Duration,
    /// Whether its response times are sampled.
    pub probe: bool,
}

/// A BACnet service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// ReadProperty.
    Read,
    /// ReadPropertyMultiple.
    ReadMultiple,
    /// WriteProperty.
    Write,
    /// Unconfirmed COV notification.
    Cov,
    /// Confirmed COV notification.
    CovConfirmed,
    /// Who-Is.
    WhoIs,
}

impl Service {
    /// Whether it is a confirmed request.
    pub const fn is_confirmed(self) -> bool {
        !matches!(self, Service::Cov | Service::WhoIs)
    }
}

/// Octets that an NPDU of this size and the headers below it have on an IP network: preamble and gap 20, Ethernet 18, IPv4 20,
/// UDP 8, BVLC 4 (ANSI/ASHRAE 135 annex J).
pub const fn ip_octets(npdu: usize) -> usize {
    npdu + 70
}

impl Site {
    /// The trunk of a port, if it is on one.
    pub fn trunk(&self, medium: u16) -> Option<&Trunk> {
        match &self.media[usize::from(medium)].kind {
            MediumKind::Trunk(trunk) => Some(trunk),
            MediumKind::Ip { .. } => None,
        }
    }

    /// Whether a trunk of this name has bit errors.
    pub fn trunk_errors(&self, name: &str) -> bool {
        let is_noisy = |medium: &Medium| matches!(&medium.kind, MediumKind::Trunk(trunk) if trunk.bit_error_rate > 0.0);
        self.media.iter().any(|medium| medium.name == name && is_noisy(medium))
    }

    /// The port of a station on a medium.
    pub fn port_on(&self, station: u32, medium: u16) -> Option<u32> {
        let mut ports = self.stations[station as usize].ports.clone();
        ports.find(|&port| self.ports[port as usize].medium == medium)
    }

    /// The masters of a medium with their stations, in the order of their addresses.
    pub fn masters(&self, medium: u16) -> Vec<(u32, &Settings)> {
        let ports = self.media[usize::from(medium)].ports.iter().map(|&port| &self.ports[port as usize]);
        let masters = ports.filter_map(|port| {
            let node = port.node.as_ref().filter(|node| !node.is_slave)?;
            Some((port.station, &node.protocol))
        });
        let mut masters: Vec<_> = masters.collect();
        masters.sort_by_key(|(_, settings)| settings.address);
        masters
    }

    /// Whether any station forwards between media.
    pub fn has_routers(&self) -> bool {
        self.stations.iter().any(Station::is_router)
    }
}
