//! Round-trip times from the capture point to a host.

use sojourn_core::Time;

use sojourn_capture::arrivals::Reservoir;

/// Values kept.
const SAMPLE: usize = 1024;
/// Octets of IP up to which a packet hardly takes time on a link.
pub(super) const SHORT: f64 = 200.0;

/// The shortest time, with the mean length of the packet there and the one back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trip {
    /// Time, s.
    pub seconds: f64,
    /// Mean octets of the two packets of IP.
    pub octets: f64,
    /// When the one back was captured.
    pub at: Time,
}

/// Times from a packet to a host until what the host sends upon it.
#[derive(Clone, Debug)]
pub(super) struct Trips {
    /// A sample of all, s.
    pub times: Reservoir,
    /// The last one, s.
    pub latest: Option<f64>,
    /// The shortest of two short packets.
    pub short: Option<Trip>,
    /// The shortest of other packets.
    pub long: Option<Trip>,
}

impl Default for Trips {
    fn default() -> Self {
        Trips { times: Reservoir::new(SAMPLE), latest: None, short: None, long: None }
    }
}

impl Trips {
    /// A packet of `there` octets was answered after `seconds` by one of `back` octets, captured at `at`.
    pub fn push(&mut self, seconds: f64, there: u32, back: u32, at: Time) {
        self.times.push(seconds);
        self.latest = Some(seconds);
        let trip = Trip { seconds, octets: f64::midpoint(f64::from(there), f64::from(back)), at };
        let is_short = f64::from(there.max(back)) <= SHORT;
        let least = if is_short { &mut self.short } else { &mut self.long };
        *least = shorter(*least, Some(trip));
    }

    /// Adds the times of another list.
    pub fn merge(&mut self, other: &Trips) {
        self.times.merge(&other.times);
        self.latest = self.latest.or(other.latest);
        self.short = shorter(self.short, other.short);
        self.long = shorter(self.long, other.long);
    }

    /// The shortest time, of short packets where there are any, unless a longer packet took less: then the short ones, a
    /// single SYN perhaps, have waited.
    pub fn shortest(&self) -> Option<Trip> {
        match (self.short, self.long) {
            (Some(short), Some(long)) if long.seconds < short.seconds => Some(long),
            (short, long) => short.or(long),
        }
    }

    /// The shortest time of any packets, s; 0 without one.
    pub fn least(&self) -> f64 {
        shorter(self.short, self.long).map_or(0.0, |trip| trip.seconds)
    }
}

fn shorter(one: Option<Trip>, other: Option<Trip>) -> Option<Trip> {
    match (one, other) {
        (Some(one), Some(other)) => Some(if other.seconds < one.seconds { other } else { one }),
        (one, other) => one.or(other),
    }
}

/// Values in ascending order.
pub(super) fn sorted(values: &Reservoir) -> Vec<f64> {
    let mut sorted = values.values().to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// The value at a share of ascending values; 0 of none.
pub(super) fn at(sorted: &[f64], share: f64) -> f64 {
    sorted.get((share * sorted.len().saturating_sub(1) as f64) as usize).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_time_is_that_of_short_packets_unless_they_waited() {
        let mut trips = Trips::default();
        trips.push(0.012, 1500, 52, Time::ZERO);
        assert_eq!(trips.shortest(), Some(Trip { seconds: 0.012, octets: 776.0, at: Time::ZERO }));
        trips.push(0.010, 60, 60, Time::ZERO);
        trips.push(0.011, 60, 52, Time::ZERO);
        assert_eq!(trips.shortest(), Some(Trip { seconds: 0.010, octets: 60.0, at: Time::ZERO }));
        trips.push(0.004, 1500, 52, Time::ZERO);
        assert_eq!(trips.shortest(), Some(Trip { seconds: 0.004, octets: 776.0, at: Time::ZERO }));
        assert_eq!((trips.least(), trips.latest), (0.004, Some(0.004)));
    }
}
