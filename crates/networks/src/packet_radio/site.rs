//! A checked scenario in this network's types.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_engine::arrivals::{Arrivals, Process};
use sojourn_protocols::ax25::machine::{LinkKey, Settings as LinkSettings};
use sojourn_protocols::ax25::wire::Address;

use super::effect::Timeline;
use super::layout::Medium;
use super::node::settings::NodeSettings;
use super::port::{LinkLayer, Proxy};
use super::port_settings::PortSettings;
use super::processor::Costs;
use super::sessions::SessionSettings;
use super::switch::settings::SwitchSettings;
use super::terminal::settings::TerminalSettings;

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
        let StationSettings { address, links, broadcasts, digipeats, .. } = self;
        LinkLayer { address: *address, settings: links, broadcasts, digipeats: *digipeats, proxy }
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
