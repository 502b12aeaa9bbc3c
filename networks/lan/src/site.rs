//! The scenario in the types of this network.

use std::sync::Arc;

use sojourn_core::Duration;
use sojourn_engine::arrivals::Process;
use sojourn_metrics::codec::Codec;
use sojourn_metrics::jitter_buffer::JitterBuffer;
use sojourn_metrics::jitter_buffer::talkspurts::Playout;
use sojourn_protocols::tcp::machine::{EcnMode, Settings as TcpSettings};

use super::capture::{Form, Passed};
use super::effect::Effect;
use super::hosts::Costs;
use super::rtp::RtpFormat;
use super::topology::Topology;
use sojourn_model::laws::RandomTime;
use sojourn_model::timed::{EventPlan, Sampled};

/// Hosts, what lies between them, and what they do.
#[derive(Clone, Debug)]
pub struct Site {
    /// Stations and the links between them.
    pub topology: Topology,
    /// Name of each station.
    pub stations: Vec<String>,
    /// Name of each port: `STATION/NEIGHBOUR`.
    pub ports: Vec<String>,
    /// By station what its processor and adapter spend; switches have none.
    pub costs: Vec<Option<Costs>>,
    /// The CPU time to send and receive a packet where the scenario writes no costs of the host and the default has some.
    pub assumed_packet_cost: Vec<Option<Duration>>,
    /// What hosts do, each by itself.
    pub activities: Vec<Activity>,
    /// Names of flows; activities point here.
    pub flows: Vec<String>,
    /// By connection the number of its circuit (VCI); empty where there are no cells.
    pub channels: Vec<u16>,
    /// How a capture shows packets.
    pub capture: Form,
    /// Whether some activity marks its packets with a code point.
    pub marks: bool,
    /// Whether stations that forward are routers, not switches.
    pub has_routers: bool,
    /// What happens during a run, if anything does.
    pub events: Option<EventPlan<Effect>>,
}

impl Site {
    /// The number of a connection's circuit; 0 where there are no cells.
    pub fn channel(&self, connection: u32) -> u16 {
        self.channels.get(connection as usize).copied().unwrap_or_default()
    }

    /// What a packet of a connection has passed when it arrives.
    pub fn passed(&self, connection: u32) -> Passed {
        let stations = self.topology.routes[connection as usize].len() - 1;
        let routers = if self.has_routers { stations.min(u8::MAX.into()) as u8 } else { 0 };
        let marked = |activity: &&Activity| activity.connections().any(|own| own | 1 == connection | 1);
        let dscp = if self.marks { self.activities.iter().find(marked).map_or(0, |activity| activity.dscp) } else { 0 };
        Passed { channel: self.channel(connection), routers, dscp, ..Passed::default() }
    }

    /// The connection whose path is observed in detail: that of the first probe's requests, or without a probe the
    /// first activity's.
    pub fn watched_connection(&self) -> Option<u32> {
        let probed = |activity: &&Activity| activity.service.is_probed_loop();
        self.activities.iter().find(probed).or(self.activities.first()).map(|activity| activity.connection)
    }

    /// The output that is observed in detail: the slowest that a switch on that path has, of equals the first.
    pub fn watched_port(&self) -> Option<u32> {
        let route = &self.topology.routes[self.watched_connection()? as usize];
        let inner = if route.len() > 1 && !self.topology.is_shared(route[0]) { &route[1..] } else { &route[..] };
        let outputs = inner.iter().copied().filter(|&port| !self.topology.is_input(port));
        outputs.min_by_key(|&port| self.topology.ports[port as usize].rate)
    }

    /// Whether a connection goes through an output.
    pub fn is_used(&self, port: u32) -> bool {
        !self.topology.is_input(port) && self.topology.routes.iter().any(|route| route.contains(&port))
    }

    /// Whether it is a network of cells, whose switches mark them.
    pub fn has_cells(&self) -> bool {
        !self.channels.is_empty()
    }

    /// Whether packets or cells are marked that meet congestion: some sender asks for it.
    pub fn has_marks(&self) -> bool {
        let asks = |settings: &TcpSettings| settings.ecn > EcnMode::Passive;
        let asked = |activity: &Activity| match &activity.service {
            Service::Bulk(bulk) => asks(&bulk.sender) || asks(&bulk.receiver),
            Service::Request(request) => request.ends.iter().flatten().any(|settings| asks(settings)),
            _ => false,
        };
        self.has_cells() || self.activities.iter().any(asked)
    }

    /// What is sampled of its probed flows and calls.
    pub fn sampled(&self) -> &'static [Sampled] {
        let has = |kind: fn(&Service) -> bool| self.activities.iter().any(|activity| kind(&activity.service));
        match [has(Service::is_probed_loop), has(Service::is_probed_one_way)] {
            [true, true] => &[Sampled::Responses, Sampled::OneWay],
            [false, true] => &[Sampled::OneWay],
            _ => &[Sampled::Responses],
        }
    }

    /// Whether a flow does something of a kind.
    pub fn serves(&self, flow: u32, kind: impl Fn(&Service) -> bool) -> bool {
        self.activities.iter().any(|activity| activity.flow == flow && kind(&activity.service))
    }
}

/// Requests, a stream, a bulk transfer or a call between two hosts.
#[derive(Clone, Debug)]
pub struct Activity {
    /// Under which flow it is reported.
    pub flow: u32,
    /// Its own name, as random streams know it.
    pub name: String,
    /// The client or sender.
    pub from: u32,
    /// The server or receiver.
    pub to: u32,
    /// The connection from the one to the other; `connection ^ 1` is the return direction.
    pub connection: u32,
    /// The other servers that a client asks in turn, each with the connection to it.
    pub polled: Vec<(u32, u32)>,
    /// When it begins at the earliest.
    pub start: Duration,
    /// Upper bound of a uniform random time added to `start`.
    pub start_spread: Duration,
    /// Traffic class of its packets, 0 to 7 (IEEE 802.1Q): of those that wait at a strict priority queue, the highest goes first.
    pub class: u8,
    /// Differentiated services code point of its packets, 0 to 63 (RFC 2474).
    pub dscp: u8,
    /// What it does.
    pub service: Service,
    /// Whether it waits for an event that starts it.
    pub silent: bool,
}

/// What an activity does.
#[derive(Clone, Debug)]
pub enum Service {
    /// Requests and responses over UDP.
    Echo(Echo),
    /// Requests and responses over TCP.
    Request(Request),
    /// Datagrams in one direction.
    Stream(Stream),
    /// A bulk transfer over TCP.
    Bulk(Bulk),
    /// A call: voice in both directions.
    Voice(Call),
}

impl Activity {
    /// The connections to all of its receivers.
    pub fn connections(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.connection).chain(self.polled.iter().map(|(_, connection)| *connection))
    }

    /// All of its receivers.
    pub fn receivers(&self) -> impl Iterator<Item = u32> {
        std::iter::once(self.to).chain(self.polled.iter().map(|(host, _)| *host))
    }
}

impl Service {
    /// Whether it is a closed loop whose response times are samples.
    pub fn is_probed_loop(&self) -> bool {
        match self {
            Service::Echo(echo) => echo.cycle.probed,
            Service::Request(request) => request.cycle.probed,
            Service::Stream(_) | Service::Bulk(_) | Service::Voice(_) => false,
        }
    }

    /// Whether it waits for responses.
    pub fn is_loop(&self) -> bool {
        matches!(self, Service::Echo(_) | Service::Request(_))
    }

    /// Whether its one-way delays are samples: those of calls always are.
    pub fn is_probed_one_way(&self) -> bool {
        match self {
            Service::Stream(stream) => stream.probed,
            Service::Voice(_) => true,
            Service::Echo(_) | Service::Request(_) | Service::Bulk(_) => false,
        }
    }
}

/// Voice in both directions or in one, and its listeners.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Codec of both directions.
    pub codec: Codec,
    /// What the headers of its packets say of the codec.
    pub format: RtpFormat,
    /// Octets of user data of a packet, RTP header included.
    pub octets: u32,
    /// The listeners' jitter buffers, and the time between packets.
    pub buffer: JitterBuffer,
    /// Lengths of talkspurts and of pauses; `None` for speech without pauses.
    pub talkspurts: Option<[RandomTime; 2]>,
    /// Whether the called speaks as well.
    pub is_two_way: bool,
    /// Packet times until it ends.
    pub packet_times: u32,
    /// How the delay of the jitter buffers changes.
    pub playout: Playout,
}

impl Call {
    /// Speech in a packet, and the time between packets.
    pub fn packet_time(&self) -> Duration {
        self.buffer.packet_time
    }
}

/// A closed loop of datagrams.
#[derive(Clone, Debug)]
pub struct Echo {
    /// Octets of user data of a request and of a response.
    pub sizes: [u32; 2],
    /// When its programs go on.
    pub cycle: Cycle,
    /// Time after which a request counts as lost.
    pub timeout: Duration,
}

/// The programs of a closed loop: how long client and server take.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// Between a response and the next request.
    pub think: RandomTime,
    /// Between a request and the next one, instead; one that is due before the response waits for it.
    pub interval: Option<RandomTime>,
    /// Between a whole request at the server and its response.
    pub server: RandomTime,
    /// Whether its response times are samples.
    pub probed: bool,
}

/// A closed loop of requests over TCP.
#[derive(Clone, Debug)]
pub struct Request {
    /// Octets of user data of a request and of a response.
    pub sizes: [u64; 2],
    /// When its programs go on.
    pub cycle: Cycle,
    /// How its connections are opened.
    pub opened: Opened,
    /// TCP parameters of the client and of the server, for each of its servers.
    pub ends: Vec<[Arc<TcpSettings>; 2]>,
}

/// How the connections of requests are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// One for each request, closed after the response.
    PerRequest,
    /// One when the flow begins, another one where TCP gives it up.
    Once,
    /// The first is open from the start.
    Before,
}

/// Datagrams in one direction.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Octets of user data.
    pub size: u32,
    /// When they are sent, and how long after the start the process begins.
    pub arrivals: (Process, Duration),
    /// Whether their one-way delays are samples.
    pub probed: bool,
}

/// A transfer over TCP that never ends.
#[derive(Clone, Debug)]
pub struct Bulk {
    /// Octets that the program writes at a time.
    pub write: u64,
    /// Whether the connection is opened at the start, or is open.
    pub handshake: bool,
    /// TCP parameters of the sender.
    pub sender: Arc<TcpSettings>,
    /// TCP parameters of the receiver.
    pub receiver: Arc<TcpSettings>,
}
