//! What a sysop sets, and the choices in which programs differ. Presets are in [`presets`](super::presets).

use crate::limits::{ParameterOutOfRange, between, timer};
use sojourn_core::Duration;

/// Parameters of a node. A number in brackets is that of the TheNet X-1J parameter list.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// How routes are kept.
    pub routing: Routing,
    /// How circuits work.
    pub transport: Transport,
    /// Timers expire only at multiples of this span after the node's first tick; 0: at any instant. TheNet counts
    /// seconds.
    pub tick: Duration,
}

/// Parameters of the network layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Routing {
    /// Destinations in the table (1), 1 to 65535.
    pub max_destinations: u16,
    /// Least quality of a route that is learned (2).
    pub min_quality: u8,
    /// Obsolescence count of a new route (5), 1 to 255.
    pub obsolescence_initial: u8,
    /// Least obsolescence count of a destination that is told of (6).
    pub min_obsolescence_broadcast: u8,
    /// From one broadcast to the next (7); 0: none, and nothing ages.
    pub broadcast_interval: Duration,
    /// Hops a packet of this node may go (8), 1 to 255.
    pub ttl: u8,
    /// Whether broadcasts make routes.
    pub learns_from_broadcasts: bool,
    /// Whether a packet that comes through shows a way back to its origin, as a last resort (quality 0).
    pub learns_from_packets: bool,
}

/// Parameters of the transport layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Transport {
    /// How long an answer is waited for (9).
    pub timeout: Duration,
    /// Repetitions of a packet that is not answered (10), 1 to 127.
    pub retries: u8,
    /// How long an acknowledgement is held back (11).
    pub acknowledge_delay: Duration,
    /// Which packet the delay counts from.
    pub acknowledge_start: AcknowledgeStart,
    /// When an acknowledgement does not wait.
    pub early_acknowledge: EarlyAcknowledge,
    /// Whether undelivered packets beyond half a window lengthen the delay, each by one delay more.
    pub delay_grows_with_backlog: bool,
    /// How long a sender that is choked waits to be released before it goes on by itself (12).
    pub choke_timeout: Duration,
    /// Window that is proposed, and accepted at most (13), 1 to 127.
    pub window: u8,
    /// Packets of a circuit not acknowledged yet, sent or not, beyond which no more is taken from the user (14).
    pub send_queue_limit: u16,
    /// How long a circuit without data lives (15); none for ever.
    pub no_activity_timeout: Option<Duration>,
    /// Octets of user data in a packet, 1 to 236.
    pub information_limit: u16,
    /// Sequence numbers count modulo this.
    pub modulus: Modulus,
    /// What is sent again when an answer does not come.
    pub retransmit: Retransmit,
    /// When a missing packet is asked for.
    pub nak: NakPolicy,
    /// Whether packets that come before their turn are kept.
    pub buffers_out_of_order: bool,
    /// When the other side is choked, and released.
    pub choke: Choke,
    /// Whether a choked sender takes back what is not acknowledged and sends the window again when released.
    pub rewinds_when_choked: bool,
    /// Whether circuits may be opened to this node.
    pub accepts_connections: bool,
    /// Circuits at a time, 1 to 255.
    pub max_circuits: u8,
    /// Whether packets for a circuit that there is not are answered with a reset, and resets believed.
    pub resets: bool,
    /// Whether connect packets carry BPQ's extension unasked. Asked, they always do.
    pub bpq_extension: bool,
}

/// Which packet the acknowledgement's delay counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AcknowledgeStart {
    /// From the first that is not acknowledged.
    First,
    /// From the last: each packet begins the delay anew.
    Restart,
}

/// When an acknowledgement does not wait for its delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EarlyAcknowledge {
    /// It always waits.
    None,
    /// Half a window is not acknowledged, and the node is not short of room.
    Half,
    /// A full window is not acknowledged.
    Full,
}

/// How sequence numbers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modulus {
    /// Seven bits (TheNetNode).
    OneHundredTwentyEight,
    /// Eight bits (Linux).
    TwoHundredFiftySix,
}

/// What is sent again when an answer does not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Retransmit {
    /// Everything not acknowledged.
    All,
    /// The oldest packet not acknowledged.
    Oldest,
}

/// When a missing packet is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NakPolicy {
    /// When a later one comes, once.
    Immediate,
    /// With the next acknowledgement.
    WithAcknowledgement,
    /// Never: the sender's timer finds out.
    Never,
}

/// When the other side is choked, and released. The backlog is what has been delivered to the user and not consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choke {
    /// Counts the backlog.
    pub unit: BacklogUnit,
    /// A backlog above this chokes (14).
    pub above: u32,
    /// A backlog below this releases, at least 1.
    pub below: u32,
    /// When the other side is told that it is choked.
    pub signalled: ChokeSignal,
    /// When it is told that it is released.
    pub release: ChokeRelease,
    /// Whether information that comes nevertheless is dropped; dropped, it has the choke told again.
    pub drops: bool,
    /// Fewer free buffers of the node than this choke at once; 0: they are not looked at.
    pub min_free_buffers: u16,
    /// Release waits for more free buffers than this.
    pub release_free_buffers: u16,
}

/// What a backlog is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BacklogUnit {
    /// Packets.
    Packets,
    /// Octets of user data.
    Octets,
}

/// When the other side is told that it is choked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChokeSignal {
    /// At once.
    Immediate,
    /// With whatever acknowledges next.
    WithAcknowledgement,
    /// Decided when the acknowledgement's delay ends with a full window to acknowledge.
    AtFullWindow,
}

/// When the other side is told that it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChokeRelease {
    /// As soon as the backlog is small enough.
    Immediate,
    /// An acknowledgement's delay later, unless information goes that way before.
    WithAcknowledgement,
    /// When a look at every such span finds the backlog small enough.
    Poll(Duration),
}

impl Modulus {
    /// The largest number, and the bits it has.
    pub const fn largest(self) -> u8 {
        match self {
            Modulus::OneHundredTwentyEight => 127,
            Modulus::TwoHundredFiftySix => 255,
        }
    }

    /// `number + count`, around the circle.
    pub const fn after(self, number: u8, count: u8) -> u8 {
        number.wrapping_add(count) & self.largest()
    }

    /// How far `number` is after `earlier`, around the circle.
    pub const fn distance(self, earlier: u8, number: u8) -> u8 {
        number.wrapping_sub(earlier) & self.largest()
    }
}

impl Settings {
    /// Refuses what no node could use.
    pub fn check(&self) -> Result<(), ParameterOutOfRange> {
        let Settings { routing, transport, .. } = self;
        between("the number of destinations", routing.max_destinations.into(), 1, 65_535)?;
        between("the first obsolescence count", routing.obsolescence_initial.into(), 1, 255)?;
        between("the time to live", routing.ttl.into(), 1, 255)?;
        between("the window", transport.window.into(), 1, 127)?;
        between("the number of repetitions", transport.retries.into(), 1, 127)?;
        between("the number of packets admitted", transport.send_queue_limit.into(), 1, 65_535)?;
        between("the length of information", transport.information_limit.into(), 1, 236)?;
        between("the number of circuits", transport.max_circuits.into(), 1, 255)?;
        between("the backlog that releases", transport.choke.below, 1, u32::MAX)?;
        timer("the transport timeout in milliseconds", transport.timeout)?;
        timer("the busy delay in milliseconds", transport.choke_timeout)?;
        if let ChokeRelease::Poll(span) = transport.choke.release {
            timer("the time between looks at the backlog in milliseconds", span)?;
        }
        Ok(())
    }
}
