//! Which of two hosts serves, by evidence: what the user states, the handshake, ports of common services, what
//! messages say, and at last ports in general and who sent first, which are guesses and stated as such.

use std::net::IpAddr;
use std::str::FromStr;

use super::application::Application;
use super::endpoints::{Endpoint, Roles};
use super::registered_ports;
use super::services::{self, DYNAMIC_PORTS};

/// What shows which of two hosts serves; later ones are weaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    /// The user says so.
    Stated,
    /// It was sent a SYN.
    Handshake,
    /// Its port is that of a common service, and the other is not.
    Service,
    /// A message says whether it asks or answers.
    Content,
    /// Messages go to a group of hosts or to all.
    Group,
    /// The port of the other is dynamic, so that no service is registered there.
    DynamicPort,
    /// A service is registered at its port, and none at that of the other.
    Registry,
    /// The other sent first.
    FirstToSend,
}

impl Evidence {
    /// Whether the server may as well be the other one.
    pub const fn is_guess(self) -> bool {
        matches!(self, Evidence::DynamicPort | Evidence::Registry | Evidence::FirstToSend)
    }

    /// The evidence in words, behind "by".
    pub const fn words(self) -> &'static str {
        match self {
            Evidence::Stated => "--server",
            Evidence::Handshake => "the SYN",
            Evidence::Service => "the port of a common service",
            Evidence::Content => "what messages say",
            Evidence::Group => "the address of a group",
            Evidence::DynamicPort => "the dynamic port of the other host",
            Evidence::Registry => "IANA's registry of ports",
            Evidence::FirstToSend => "who sent first",
        }
    }
}

/// A server that the user names: a host, a program of it, or a port of any host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Server {
    /// Its address; any host where none is given.
    pub address: Option<IpAddr>,
    /// Its port; all of the host where none is given.
    pub port: Option<u16>,
    /// The protocol of the port; both where none is given.
    pub protocol: Option<Protocol>,
}

/// A transport protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The Transmission Control Protocol.
    Tcp,
    /// The User Datagram Protocol.
    Udp,
}

/// Why a text does not name a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not an address with or without a port, nor a port")]
pub struct NoServer;

impl FromStr for Server {
    type Err = NoServer;

    fn from_str(text: &str) -> Result<Server, NoServer> {
        if let Ok(address) = text.trim_matches(['[', ']']).parse() {
            return Ok(Server { address: Some(address), port: None, protocol: None });
        }
        let (text, protocol) = match text.rsplit_once('/') {
            Some((text, "tcp")) => (text, Some(Protocol::Tcp)),
            Some((text, "udp")) => (text, Some(Protocol::Udp)),
            Some(_) => return Err(NoServer),
            None => (text, None),
        };
        if let Ok(port) = text.parse() {
            return Ok(Server { address: None, port: Some(port), protocol });
        }
        let end: std::net::SocketAddr = text.parse().map_err(|_| NoServer)?;
        Ok(Server { address: Some(end.ip()), port: Some(end.port()), protocol })
    }
}

impl Server {
    fn is_at(&self, end: Endpoint, protocol: Protocol) -> bool {
        self.address.is_none_or(|address| address == end.address)
            && self.port.is_none_or(|port| port == end.port)
            && self.protocol.is_none_or(|own| own == protocol)
    }
}

/// Finds who serves.
#[derive(Clone, Debug, Default)]
pub struct Servers {
    stated: Vec<Server>,
}

/// Who serves, why, and what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Client and server.
    pub roles: Roles,
    /// What shows it.
    pub evidence: Evidence,
    /// The application, by port or content, if it is one whose messages are read.
    pub application: Option<Application>,
}

/// A transport protocol: its common services, all that are registered, and applications by port and by content.
struct Transport {
    protocol: Protocol,
    service: fn(u16) -> Option<&'static str>,
    is_registered: fn(u16) -> bool,
    application: fn(u16) -> Option<Application>,
    recognized: fn(&[u8]) -> Option<(Application, bool)>,
    direction: fn(Application, &[u8]) -> Option<bool>,
}

const UDP: Transport = Transport {
    protocol: Protocol::Udp,
    service: services::of_udp_port,
    is_registered: registered_ports::is_of_udp,
    application: Application::of_udp_port,
    recognized: Application::of_datagram,
    direction: Application::direction,
};

const TCP: Transport = Transport {
    protocol: Protocol::Tcp,
    service: services::of_tcp_port,
    is_registered: registered_ports::is_of_tcp,
    application: Application::of_tcp_port,
    recognized: Application::of_stream,
    direction: Application::direction_in_stream,
};

impl Servers {
    /// With the servers that the user names.
    pub fn stated(stated: Vec<Server>) -> Servers {
        Servers { stated }
    }

    /// Who serves in a conversation that begins with a datagram.
    pub fn of_datagram(&self, from: Endpoint, to: Endpoint, data: &[u8]) -> Decision {
        self.decide(&UDP, from, to, data)
    }

    /// Who serves in a connection whose SYN was not captured.
    pub fn of_data(&self, from: Endpoint, to: Endpoint, data: &[u8]) -> Decision {
        self.decide(&TCP, from, to, data)
    }

    /// Who serves in a connection whose SYN went to `server`.
    pub fn of_handshake(&self, client: Endpoint, server: Endpoint) -> Decision {
        let roles = self.of_statement(client, server, Protocol::Tcp);
        let (roles, evidence) =
            roles.map_or((Roles { client, server }, Evidence::Handshake), |roles| (roles, Evidence::Stated));
        Decision { roles, evidence, application: Application::of_tcp_port(roles.server.port) }
    }

    fn decide(&self, transport: &Transport, from: Endpoint, to: Endpoint, data: &[u8]) -> Decision {
        let applications = [to, from].map(|end| (transport.application)(end.port));
        let shown = applications
            .into_iter()
            .flatten()
            .find_map(|application| Some((application, (transport.direction)(application, data)?)))
            .or_else(|| (transport.recognized)(data));
        let serving = |to_serves: bool| {
            if to_serves { Roles { client: from, server: to } } else { Roles { client: to, server: from } }
        };
        let is_service = |end: Endpoint| (transport.service)(end.port).is_some();
        let is_static = |end: Endpoint| end.port < DYNAMIC_PORTS;
        let is_registered = |end: Endpoint| (transport.is_registered)(end.port);
        let (roles, evidence) = if let Some(roles) = self.of_statement(from, to, transport.protocol) {
            (roles, Evidence::Stated)
        } else if is_service(from) != is_service(to) {
            (serving(is_service(to)), Evidence::Service)
        } else if let Some((_, to_server)) = shown {
            (serving(to_server), Evidence::Content)
        } else if is_group(to.address) {
            (serving(true), Evidence::Group)
        } else if is_static(from) != is_static(to) {
            (serving(is_static(to)), Evidence::DynamicPort)
        } else if is_registered(from) != is_registered(to) {
            (serving(is_registered(to)), Evidence::Registry)
        } else {
            (serving(true), Evidence::FirstToSend)
        };
        let application = (transport.application)(roles.server.port).or(shown.map(|(application, _)| application));
        Decision { roles, evidence, application }
    }

    /// Roles as the user states them, unless both hosts were named or none.
    fn of_statement(&self, one: Endpoint, other: Endpoint, protocol: Protocol) -> Option<Roles> {
        let is_named = |end| self.stated.iter().any(|server| server.is_at(end, protocol));
        match (is_named(one), is_named(other)) {
            (true, false) => Some(Roles { client: other, server: one }),
            (false, true) => Some(Roles { client: one, server: other }),
            _ => None,
        }
    }
}

fn is_group(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_multicast() || address.is_broadcast(),
        IpAddr::V6(address) => address.is_multicast(),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn end(host: u8, port: u16) -> Endpoint {
        Endpoint { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)), port }
    }

    fn udp(from: Endpoint, to: Endpoint, data: &[u8]) -> (Endpoint, Evidence) {
        let decision = Servers::default().of_datagram(from, to, data);
        (decision.roles.server, decision.evidence)
    }

    #[test]
    fn the_port_of_a_common_service_serves_whichever_is_the_lower() {
        assert_eq!(udp(end(1, 796), end(2, 2049), b""), (end(2, 2049), Evidence::Service), "NFS");
        assert_eq!(udp(end(2, 2049), end(1, 796), b""), (end(2, 2049), Evidence::Service));
        let plc = Servers::default().of_data(end(2, 44_818), end(1, 1102), &[]);
        assert_eq!((plc.roles.server, plc.application), (end(2, 44_818), Some(Application::Enip)));
    }

    #[test]
    fn between_ports_of_two_services_or_of_none_a_message_says_who_asks() {
        let query = [0, 1, 0x81, 0x80, 0, 1];
        assert_eq!(udp(end(1, 53), end(2, 53), &query), (end(1, 53), Evidence::Content), "a response");
        let mut reply = [0; 24];
        (reply[3], reply[7]) = (9, 1);
        let mount = Servers::default().of_datagram(end(2, 733), end(1, 801), &reply);
        assert_eq!((mount.roles.server, mount.evidence), (end(2, 733), Evidence::Content));
        assert_eq!(mount.application, Some(Application::Rpc));
    }

    #[test]
    fn between_uncommon_ports_the_registered_one_serves_and_this_is_a_guess() {
        // 8123 is unassigned, 8100 that of xprint-server
        assert_eq!(udp(end(1, 8_100), end(2, 8_123), b"a"), (end(1, 8_100), Evidence::Registry));
        assert!(Evidence::Registry.is_guess() && !Evidence::Service.is_guess());
    }

    #[test]
    fn without_other_evidence_who_sends_first_asks_and_this_is_a_guess() {
        assert_eq!(udp(end(1, 40_000), end(2, 5_000), b"a"), (end(2, 5_000), Evidence::FirstToSend));
        assert_eq!(udp(end(2, 5_000), end(1, 40_000), b"a"), (end(1, 40_000), Evidence::FirstToSend));
        assert_eq!(udp(end(2, 5_000), end(1, 50_000), b"a"), (end(2, 5_000), Evidence::DynamicPort));
        assert!(Evidence::FirstToSend.is_guess() && Evidence::DynamicPort.is_guess());
        let group = Endpoint { address: IpAddr::V4(Ipv4Addr::new(239, 0, 0, 1)), port: 4_000 };
        assert_eq!(udp(end(1, 4_000), group, b"a"), (group, Evidence::Group));
    }

    #[test]
    fn what_the_user_states_decides() {
        let servers = Servers::stated(vec!["10.0.0.1:40000".parse().unwrap(), "fe80::1".parse().unwrap()]);
        let decision = servers.of_datagram(end(1, 40_000), end(2, 53), b"");
        assert_eq!((decision.roles.server, decision.evidence), (end(1, 40_000), Evidence::Stated));
        assert_eq!(servers.of_handshake(end(1, 40_000), end(2, 80)).roles.server, end(1, 40_000));
        assert_eq!(servers.of_handshake(end(1, 40_001), end(2, 80)).evidence, Evidence::Handshake);
        let of_host = Server { address: "fe80::1".parse().ok(), port: Some(80), protocol: None };
        assert_eq!("[fe80::1]:80".parse(), Ok(of_host));
        for text in ["port 80", "10.0.0.1:", "80/sctp", "65536", "/udp", ""] {
            assert_eq!(text.parse::<Server>(), Err(NoServer), "{text}");
        }
    }

    #[test]
    fn a_port_that_the_user_states_serves_at_any_host_over_its_protocol() {
        let servers = Servers::stated(vec!["40000/udp".parse().unwrap()]);
        let by_udp = servers.of_datagram(end(1, 40_000), end(2, 53), b"");
        assert_eq!((by_udp.roles.server, by_udp.evidence), (end(1, 40_000), Evidence::Stated));
        let by_tcp = servers.of_data(end(1, 40_000), end(2, 53), b"");
        assert_eq!((by_tcp.roles.server, by_tcp.evidence), (end(2, 53), Evidence::Service));
        let either = Servers::stated(vec!["40000".parse().unwrap()]);
        assert_eq!(either.of_data(end(1, 40_000), end(2, 53), b"").evidence, Evidence::Stated);
    }
}
