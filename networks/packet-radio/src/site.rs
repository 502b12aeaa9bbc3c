//! The scenario in the types of this network.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_engine::arrivals::{Arrivals, Process};
use sojourn_engine::law::Law;
use sojourn_protocols::ax25::machine::{LinkKey, Settings as LinkSettings};
use sojourn_protocols::ax25::wire::Address;

use super::layout::Medium;
use super::node::settings::NodeSettings;
use super::port::{LinkLayer, Proxy};
use super::port_settings::PortSettings;
use super::processor::Costs;
use super::switch::settings::SwitchSettings;
use super::terminal::settings::TerminalSettings;
use sojourn_model::effect::Timeline;

/// Media, stations and what they send.
#[derive(Clone, Debug)]
pub struct Site {
    /// Radio channels and wires.
    pub media: Vec<Medium>,
    /// All stations.
    pub stations: Vec<StationSettings>,
    /// Sources of background traffic, one per sending station of a flow.
    pub sources: Vec<SourceSettings>,
    /// Users who open sessions, one per sending station of a flow.
    pub sessions: Vec<SessionSettings>,
    /// Names of the stations' tables.
    pub groups: Vec<String>,
    /// The ping-pong, if there is one.
    pub probe: Option<Probe>,
    /// What happens during a run, if anything does.
    pub timeline: Option<Timeline>,
}

/// A station.
#[derive(Clone, Debug)]
pub struct StationSettings {
    /// Its name.
    pub name: String,
    /// Its table in the scenario.
    pub group: u32,
    /// Its callsign and SSID.
    pub address: Address,
    /// Its type and the settings of that type.
    pub kind: TypeSettings,
    /// Its ports, one per medium.
    pub ports: Vec<PortSettings>,
    /// Broadcast destinations of UI frames that it receives.
    pub broadcasts: Vec<Address>,
    /// Link layer parameters.
    pub links: Arc<LinkSettings>,
    /// CPU time per frame.
    pub costs: Costs,
    /// Whether it repeats frames.
    pub digipeats: bool,
    /// Addresses beside its own that it repeats frames for.
    pub aliases: Vec<Address>,
    /// Whether it may have links; without links it does not observe the channel between its bursts.
    pub has_links: bool,
}

impl StationSettings {
    /// What its ports need of it. A switch terminates users' links under the callsigns of remote stations, a node has
    /// links in its users' names.
    pub fn link_layer(&self) -> LinkLayer<'_> {
        let proxy = match self.kind {
            TypeSettings::Switch(_) => Proxy::Stations,
            TypeSettings::Node(_) => Proxy::Users,
            TypeSettings::Terminal(_) | TypeSettings::Digipeater => Proxy::None,
        };
        let StationSettings { address, links, broadcasts, digipeats, aliases, .. } = self;
        LinkLayer { address: *address, settings: links, broadcasts, digipeats: *digipeats, aliases, proxy }
    }
}

/// The type of a station and its settings.
#[derive(Clone, Debug)]
pub enum TypeSettings {
    /// A PC on the serial line of a TNC.
    Terminal(TerminalSettings),
    /// A digipeater.
    Digipeater,
    /// A NET/ROM node.
    Node(Arc<NodeSettings>),
    /// A ROSE switch.
    Switch(Arc<SwitchSettings>),
}

/// The sessions of one station of a flow.
#[derive(Clone, Debug)]
pub struct SessionSettings {
    /// The flow's name.
    pub flow: String,
    /// The flow, counted from 0.
    pub number: u32,
    /// The stations: the one that connects, and its peer.
    pub ends: [u32; 2],
    /// Path and its setup.
    pub path: Path,
    /// Exchanges of a session.
    pub exchanges: u32,
    /// Octets of a request and of a response, as they are sent.
    pub sizes: [u32; 2],
    /// Largest packet in octets that each end sends (PACLEN).
    pub paclen: [u16; 2],
    /// Unacknowledged packets that each end's TNC buffers before flow control stops its program, if it ever does.
    pub buffers: [Option<u32>; 2],
    /// From a response to the next request.
    pub think_time: Law,
    /// Time from the last octet of a request to the first of its response.
    pub turnaround: Duration,
    /// Timeout of the setup and of an exchange.
    pub timeout: Duration,
    /// When sessions begin.
    pub arrivals: Arrivals,
    /// The arrival process, and the delay before it starts.
    pub process: (Process, Duration),
    /// Sessions that wait while one is open.
    pub queue: u32,
}

/// A source of background traffic.
#[derive(Clone, Debug)]
pub struct SourceSettings {
    /// The flow's name.
    pub flow: String,
    /// The flow, counted from 0.
    pub number: u32,
    /// The sending station.
    pub station: u32,
    /// The port it sends on.
    pub port: u32,
    /// Addresses of its frames: source, destination, digipeaters.
    pub key: LinkKey,
    /// Whether messages are I frames of a link; else they are UI frames.
    pub connected: bool,
    /// Whether messages go to all stations, so that none misses them.
    pub is_broadcast: bool,
    /// Whether several digipeaters may repeat a message, so that copies of it arrive.
    pub has_copies: bool,
    /// Arrivals of messages.
    pub arrivals: Arrivals,
    /// The arrival process, and the delay before it starts.
    pub process: (Process, Duration),
    /// Octets of a message.
    pub length: u16,
    /// Queue limit in messages.
    pub queue: u32,
}

/// The ping-pong.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The terminal that sends blocks.
    pub from: u32,
    /// The terminal that returns them.
    pub to: u32,
    /// Path and its setup.
    pub path: Path,
    /// Octets of a block.
    pub size: u32,
    /// Round trips of a replication.
    pub round_trips: u64,
    /// Pause between round trips.
    pub pause: Duration,
    /// Timeout of a round trip and of the path setup.
    pub timeout: Duration,
}

/// Setup of the probe's path: a link, and the commands that the user then types.
#[derive(Clone, Debug)]
pub struct Path {
    /// The port of the terminal that connects.
    pub port: u32,
    /// The first link.
    pub key: LinkKey,
    /// Commands, each after the reply to the last; an empty one is not sent, but a reply is awaited.
    pub commands: Vec<String>,
}
