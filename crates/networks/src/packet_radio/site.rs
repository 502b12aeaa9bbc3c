//! What a scenario describes, in this network's own types.

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
    /// Everything with a callsign.
    pub stations: Vec<StationSite>,
    /// Senders of traffic beside the probe, each on its own.
    pub senders: Vec<SenderSite>,
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
    /// What its members share.
    pub settings: ChannelSettings,
    /// The ports on it, in order.
    pub members: Vec<PortPlace>,
    /// Who hears whom.
    pub hearing: Hearing,
}

/// A port of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PortPlace {
    /// Which station.
    pub station: u32,
    /// Which of its ports.
    pub port: u32,
}

/// A station.
#[derive(Clone, Debug)]
pub struct StationSite {
    /// Its name.
    pub name: String,
    /// Its callsign and SSID.
    pub address: Address,
    /// What it is.
    pub kind: KindSite,
    /// Where it is, a port each.
    pub ports: Vec<PortSite>,
    /// Destinations of UI frames that it hears besides its callsign.
    pub broadcasts: Vec<Address>,
    /// What its links are set to.
    pub links: Arc<LinkSettings>,
    /// What its processor spends.
    pub costs: Costs,
    /// Whether it repeats frames.
    pub digipeats: bool,
    /// Whether it may have links; else nothing of it looks at the channel between its bursts.
    pub has_links: bool,
}

/// What a station is.
#[derive(Clone, Debug)]
pub enum KindSite {
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
pub struct PortSite {
    /// Which medium.
    pub medium: u32,
    /// Which of its members.
    pub member: u32,
    /// How it uses the medium.
    pub access: Access,
}

/// How a port uses its medium.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// TXDELAY.
    pub transmit_delay: Duration,
    /// TXTAIL.
    pub transmit_tail: Duration,
    /// DWAIT.
    pub channel_wait: Duration,
    /// PERSIST.
    pub persistence: f64,
    /// SLOTTIME.
    pub slot_time: Duration,
    /// How late it detects a carrier.
    pub carrier_detection: Duration,
    /// How long after its own carrier it hears nothing.
    pub receiver_recovery: Duration,
    /// Whether it transmits whatever it hears, and hears meanwhile.
    pub full_duplex: bool,
    /// How long its watchdog lets it transmit.
    pub transmission_limit: Option<Duration>,
    /// When the frames of a burst are settled.
    pub loading: Loading,
}

/// What a processor spends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Costs {
    /// A frame received.
    pub receive_frame: Duration,
    /// Information made into a frame.
    pub send_frame: Duration,
    /// An octet of information.
    pub per_octet: Duration,
}

/// A sender of traffic beside the probe.
#[derive(Clone, Debug)]
pub struct SenderSite {
    /// The flow's name.
    pub flow: String,
    /// The flow, counted from 0.
    pub number: u32,
    /// The sending station.
    pub station: u32,
    /// The port it sends on.
    pub port: u32,
    /// From whom to whom, and by which way.
    pub key: LinkKey,
    /// Whether messages are I frames of a link; else they are UI frames.
    pub connected: bool,
    /// When they are handed over.
    pub arrivals: Arrivals,
    /// The same, as it begins, and when.
    pub process: (Process, Duration),
    /// Octets of a message.
    pub length: u16,
    /// Messages that may wait.
    pub queue: u32,
}

/// The ping-pong.
#[derive(Clone, Debug)]
pub struct Probe {
    /// The terminal that sends blocks.
    pub from: u32,
    /// The terminal that returns them.
    pub to: u32,
    /// How the path is set up.
    pub path: Path,
    /// Octets of a block.
    pub size: u32,
    /// Round trips of a replication.
    pub round_trips: u64,
    /// From one to the next.
    pub pause: Duration,
    /// How long one may take, or the set-up of the path.
    pub time_out: Duration,
}

/// How the path of the probe is set up: a link, and what the user then types.
#[derive(Clone, Debug)]
pub struct Path {
    /// The port of the terminal that asks.
    pub port: u32,
    /// The first link.
    pub key: LinkKey,
    /// Commands, each answered before the next; an empty one is not given, and its answer is waited for.
    pub commands: Vec<String>,
}
