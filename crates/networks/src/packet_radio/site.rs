//! A checked scenario in this network's types.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_engine::arrivals::{Arrivals, Process};
use sojourn_protocols::ax25::machine::{LinkKey, Settings as LinkSettings};
use sojourn_protocols::ax25::wire::Address;

use super::medium::{ChannelSettings, Hearing, Loading};
use super::node::NodeSettings;
use super::switch::SwitchSettings;
use super::terminal::TerminalSettings;

/// Media, stations and what they send.
#[derive(Clone, Debug)]
pub struct Site {
    /// Radio channels and wires.
    pub media: Vec<Medium>,
    /// All stations.
    pub stations: Vec<StationSettings>,
    /// Sources of background traffic, one per sending station of a flow.
    pub sources: Vec<SourceSettings>,
    /// The ping-pong, if there is one.
    pub probe: Option<Probe>,
}

/// A radio channel or a wire.
#[derive(Clone, Debug)]
pub struct Medium {
    /// Its name.
    pub name: String,
    /// Whether it is a wire.
    pub is_wire: bool,
    /// Settings that its members share.
    pub settings: ChannelSettings,
    /// The ports on it, by member number.
    pub members: Vec<PortPlace>,
    /// Which members hear each other.
    pub hearing: Hearing,
}

/// A port of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortPlace {
    /// Index of the station.
    pub station: u32,
    /// Index of its port.
    pub port: u32,
}

/// A station.
#[derive(Clone, Debug)]
pub struct StationSettings {
    /// Its name.
    pub name: String,
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

/// A port of a station.
#[derive(Clone, Copy, Debug)]
pub struct PortSettings {
    /// Index of its medium.
    pub medium: u32,
    /// Its member number there.
    pub member: u32,
    /// Channel access parameters.
    pub access: Access,
}

/// Channel access parameters of a port; see the keys of `[[medium]]`.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Key-up to first frame (TXDELAY).
    pub txdelay: Duration,
    /// Last frame to key-off (TXTAIL).
    pub txtail: Duration,
    /// Idle time before the first slot (DWAIT).
    pub dwait: Duration,
    /// Probability of transmitting in a slot, (PERSIST + 1) / 256.
    pub persistence: f64,
    /// Slot time (SLOTTIME).
    pub slottime: Duration,
    /// Delay of carrier detection (DCD).
    pub dcd_delay: Duration,
    /// From its own key-off until it can receive.
    pub receiver_recovery: Duration,
    /// Whether it transmits without carrier sense and receives meanwhile (FULLDUP).
    pub full_duplex: bool,
    /// Longest transmission its watchdog timer allows.
    pub transmission_limit: Option<Duration>,
    /// When the frames of a burst are taken from the queue.
    pub loading: Loading,
}

/// CPU time per frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct Costs {
    /// Per frame received.
    pub receive_frame: Duration,
    /// Per frame formed.
    pub send_frame: Duration,
    /// Per octet of information.
    pub per_octet: Duration,
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
