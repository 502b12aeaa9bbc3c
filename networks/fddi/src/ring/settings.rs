//! Settings of a ring.

use sojourn_core::Duration;
use sojourn_protocols::fddi::Address;

/// Delay of a metre of fibre, in seconds: refractive index 1.525, so 5.085 µs a kilometre (Jain, SIGCOMM '90).
const SECONDS_PER_METRE: f64 = 5.085e-9;
/// The longest that an optical bypass interrupts a ring (ANSI X3.229, I_Max).
pub const BYPASS_TIME: Duration = Duration::from_millis(25);

/// Maximum time of a frame in transmission when the token is awaited: 9000 symbols and a
/// preamble (X3.139, F_Max).
pub const LARGEST_FRAME_TIME: Duration = Duration::from_nanos(361_000);

/// The delay of `metres` of fibre. Panics when they are negative or not finite.
pub fn propagation(metres: f64) -> Duration {
    Duration::from_seconds(metres * SECONDS_PER_METRE).expect("a length of fibre")
}

/// How a frame is to be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// On the station's allocation, at every token.
    Synchronous,
    /// In the time a token comes early, by priority: 7 is the highest, 0 the lowest.
    Asynchronous(u8),
}

/// How many frames of a class a MAC may send for each token it captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Discipline {
    /// One.
    SinglePacketPerToken,
    /// Up to this many, as far as timers and allocation allow.
    MultiplePacketsPerToken(u32),
}

impl Discipline {
    /// As many as timers and allocation allow.
    pub const UNLIMITED: Discipline = Discipline::MultiplePacketsPerToken(u32::MAX);

    /// Maximum number of packets that a station sends per token.
    pub const fn most(self) -> u32 {
        match self {
            Discipline::SinglePacketPerToken => 1,
            Discipline::MultiplePacketsPerToken(most) => most,
        }
    }
}

/// One MAC and the fibre behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MacSettings {
    /// Decides between equal bids.
    pub address: Address,
    /// Delay of the fibre to the next MAC.
    pub hop: Duration,
    /// From a symbol's arrival to its repetition; more than zero. 1 µs in Jain's comparisons.
    pub latency: Duration,
    /// Its bid for the target token rotation time (T_Req), 4 to 165 ms.
    pub requested_ttrt: Duration,
    /// Time on the ring that synchronous frames may take at each token, preambles included.
    pub synchronous_allocation: Duration,
    /// Whether the MAC keeps to the allocation; otherwise only station management watches it.
    pub enforce_allocation: bool,
    /// Synchronous frames for each token.
    pub synchronous: Discipline,
    /// Asynchronous frames for each token.
    pub asynchronous: Discipline,
    /// Per asynchronous priority, the time that must be left of the token's earliness (T_Pri).
    pub thresholds: [Duration; 8],
}

impl MacSettings {
    /// MAC `number`, from 1: a bid of 8 ms (Jain's recommendation), no allocation, no fibre, any number of frames.
    pub fn new(number: u32) -> Self {
        MacSettings {
            address: Address::local(number),
            hop: Duration::ZERO,
            latency: Duration::from_micros(1),
            requested_ttrt: Duration::from_millis(8),
            synchronous_allocation: Duration::ZERO,
            enforce_allocation: true,
            synchronous: Discipline::UNLIMITED,
            asynchronous: Discipline::UNLIMITED,
            thresholds: [Duration::ZERO; 8],
        }
    }
}

/// Parameters of all MACs and fibres of a ring.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RingSettings {
    /// In the order in which the token visits them.
    pub macs: Vec<MacSettings>,
    /// The ring latency that allocations must allow for (D_Max): 1.617 ms, or the ring's own if that is longer.
    pub largest_latency: Duration,
    /// How long a MAC waits for a valid frame or token before it claims (TVX): 2.5 ms.
    pub valid_transmission_timer: Duration,
    /// Whether after a claim no MAC sends in the first rotation, and only synchronous frames are sent in the second.
    pub initial_rotations: bool,
}

impl RingSettings {
    /// A ring with the standard's timers.
    pub fn new(macs: Vec<MacSettings>) -> Self {
        RingSettings {
            macs,
            largest_latency: Duration::from_nanos(1_617_000),
            valid_transmission_timer: Duration::from_nanos(2_500_000),
            initial_rotations: true,
        }
    }

    /// Alike MACs at equal distances on `metres` of fibre.
    pub fn uniform(count: u32, metres: f64, like: &MacSettings) -> Self {
        let fibre = propagation(metres).picoseconds();
        let end = |mac: u32| Duration::from_picoseconds(fibre * u64::from(mac) / u64::from(count));
        let mac = |mac| MacSettings { address: Address::local(mac + 1), hop: end(mac + 1) - end(mac), ..like.clone() };
        RingSettings::new((0..count).map(mac).collect())
    }

    /// The ring latency: fibre and stations.
    pub fn latency(&self) -> Duration {
        self.macs.iter().map(|mac| mac.hop + mac.latency).sum()
    }

    /// The target token rotation time the claim will end on: the lowest bid. `None` without MACs.
    pub fn ttrt(&self) -> Option<Duration> {
        self.macs.iter().map(|mac| mac.requested_ttrt).min()
    }
}
