//! Raw IP links: payloads of IPv4 packets, by protocol number.

use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, Protocol, SocketFlags, SocketType, bind, connect, socket_with};
use sojourn_scenario::{Problem, Problems};

use super::{Framing, Link};
use crate::target::Target;

/// An assigned IPv4 protocol number.
#[derive(Clone, Copy, Debug)]
pub struct IpProtocol {
    /// The protocol number (IANA).
    pub number: u8,
    /// The protocol's name, for error messages.
    pub name: &'static str,
}

/// Opens a socket connected to the target.
pub fn to(target: &Target, protocol: IpProtocol) -> Result<Link, Problems> {
    let peer = SocketAddr::from((target.address_alone()?, 0));
    let socket = open(target, protocol)?;
    connect(&socket, &peer).map_err(|fault| refused(target, fault))?;
    let link = Link::new(socket, Framing::Ip(protocol.number), Some(peer));
    if link.local().ip() == peer.ip() {
        let message = format!("{} would be the address of both ends: each would receive its own packets", peer.ip());
        let advice = "let the peer listen on an address of its own, such as 127.0.0.2 or one in a network namespace";
        return Err(target.whole_problem(message).help(advice).into());
    }
    Ok(link)
}

/// Opens a socket that receives packets of this protocol at the target's address.
pub fn at(target: &Target, protocol: IpProtocol) -> Result<Link, Problems> {
    let address: Ipv4Addr = target.address_alone()?;
    let socket = open(target, protocol)?;
    bind(&socket, &SocketAddr::from((address, 0))).map_err(|fault| match fault {
        Errno::ADDRNOTAVAIL => target.whole_problem(format!("this host has no address {address}")),
        fault => refused(target, fault),
    })?;
    Ok(Link::new(socket, Framing::Ip(protocol.number), None))
}

fn open(target: &Target, protocol: IpProtocol) -> Result<OwnedFd, Problem> {
    let number = std::num::NonZeroU32::new(u32::from(protocol.number)).map(Protocol::from_raw);
    socket_with(AddressFamily::INET, SocketType::RAW, SocketFlags::CLOEXEC, number).map_err(|fault| match fault {
        Errno::PERM | Errno::ACCESS => {
            let IpProtocol { number, name } = protocol;
            let message = format!("{name} as IP protocol {number} needs the capability CAP_NET_RAW");
            target.whole_problem(message).help("run it as root, or use UDP, which needs no capability")
        }
        fault => refused(target, fault),
    })
}

fn refused(target: &Target, fault: Errno) -> Problem {
    target.whole_problem(format!("cannot open a raw IP socket: {fault}"))
}
