//! Datagrams over UDP.

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with};
use sojourn_scenario::{Problem, Problems};

use super::{Framing, Link, Peer};
use crate::target::Target;

/// A link to one peer, from any port.
pub fn to(target: &Target) -> Result<Link, Problems> {
    let peer = target.socket_address(None)?;
    if peer.port() == 0 {
        return Err(target.whole_problem("port 0 is nobody's: name the port that the other end listens on").into());
    }
    let socket = open(peer).map_err(|fault| refused(target, fault))?;
    connect(&socket, &peer).map_err(|fault| refused(target, fault))?;
    Ok(Link::new(socket, Framing::Udp, Some(peer)))
}

/// A link to whoever sends to this address and port; port 0 lets the system choose one.
pub fn at(target: &Target) -> Result<Link, Problems> {
    bound(target, target.socket_address(None)?)
}

/// The same at an address that follows from the URL.
pub fn bound(target: &Target, address: Peer) -> Result<Link, Problems> {
    let socket = open(address).map_err(|fault| refused(target, fault))?;
    bind(&socket, &address).map_err(|fault| match fault {
        Errno::ADDRINUSE => {
            let problem = target.whole_problem(format!("UDP port {} of {} is in use", address.port(), address.ip()));
            problem.help(format!("take another port, or see who has it: ss -ulpn 'sport = :{}'", address.port()))
        }
        Errno::ACCESS => target
            .whole_problem(format!(
                "listening on UDP port {} needs the capability CAP_NET_BIND_SERVICE",
                address.port()
            ))
            .help("take a port from 1024 on"),
        Errno::ADDRNOTAVAIL => target
            .whole_problem(format!("this host has no address {}", address.ip()))
            .help("0.0.0.0 and [::] stand for all addresses, 127.0.0.1 and [::1] for this host alone"),
        fault => refused(target, fault),
    })?;
    Ok(Link::new(socket, Framing::Udp, None))
}

fn open(address: Peer) -> Result<std::os::fd::OwnedFd, Errno> {
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    socket_with(family, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
}

fn refused(target: &Target, fault: Errno) -> Problem {
    target.whole_problem(format!("cannot open a UDP socket: {fault}"))
}

#[cfg(test)]
mod tests {
    use sojourn_core::Duration;

    use super::*;
    use crate::io::network_error::NetworkError;
    use crate::io::packet_io::PacketIo;
    use crate::io::packet_io::Received;

    fn target(text: &str) -> Target {
        Target::parse(text, &["xtp+udp"]).unwrap()
    }

    #[test]
    fn a_datagram_arrives_with_the_address_of_its_sender_over_both_versions_of_ip() {
        for here in ["xtp+udp://127.0.0.1:0", "xtp+udp://[::1]:0"] {
            let mut receiver = at(&target(here)).unwrap();
            let mut sender = to(&target(&format!("xtp+udp://{}", receiver.local()))).unwrap();
            sender.send(receiver.local(), b"hello").unwrap();
            receiver.wait(Duration::from_secs(5));
            let mut buffer = [0; 64];
            assert_eq!(receiver.receive(&mut buffer), Received::Datagram(sender.local(), b"hello"));
            assert_eq!(receiver.receive(&mut buffer), Received::Nothing);
        }
    }

    #[test]
    fn a_closed_port_is_told() {
        let closed = at(&target("xtp+udp://127.0.0.1:0")).unwrap().local();
        let mut sender = to(&target(&format!("xtp+udp://{closed}"))).unwrap();
        sender.send(closed, b"hello").unwrap();
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
        assert_eq!(sender.send(receiver, &[0; 65_508]), Err(NetworkError::TooLarge));
    }
}
