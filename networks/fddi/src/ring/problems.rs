//! Configuration errors of a ring, found before it runs; each states the limit and the excess.

use sojourn_core::Duration;
use sojourn_protocols::fddi::{MAX_FRAME, MIN_FRAME, TOKEN_TIME, wire_time};
use thiserror::Error;

use super::settings::{Class, LARGEST_FRAME_TIME, MacSettings, RingSettings, propagation};

/// The shortest target token rotation time (X3.139, T_Min).
pub const SHORTEST_TTRT: Duration = Duration::from_millis(4);
/// Upper bound of the target token rotation time: the default of T_Max (ANSI X3.139, FDDI MAC).
pub const LONGEST_TTRT: Duration = Duration::from_millis(165);
/// The most MACs: 500 stations, each attached twice.
pub const MOST_MACS: usize = 1000;
/// The most fibre, in metres.
pub const MOST_FIBRE_METRES: f64 = 200_000.0;

/// Why a ring cannot run, or cannot keep what a timed token promises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Problem {
    /// The ring has no MAC.
    #[error("a ring has at least one MAC")]
    NoMacs,
    /// Beyond 500 dual-attached stations.
    #[error("{count} MACs are more than the {MOST_MACS} of a ring")]
    TooManyMacs {
        /// MACs of the ring.
        count: usize,
    },
    /// The fibre of the whole ring is longer than 200 km.
    #[error("the fibre delays symbols by {delay}, which is more than {limit}, the delay of 200 km")]
    TooMuchFibre {
        /// Delay of all the fibre.
        delay: Duration,
        /// Delay of 200 km.
        limit: Duration,
    },
    /// A bid beyond 4 to 165 ms.
    #[error("a target token rotation time of {requested} is outside {SHORTEST_TTRT} to {LONGEST_TTRT}")]
    Ttrt {
        /// Whose bid.
        mac: u32,
        /// The bid.
        requested: Duration,
    },
    /// A MAC that repeats in no time.
    #[error("a station repeats a symbol some time after its arrival, not in no time")]
    NoLatency {
        /// Which MAC.
        mac: u32,
    },
    /// A valid-transmission timer that runs out on a ring where all is well.
    #[error("a valid-transmission timer of {timer} is shorter than a round and the longest frame, {needed}")]
    ValidTransmissionTimer {
        /// The timer.
        timer: Duration,
        /// Ring latency, longest frame and token.
        needed: Duration,
    },
    /// Allocations that break the synchronous rule.
    #[error(
        "synchronous allocations of {allocated}, a ring latency of {latency}, the longest frame and the token are \
         {excess} more than the target token rotation time of {ttrt}"
    )]
    SynchronousRule {
        /// Sum of the allocations.
        allocated: Duration,
        /// Ring latency allowed for.
        latency: Duration,
        /// What a rotation may take.
        ttrt: Duration,
        /// By how much the rule is broken.
        excess: Duration,
    },
    /// A threshold that not even an idle ring's token is early enough for.
    #[error(
        "priority {priority} needs a token {threshold} early; on an idle ring it is at most {earliest} early, so \
         nothing would be sent"
    )]
    Threshold {
        /// Which MAC.
        mac: u32,
        /// Which priority.
        priority: u8,
        /// What it needs.
        threshold: Duration,
        /// How early a token can be.
        earliest: Duration,
    },
}

impl Problem {
    /// The MAC whose settings are at fault, where it is one.
    pub fn mac(&self) -> Option<u32> {
        match *self {
            Problem::Ttrt { mac, .. } | Problem::NoLatency { mac } | Problem::Threshold { mac, .. } => Some(mac),
            _ => None,
        }
    }
}

/// Why a MAC could never send a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FrameProblem {
    /// Below the shortest frame.
    #[error("{0} bytes are shorter than the shortest frame of {MIN_FRAME} bytes")]
    TooShort(u32),
    /// Above the longest frame.
    #[error("{0} bytes are longer than the longest frame of {MAX_FRAME} bytes")]
    TooLong(u32),
    /// A synchronous frame that its enforced allocation never holds.
    #[error("a synchronous frame takes {needed} on the ring and the station's allocation is {allocated}")]
    BeyondAllocation {
        /// Its time on the ring.
        needed: Duration,
        /// The allocation.
        allocated: Duration,
    },
    /// A priority beyond 7.
    #[error("priority {0} is beyond 7")]
    Priority(u8),
}

/// All that is wrong with a ring.
pub fn problems(ring: &RingSettings) -> Vec<Problem> {
    let Some(ttrt) = ring.ttrt() else { return vec![Problem::NoMacs] };
    let mut found = Vec::new();
    let (count, fibre) = (ring.macs.len(), ring.macs.iter().map(|mac| mac.hop).sum());
    if count > MOST_MACS {
        found.push(Problem::TooManyMacs { count });
    }
    let limit = propagation(MOST_FIBRE_METRES);
    if fibre > limit {
        found.push(Problem::TooMuchFibre { delay: fibre, limit });
    }
    let earliest = ttrt.saturating_sub(ring.latency());
    for (mac, settings) in (0..).zip(&ring.macs) {
        found.extend(mac_problems(mac, settings, earliest));
    }
    found.extend(synchronous_rule(ring, ttrt));
    let (timer, needed) = (ring.valid_transmission_timer, ring.latency() + LARGEST_FRAME_TIME + TOKEN_TIME);
    if timer < needed {
        found.push(Problem::ValidTransmissionTimer { timer, needed });
    }
    found
}

/// Whether `mac` could ever send a frame of MAC length `length` in `class`.
pub fn frame_problem(mac: &MacSettings, class: Class, length: u32) -> Option<FrameProblem> {
    if (length as usize) < MIN_FRAME {
        return Some(FrameProblem::TooShort(length));
    }
    if length as usize > MAX_FRAME {
        return Some(FrameProblem::TooLong(length));
    }
    match class {
        Class::Asynchronous(priority) => (priority > 7).then_some(FrameProblem::Priority(priority)),
        Class::Synchronous => {
            let (needed, allocated) = (wire_time(length as usize), mac.synchronous_allocation);
            let beyond = mac.enforce_allocation && needed > allocated;
            beyond.then_some(FrameProblem::BeyondAllocation { needed, allocated })
        }
    }
}

fn mac_problems(mac: u32, settings: &MacSettings, earliest: Duration) -> impl Iterator<Item = Problem> {
    let requested = settings.requested_ttrt;
    let outside = !(SHORTEST_TTRT..=LONGEST_TTRT).contains(&requested);
    let ttrt = outside.then_some(Problem::Ttrt { mac, requested });
    let latency = (settings.latency == Duration::ZERO).then_some(Problem::NoLatency { mac });
    let thresholds = (0..).zip(settings.thresholds).filter(move |&(_, threshold)| threshold >= earliest);
    let thresholds =
        thresholds.map(move |(priority, threshold)| Problem::Threshold { mac, priority, threshold, earliest });
    ttrt.into_iter().chain(latency).chain(thresholds)
}

/// The allocations, the ring latency, the longest frame and the token must fit into a rotation.
fn synchronous_rule(ring: &RingSettings, ttrt: Duration) -> Option<Problem> {
    let allocated: Duration = ring.macs.iter().map(|mac| mac.synchronous_allocation).sum();
    let latency = ring.largest_latency.max(ring.latency());
    let needed = allocated + latency + LARGEST_FRAME_TIME + TOKEN_TIME;
    let excess = needed.saturating_sub(ttrt);
    (excess > Duration::ZERO).then_some(Problem::SynchronousRule { allocated, latency, ttrt, excess })
}
