//! Settings of the outputs of a packet network.

use std::sync::Arc;

use sojourn_core::{Duration, RateTrace};

pub use super::cake::CakeSettings;
use super::cake::Compensation;
use crate::segment::SegmentSettings;
use sojourn_model::laws::RandomTime;

/// All outputs of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// By port of the topology.
    pub ports: Vec<PortSettings>,
    /// By station: from a packet's last bit until it may leave again; hosts do not forward.
    pub latencies: Vec<Duration>,
    /// By connection the drop precedence of its packets before any meter, 0 for none; empty where no flow has one.
    pub precedences: Vec<u8>,
    /// What conditions the packets of a sender's flow before the first port.
    pub conditioners: Vec<ConditionerSettings>,
    /// Wires that stations share; their ports are outputs to one of them, or inputs from it.
    pub segments: Vec<SegmentSettings>,
}

/// A traffic conditioner (RFC 2475): of one flow at one sender.
#[derive(Clone, Debug, PartialEq)]
pub struct ConditionerSettings {
    /// `FLOW/STATION`.
    pub name: String,
    /// Connections whose packets it takes.
    pub connections: Vec<u32>,
    /// Delays packets until they conform, and how many wait at most.
    pub shaper: Option<(Shaping, u32)>,
    /// Sets their drop precedence, and whether red ones are dropped.
    pub meter: Option<(MeterSettings, bool)>,
}

/// A meter with three colours; sizes in octets of IP packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeterSettings {
    /// Single rate three color marker (RFC 2697).
    SingleRate {
        /// CIR and CBS.
        committed: Shaping,
        /// EBS.
        excess: u64,
    },
    /// Two rate three color marker (RFC 2698).
    TwoRate {
        /// CIR and CBS.
        committed: Shaping,
        /// PIR and PBS.
        peak: Shaping,
    },
}

/// One direction of a link, and the queue before it.
#[derive(Clone, Debug, PartialEq)]
pub struct PortSettings {
    /// `STATION/LINK`: names its random streams.
    pub name: String,
    /// What its link does to packets.
    pub link: LinkSettings,
    /// What waits before it.
    pub queue: QueueSettings,
}

/// What a link does to packets, beside its rate and length.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSettings {
    /// Whether packets take no time on it, as between two ends of a virtual Ethernet pair; its rate then counts for
    /// nothing.
    pub unlimited: bool,
    /// What its rate is over time, in place of that of its port, which is the mean.
    pub trace: Option<Arc<RateTrace>>,
    /// What goes along with a packet.
    pub framing: Framing,
    /// Octets of the longest IP packet, at least 68 (RFC 791).
    pub mtu: u32,
    /// Share of the packets that are lost on the path, each by chance.
    pub loss: f64,
    /// Which packets of each direction are lost as well, over and over; empty where none is.
    pub lost: Arc<[bool]>,
    /// How much a packet is delayed beyond the link's length.
    pub jitter: RandomTime,
    /// Whether a packet that is delayed less overtakes those before it.
    pub reorders: bool,
}

/// What a link sends with an IP packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Framing {
    /// Octets of time that a packet takes beside its own: preamble, header, check, gap.
    pub overhead: u32,
    /// Octets that shorter packets are filled up to, 0 if they are not.
    pub minimum: u32,
    /// Octets of a header that queues and buckets count with a packet.
    pub counted: u32,
}

/// The queue of a link.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueSettings {
    /// Which packet leaves next.
    pub discipline: Discipline,
    /// Limits of the queue.
    pub limit: Limit,
    /// The token bucket that packets pass.
    pub shaping: Option<Shaping>,
    /// Random early detection, of [`Discipline::Fifo`] and by drop precedence of each class of [`Discipline::Priority`].
    pub early: Option<EarlyDetection>,
}

/// What a shaper or token bucket takes for packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Bits a second.
    pub rate: u64,
    /// What it counts of a packet; `None`: as the queue does.
    pub compensation: Option<Compensation>,
}

impl Pace {
    /// How long an IP packet of `octets` takes, of which the queue counts `counted`.
    #[inline]
    pub fn takes(&self, octets: u32, counted: u32) -> Duration {
        let length = self.compensation.map_or(counted, |compensation| compensation.length(octets, counted));
        Duration::from_units(8 * u64::from(length), self.rate)
    }
}

impl QueueSettings {
    /// That of its token bucket or shaper; none where there is neither.
    pub fn pace(&self) -> Option<Pace> {
        match &self.discipline {
            Discipline::Cake(CakeSettings { bandwidth: Some(rate), compensation, .. }) => {
                Some(Pace { rate: *rate, compensation: Some(*compensation) })
            }
            _ => self.shaping.map(|shaping| Pace { rate: shaping.rate, compensation: None }),
        }
    }
}

/// Random early detection (Floyd and Jacobson, 1993) with thresholds for each drop precedence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EarlyDetection {
    /// Weight of an arrival in the average queue length (w_q).
    pub weight: f64,
    /// Octets of the packets by which the average decays while the queue is empty.
    pub mean_packet: u32,
    /// What is averaged, and which packets are dropped.
    pub measure: Measure,
    /// By drop precedence from 1: the average lengths from which packets are dropped at random, and all of them.
    pub thresholds: [[u32; 2]; 3],
    /// Drop probability just below the upper threshold (max_p).
    pub probability: f64,
    /// Whether packets whose senders understand it are marked in place of drops; the limit of the queue drops all the same.
    pub ecn: bool,
    /// Whether from the upper threshold on even such packets are dropped.
    pub hard_drop: bool,
}

/// What random early detection measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Packets; those without a drop precedence are never dropped (WRED).
    Packets,
    /// Octets, as Linux's RED does; the thresholds of precedence 1 hold for all packets.
    Octets,
}

/// Limits of the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Packets in the queue at most.
    pub packets: u32,
    /// Their octets, as queues count them.
    pub octets: u64,
}

impl Limit {
    /// Neither packets nor octets are limited.
    pub const NONE: Limit = Limit { packets: u32::MAX, octets: u64::MAX };
}

/// The queue discipline: which packet leaves next, and which is dropped.
#[derive(Clone, Debug, PartialEq)]
pub enum Discipline {
    /// First in, first out, with tail drop.
    Fifo,
    /// FIFO with controlled delay (CoDel, RFC 8289).
    Codel(ControlledDelay),
    /// FIFO with drops at random by a controller of the delay (PIE, RFC 8033).
    Pie(PieSettings),
    /// Two queues, one of them for packets with ECT(1), under one controller of the delay (DualPI2, RFC 9332).
    DualPi2(DualPi2Settings),
    /// Deficit round robin of flows (Shreedhar and Varghese, 1996).
    Drr {
        /// Octets per round (quantum).
        quantum: u32,
        /// Limits of each flow.
        flow_limit: Limit,
        /// Which packet is dropped when the queue is full.
        overflow: Overflow,
    },
    /// FQ-CoDel: deficit round robin of hashed flows, new ones first, CoDel in each (RFC 8290).
    FqCodel {
        /// Octets per round (quantum).
        quantum: u32,
        /// Number of queues that flows are hashed to; `None`: one per flow.
        queues: Option<u32>,
        /// CoDel's parameters for each queue.
        delay: ControlledDelay,
    },
    /// Strict priority of traffic classes (IEEE 802.1Q); its limit is each class's.
    Priority {
        /// By connection its class, 0 to 7; the highest goes first.
        classes: Arc<[u8]>,
    },
    /// A shaper, tins by code point, and flows under COBALT that share fairly between hosts (CAKE).
    Cake(CakeSettings),
    /// A class for each flow under the output's token bucket; its limit is each class's.
    Htb {
        /// Octets per round (quantum).
        quantum: u32,
        /// Guaranteed rate and burst of each class.
        guaranteed: Shaping,
        /// Ceiling rate and burst of each class.
        ceil: Shaping,
    },
}

impl Discipline {
    /// Whether chance has a part in which packets it drops or marks, beside that in how flows are hashed.
    pub fn drops_at_random(&self) -> bool {
        matches!(self, Discipline::Pie(_) | Discipline::DualPi2(_) | Discipline::Cake(_))
    }
}

/// Parameters of CoDel (RFC 8289).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlledDelay {
    /// Acceptable standing delay (TARGET).
    pub target: Duration,
    /// Time above the target before packets are dropped (INTERVAL), about one RTT.
    pub interval: Duration,
    /// Whether packets whose senders understand it are marked in place of drops (RFC 8289, section 5; RFC 3168).
    pub ecn: bool,
    /// Marks by each packet's own wait as well.
    pub ce_threshold: Option<CeThreshold>,
}

/// A wait from which every packet whose sender understands it is marked (`ce_threshold` of tc-codel(8) and tc-fq_codel(8)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CeThreshold {
    /// Longer waits are marked.
    pub wait: Duration,
    /// Whether of packets with ECT(1) only (`ce_threshold_selector` 0x1/0x3).
    pub ect1_only: bool,
}

/// Parameters of PIE (RFC 8033).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieSettings {
    /// Queueing delay that it aims at (QDELAY_REF).
    pub target: Duration,
    /// Time between updates of the drop probability (T_UPDATE).
    pub update: Duration,
    /// Weight of the delay beyond the target, per second.
    pub alpha: f64,
    /// Weight of the growth of the delay, per second.
    pub beta: f64,
    /// How long no packet is dropped early after an idle time (MAX_BURST).
    pub burst: Duration,
    /// Whether packets whose senders understand it are marked, as long as the probability is small.
    pub ecn: bool,
}

/// Parameters of DualPI2 (RFC 9332), with the names of tc-dualpi2(8) where they differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualPi2Settings {
    /// Queueing delay that the controller aims at.
    pub target: Duration,
    /// Time between updates of the base probability (`tupdate`).
    pub update: Duration,
    /// Weight of the delay beyond the target, per second.
    pub alpha: f64,
    /// Weight of the growth of the delay, per second.
    pub beta: f64,
    /// By which the base probability is multiplied for marks of the queue of low latency (`coupling_factor`).
    pub coupling: u32,
    /// Wait beyond which a packet of that queue is marked (`step_thresh`).
    pub step: Duration,
    /// Packets that the queue must have had at its arrival for that (`min_qlen_step`).
    pub step_length: u32,
    /// Share of the classic queue while both wait, percent (`classic_protection`).
    pub protection: u32,
    /// What happens beyond a coupled probability of one.
    pub overload: Overload,
    /// Whether packets are dropped or marked as they come (`drop_enqueue`), not as they leave.
    pub at_enqueue: bool,
    /// Whether packets with ECT(0) have low latency as well.
    pub any_ect: bool,
}

/// What DualPI2 does when marks of all packets of low latency do not suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overload {
    /// Packets are dropped, so that the delay stays (`drop_on_overload`).
    Drop,
    /// The queue grows up to its limit (`overflow`).
    Overflow,
}

/// Which packet is dropped when a queue is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The packet that arrives (tail drop).
    Arriving,
    /// The oldest packet of the flow with the most octets waiting.
    Longest,
}

/// A token bucket: rate and burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shaping {
    /// Fill rate in bit/s.
    pub rate: u64,
    /// Octets that may leave back to back after an idle time.
    pub burst: u64,
}
