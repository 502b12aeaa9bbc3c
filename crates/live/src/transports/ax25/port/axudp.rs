//! AXUDP: AX.25 frames in UDP datagrams, each with its FCS, low octet first, as in `ax25ipd` and BPQ.
//!
//! Datagrams are sent from the listening port, since peers are identified by their address. A frame goes to its next
//! hop: the first digipeater that has not repeated it, else its destination. The host from which a station was
//! received is remembered; all other stations are reached at the URL's host, if there is one.

use std::collections::VecDeque;
use std::net::SocketAddr;

use sojourn_core::Duration;
use sojourn_protocols::ax25::hdlc::{appended, checked};
use sojourn_protocols::ax25::wire::{Address, Addressing};

use super::{End, Notice, Port, capture};
use crate::io::link::{Link, Peer};
use crate::io::packet_io::Received;
use crate::io::packet_io::{Direction, PacketIo};

/// Stations whose hosts are remembered; beyond, the least recently received is dropped.
const MOST_STATIONS: usize = 256;

/// A socket that carries frames.
#[derive(Debug)]
pub struct AxudpPort {
    link: Link,
    /// Host of stations that were not received yet.
    default: Option<SocketAddr>,
    /// The host of each station received, the latest last.
    heard: VecDeque<(Address, Peer)>,
    datagram: Vec<u8>,
}

impl AxudpPort {
    /// Frames over a socket; those for stations not received yet go to `default`.
    pub fn new(link: Link, default: Option<SocketAddr>) -> AxudpPort {
        AxudpPort { link, default, heard: VecDeque::new(), datagram: Vec::new() }
    }

    fn route(&self, frame: &[u8]) -> Option<Peer> {
        let (addressing, _) = Addressing::parse(frame).ok()?;
        let next = addressing.digipeaters.next().unwrap_or(addressing.destination);
        let known = self.heard.iter().rev().find(|(station, _)| *station == next).map(|(_, host)| *host);
        known.or(self.default.map(Peer::from))
    }

    /// The station that sent this frame last, its source or a digipeater, is at `host`.
    fn remember(&mut self, frame: &[u8], host: Peer) {
        let Ok((addressing, _)) = Addressing::parse(frame) else { return };
        let repeated = addressing.digipeaters.iter().filter(|(_, repeated)| *repeated).last();
        let sender = repeated.map_or(addressing.source, |(address, _)| address);
        self.heard.retain(|(station, _)| *station != sender);
        if self.heard.len() == MOST_STATIONS {
            self.heard.pop_front();
        }
        self.heard.push_back((sender, host));
    }
}

impl PacketIo for AxudpPort {
    type End = End;
    type Notice = Notice;

    fn send(&mut self, to: End, frame: &[u8]) -> Result<(), Notice> {
        if to == End::Tnc {
            return Ok(());
        }
        let host = self.route(frame).ok_or(Notice::NoRoute)?;
        self.link.send(host, &appended(frame)).map_err(Notice::Refused)
    }

    fn receive<'a>(&mut self, buffer: &'a mut [u8]) -> Received<'a, End, Notice> {
        let mut datagram = std::mem::take(&mut self.datagram);
        datagram.resize(crate::io::packet_io::LARGEST_DATAGRAM, 0);
        let length = match self.link.receive(&mut datagram) {
            Received::Nothing => Ok(None),
            Received::Notice(refusal) => Err(Notice::Refused(refusal)),
            Received::Datagram(host, octets) => match checked(octets) {
                None => Err(Notice::BadFcs),
                Some(frame) => {
                    let length = frame.len().min(buffer.len());
                    buffer[..length].copy_from_slice(&frame[..length]);
                    self.remember(&buffer[..length], host);
                    Ok(Some(length))
                }
            },
        };
        self.datagram = datagram;
        match length {
            Ok(None) => Received::Nothing,
            Ok(Some(length)) => Received::Datagram(End::Channel, &buffer[..length]),
            Err(notice) => Received::Notice(notice),
        }
    }

    fn wait(&mut self, limit: Duration) {
        self.link.wait(limit);
    }

    fn record(&self, _direction: Direction, end: End, octets: &[u8], record: &mut Vec<u8>) -> bool {
        capture(end, octets, record)
    }
}

impl Port for AxudpPort {
    fn name(&self) -> String {
        match self.default {
            Some(host) => host.to_string(),
            None => self.link.local().to_string(),
        }
    }
}
