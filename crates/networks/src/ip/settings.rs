//! Settings of the outputs of a packet network.

use sojourn_core::Duration;

/// All outputs of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// By port of the topology.
    pub ports: Vec<PortSettings>,
    /// By station: from a packet's last bit until it may leave again; hosts do not forward.
    pub latencies: Vec<Duration>,
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkSettings {
    /// Whether packets take no time on it, as between two ends of a virtual Ethernet pair; its rate then counts for
    /// nothing.
    pub unlimited: bool,
    /// What goes along with a packet.
    pub framing: Framing,
    /// Octets of the longest IP packet, at least 68 (RFC 791).
    pub mtu: u32,
    /// Share of the packets that are lost on the path, each by chance.
    pub loss: f64,
    /// The most that a packet is delayed beyond the link's length; uniform from 0.
    pub jitter: Duration,
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

/// What waits before a link.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueSettings {
    /// Who is next.
    pub discipline: Discipline,
    /// How much may wait.
    pub limit: Limit,
    /// The token bucket that packets pass.
    pub shaping: Option<Shaping>,
}

/// How much may wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    /// Packets.
    pub packets: u32,
    /// Their octets, as queues count them.
    pub octets: u64,
}

impl Limit {
    /// All may wait.
    pub const NONE: Limit = Limit { packets: u32::MAX, octets: u64::MAX };
}

/// Who of the waiting is next.
#[derive(Clone, Debug, PartialEq)]
pub enum Discipline {
    /// Who came first.
    Fifo,
    /// Who came first, unless all have waited too long (RFC 8289).
    Codel(ControlledDelay),
    /// Every flow in turn by octets (Shreedhar and Varghese, 1996).
    Drr {
        /// Octets of a turn.
        quantum: u32,
        /// How much of one flow may wait.
        flow_limit: Limit,
        /// Who goes when all the room is taken.
        overflow: Overflow,
    },
    /// Flows in turn, new ones first, each under controlled delay (RFC 8290).
    FqCodel {
        /// Octets of a turn.
        quantum: u32,
        /// Into how many queues flows are hashed; `None`: each has its own.
        queues: Option<u32>,
        /// What each queue is held to.
        delay: ControlledDelay,
    },
    /// A class for each flow under the output's token bucket; its limit is each class's.
    Htb {
        /// Octets of a turn.
        quantum: u32,
        /// What each class may send whatever the others do.
        guaranteed: Shaping,
        /// What each class may send at most.
        ceil: Shaping,
    },
}

/// What controlled delay aims at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControlledDelay {
    /// The wait that is accepted for good.
    pub target: Duration,
    /// How long a longer wait is borne: about a round trip.
    pub interval: Duration,
}

/// Who goes when all the room of a queue is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The packet that comes.
    Arriving,
    /// The oldest packet of the flow with the most octets waiting.
    Longest,
}

/// A token bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shaping {
    /// Bits a second.
    pub rate: u64,
    /// Octets that may go at once after a pause.
    pub burst: u64,
}
