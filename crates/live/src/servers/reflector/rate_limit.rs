//! How much a reflector gives back, to one host and to all.

use std::collections::BTreeMap;
use std::net::IpAddr;

use sojourn_core::{Duration, Time};
use sojourn_protocols::probe::server::RateLimiter;

/// What may come at once beyond the rate.
const BURST: Duration = Duration::from_millis(100);
/// How many hosts are counted apart.
const MOST_HOSTS: usize = 1024;

/// Packets and octets a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Packets.
    pub packets: u64,
    /// Octets.
    pub octets: u64,
}

/// What one host gets back: a voice call of every kind, not a flood.
const OF_ONE_HOST: Rate = Rate { packets: 2_000, octets: 2_500_000 };
/// What all get back together: a fifth of a link of 1 Gbit/s.
const OF_ALL: Rate = Rate { packets: 20_000, octets: 25_000_000 };
/// What this host may ask of itself: whatever it can.
const OF_OWN_HOST: Rate = Rate { packets: 1_000_000, octets: 12_500_000_000 };

/// What is left to whom.
#[derive(Debug)]
pub struct RateLimit {
    of_one_host: Rate,
    all: Buckets,
    hosts: BTreeMap<IpAddr, Buckets>,
}

#[derive(Debug)]
struct Buckets {
    packets: RateLimiter,
    octets: RateLimiter,
}

impl Buckets {
    fn new(rate: Rate) -> Buckets {
        Buckets { packets: RateLimiter::new(rate.packets, BURST), octets: RateLimiter::new(rate.octets, BURST) }
    }

    fn take(&mut self, now: Time, octets: u64) -> bool {
        self.packets.take(now, 1) && self.octets.take(now, octets)
    }
}

impl RateLimit {
    /// The quota of a reflector at an address: one that its own host alone can reach harms nobody.
    pub fn of(address: IpAddr) -> RateLimit {
        if address.is_loopback() {
            RateLimit::new(OF_OWN_HOST, OF_OWN_HOST)
        } else {
            RateLimit::new(OF_ONE_HOST, OF_ALL)
        }
    }

    /// So much for one host, so much for all.
    pub fn new(of_one_host: Rate, of_all: Rate) -> RateLimit {
        RateLimit { of_one_host, all: Buckets::new(of_all), hosts: BTreeMap::new() }
    }

    /// Whether a host may have so many octets back now; if so they are paid for.
    pub fn allows(&mut self, now: Time, host: IpAddr, octets: usize) -> bool {
        // whoever makes up a thousand addresses meets the limit of all
        if self.hosts.len() == MOST_HOSTS && !self.hosts.contains_key(&host) {
            self.hosts.clear();
        }
        let own = self.hosts.entry(host).or_insert_with(|| Buckets::new(self.of_one_host));
        own.take(now, octets as u64) && self.all.take(now, octets as u64)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn host(number: u32) -> IpAddr {
        Ipv4Addr::from(number).into()
    }

    /// How many packets pass of `each` a millisecond from every host for a second.
    fn passed(rate_limit: &mut RateLimit, hosts: u32, each: u32, octets: usize) -> usize {
        let moments = (0..1000).map(|millisecond| Time::ZERO + Duration::from_millis(millisecond));
        moments
            .flat_map(|now| (0..hosts).flat_map(move |number| (0..each).map(move |_| (now, host(number)))))
            .filter(|(now, host)| rate_limit.allows(*now, *host, octets))
            .count()
    }

    #[test]
    fn one_host_gets_its_rate_and_a_burst_whatever_it_sends() {
        let mut rate_limit = RateLimit::new(Rate { packets: 100, octets: 1 << 40 }, OF_ALL);
        assert!((100..=112).contains(&passed(&mut rate_limit, 1, 10, 64)));
    }

    #[test]
    fn a_few_large_packets_use_up_the_octets() {
        let mut rate_limit = RateLimit::new(Rate { packets: 1 << 40, octets: 100_000 }, OF_ALL);
        assert!((100..=112).contains(&passed(&mut rate_limit, 1, 10, 1000)));
    }

    #[test]
    fn a_flood_from_made_up_addresses_meets_the_limit_of_all() {
        let mut rate_limit =
            RateLimit::new(Rate { packets: 100, octets: 1 << 40 }, Rate { packets: 500, octets: 1 << 40 });
        assert!((500..=560).contains(&passed(&mut rate_limit, 3000, 1, 64)));
    }
}
