//! A site to simulate, as plain data: media, stations, flows and model options.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_model::traffic::Arrivals;
use sojourn_protocols::lontalk::machine::TimerStart;
use sojourn_protocols::lontalk::timer::{ReceiveTimer, TransactionTimer};
use sojourn_protocols::lontalk::wire::Domain;

use super::channel::Channel;
use super::costs::Costs;
use super::ip852;
use super::medium::BacklogRule;
use sojourn_model::effect::Timeline;

/// A checked scenario in this network's types.
#[derive(Clone, Debug)]
pub struct Site {
    /// The media, in the order of the scenario.
    pub media: Vec<MediumSettings>,
    /// The stations, members of counted ones unrolled.
    pub stations: Vec<StationSettings>,
    /// The flows, in the order of the scenario.
    pub flows: Vec<FlowSettings>,
    /// The domain all stations are in.
    pub domain: Domain,
    /// Factor of coded timers.
    pub timer_scale: f64,
    /// When transaction timers start.
    pub timer_starts: TimerStart,
    /// Whether queued retries of a completed transaction are withdrawn.
    pub withdraw: bool,
    /// What happens during a run, if anything does.
    pub timeline: Option<Timeline>,
}

/// A medium.
#[derive(Clone, Debug)]
pub struct MediumSettings {
    /// Name in the scenario.
    pub name: String,
    /// Parameters of its channel.
    pub channel: Channel,
    /// How the backlog is estimated.
    pub backlog_rule: BacklogRule,
    /// Of a channel over an IP network, which has no medium access: what it has in place of it.
    pub ip: Option<ip852::Settings>,
}

/// A station.
#[derive(Clone, Debug)]
pub struct StationSettings {
    /// Settings that it shares with others of its `[[station]]`.
    pub class: Arc<StationClass>,
    /// Its number among those, from 1; 0 if it is the only one.
    pub number: u32,
}

impl StationSettings {
    /// Name in the scenario and in random streams: `sensor-3`, or `sensor` if it is the only one.
    pub fn name(&self) -> String {
        match self.number {
            0 => self.class.name.to_string(),
            number => format!("{}-{number}", self.class.name),
        }
    }

    /// The media it is on, by index.
    #[inline]
    pub fn on(&self) -> &[u16] {
        &self.class.on
    }
}

/// Settings that the stations of one `[[station]]` share.
#[derive(Clone, Debug)]
pub struct StationClass {
    /// Their name, before the number.
    pub name: Box<str>,
    /// The media they are on, by index.
    pub on: Box<[u16]>,
    /// CPU time of each step at its input clock.
    pub costs: Costs,
    /// Half-width of the uniform jitter of the application latency, as a fraction of it.
    pub application_jitter: f64,
    /// Receive timer of unicast messages.
    pub receive_timer: ReceiveTimer,
    /// Its priority slot, 0 for none.
    pub priority_slot: u8,
    /// Whether it detects collisions.
    pub collision_detection: bool,
    /// Sizes of its buffer pools.
    pub buffers: Buffers,
    /// Number of receive records.
    pub receive_records: u16,
    /// What it forwards between its media.
    pub role: Role,
}

/// What a station does with packets addressed to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Discards them.
    Node,
    /// Forwards those for nodes or groups on its other media, by tables.
    Router,
    /// Forwards those for subnets that it has heard on its other media or nowhere, and all for groups.
    Learning,
    /// Forwards all of them.
    Repeater,
}

/// Buffer counts of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    /// Messages waiting for the application.
    pub application_input: u16,
    /// Messages of the application that have not ended.
    pub application_output: u16,
    /// Priority messages of the application that have not ended.
    pub application_output_priority: u16,
    /// Packets waiting for the network processor.
    pub network_input: u16,
    /// Packets waiting for the medium.
    pub network_output: u16,
    /// Priority packets waiting for the medium.
    pub network_output_priority: u16,
    /// Packets of one priority waiting for the medium at which acknowledgements and responses are dropped.
    pub network_output_answers: u16,
}

impl Buffers {
    /// Messages of one application that can be open at a time, of those with or without priority. A message that is acknowledged
    /// keeps its application buffer until its transaction ends; one that is not frees it as soon as a network buffer takes it.
    pub fn open_messages(&self, service: ServiceKind, priority: bool) -> u32 {
        let [application, network] = match priority {
            true => [self.application_output_priority, self.network_output_priority],
            false => [self.application_output, self.network_output],
        };
        let taken = match service {
            ServiceKind::Unacknowledged | ServiceKind::Repeated => network,
            ServiceKind::Acknowledged | ServiceKind::Request => 0,
        };
        u32::from(application) + u32::from(taken)
    }
}

impl Default for Buffers {
    fn default() -> Self {
        Buffers {
            application_input: 2,
            application_output: 2,
            application_output_priority: 1,
            network_input: 2,
            network_output: 2,
            network_output_priority: 1,
            network_output_answers: 191,
        }
    }
}

/// A flow: messages of one type from one or several stations. The fields that each message reads come first, in one cache
/// line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct FlowSettings {
    /// When messages are sent.
    pub arrivals: Arrivals,
    /// Network variable or explicit message.
    pub message: MessageKind,
    /// Message service (ISO/IEC 14908-1, 8).
    pub service: ServiceKind,
    /// Whether receivers challenge the sender.
    pub authenticated: bool,
    /// Whether messages have priority.
    pub priority: bool,
    /// Bytes of user data.
    pub data: u16,
    /// Bytes of user data in a response.
    pub response_data: u16,
    /// Retry count, or repeat count.
    pub retries: u8,
    /// Transaction timer, or repeat timer.
    pub timer: TransactionTimer,
    /// What happens to a message while the transaction of the last one is open.
    pub generator: Generator,
    /// Whether response times are sampled.
    pub probe: bool,
    /// Name in the scenario.
    pub name: String,
    /// Sending stations, each a source of its own.
    pub from: Vec<usize>,
    /// Receivers and address format.
    pub to: Target,
    /// Receive timer of this flow, if not that of the receiving station.
    pub receive_timer: Option<ReceiveTimer>,
    /// When the first message begins.
    pub start: Start,
    /// How long after the start of the run the traffic begins.
    pub delay: Duration,
    /// Delta backlog of a broadcast, 0 if unknown.
    pub broadcast_backlog: u8,
}

/// Receivers of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// One station for all.
    Station(usize),
    /// One station for each sender, in the order of `from`.
    Each(Vec<usize>),
    /// A group of stations for all.
    Group(Vec<usize>),
    /// A group of two, with the sender, for each sender.
    GroupOfTwo(Vec<usize>),
    /// All stations of the domain.
    Broadcast,
    /// One station after another (a poll).
    Polled(Vec<usize>),
    /// One station for each sender, by its Neuron ID.
    UniqueId(Vec<usize>),
}

/// What a message carries: a network variable, or an explicit message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// An update of a network variable.
    NetworkVariable,
    /// An explicit message that the application copies byte by byte.
    Explicit,
    /// An explicit message from an external host.
    ExplicitWithoutCopy,
}

/// Message service (ISO/IEC 14908-1, 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceKind {
    /// Sent once, not acknowledged.
    Unacknowledged,
    /// Sent several times, not acknowledged.
    Repeated,
    /// Retried until acknowledged.
    Acknowledged,
    /// Retried until the response arrives.
    Request,
}

/// What happens to a message while others of its source are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// It is not sent.
    Closed,
    /// One is queued; a later one replaces it.
    Queued,
    /// They are queued while the station has output buffers for them.
    Buffered,
    /// All are queued.
    Open,
}

/// When the sources of a flow begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At random phases.
    Spread,
    /// All at the same instant, as after a power failure.
    Together,
}
