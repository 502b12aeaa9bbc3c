//! The contract of the network between hosts: they send frames and learn when each is delivered or lost.
//!
//! A fabric runs ahead in a loop of its own, so that a cell costs no event of the engine's queue: the world lets it
//! [`advance`](Fabric::advance) to the hosts' next event, and it stops early at anything that concerns them.

use sojourn_core::{Duration, Rekey, Streams, Time};
use sojourn_metrics::Distribution;
use sojourn_metrics::record::Observation;
use sojourn_protocols::atm::RmPayload;

use super::frame::Frame;
use super::segment::SegmentTally;
use super::topology::Topology;

/// What a fabric is built from.
pub trait FabricSettings: Send + Sync {
    /// The network that these settings describe.
    type Fabric: Fabric;

    /// An idle network; `streams` are the replication's random streams.
    fn fabric(&self, topology: &Topology, streams: &Streams) -> Self::Fabric;
}

/// The network between the hosts.
///
/// Events of one instant: departures before arrivals, then in the order of ports.
pub trait Fabric: Clone + Rekey + Send {
    /// Sets what is to be observed. Called once, before the first frame.
    fn watch(&mut self, watch: &Watch);

    /// A host hands a datagram to its adapter, which never refuses: hosts bound what is in flight by their sockets'
    /// buffers. `now` is never before an instant that [`advance`](Fabric::advance) has reached.
    fn send(&mut self, now: Time, frame: Frame);

    /// Runs all that happens up to and including `limit`, but stops right after the first event that concerns the
    /// hosts. `None`: nothing more until `limit`.
    fn advance(&mut self, limit: Time) -> Option<FabricEvent>;

    /// A link changes in one direction, after all that happens up to `now`. Only networks of which a scenario may say so
    /// have links that change.
    fn change(&mut self, _now: Time, _port: u32, _change: LinkChange) {
        unreachable!("no event of a checked scenario changes these links");
    }

    /// How long a datagram of `octets` octets takes on this connection with nothing else in flight.
    fn unloaded(&self, connection: u32, octets: u32) -> Unloaded;

    /// Counts begin again: the warm-up is over. Levels and their maxima go on.
    fn reset_tally(&mut self, now: Time);

    /// What was counted up to `now`; the end of a run.
    fn tally(&mut self, now: Time) -> Tally;
}

/// What is to be observed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Watch {
    /// The end of the warm-up, when the means of levels begin.
    pub mean_from: Time,
    /// The port whose queue keeps a trace from time 0.
    pub queue_trace: Option<u32>,
    /// The connection whose allowed rate keeps a trace from time 0.
    pub rate_trace: Option<u32>,
    /// Whether RM cells are reported, for captures.
    pub rm_cells: bool,
}

/// What an event of the scenario does to one direction of a link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinkChange {
    /// It carries packets, or loses them.
    Up(bool),
    /// The switch at one of its ends, 0 or 1, has power, or not: then it carries nothing either.
    Power(usize, bool),
    /// Bits per second, for packets whose turn comes from then on.
    Rate(u64),
    /// Propagation delay of packets sent from then on.
    Propagation(Duration),
    /// Share of the packets that are lost on it.
    Loss(f64),
    /// The most that a packet is delayed beyond its length; none: as the scenario says.
    Jitter(Option<Duration>),
}

/// Why a link carries nothing: it is down itself, or the switch at either end is without power.
#[derive(Clone, Copy, Debug, Default)]
pub struct Outage {
    down: bool,
    dark: [bool; 2],
}

impl Outage {
    /// Takes a change into account; whether it is one of these.
    pub fn change(&mut self, change: LinkChange) -> bool {
        match change {
            LinkChange::Up(up) => self.down = !up,
            LinkChange::Power(end, on) => self.dark[end] = !on,
            _ => return false,
        }
        true
    }

    /// Whether the link carries nothing.
    pub fn is_on(self) -> bool {
        self.down || self.dark[0] || self.dark[1]
    }
}

/// An event of the fabric that concerns the hosts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FabricEvent {
    /// A datagram is delivered.
    Delivered(Delivered),
    /// A datagram is lost; reported once, after which its number is free.
    Lost {
        /// When no more of it can arrive.
        at: Time,
        /// The lost datagram.
        frame: Frame,
        /// The port at which it was lost.
        port: u32,
    },
    /// An RM cell has reached the host at the connection's end; only if watched.
    RmCell {
        /// Arrival of its last bit.
        at: Time,
        /// On which connection it came.
        connection: u32,
        /// Its contents.
        cell: RmPayload,
    },
}

/// A datagram that has reached its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Delivered {
    /// Its last bit at the receiving host.
    pub at: Time,
    /// The datagram, by its number in the fabric.
    pub frame: Frame,
    /// The first bit of its first cell (or of the packet) left the sender's adapter.
    pub first_departure: Time,
    /// The first bit of its last cell (or of the last fragment) left the sender's adapter; of what leaves in one piece the
    /// same as `first_departure`.
    pub last_departure: Time,
    /// On shared wires, from the MAC taking it to the first bit of the transmission that succeeded, without `collided`.
    pub access: Duration,
    /// There, the time of attempts that collided, with their backoff.
    pub collided: Duration,
    /// The drop precedence that a meter has marked it with; 0 if none has, and for what was fragmented.
    pub precedence: u8,
}

/// The time from the first bit's leaving to the last bit's arrival with nothing else in flight, by its causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unloaded {
    /// Bits on links, back to back.
    pub transmission: Duration,
    /// The latency of switches.
    pub switching: Duration,
    /// Propagation delay of the links.
    pub propagation: Duration,
    /// Of the transmission, the part from the first bit's leaving to that of the first bit of the last cell (or of the
    /// last fragment); nothing for what leaves in one piece.
    pub leaving: Duration,
}

/// What a fabric has counted since the warm-up.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Counts of each port.
    pub ports: Vec<PortTally>,
    /// Counts of each wire that stations share.
    pub segments: Vec<SegmentTally>,
    /// Counts of each connection.
    pub connections: Vec<ConnectionTally>,
    /// Names and counts of what conditions the traffic of senders.
    pub conditioners: Vec<(String, ConditionerTally)>,
    /// Length of the watched queue: (picoseconds, cells or packets), from time 0.
    pub queue_trace: Vec<(u64, f64)>,
    /// The watched connection's allowed rate: (picoseconds, cells a second), from time 0.
    pub rate_trace: Vec<(u64, f64)>,
}

/// One direction of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct PortTally {
    /// Time the link was busy.
    pub busy: Duration,
    /// Time that the token bucket of its shaper needs for what was sent; zero without a shaper.
    pub paced: Duration,
    /// Cells or packets that were sent.
    pub sent: u64,
    /// How many more waited in the end than when the counts began.
    pub more_waiting: f64,
    /// Cells or packets that wait for this output: its mean after the warm-up, its maximum from time 0.
    pub queue: Observation,
    /// Cells or packets dropped here: at a full buffer, or discarded with others of their packet.
    pub dropped: u64,
    /// Cells or packets that were marked here (EFCI, ECN).
    pub marked: u64,
}

/// What conditions the traffic of a sender's flow: a shaper, a meter or both.
#[derive(Clone, Debug, Default)]
pub struct ConditionerTally {
    /// Waiting times in the shaper, if there is one.
    pub waits: Option<Distribution>,
    /// Whether there is a meter.
    pub is_meter: bool,
    /// Packets metered, by drop precedence from 1.
    pub offered: [u64; 3],
    /// Of those that entered the network, the lost ones.
    pub lost: [u64; 3],
    /// Red packets dropped by policing.
    pub policed: u64,
    /// Packets dropped by the full shaper or by policing.
    pub dropped: u64,
}

/// One direction between two hosts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConnectionTally {
    /// Datagrams lost since the end of the warm-up.
    pub lost: u64,
    /// Cells lost; 0 where there are no cells.
    pub lost_cells: u64,
    /// The source's allowed cell rate in cells a second; `None` without rate control.
    pub allowed_cell_rate: Option<Observation>,
}
