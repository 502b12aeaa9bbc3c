//! A site to simulate, as plain data: media, stations, flows and the choices of the model.

use std::sync::Arc;

use sojourn_core::{Duration, Time};
use sojourn_protocols::lontalk::machine::TimerStart;
use sojourn_protocols::lontalk::timer::{ReceiveTimer, TransactionTimer};
use sojourn_protocols::lontalk::wire::Domain;

use super::channel::Channel;
use super::costs::Costs;
use super::medium::BacklogRule;

/// Everything a run is made from.
#[derive(Clone, Debug)]
pub struct Site {
    /// The media.
    pub media: Vec<MediumSettings>,
    /// The stations, members of counted ones unrolled.
    pub stations: Vec<StationSettings>,
    /// The flows.
    pub flows: Vec<FlowSettings>,
    /// The domain all stations are in.
    pub domain: Domain,
    /// What coded timers are multiplied with.
    pub timer_scale: f64,
    /// From when transaction timers run.
    pub timer_starts: TimerStart,
    /// Whether waiting copies of an answered message are withdrawn.
    pub withdraw: bool,
}

/// A medium.
#[derive(Clone, Debug)]
pub struct MediumSettings {
    /// Its name.
    pub name: String,
    /// Its channel.
    pub channel: Channel,
    /// Who keeps the backlog.
    pub backlog_rule: BacklogRule,
}

/// A station.
#[derive(Clone, Debug)]
pub struct StationSettings {
    /// What it has in common with others.
    pub class: Arc<StationClass>,
    /// Which of several of its name it is, from 1; 0 when it is the only one.
    pub number: u32,
}

impl StationSettings {
    /// Its name.
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

/// What many stations have in common.
#[derive(Clone, Debug)]
pub struct StationClass {
    /// Their name, before the number.
    pub name: Box<str>,
    /// The media they are on, by index.
    pub on: Box<[u16]>,
    /// What its processors spend, at its clock.
    pub costs: Costs,
    /// Half-width of the uniform jitter of its application's notice, as a fraction of it.
    pub application_jitter: f64,
    /// How long it remembers messages sent to it alone.
    pub receive_timer: ReceiveTimer,
    /// Its priority slot, 0 for none.
    pub priority_slot: u8,
    /// Whether it detects collisions.
    pub collision_detection: bool,
    /// Its buffers.
    pub buffers: Buffers,
    /// Its receive records.
    pub receive_records: u16,
    /// What it forwards, if it is on several media.
    pub role: Role,
}

/// What a station does with packets of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Drops them.
    Node,
    /// Forwards those for stations or groups beyond.
    Router,
    /// Forwards all.
    Repeater,
}

/// Buffer counts of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    /// Messages waiting for the application.
    pub application_input: u16,
    /// Messages of the application that have not ended.
    pub application_output: u16,
    /// The same with priority.
    pub application_output_priority: u16,
    /// Packets waiting for the network processor.
    pub network_input: u16,
    /// Packets waiting for the medium.
    pub network_output: u16,
    /// The same with priority.
    pub network_output_priority: u16,
    /// Packets of one priority that wait for the medium when an answer still finds a buffer.
    pub network_output_answers: u16,
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

/// A flow: messages of one kind from one or several stations. First, on a line of memory, what each message asks.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct FlowSettings {
    /// When messages begin.
    pub arrivals: Arrivals,
    /// What is sent.
    pub message: MessageKind,
    /// How the protocol makes sure of it.
    pub service: ServiceKind,
    /// Whether receivers ask for proof of identity.
    pub authenticated: bool,
    /// Whether it travels with priority.
    pub priority: bool,
    /// Bytes of user data.
    pub data: u16,
    /// Bytes of user data in a response.
    pub response_data: u16,
    /// Further tries, or repetitions.
    pub retries: u8,
    /// Time between them.
    pub timer: TransactionTimer,
    /// What happens to a message that would begin while others are open.
    pub generator: Generator,
    /// Whether response times are sampled.
    pub probe: bool,
    /// Its name.
    pub name: String,
    /// Each station sends on its own.
    pub from: Vec<usize>,
    /// To whom.
    pub to: Target,
    /// How long receivers remember a message, if not as long as they say themselves.
    pub receive_timer: Option<ReceiveTimer>,
    /// When the first message begins.
    pub start: Start,
    /// How long after the start of the run the traffic begins.
    pub delay: Duration,
    /// Answers a broadcast announces, 0 when unknown.
    pub broadcast_backlog: u8,
}

/// To whom a flow goes.
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
    /// One station after another.
    Polled(Vec<usize>),
    /// One station for each sender, by its manufacture number.
    UniqueId(Vec<usize>),
}

/// What a message carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// An update of a network variable.
    NetworkVariable,
    /// An explicit message that the application copies byte by byte.
    Explicit,
    /// An explicit message from an external host.
    ExplicitWithoutCopy,
}

/// How the protocol makes sure that a message arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ServiceKind {
    /// Sent once.
    Unacknowledged,
    /// Sent several times.
    Repeated,
    /// Sent until acknowledged.
    Acknowledged,
    /// Sent until answered.
    Request,
}

/// What happens to a message that would begin while others of its source are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// It is not sent.
    Closed,
    /// One waits; a later one takes its place.
    Queued,
    /// All wait, as far as application output buffers reach.
    Open,
}

/// When the sources of a flow begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At phases of their own.
    Spread,
    /// All at the same instant, as after a power failure.
    Together,
}

/// When messages begin.
#[derive(Clone, Debug, PartialEq)]
pub enum Arrivals {
    /// From a clock or from chance, or, saturating, when the last has ended.
    Process(sojourn_engine::arrivals::Arrivals),
    /// At least every `max_interval`, and on changes of value, but no closer than `min_interval`.
    Heartbeat {
        /// The heartbeat.
        max_interval: Duration,
        /// The throttle.
        min_interval: Duration,
        /// Mean time between changes of value; none without.
        change_interval: Option<Duration>,
    },
    /// One point after another, each `interval` after the one before but not before that one has answered,
    /// rounds at least `cycle` apart.
    Poll {
        /// From one point to the next.
        interval: Duration,
        /// From one round to the next.
        cycle: Duration,
    },
    /// At these instants, from and to these stations (by place in the flow), with these many bytes.
    Trace(Arc<[TraceRow]>),
}

/// A message of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceRow {
    /// When it begins.
    pub at: Time,
    /// Its sender.
    pub from: usize,
    /// Its receiver.
    pub to: usize,
    /// Bytes of user data.
    pub size: u16,
}
