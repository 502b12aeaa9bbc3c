//! Parameters of a node, and the behaviours in which programs differ. Presets are in [`presets`](super::presets).

use crate::limits::{ParameterOutOfRange, between, timer};
use sojourn_core::Duration;

/// Parameters of a node. A number in brackets is the parameter's in the TheNet X-1J list.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Parameters of the network layer.
    pub routing: Routing,
    /// Parameters of the transport layer.
    pub transport: Transport,
    /// Timer resolution: timers expire at multiples of this span after the node's first tick; 0: at any instant. TheNet
    /// counts seconds.
    pub tick: Duration,
}

/// Parameters of the network layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Routing {
    /// Maximum destinations in the routing table (1), 1 to 65535.
    pub max_destinations: u16,
    /// Minimum quality of a route that is learned (2), 0 to 255.
    pub min_quality: u8,
    /// Obsolescence count of a new route (5), 1 to 255.
    pub obsolescence_initial: u8,
    /// Minimum obsolescence count of a route that is broadcast (6).
    pub min_obsolescence_broadcast: u8,
    /// Interval of NODES broadcasts (7); 0: no broadcasts, and routes do not age.
    pub broadcast_interval: Duration,
    /// Time to live of packets of this node, in hops (8), 1 to 255.
    pub ttl: u8,
    /// Whether routes are learned from NODES broadcasts.
    pub learns_from_broadcasts: bool,
    /// Whether packets teach a reverse route to their origin, as a last resort (quality 0).
    pub learns_from_packets: bool,
}

/// Parameters of the transport layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Transport {
    /// Transport timeout: time to an acknowledgement before a retry (9), 1 ms to 1 h.
    pub timeout: Duration,
    /// Transport retries: retransmissions of an unacknowledged packet (10), 1 to 127.
    pub retries: u8,
    /// Acknowledgement delay (11); 0: none.
    pub acknowledge_delay: Duration,
    /// Which packet starts the acknowledgement delay.
    pub acknowledge_start: AcknowledgeStart,
    /// When an acknowledgement is sent before the delay expires.
    pub early_acknowledge: EarlyAcknowledge,
    /// Whether each packet of backlog beyond half a window lengthens the delay by one delay.
    pub delay_grows_with_backlog: bool,
    /// Busy delay: how long a choked sender waits for release before it resumes (12), 1 ms to 1 h.
    pub choke_timeout: Duration,
    /// Window proposed, and maximum accepted, in packets (13), 1 to 127.
    pub window: u8,
    /// Congestion threshold: unacknowledged packets of a circuit, sent or not, at which its user must wait (14), 1 to
    /// 65535.
    pub send_queue_limit: u16,
    /// No-activity timeout: how long a circuit without data stays open (15); `None` for no limit.
    pub no_activity_timeout: Option<Duration>,
    /// Maximum octets of user data in a packet, 1 to 236.
    pub information_limit: u16,
    /// The modulus of sequence numbers.
    pub modulus: Modulus,
    /// What is retransmitted after a timeout.
    pub retransmit: Retransmit,
    /// When NAK requests a missing packet.
    pub nak: NakPolicy,
    /// Whether packets received out of sequence are buffered.
    pub buffers_out_of_order: bool,
    /// When the peer is choked, and released.
    pub choke: Choke,
    /// Whether a choked sender retransmits the whole window when released.
    pub rewinds_when_choked: bool,
    /// Whether the node accepts circuits.
    pub accepts_connections: bool,
    /// Maximum number of circuits, 1 to 255.
    pub max_circuits: u8,
    /// Whether packets for an unknown circuit cause a reset, and received resets close circuits (G8PZT).
    pub resets: bool,
    /// Whether connect requests carry BPQ's extension. Responses to an extended request always do.
    pub bpq_extension: bool,
}

/// Which packet starts the acknowledgement delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AcknowledgeStart {
    /// The first unacknowledged packet.
    First,
    /// The last: each packet restarts the delay.
    Restart,
}

/// When an acknowledgement is sent before its delay expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EarlyAcknowledge {
    /// Never: the delay always applies.
    None,
    /// When half a window is unacknowledged and the circuit is not congested.
    Half,
    /// When a full window is unacknowledged.
    Full,
}

/// The modulus of sequence numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Modulus {
    /// Seven bits, as in TheNetNode.
    OneHundredTwentyEight,
    /// Eight bits, as in Linux.
    TwoHundredFiftySix,
}

/// What is retransmitted after a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Retransmit {
    /// All unacknowledged packets of the window.
    All,
    /// The oldest unacknowledged packet.
    Oldest,
}

/// When NAK requests a missing packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NakPolicy {
    /// Once, when a later packet is received.
    Immediate,
    /// With the next acknowledgement.
    WithAcknowledgement,
    /// Never: the sender's timeout recovers it.
    Never,
}

/// When the peer is choked, and released. The backlog is data delivered to the user and not consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choke {
    /// Unit of the backlog thresholds.
    pub unit: BacklogUnit,
    /// Congestion threshold: a backlog above this chokes (14).
    pub above: u32,
    /// A backlog below this releases; at least 1.
    pub below: u32,
    /// When the choke is signalled to the peer.
    pub signalled: ChokeSignal,
    /// When the release is signalled to the peer.
    pub release: ChokeRelease,
    /// Whether information received while choking is dropped, and the choke signalled again.
    pub drops: bool,
    /// Fewer free buffers of the node than this choke at once; 0: buffers are ignored.
    pub min_free_buffers: u16,
    /// Release waits for more free buffers than this.
    pub release_free_buffers: u16,
}

/// The unit of a backlog.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BacklogUnit {
    /// Packets delivered and not consumed.
    Packets,
    /// Octets of user data.
    Octets,
}

/// When a choke is signalled to the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChokeSignal {
    /// At once, by an acknowledgement of its own.
    Immediate,
    /// With the next acknowledgement.
    WithAcknowledgement,
    /// Decided when the acknowledgement delay expires with a full window to acknowledge.
    AtFullWindow,
}

/// When a release is signalled to the peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChokeRelease {
    /// As soon as the backlog is below the release threshold.
    Immediate,
    /// After the acknowledgement delay, or with information sent earlier.
    WithAcknowledgement,
    /// When a poll of the backlog at this interval finds it below the release threshold.
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

    /// `number + count` in the modulus.
    pub const fn after(self, number: u8, count: u8) -> u8 {
        number.wrapping_add(count) & self.largest()
    }

    /// `number - earlier` in the modulus.
    pub const fn distance(self, earlier: u8, number: u8) -> u8 {
        number.wrapping_sub(earlier) & self.largest()
    }
}

impl Settings {
    /// Checks that every parameter is in range.
    pub fn check(&self) -> Result<(), ParameterOutOfRange> {
        let Settings { routing, transport, .. } = self;
        between("the maximum number of destinations", routing.max_destinations.into(), 1, 65_535)?;
        between("the initial obsolescence count", routing.obsolescence_initial.into(), 1, 255)?;
        between("the time to live", routing.ttl.into(), 1, 255)?;
        between("the window", transport.window.into(), 1, 127)?;
        between("the transport retries", transport.retries.into(), 1, 127)?;
        between("the send queue limit", transport.send_queue_limit.into(), 1, 65_535)?;
        between("the length of user data", transport.information_limit.into(), 1, 236)?;
        between("the maximum number of circuits", transport.max_circuits.into(), 1, 255)?;
        between("the release threshold", transport.choke.below, 1, u32::MAX)?;
        timer("the transport timeout in milliseconds", transport.timeout)?;
        timer("the busy delay in milliseconds", transport.choke_timeout)?;
        if let ChokeRelease::Poll(span) = transport.choke.release {
            timer("the backlog poll interval in milliseconds", span)?;
        }
        Ok(())
    }
}
