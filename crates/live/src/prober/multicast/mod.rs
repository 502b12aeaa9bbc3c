//! A multicast group as a peer: each request goes to the group's address, and every member responds.
//!
//! The prober treats the first response as the response; the others are recorded [by member](members).

mod members;

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::Record;

use self::members::{Accepted, Members};
use super::peer::{Peer, PeerEvent, Request, Response, TxTimestamp};
use super::udp_peer::ProbeFormat;
use crate::io::clock::Clock;
use crate::io::datagrams::{Datagrams, Marking, ReadMode};
use crate::io::network_error::NetworkError;
use crate::io::packet_io::{LARGEST_DATAGRAM, Received};
use crate::target::interface;

/// A peer that is a multicast group.
#[derive(Debug)]
pub struct MulticastPeer<F> {
    format: F,
    datagrams: Datagrams,
    group: SocketAddr,
    outgoing: Vec<u8>,
    incoming: Vec<u8>,
    members: Members,
    /// Sequence number of the kernel's datagram number 0.
    first_of_kernel: u64,
}

impl<F: ProbeFormat> MulticastPeer<F> {
    /// Opens a socket to a group. Packets are sent by the interface in the scope of an IPv6 group, else by the one with the
    /// marking's address, else by the route's, with the system's default hop limit of 1.
    pub fn to(format: F, clock: Clock, group: SocketAddr, marking: &Marking) -> io::Result<MulticastPeer<F>> {
        let group = at_interface(group, marking.bind)?;
        let mut datagrams = Datagrams::at(clock, marking.local(group))?;
        if let SocketAddr::V6(group) = group {
            // the system ignores the scope id of a group wider than link-local
            rustix::net::sockopt::set_ipv6_multicast_if(&datagrams, group.scope_id())?;
        }
        datagrams.mark(marking, group.ip())?;
        let (outgoing, incoming) = (Vec::new(), vec![0; LARGEST_DATAGRAM]);
        Ok(MulticastPeer {
            format,
            datagrams,
            group,
            outgoing,
            incoming,
            members: Members::default(),
            first_of_kernel: 0,
        })
    }
}

fn at_interface(group: SocketAddr, own: Option<IpAddr>) -> io::Result<SocketAddr> {
    let SocketAddr::V6(group) = group else { return Ok(group) };
    let own = own.and_then(|own| if let IpAddr::V6(own) = own { Some(own) } else { None });
    interface::of_group(group, own).map(SocketAddr::V6).map_err(io::Error::other)
}

/// A member's address without scope: all are on one interface.
fn member(mut from: SocketAddr) -> SocketAddr {
    if let SocketAddr::V6(from) = &mut from {
        from.set_scope_id(0);
    }
    from
}

impl<F: ProbeFormat> Peer for MulticastPeer<F> {
    type Socket = Datagrams;

    fn socket(&mut self) -> &mut Datagrams {
        &mut self.datagrams
    }

    fn send(&mut self, request: Request) -> Result<Time, NetworkError> {
        self.outgoing.clear();
        let clock = self.datagrams.clock();
        self.format.write(request, clock.now(), &mut self.outgoing);
        let before = clock.now();
        self.members.asked(request.sequence, before);
        let number = self.datagrams.send_to(self.group, &self.outgoing)?;
        self.first_of_kernel = request.sequence.wrapping_sub(number.into());
        Ok(before)
    }

    fn receive(&mut self, mut reading: ReadMode) -> PeerEvent {
        loop {
            let (arrival, datagram) = match self.datagrams.receive(reading, &mut self.incoming) {
                Received::Datagram(arrival, datagram) => (arrival, datagram),
                Received::Notice(error) => return PeerEvent::Error(error),
                Received::Nothing => return PeerEvent::Nothing,
            };
            let Some((sequence, _)) = self.format.read(datagram) else { return PeerEvent::Unrelated };
            match self.members.answered(member(arrival.from), sequence, arrival.at) {
                Accepted::No => return PeerEvent::Unrelated,
                // the response that was waited for has arrived
                Accepted::Later => reading = ReadMode::NonBlocking,
                Accepted::First => {
                    // there is no single clock of the members to estimate
                    let (received, kernel_received) = (arrival.at, arrival.kernel_at);
                    let class = self.datagrams.last_traffic_class();
                    return PeerEvent::Response(Response { sequence, received, kernel_received, far: None, class });
                }
            }
        }
    }

    fn poll_tx_timestamp(&mut self) -> Option<TxTimestamp> {
        let (number, at) = self.datagrams.poll_tx_timestamp()?;
        Some(TxTimestamp { sequence: self.first_of_kernel.wrapping_add(number.into()), at })
    }

    fn last_incomplete(&self) -> Option<Time> {
        self.members.last_incomplete()
    }

    fn min_octets(&self) -> u32 {
        self.format.min_octets()
    }

    /// Members respond when they do.
    fn responds_in_order(&self) -> bool {
        false
    }

    fn record_metrics(&self, requests: Range<u64>, timeout: Duration, record: &mut Record) {
        self.members.record_metrics(requests, timeout, record);
    }
}
