//! Host and port pairs, and which of the two is the server.

use std::net::IpAddr;

use super::application::Application;
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
    /// The roles by ports, as far as a packet shows them: the port of a known application is the server's, otherwise the
    /// lower one; between equal ports the first to send is the client.
    pub fn by_ports(from: Endpoint, to: Endpoint, application: impl Fn(u16) -> Option<Application>) -> Roles {
        let [from_is_known, to_is_known] = [from, to].map(|end| application(end.port).is_some());
        let from_serves = if from_is_known == to_is_known { from.port < to.port } else { from_is_known };
        if from_serves { Roles { client: to, server: from } } else { Roles { client: from, server: to } }
    }

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

    #[test]
    fn the_server_has_a_known_port_or_the_lower_one() {
        let server = |from: Endpoint, to: Endpoint| Roles::by_ports(from, to, Application::of_udp_port).server;
        assert_eq!(server(end(1, 40_000), end(2, 5_000)), end(2, 5_000));
        assert_eq!(server(end(2, 5_000), end(1, 40_000)), end(2, 5_000));
        assert_eq!(server(end(1, 1_024), end(2, 47_808)), end(2, 47_808), "BACnet/IP, though the higher");
        assert_eq!(server(end(1, 123), end(2, 123)), end(2, 123), "the first to send asks");
    }
}
