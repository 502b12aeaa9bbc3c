//! A scenario in the network's own types: names are indices, words are enums.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_engine::law::Law;
use sojourn_model::effect::Timeline;
use sojourn_model::traffic::Arrivals;
use sojourn_protocols::can::controller::Discipline;
use sojourn_protocols::can::frame::Id;
use sojourn_protocols::can::{isotp, j1939};

use crate::lengths::{Bits, Stuffing};

/// Everything a replication needs to know.
#[derive(Clone, Debug)]
pub struct Site {
    /// The buses.
    pub media: Vec<MediumSettings>,
    /// The stations, member by member.
    pub stations: Vec<StationSettings>,
    /// Where stations are attached to buses: those of a bus follow each other.
    pub ports: Vec<PortSettings>,
    /// The flows.
    pub flows: Vec<FlowSettings>,
    /// The parts of all paths.
    pub hops: Vec<Hop>,
    /// What happens during a run.
    pub timeline: Option<Timeline>,
}

impl Site {
    /// Media that are buses.
    pub fn buses(&self) -> usize {
        self.media.iter().filter(|medium| medium.link.is_none()).count()
    }
}

/// A bus.
#[derive(Clone, Debug)]
pub struct MediumSettings {
    /// Its name.
    pub name: String,
    /// Times of bits.
    pub bits: Bits,
    /// Stuff bits.
    pub stuffing: Stuffing,
    /// Bit error rate.
    pub bit_error_rate: f64,
    /// A fault in each of these.
    pub fault_interval: Option<Duration>,
    /// Links of an IP network; none of a bus.
    pub link: Option<IpLink>,
    /// Its first port, and how many it has.
    pub ports: [u32; 2],
}

/// The links of an IP network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpLink {
    /// Bit rate of the link of each station, in bit/s.
    pub rate: u64,
    /// One-way.
    pub delay: Duration,
    /// How long frames are collected for a datagram.
    pub collect: Duration,
}

/// A station.
#[derive(Clone, Debug)]
pub struct StationSettings {
    /// Its name.
    pub name: String,
    /// Its ports, one for each bus it is on.
    pub ports: Vec<u32>,
    /// What it has in common with others.
    pub class: Arc<StationClass>,
}

/// What stations of one table have in common.
#[derive(Clone, Debug)]
pub struct StationClass {
    /// When its periodic messages begin.
    pub offsets: Offsets,
    /// How it chooses the frame that it offers.
    pub discipline: Discipline,
    /// Most frames that wait at a port.
    pub room: usize,
    /// Most received frames that wait for its processor.
    pub receive_fifo: u32,
    /// From bus-off to the restart of the controller.
    pub restart: Duration,
    /// Whether frames are sent again after an error.
    pub retransmits: bool,
    /// Whether it acknowledges frames.
    pub acknowledges: bool,
    /// CPU time of sending a message.
    pub send: Law,
    /// CPU time of receiving a frame.
    pub receive: Law,
    /// CPU time of forwarding a frame.
    pub forward: Law,
    /// From a request to its answer, at the application.
    pub answer: Law,
}

/// When the periodic messages of a node begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offsets {
    /// Each at a random instant of its period.
    Random,
    /// All together.
    None,
    /// At offsets that keep them apart.
    Spread,
}

/// When a message of a node begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    /// After the node has begun.
    pub offset: Duration,
    /// The node begins within this time: its longest period.
    pub within: Duration,
}

/// Where a station is attached to a bus.
#[derive(Clone, Copy, Debug)]
pub struct PortSettings {
    /// The station.
    pub station: u32,
    /// The bus.
    pub medium: u16,
}

/// Messages of one identifier.
#[derive(Clone, Debug)]
pub struct FlowSettings {
    /// Its name.
    pub name: String,
    /// Who sends, each for itself.
    pub senders: Vec<Sender>,
    /// When.
    pub arrivals: Arrivals,
    /// Whether all senders begin at the same instant.
    pub together: bool,
    /// When they begin.
    pub delay: Duration,
    /// How messages are carried.
    pub service: Service,
    /// Of J1939 the parameter group of a message.
    pub pgn: u32,
    /// Bytes of a message; of recorded ones the most.
    pub data: u16,
    /// Of CAN FD frames whether the bit rate switches.
    pub brs: Option<bool>,
    /// The bytes of frames, where they count.
    pub payload: Payload,
    /// Whether response times are sampled.
    pub probe: bool,
    /// When a message is late.
    pub deadline: Option<Duration>,
    /// How often a message is begun again.
    pub retries: u8,
}

impl FlowSettings {
    /// Whether receivers are asked one after another, each by identifiers of its own.
    pub fn is_poll(&self) -> bool {
        matches!(self.arrivals, Arrivals::Poll { .. })
    }

    /// Receivers of one message of a sender.
    pub fn receivers(&self, sender: &Sender) -> usize {
        if self.is_poll() { 1 } else { sender.receivers.len() }
    }
}

/// A sender of a flow.
#[derive(Clone, Debug)]
pub struct Sender {
    /// The station.
    pub station: u32,
    /// The paths of its messages: the first hop on each bus that leads to receivers, from which others follow; of a poll the first hop
    /// to each receiver.
    pub forth: Vec<u32>,
    /// The first hops of responses, by receiver; none of broadcast.
    pub back: Vec<u32>,
    /// The receivers.
    pub receivers: Vec<u32>,
    /// When its periodic messages begin; none where that is random, or as the flow says.
    pub offset: Option<Offset>,
}

/// A bus on the path of a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    /// The port that sends it there.
    pub port: u32,
    /// Its identifier.
    pub id: Id,
    /// Who receives it there, by the numbers of [`Sender::receivers`]; of responses 0, the sender, and of polls 0.
    pub receivers: Vec<Receiving>,
    /// Where gateways take it next.
    pub next: Vec<u32>,
    /// Receivers here and behind.
    pub reach: u32,
    /// Stuff bits of random data, where they are drawn from a table.
    pub table: Arc<[u8]>,
}

/// A station that receives a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receiving {
    /// The station.
    pub station: u32,
    /// Its number among the receivers of the flow's sender.
    pub number: u16,
}

/// How messages are carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// A data frame.
    Broadcast,
    /// A remote frame and a data frame, within this time.
    Remote(Duration),
    /// A data frame and another of this many bytes, within this time.
    Request(Duration, u16),
    /// Reading an object, with this timeout.
    Sdo(Duration),
    /// Writing an object in blocks of this many segments, with this timeout.
    SdoBlock(Duration, u8),
    /// ISO-TP.
    IsoTp(isotp::Parameters),
    /// A request over ISO-TP, whose answer has this many bytes.
    Uds(isotp::Parameters, u16),
    /// J1939 to one (false) or to several.
    J1939(j1939::Parameters, bool),
}

/// The bytes of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Payload {
    /// A number that rises, in the first four bytes.
    Counter,
    /// A clock that is read at any time: four random bytes.
    Clock,
    /// Random bytes.
    Random,
    /// The same ones, over and over.
    Constant(Arc<[u8]>),
}
