//! Decodes datagrams to packets and encodes packets; counts what cannot be decoded.

use bytes::Bytes;
use sojourn_core::Machine;
use sojourn_protocols::xtp::machine::{Endpoint, Event, Input, Output, Purpose};
use sojourn_protocols::xtp::wire::{Packet, ParseError};

use crate::io::link::Peer;

/// An endpoint with real payloads and socket addresses.
pub type LiveEndpoint = Endpoint<Bytes, Peer>;
/// An input of the machine in real time.
pub type LiveInput = Input<Bytes, Peer>;
/// An output of the machine in real time.
pub type LiveOutput = Output<Bytes, Peer>;

/// Any machine with the inputs and outputs of a [`LiveEndpoint`]: the endpoint itself, or a recorded one.
pub trait LiveMachine: Machine<Input = LiveInput, Output = LiveOutput> {}

impl<M: Machine<Input = LiveInput, Output = LiveOutput>> LiveMachine for M {}

/// Packet counts of this end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Data packets sent for the first time, FIRST included.
    pub data: u64,
    /// Data packets retransmitted by this host.
    pub retransmissions: u64,
    /// Synchronizing handshakes begun, each after a missing response.
    pub handshakes: u64,
    /// XTP packets received, valid or not.
    pub received: u64,
    /// Datagrams received that were not XTP packets.
    pub unintelligible: u64,
}

/// Decodes and encodes packets.
#[derive(Debug, Default)]
pub struct Translator {
    /// Packets sent, received and retransmitted.
    pub counts: Counts,
    /// The error of the first datagram that was not an XTP packet.
    pub first_fault: Option<ParseError>,
}

impl Translator {
    /// Decodes a datagram to an input; `None` if it is not an XTP packet.
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

    /// Encodes a packet to `datagram`; false if it is invalid.
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
