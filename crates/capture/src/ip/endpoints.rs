//! Host and port pairs, and their roles.

use std::net::IpAddr;

use crate::{Address, FlowKey, Service};

/// A host's address and port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Endpoint {
    /// Address of the host.
    pub address: IpAddr,
    /// Port of the program.
    pub port: u16,
}

/// Two endpoints in order, the same for both directions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    low: Endpoint,
    high: Endpoint,
}

/// Two endpoints by their roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Roles {
    /// Who sends requests.
    pub client: Endpoint,
    /// Who answers them.
    pub server: Endpoint,
}

impl Pair {
    /// The pair of the sender and the receiver of a packet.
    pub fn of(from: Endpoint, to: Endpoint) -> Pair {
        Pair { low: from.min(to), high: from.max(to) }
    }
}

impl Roles {
    /// What identifies the flow of requests, with the service of the server's port.
    pub fn flow(&self, service: impl Fn(u16) -> Service) -> FlowKey {
        let [from, to] = [self.client, self.server].map(|end| Address::Ip(end.address));
        FlowKey { from, to, service: service(self.server.port) }
    }

    /// The same two with their roles exchanged.
    pub fn swapped(self) -> Roles {
        Roles { client: self.server, server: self.client }
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn end(host: u8, port: u16) -> Endpoint {
        Endpoint { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)), port }
    }

    #[test]
    fn both_directions_are_one_pair() {
        assert_eq!(Pair::of(end(1, 40_000), end(2, 80)), Pair::of(end(2, 80), end(1, 40_000)));
    }
}
