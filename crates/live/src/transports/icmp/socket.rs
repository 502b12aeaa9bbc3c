//! Opening a socket for ICMP echo: a ping socket where the system permits one, else a raw socket.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::net::{AddressFamily, Protocol, SocketFlags, SocketType, bind, connect, ipproto, socket_with};
use sojourn_scenario::Problem;

use crate::io::clock::Clock;
use crate::io::datagrams::{Datagrams, Marking};
use crate::target::Target;

/// What the socket leaves to its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// A ping socket: the kernel sets identifier and checksum, and delivers the replies to this socket alone (icmp(7)).
    Ping,
    /// A raw socket: all ICMP messages of the peer are delivered, over IPv4 with the IP header (raw(7)).
    Raw,
}

/// Opens a socket connected to a host.
pub fn open(
    target: &Target,
    clock: Clock,
    host: SocketAddr,
    marking: &Marking,
) -> Result<(Datagrams, Framing), Problem> {
    let refused = |fault: io::Error| target.whole_problem(format!("cannot open an ICMP socket: {fault}"));
    let (socket, framing) = permitted(host.is_ipv4())
        .map_err(|fault| if is_refusal(fault) { without_permission(target) } else { refused(fault.into()) })?;
    let connected = || -> io::Result<Datagrams> {
        bind(&socket, &marking.local(host))?;
        connect(&socket, &host)?;
        let mut datagrams = Datagrams::over(clock, UdpSocket::from(socket))?;
        datagrams.mark(marking, host.ip())?;
        Ok(datagrams)
    };
    Ok((connected().map_err(refused)?, framing))
}

/// A ping socket, else a raw one.
fn permitted(is_version_4: bool) -> Result<(OwnedFd, Framing), Errno> {
    let (family, protocol) =
        if is_version_4 { (AddressFamily::INET, ipproto::ICMP) } else { (AddressFamily::INET6, ipproto::ICMPV6) };
    let of = |kind, protocol: Protocol| socket_with(family, kind, SocketFlags::CLOEXEC, Some(protocol));
    match of(SocketType::DGRAM, protocol) {
        Ok(socket) => Ok((socket, Framing::Ping)),
        // a kernel may lack ping sockets
        Err(fault) if is_refusal(fault) || fault == Errno::PROTONOSUPPORT => {
            Ok((of(SocketType::RAW, protocol)?, Framing::Raw))
        }
        Err(fault) => Err(fault),
    }
}

fn is_refusal(fault: Errno) -> bool {
    matches!(fault, Errno::PERM | Errno::ACCESS)
}

fn without_permission(target: &Target) -> Problem {
    let group = rustix::process::getegid().as_raw();
    let message = format!(
        "ICMP echo needs a ping socket, which net.ipv4.ping_group_range does not give to group {group}, or a raw socket, \
         which needs CAP_NET_RAW"
    );
    target.whole_problem(message).help(format!("as root: sysctl -w net.ipv4.ping_group_range=\"{group} {group}\""))
}
