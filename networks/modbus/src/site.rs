//! A site: media, stations and flows in the network's own types.

use std::sync::Arc;

use sojourn_core::{Duration, Time};
use sojourn_engine::arrivals;
use sojourn_engine::law::Law;
use sojourn_model::effect::Timeline;
use sojourn_model::uart::Format;
use sojourn_protocols::modbus::timing::Silence;
use sojourn_protocols::modbus::{Function, ascii, rtu};

/// Everything a replication needs to know.
#[derive(Clone, Debug)]
pub struct Site {
    /// The media, in the order of the scenario.
    pub media: Vec<Medium>,
    /// All stations.
    pub stations: Vec<Station>,
    /// The flows.
    pub flows: Vec<Flow>,
    /// The clients of the flows, each with what it asks.
    pub sources: Vec<SourceSettings>,
    /// Clients on their lines and connections.
    pub connections: Vec<ConnectionSettings>,
    /// What happens during a run, if anything does.
    pub timeline: Option<Timeline>,
}

/// A medium.
#[derive(Clone, Debug)]
pub struct Medium {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: MediumKind,
}

/// What a medium is.
#[derive(Clone, Debug)]
pub enum MediumKind {
    /// A serial line.
    Line(LineSettings),
    /// Links that carry TCP.
    Links(LinkSettings),
}

/// A serial line.
#[derive(Clone, Copy, Debug)]
pub struct LineSettings {
    /// How characters are sent.
    pub format: Format,
    /// How frames are written.
    pub mode: Mode,
    /// Whether t3.5 is 1.75 ms above 19 200 bit/s.
    pub fixed_silence: bool,
    /// Bit error rate.
    pub bit_error_rate: f64,
}

/// How frames are written on a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Binary, between silences.
    Rtu,
    /// Hexadecimal digits between colon and CR LF.
    Ascii,
}

impl LineSettings {
    /// Characters of the frame of a PDU.
    pub const fn characters(&self, pdu: u16) -> u32 {
        match self.mode {
            Mode::Rtu => rtu::length(pdu as usize) as u32,
            Mode::Ascii => ascii::length(pdu as usize) as u32,
        }
    }

    /// The silence by which receivers know that a frame has ended: t3.5 in RTU mode, none in ASCII mode.
    pub fn silence(&self) -> Duration {
        match self.mode {
            Mode::Rtu if self.fixed_silence => Silence::of(self.format.bit_rate.into(), self.format.bits().into()).t35,
            // 7/2 characters
            Mode::Rtu => Duration::from_units(7 * u64::from(self.format.bits()), 2 * u64::from(self.format.bit_rate)),
            Mode::Ascii => Duration::ZERO,
        }
    }

    /// The time of the frame of a PDU on the line.
    pub fn frame(&self, pdu: u16) -> Duration {
        self.format.characters(self.characters(pdu))
    }
}

/// Links that carry TCP.
#[derive(Clone, Copy, Debug)]
pub struct LinkSettings {
    /// Bits per second of the link of each station.
    pub bit_rate: u64,
    /// One-way delay.
    pub delay: Duration,
}

/// A station.
#[derive(Clone, Debug)]
pub struct Station {
    /// Its name.
    pub name: String,
    /// Its unit as a server.
    pub unit: u8,
    /// Indices of its media.
    pub on: Vec<usize>,
    /// What it has in common with the other members of its table.
    pub class: Arc<Class>,
}

/// Settings of the stations of one table.
#[derive(Clone, Debug)]
pub struct Class {
    /// Of a server: from request to response.
    pub delay: Law,
    /// Of a server: further time for each register.
    pub per_register: Duration,
    /// Of a server: its scan cycle.
    pub scan: Duration,
    /// Of a server on TCP: requests that wait.
    pub queue: u16,
    /// Of a client on TCP: requests that it has open on a connection.
    pub outstanding: u16,
    /// Of a host: its latency timer.
    pub latency_timer: Duration,
    /// Of a host: until its program has a response.
    pub host_delay: Law,
    /// Of a gateway: its serial side.
    pub gateway: Gateway,
}

/// The serial side of a gateway.
#[derive(Clone, Copy, Debug)]
pub struct Gateway {
    /// Response timeout.
    pub timeout: Duration,
    /// Retries.
    pub retries: u8,
    /// Requests that wait for the line.
    pub queue: usize,
    /// Time to forward a response.
    pub delay: Duration,
    /// Pause between two transactions.
    pub pause: Duration,
}

/// What a client asks of some servers.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Its name.
    pub name: String,
    /// The function.
    pub function: Function,
    /// When it asks.
    pub arrivals: Arrivals,
    /// Whether all clients begin at the same time.
    pub at_once: bool,
    /// When its traffic begins.
    pub delay: Duration,
    /// Whether its response times are sampled.
    pub probe: bool,
    /// Response timeout, or turnaround delay of a broadcast.
    pub timeout: Duration,
    /// Tries after the first.
    pub retries: u8,
    /// Pause after each transaction.
    pub pause: Duration,
    /// Whether its requests are broadcast.
    pub broadcast: bool,
}

/// When a flow asks.
#[derive(Clone, Debug)]
pub enum Arrivals {
    /// Round and round.
    Poll {
        /// Time between the begins of two rounds.
        cycle: Duration,
        /// Shortest time between the begins of two requests.
        interval: Duration,
    },
    /// A round for each arrival.
    Process(arrivals::Arrivals),
}

/// A client of a flow.
#[derive(Clone, Debug)]
pub struct SourceSettings {
    /// Index of the flow.
    pub flow: usize,
    /// Index of the client.
    pub station: usize,
    /// What it asks in a round, in order; never empty.
    pub items: Vec<Item>,
    /// Requests that it has open at a time.
    pub window: u32,
}

/// One request of a round.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Index of the server; of a broadcast, one of those that obey.
    pub server: usize,
    /// Unit in the frames; 0 of a broadcast.
    pub unit: u8,
    /// The function.
    pub function: Function,
    /// The first register or bit.
    pub address: u16,
    /// Registers or bits.
    pub count: u16,
    /// Octets of the request's PDU.
    pub request: u16,
    /// Octets of the response's PDU.
    pub response: u16,
    /// Index of the client's connection.
    pub connection: usize,
    /// Index of the gateway's connection to the line; none without a gateway.
    pub via: Option<usize>,
}

/// A client on a line, or on a connection to a server or gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionSettings {
    /// Index of the station whose client it is.
    pub station: usize,
    /// Index of the medium.
    pub medium: usize,
    /// The host at the other end of TCP; none on a line.
    pub host: Option<usize>,
}

impl Site {
    /// A medium as a line.
    pub fn line(&self, medium: usize) -> Option<&LineSettings> {
        match &self.media[medium].kind {
            MediumKind::Line(line) => Some(line),
            MediumKind::Links(_) => None,
        }
    }

    /// A medium as links.
    pub fn links(&self, medium: usize) -> Option<&LinkSettings> {
        match &self.media[medium].kind {
            MediumKind::Line(_) => None,
            MediumKind::Links(links) => Some(links),
        }
    }

    /// Whether a medium carries TCP.
    pub fn has_links(&self) -> bool {
        self.media.iter().any(|medium| matches!(medium.kind, MediumKind::Links(_)))
    }

    /// The lines, with their indices among the media.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &LineSettings)> {
        (0..self.media.len()).filter_map(|medium| Some((medium, self.line(medium)?)))
    }

    /// The servers of a line, in the order of the stations.
    pub fn servers_of(&self, medium: usize) -> Vec<usize> {
        let mut servers: Vec<usize> = self
            .sources
            .iter()
            .flat_map(|source| &source.items)
            .map(|item| item.server)
            .filter(|&server| self.stations[server].on.contains(&medium))
            .collect();
        servers.sort_unstable();
        servers.dedup();
        servers
    }

    /// The connection of the client of a line, if it has one.
    pub fn client_of(&self, medium: usize) -> Option<usize> {
        self.connections.iter().position(|connection| connection.medium == medium && connection.host.is_none())
    }
}

impl Flow {
    /// When it begins at the earliest.
    pub fn begins(&self) -> Time {
        Time::ZERO + self.delay
    }

    /// Whether a round begins only when the one before has ended.
    pub fn is_closed_loop(&self) -> bool {
        match &self.arrivals {
            Arrivals::Poll { .. } => true,
            Arrivals::Process(process) => process.is_closed(),
        }
    }
}
