//! The traffic class of incoming and outgoing datagrams (IP_RECVTOS and IP_TOS, ip(7); IPV6_RECVTCLASS and IPV6_TCLASS,
//! RFC 3542): six bits of DSCP, two of ECN.

use std::io::{self, IoSlice};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, SockaddrStorage, sendmsg};

use crate::io::addresses::Source;

/// The congestion-experienced codepoint CE (RFC 3168, section 5).
const CONGESTED: u8 = 0b11;

/// IP header fields and source address of outgoing packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marking {
    /// Differentiated services code point, 0 to 63 (RFC 2474).
    pub dscp: u8,
    /// Explicit congestion notification field, 0 to 3 (RFC 3168).
    pub ecn: u8,
    /// Source address; the system chooses when absent.
    pub bind: Option<IpAddr>,
}

impl Marking {
    /// Sets the traffic class of a socket of either family.
    pub fn apply(&self, socket: impl AsFd, address: IpAddr) -> io::Result<()> {
        let class = self.class();
        match address {
            IpAddr::V4(_) => rustix::net::sockopt::set_ip_tos(socket, class)?,
            IpAddr::V6(_) => rustix::net::sockopt::set_ipv6_tclass(socket, class.into())?,
        }
        Ok(())
    }

    /// The traffic class: DSCP and ECN.
    pub fn class(&self) -> u8 {
        self.dscp << 2 | self.ecn
    }

    /// The address that a socket to `peer` is bound to, with any port; a link-local address takes the peer's scope.
    pub fn local(&self, peer: SocketAddr) -> SocketAddr {
        match (self.bind, peer) {
            (Some(IpAddr::V6(own)), SocketAddr::V6(peer)) if own.is_unicast_link_local() => {
                SocketAddrV6::new(own, 0, 0, peer.scope_id()).into()
            }
            (Some(own), _) => SocketAddr::new(own, 0),
            (None, SocketAddr::V4(_)) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            (None, SocketAddr::V6(_)) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        }
    }

    /// Whether packets are ECN-capable (ECT).
    pub fn is_ecn_capable(&self) -> bool {
        self.ecn != 0
    }
}

/// Traffic class of received datagrams.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Class {
    is_enabled: bool,
    /// Traffic class of the datagram received last.
    last: u8,
}

impl Class {
    /// Enables delivery of the traffic class with each datagram.
    pub fn enable(&mut self, socket: &UdpSocket) {
        // an IPv6 socket may receive both versions; an IPv4 socket rejects the IPv6 option
        let v4 = rustix::net::sockopt::set_ip_recvtos(socket, true).is_ok();
        let v6 = rustix::net::sockopt::set_ipv6_recvtclass(socket, true).is_ok();
        self.is_enabled = v4 || v6;
    }

    /// A datagram or a GRO batch was read; the kernel omits the class unless it is enabled.
    pub fn read(&mut self, class: Option<u8>) {
        self.last = class.unwrap_or(0);
    }

    /// The traffic class of the datagram received last; `None` unless enabled.
    pub fn last(&self) -> Option<u8> {
        self.is_enabled.then_some(self.last)
    }
}

/// The differentiated services code point of a traffic class (RFC 2474), 0 to 63.
pub fn dscp(class: u8) -> u8 {
    class >> 2
}

/// The explicit congestion notification field of a traffic class (RFC 3168), 0 to 3.
pub fn ecn(class: u8) -> u8 {
    class & 0b11
}

/// Whether a traffic class carries CE (RFC 3168).
pub fn is_congested(class: u8) -> bool {
    ecn(class) == CONGESTED
}

/// Sends a datagram to any address with a traffic class, and from a local address if there is one.
pub(super) fn send(
    socket: &UdpSocket,
    class: u8,
    to: SocketAddr,
    local: Option<IpAddr>,
    datagram: &[u8],
) -> io::Result<usize> {
    let wide = i32::from(class);
    let message = message(to.ip(), &class, &wide);
    let (whom, parts) = (SockaddrStorage::from(to), [IoSlice::new(datagram)]);
    let source = local.map(Source::of);
    let sent = match &source {
        Some(source) => {
            sendmsg(socket.as_raw_fd(), &parts, &[message, source.message()], MsgFlags::MSG_DONTWAIT, Some(&whom))
        }
        None => sendmsg(socket.as_raw_fd(), &parts, &[message], MsgFlags::MSG_DONTWAIT, Some(&whom)),
    };
    sent.map_err(io::Error::from)
}

/// The control message that gives a datagram to an address its traffic class, which either version of IP wants in a type of
/// its own.
pub(super) fn message<'a>(to: IpAddr, class: &'a u8, wide: &'a i32) -> ControlMessage<'a> {
    match to.to_canonical() {
        IpAddr::V4(_) => ControlMessage::Ipv4Tos(class),
        IpAddr::V6(_) => ControlMessage::Ipv6TClass(wide),
    }
}

/// The traffic class in a control message.
pub(super) fn of(message: &ControlMessageOwned) -> Option<u8> {
    match *message {
        ControlMessageOwned::Ipv4Tos(class) => Some(class),
        ControlMessageOwned::Ipv6TClass(class) => u8::try_from(class).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::clock::Clock;
    use crate::io::datagrams::{Datagrams, ReadMode};
    use crate::io::packet_io::Received;
    use sojourn_core::Duration;

    /// The traffic class of a datagram as the far socket and then the near socket received it, echoed in its class.
    fn round_trip(host: &str, marking: Marking) -> [Option<u8>; 2] {
        let clock = Clock::start();
        let mut far = Datagrams::at(clock, format!("{host}:0").parse().unwrap()).unwrap();
        far.enable_traffic_class();
        let mut near = Datagrams::to(clock, far.local().unwrap(), &marking).unwrap();
        near.send(b"?").unwrap();
        let mut buffer = [0; 8];
        far.wait_for(Duration::from_secs(5));
        let Received::Datagram(arrival, _) = far.receive(ReadMode::NonBlocking, &mut buffer) else {
            panic!("it was sent")
        };
        let seen = far.last_traffic_class();
        far.answer(arrival.from, None, seen.unwrap(), b"!").unwrap();
        // the datagram's own transmit timestamp also ends a wait
        while near.poll_tx_timestamp().is_some() {}
        near.wait_for(Duration::from_secs(5));
        let Received::Datagram(..) = near.receive(ReadMode::NonBlocking, &mut buffer) else {
            panic!("it was answered")
        };
        [seen, near.last_traffic_class()]
    }

    #[test]
    fn a_traffic_class_is_received_and_echoed_over_both_versions_of_ip() {
        let marking = Marking { dscp: 46, ecn: 2, bind: None };
        for host in ["127.0.0.1", "[::1]"] {
            assert_eq!(round_trip(host, marking), [Some(46 << 2 | 2); 2], "{host}");
        }
    }

    #[test]
    fn the_traffic_class_is_known_without_ecn_as_well() {
        assert_eq!(round_trip("127.0.0.1", Marking::default()), [Some(0); 2]);
        assert_eq!(round_trip("127.0.0.1", Marking { dscp: 46, ..Marking::default() }), [Some(46 << 2); 2]);
    }
}
