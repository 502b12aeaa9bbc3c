//! Which peers an agent may measure for its clients: those in networks that its operator names, up to a number in all.

use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::order::{MOST_PEERS, Order, Refusal};

/// Addresses with a common prefix, as `10.0.0.0/8`, `192.0.2.7` or `2001:db8::/32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u32,
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Network, String> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| format!("`{address}` is not an IPv4 or IPv6 address"))?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => longest,
            Some(prefix) => prefix
                .parse()
                .ok()
                .filter(|prefix| *prefix <= longest)
                .ok_or_else(|| format!("`/{prefix}` is not the length of a prefix, /0 to /{longest}"))?,
        };
        Ok(Network { address, prefix })
    }
}

impl Network {
    /// Whether an address is in it; one of the other version never is.
    pub fn contains(&self, address: IpAddr) -> bool {
        let (own, other, length) = match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => (u32::from(own).into(), u32::from(other).into(), 32),
            (IpAddr::V6(own), IpAddr::V6(other)) => (u128::from(own), u128::from(other), 128),
            _ => return false,
        };
        // a shift by all bits would overflow
        let differs: u128 = own ^ other;
        self.prefix == 0 || differs >> (length - self.prefix) == 0
    }
}

/// The permission of an agent's operator; copies share its limit.
#[derive(Clone, Debug)]
pub struct Permission {
    networks: Vec<Network>,
    /// Peers that are measured now.
    taken: Arc<AtomicUsize>,
}

impl Permission {
    /// For peers in these networks.
    pub fn new(networks: Vec<Network>) -> Permission {
        Permission { networks, taken: Arc::default() }
    }

    /// Refuses an address outside the networks.
    pub fn permit(&self, address: IpAddr) -> Result<(), Refusal> {
        match self.networks.iter().any(|network| network.contains(address)) {
            true => Ok(()),
            false => Err(format!("the agent may not measure {address} (sojourn agent --measures NETWORK)")),
        }
    }

    /// Takes places for the peers of an order, at most this many requests per second.
    pub fn take(&self, order: &Order, most_per_second: u32) -> Result<Taken, Refusal> {
        let rate = order.whole_rate();
        if rate > f64::from(most_per_second) {
            return Err(format!(
                "the agent sends {most_per_second} requests/s at most, and {rate:.0} are asked for (sojourn agent --limit \
                 packet-rate=N)"
            ));
        }
        let count = order.peers.len();
        let before = self.taken.fetch_add(count, Ordering::Relaxed);
        let taken = Taken { taken: self.taken.clone(), count };
        match before + count <= MOST_PEERS {
            true => Ok(taken),
            false => Err(format!("the agent measures {MOST_PEERS} peers at most, and {before} already")),
        }
    }
}

/// Places that are free again once this is dropped.
#[derive(Debug)]
pub struct Taken {
    taken: Arc<AtomicUsize>,
    count: usize,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.taken.fetch_sub(self.count, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        text.parse().unwrap()
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_has_the_addresses_of_its_prefix() {
        let ten = network("10.0.0.0/8");
        assert!(ten.contains(address("10.255.0.1")) && !ten.contains(address("11.0.0.1")));
        assert!(ten.contains(address("::ffff:10.1.2.3")), "as a dual-stack socket reports it");
        let one = network("192.0.2.7");
        assert!(one.contains(address("192.0.2.7")) && !one.contains(address("192.0.2.6")));
        let six = network("2001:db8::/33");
        assert!(six.contains(address("2001:db8:7fff::1")) && !six.contains(address("2001:db8:8000::1")));
        assert!(network("0.0.0.0/0").contains(address("203.0.113.1")));
        assert!(!network("0.0.0.0/0").contains(address("::1")), "the other version");
    }

    #[test]
    fn a_mistake_is_named() {
        for text in ["10.0.0.0/33", "10.0.0/8", "host/8", "2001:db8::/129", "10.0.0.0/-1", "/8"] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }

    #[test]
    fn only_named_networks_are_permitted() {
        let permission = Permission::new(vec![network("10.0.0.0/8")]);
        assert_eq!(permission.permit(address("10.0.0.7")), Ok(()));
        assert!(permission.permit(address("192.0.2.1")).unwrap_err().contains("may not measure 192.0.2.1"));
        assert!(Permission::new(Vec::new()).permit(address("127.0.0.1")).is_err());
    }

    #[test]
    fn peers_and_rates_are_limited_in_all_and_places_come_back() {
        let peers = vec!["10.0.0.7".to_owned(); 200];
        let order = Order { peers, rate: 2.0, size: 64, dscp: 0, window_s: 60.0, timeout_s: 1.0 };
        let permission = Permission::new(Vec::new());
        assert!(permission.take(&order, 399).unwrap_err().contains("399 requests/s at most, and 400"));
        let taken = permission.take(&order, 400).unwrap();
        assert!(permission.clone().take(&order, 400).unwrap_err().contains("200 already"));
        drop(taken);
        assert!(permission.take(&order, 400).is_ok());
    }
}
