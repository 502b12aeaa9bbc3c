//! Addresses of a datagram: its sender, and the local address that it was sent to and that its reply leaves from
//! (IP_PKTINFO, ip(7); IPV6_RECVPKTINFO and IPV6_PKTINFO, RFC 3542). A socket bound to the wildcard address would
//! reply from the address that the routing table prefers.

use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsFd;

use nix::sys::socket::{ControlMessage, ControlMessageOwned, SockaddrStorage, setsockopt, sockopt};

/// Enables delivery of the local address with each datagram, on a socket bound to all addresses; any other has one.
pub fn enable(socket: impl AsFd) {
    let bound = rustix::net::getsockname(&socket).map(SocketAddr::try_from);
    let Ok(Ok(bound)) = bound else { return };
    // every kernel of the last decades has both options
    let _ = match bound.ip() {
        address if !address.is_unspecified() => Ok(()),
        IpAddr::V4(_) => setsockopt(&socket, sockopt::Ipv4PacketInfo, &true),
        IpAddr::V6(_) => setsockopt(&socket, sockopt::Ipv6RecvPacketInfo, &true),
    };
}

/// The sender of a datagram, of either family; `None` for another.
pub fn sender(storage: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = storage.as_sockaddr_in().map(|address| SocketAddr::V4((*address).into()));
    v4.or_else(|| storage.as_sockaddr_in6().map(|address| SocketAddr::V6((*address).into())))
}

/// The local address in a control message, as the socket's version of IP writes it; a group cannot be a source address.
pub fn local(message: &ControlMessageOwned) -> Option<IpAddr> {
    let local = match message {
        // of a broadcast, the address of the interface
        ControlMessageOwned::Ipv4PacketInfo(info) => IpAddr::V4(u32::from_be(info.ipi_spec_dst.s_addr).into()),
        ControlMessageOwned::Ipv6PacketInfo(info) => IpAddr::V6(info.ipi6_addr.s6_addr.into()),
        _ => return None,
    };
    (!local.is_multicast() && !local.is_unspecified()).then_some(local)
}

/// The source address of a datagram about to be sent, as ancillary data.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Of IPv4 (ip(7)).
    V4(libc::in_pktinfo),
    /// Of IPv6 (RFC 3542, section 6.2).
    V6(libc::in6_pktinfo),
}

impl Source {
    /// Routing chooses the interface, but by the scope of a link-local destination.
    pub fn of(local: IpAddr) -> Source {
        match local {
            IpAddr::V4(address) => Source::V4(libc::in_pktinfo {
                ipi_ifindex: 0,
                ipi_spec_dst: libc::in_addr { s_addr: u32::from(address).to_be() },
                ipi_addr: libc::in_addr { s_addr: 0 },
            }),
            IpAddr::V6(address) => Source::V6(libc::in6_pktinfo {
                ipi6_addr: libc::in6_addr { s6_addr: address.octets() },
                ipi6_ifindex: 0,
            }),
        }
    }

    /// The control message.
    pub fn message(&self) -> ControlMessage<'_> {
        match self {
            Source::V4(info) => ControlMessage::Ipv4PacketInfo(info),
            Source::V6(info) => ControlMessage::Ipv6PacketInfo(info),
        }
    }
}

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use crate::io::clock::Clock;
    use crate::io::datagrams::{Datagrams, Marking, ReadMode};
    use crate::io::packet_io::Received;

    /// The answer to a datagram for `asked`, of a socket bound to `bound`, arrives at a socket connected to `asked`.
    fn is_answered(bound: &str, asked: &str, class: u8, gso: bool) -> bool {
        let clock = Clock::start();
        let mut far = Datagrams::at(clock, format!("{bound}:0").parse().unwrap()).unwrap();
        far.enable_local_address();
        let port = far.local().unwrap().port();
        let mut near = Datagrams::to(clock, format!("{asked}:{port}").parse().unwrap(), &Marking::default()).unwrap();
        near.send(b"?").unwrap();
        let mut buffer = [0; 8];
        far.wait_for(Duration::from_secs(5));
        let Received::Datagram(arrival, _) = far.receive(ReadMode::NonBlocking, &mut buffer) else {
            panic!("it was sent")
        };
        let local = far.last_local_address();
        match gso {
            true => far.send_gso(Some((arrival.from, local, class)), b"!!", 1).unwrap(),
            false => drop(far.answer(arrival.from, local, class, b"!").unwrap()),
        }
        while near.poll_tx_timestamp().is_some() {}
        near.wait_for(Duration::from_secs(5));
        matches!(near.receive(ReadMode::NonBlocking, &mut buffer), Received::Datagram(..))
    }

    #[test]
    fn a_socket_bound_to_all_addresses_answers_from_the_one_that_was_asked() {
        for (class, gso) in [(0, false), (46 << 2, false), (0, true), (46 << 2, true)] {
            for (bound, asked) in [
                ("0.0.0.0", "127.0.0.1"),
                ("0.0.0.0", "127.7.8.9"),
                ("[::]", "127.7.8.9"),
                ("[::]", "[::1]"),
                ("127.7.8.9", "127.7.8.9"),
                ("[::1]", "[::1]"),
            ] {
                assert!(is_answered(bound, asked, class, gso), "{bound} asked at {asked}, class {class}, GSO {gso}");
            }
        }
    }
}
