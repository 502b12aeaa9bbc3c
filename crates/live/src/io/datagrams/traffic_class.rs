//! The traffic class that datagrams come with, and leave in (IP_RECVTOS and IP_TOS, ip(7); IPV6_RECVTCLASS and
//! IPV6_TCLASS, RFC 3542): six bits of differentiated services, two of explicit congestion notification.

use std::io::{self, IoSlice};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd;

use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, SockaddrStorage, sendmsg};

use super::{Datagrams, Marking};
use crate::io::network_error::NetworkError;

/// The field that congestion is told in, and what a queue sets it to then (RFC 3168, section 5).
const FIELD: u8 = 0b11;
const CONGESTED: u8 = 0b11;

/// What is known of traffic classes at a socket.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Class {
    is_asked: bool,
    /// Of the datagram received last.
    last: u8,
}

impl Class {
    /// A datagram came, or a train of them; the kernel leaves the class out where it is not asked for it.
    pub fn came(&mut self, class: Option<u8>) {
        self.last = class.unwrap_or(0);
    }
}

impl Marking {
    /// Whether packets tell queues that congestion may be told by a mark.
    pub fn is_ecn_capable(&self) -> bool {
        self.ecn != 0
    }
}

impl Datagrams {
    /// Asks the kernel for the traffic class of whatever comes from now on.
    pub fn read_class(&mut self) {
        // a socket of IPv6 may take both versions, one of IPv4 refuses the other's option
        let v4 = rustix::net::sockopt::set_ip_recvtos(&self.socket, true).is_ok();
        let v6 = rustix::net::sockopt::set_ipv6_recvtclass(&self.socket, true).is_ok();
        self.class.is_asked = v4 || v6;
    }

    /// The traffic class of the datagram received last; `None` where the kernel is not asked for it.
    pub fn last_class(&self) -> Option<u8> {
        self.class.is_asked.then_some(self.class.last)
    }

    /// Whether a queue on the way marked the datagram received last (CE, RFC 3168); `None` where that is not known.
    pub fn was_marked(&self) -> Option<bool> {
        self.last_class().map(|class| class & FIELD == CONGESTED)
    }

    /// Sends to any, in a traffic class.
    pub fn send_in_class(&mut self, class: u8, to: SocketAddr, datagram: &[u8]) -> Result<u32, NetworkError> {
        if class == 0 {
            return self.send_to(to, datagram);
        }
        let wide = i32::from(class);
        let message = match to.ip().to_canonical() {
            IpAddr::V4(_) => ControlMessage::Ipv4Tos(&class),
            IpAddr::V6(_) => ControlMessage::Ipv6TClass(&wide),
        };
        let (whom, parts) = (SockaddrStorage::from(to), [IoSlice::new(datagram)]);
        let outcome = sendmsg(self.socket.as_raw_fd(), &parts, &[message], MsgFlags::MSG_DONTWAIT, Some(&whom));
        self.count(outcome.map_err(io::Error::from))
    }
}

/// The class that a message of the kernel tells.
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
    use crate::io::datagrams::Reading;
    use crate::io::packet_io::Received;
    use sojourn_core::Duration;

    /// What the other end and then this end saw of a datagram sent so and answered in its class.
    fn there_and_back(host: &str, marking: Marking) -> [Option<u8>; 2] {
        let clock = Clock::start();
        let mut far = Datagrams::at(clock, format!("{host}:0").parse().unwrap()).unwrap();
        far.read_class();
        let mut near = Datagrams::to(clock, far.local().unwrap(), &marking).unwrap();
        near.send(b"?").unwrap();
        let mut buffer = [0; 8];
        far.wait_for(Duration::from_secs(5));
        let Received::Datagram(arrival, _) = far.receive(Reading::AtOnce, &mut buffer) else { panic!("it was sent") };
        let seen = far.last_class();
        far.send_in_class(seen.unwrap(), arrival.from, b"!").unwrap();
        // the stamp of its own departure ends a wait, too
        while near.departed().is_some() {}
        near.wait_for(Duration::from_secs(5));
        let Received::Datagram(..) = near.receive(Reading::AtOnce, &mut buffer) else { panic!("it was answered") };
        [seen, near.last_class()]
    }

    #[test]
    fn a_class_is_seen_there_and_comes_back_over_both_versions_of_ip() {
        let marking = Marking { dscp: 46, ecn: 2, bind: None };
        for host in ["127.0.0.1", "[::1]"] {
            assert_eq!(there_and_back(host, marking), [Some(46 << 2 | 2); 2], "{host}");
        }
    }

    #[test]
    fn who_sends_nothing_that_could_be_marked_does_not_ask_for_marks() {
        assert_eq!(there_and_back("127.0.0.1", Marking::default()), [Some(0), None]);
        assert_eq!(there_and_back("127.0.0.1", Marking { dscp: 46, ..Marking::default() }), [Some(46 << 2), None]);
    }
}
