//! Rate limit of a reflector's replies, to each host and in total.

use std::collections::BTreeMap;
use std::net::IpAddr;

use sojourn_core::{Duration, Time};
use sojourn_protocols::probe::server::RateLimiter;

/// Burst beyond the rate.
const BURST: Duration = Duration::from_millis(100);
/// Hosts with a limit of their own, at most.
const MOST_HOSTS: usize = 1024;

/// Packets and octets per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Replies per second at most.
    pub packets: u64,
    /// Octets of replies per second at most.
    pub octets: u64,
}

/// Limit for one host: enough for any voice call, not for a flood.
const OF_ONE_HOST: Rate = Rate { packets: 2_000, octets: 2_500_000 };
/// Limit for all hosts together: a fifth of a link of 1 Gbit/s.
const OF_ALL: Rate = Rate { packets: 20_000, octets: 25_000_000 };
/// Limit on loopback: none in practice.
const OF_OWN_HOST: Rate = Rate { packets: 1_000_000, octets: 12_500_000_000 };

/// Token buckets for each host and for all.
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
    /// The limit of a reflector on an address: on loopback it can harm no other host.
    pub fn of(address: IpAddr) -> RateLimit {
        if address.is_loopback() {
            RateLimit::new(OF_OWN_HOST, OF_OWN_HOST)
        } else {
            RateLimit::new(OF_ONE_HOST, OF_ALL)
        }
    }

    /// A limit for each host, and one for all.
    pub fn new(of_one_host: Rate, of_all: Rate) -> RateLimit {
        RateLimit { of_one_host, all: Buckets::new(of_all), hosts: BTreeMap::new() }
    }

    /// Whether a reply of this length to `host` conforms; if so it is counted.
    pub fn allows(&mut self, now: Time, host: IpAddr, octets: usize) -> bool {
        // spoofed addresses beyond this number meet the limit for all hosts
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

    /// How many of `each` packets per millisecond from every host pass in a second.
    fn passed(rate_limit: &mut RateLimit, hosts: u32, each: u32, octets: usize) -> usize {
        let moments = (0..1000).map(|millisecond| Time::ZERO + Duration::from_millis(millisecond));
        moments
            .flat_map(|now| (0..hosts).flat_map(move |number| (0..each).map(move |_| (now, host(number)))))
            .filter(|(now, host)| rate_limit.allows(*now, *host, octets))
            .count()
    }

    #[test]
    fn one_host_gets_its_rate_and_a_burst() {
        let mut rate_limit = RateLimit::new(Rate { packets: 100, octets: 1 << 40 }, OF_ALL);
        assert!((100..=112).contains(&passed(&mut rate_limit, 1, 10, 64)));
    }

    #[test]
    fn large_packets_use_up_the_octet_rate() {
        let mut rate_limit = RateLimit::new(Rate { packets: 1 << 40, octets: 100_000 }, OF_ALL);
        assert!((100..=112).contains(&passed(&mut rate_limit, 1, 10, 1000)));
    }

    #[test]
    fn a_flood_from_spoofed_addresses_meets_the_total_limit() {
        let mut rate_limit =
            RateLimit::new(Rate { packets: 100, octets: 1 << 40 }, Rate { packets: 500, octets: 1 << 40 });
        assert!((500..=560).contains(&passed(&mut rate_limit, 3000, 1, 64)));
    }
}
