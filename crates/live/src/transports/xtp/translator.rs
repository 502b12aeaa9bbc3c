//! Datagrams become packets and packets datagrams; what cannot be read is counted and remembered.

use bytes::Bytes;
use sojourn_core::Machine;
use sojourn_protocols::xtp::machine::{Endpoint, Event, Input, Output, Purpose};
use sojourn_protocols::xtp::wire::{Packet, ParseError};

use crate::io::link::Peer;

/// An endpoint of real bytes whose hosts are socket addresses.
pub type LiveEndpoint = Endpoint<Bytes, Peer>;
/// What goes into it.
pub type LiveInput = Input<Bytes, Peer>;
/// What comes out of it.
pub type LiveOutput = Output<Bytes, Peer>;

/// Any machine that takes and gives the same as a [`LiveEndpoint`]: the endpoint itself, or one that is watched.
pub trait LiveMachine: Machine<Input = LiveInput, Output = LiveOutput> {}

impl<M: Machine<Input = LiveInput, Output = LiveOutput>> LiveMachine for M {}

/// What this end of the link saw and did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Data packets sent for the first time, FIRST included.
    pub data: u64,
    /// Data packets sent again.
    pub retransmissions: u64,
    /// Synchronising handshakes begun: times that nothing came back.
    pub handshakes: u64,
    /// XTP packets received.
    pub received: u64,
    /// Datagrams received that were no XTP packets.
    pub unintelligible: u64,
}

/// Reads and writes packets.
#[derive(Debug, Default)]
pub struct Translator {
    /// What it saw and did.
    pub counts: Counts,
    /// What was wrong with the first datagram that was no XTP packet.
    pub first_fault: Option<ParseError>,
}

impl Translator {
    /// A datagram as what it means to an endpoint; `None` when it is no XTP packet.
    pub fn read(&mut self, from: Peer, datagram: &[u8]) -> Option<LiveInput> {
        match Packet::parse(datagram) {
            Ok(packet) => {
                self.counts.received += 1;
                Some(Input::Receive { from, packet: packet.map(Bytes::copy_from_slice), answer: true })
            }
            Err(fault) => {
                self.counts.unintelligible += 1;
                self.first_fault.get_or_insert(fault);
                None
            }
        }
    }

    /// Writes a packet to `datagram`; whether it has bytes.
    pub fn write(&mut self, packet: &Packet<Bytes>, purpose: Purpose, datagram: &mut Vec<u8>) -> bool {
        match purpose {
            Purpose::Data => self.counts.data += 1,
            Purpose::Retransmission => self.counts.retransmissions += 1,
            Purpose::Report | Purpose::StatusRequest | Purpose::End | Purpose::Diagnostic => {}
        }
        datagram.resize(packet.length(), 0);
        packet.emit(datagram).is_ok()
    }

    /// Counts what an endpoint reports.
    pub fn note(&mut self, event: Event) {
        self.counts.handshakes += u64::from(event == Event::Handshake);
    }
}
