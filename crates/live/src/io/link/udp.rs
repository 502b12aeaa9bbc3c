//! UDP links.

use std::net::SocketAddr;

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with};
use sojourn_scenario::{Problem, Problems};

use super::{Framing, Link};
use crate::target::Target;

/// Opens a socket connected to the target, from an ephemeral port.
pub fn to(target: &Target) -> Result<Link, Problems> {
    let peer = target.socket_address(None)?;
    if peer.port() == 0 {
        return Err(target.whole_problem("port 0 cannot be addressed: give the port that the peer listens on").into());
    }
    let socket = open(peer).map_err(|fault| refused(target, fault))?;
    connect(&socket, &peer).map_err(|fault| refused(target, fault))?;
    Ok(Link::new(socket, Framing::Udp, Some(peer)))
}

/// Opens a socket bound to the target's address and port; the system chooses one for port 0.
pub fn at(target: &Target) -> Result<Link, Problems> {
    bound(target, target.socket_address(None)?)
}

/// Opens a socket bound to an address derived from the target.
pub fn bound(target: &Target, address: SocketAddr) -> Result<Link, Problems> {
    let socket = open(address).map_err(|fault| refused(target, fault))?;
    bind(&socket, &address).map_err(|fault| match fault {
        Errno::ADDRINUSE => {
            let problem = target.whole_problem(format!("UDP port {} of {} is in use", address.port(), address.ip()));
            problem.help(format!("choose another port, or find its owner: ss -ulpn 'sport = :{}'", address.port()))
        }
        Errno::ACCESS => target
            .whole_problem(format!(
                "listening on UDP port {} needs the capability CAP_NET_BIND_SERVICE",
                address.port()
            ))
            .help("choose a port above 1023"),
        Errno::ADDRNOTAVAIL => target
            .whole_problem(format!("this host has no address {}", address.ip()))
            .help("0.0.0.0 and [::] listen on all addresses, 127.0.0.1 and [::1] on loopback only"),
        fault => refused(target, fault),
    })?;
    Ok(Link::new(socket, Framing::Udp, None))
}

fn open(address: SocketAddr) -> Result<std::os::fd::OwnedFd, Errno> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    socket_with(family, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
}

fn refused(target: &Target, fault: Errno) -> Problem {
    target.whole_problem(format!("cannot open a UDP socket: {fault}"))
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use sojourn_core::Duration;

    use super::*;
    use crate::io::link::Peer;
    use crate::io::network_error::NetworkError;
    use crate::io::packet_io::{Direction, PacketIo, Received};

    fn target(text: &str) -> Target {
        Target::parse(text, &["xtp+udp"]).unwrap()
    }

    #[test]
    fn a_datagram_arrives_with_the_address_of_its_sender_over_both_versions_of_ip() {
        for here in ["xtp+udp://127.0.0.1:0", "xtp+udp://[::1]:0"] {
            let mut receiver = at(&target(here)).unwrap();
            let mut sender = to(&target(&format!("xtp+udp://{}", receiver.local()))).unwrap();
            sender.send(receiver.local().into(), b"hello").unwrap();
            receiver.wait(Duration::from_secs(5));
            let mut buffer = [0; 64];
            assert_eq!(receiver.receive(&mut buffer), Received::Datagram(sender.local().into(), b"hello"));
            assert_eq!(receiver.receive(&mut buffer), Received::Nothing);
        }
    }

    #[test]
    fn an_answer_leaves_from_the_address_that_was_asked_and_is_recorded_with_it() {
        for (bound, asked) in [("0.0.0.0", "127.7.8.9"), ("[::]", "127.7.8.9"), ("[::]", "[::1]")] {
            let mut receiver = at(&target(&format!("xtp+udp://{bound}:0"))).unwrap();
            let asked: SocketAddr = format!("{asked}:{}", receiver.local().port()).parse().unwrap();
            // connected: it takes answers from the address that it asked alone
            let mut sender = to(&target(&format!("xtp+udp://{asked}"))).unwrap();
            sender.send(asked.into(), b"?").unwrap();
            receiver.wait(Duration::from_secs(5));
            let mut buffer = [0; 64];
            let Received::Datagram(peer, _) = receiver.receive(&mut buffer) else { panic!("it was sent") };
            assert_eq!(peer.local.map(|local| local.to_canonical()), Some(asked.ip()));
            receiver.send(peer, b"!").unwrap();
            sender.wait(Duration::from_secs(5));
            assert_eq!(sender.receive(&mut buffer), Received::Datagram(Peer::from(asked), b"!"), "{bound}");
            let mut packet = Vec::new();
            assert!(receiver.record(Direction::Out, peer, b"!", &mut packet));
            let octets = match peer.local {
                Some(IpAddr::V4(local)) => (12, local.octets().to_vec()),
                Some(IpAddr::V6(local)) => (8, local.octets().to_vec()),
                None => panic!("it has an address"),
            };
            assert_eq!(packet[octets.0..][..octets.1.len()], octets.1);
        }
    }

    #[test]
    fn a_closed_port_is_reported() {
        let closed = at(&target("xtp+udp://127.0.0.1:0")).unwrap().local();
        let mut sender = to(&target(&format!("xtp+udp://{closed}"))).unwrap();
        sender.send(closed.into(), b"hello").unwrap();
        sender.wait(Duration::from_secs(5));
        assert_eq!(sender.receive(&mut [0; 64]), Received::Notice(NetworkError::PortClosed));
    }

    #[test]
    fn a_port_in_use_is_named() {
        let first = at(&target("xtp+udp://127.0.0.1:0")).unwrap();
        let problems = at(&target(&format!("xtp+udp://{}", first.local()))).unwrap_err();
        assert_eq!(problems.0[0].message, format!("UDP port {} of 127.0.0.1 is in use", first.local().port()));
    }

    #[test]
    fn a_datagram_too_large_for_udp_is_refused() {
        let receiver = at(&target("xtp+udp://127.0.0.1:0")).unwrap().local();
        let mut sender = to(&target(&format!("xtp+udp://{receiver}"))).unwrap();
        assert_eq!(sender.send(receiver.into(), &[0; 65_508]), Err(NetworkError::TooLarge));
    }
}
