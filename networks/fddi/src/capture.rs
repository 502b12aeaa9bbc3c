//! Captures: every frame that was carried whole, at the instant it ended, as LLC and SNAP with IPv4 inside. XTP
//! packets are written as XTP 4.0 (protocol 36), whatever their lengths in the simulation.

use sojourn_core::Time;
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::fddi::{Address, Frame as MacFrame, FrameControl, Snap, capture_record, ether_type};
use sojourn_protocols::ip::{Datagram, Payload};
use sojourn_protocols::udp;

use super::frame::{Destination, Frame, host_address};
use super::ring::Class;

/// Ports of captured datagrams: the echo port, so that readers do not guess at random contents (RFC 862).
const ECHO: u16 = 7;

/// Writes frames to a sink.
pub struct Capture<'c> {
    sink: &'c mut dyn FrameSink,
    /// Whether synchronous frames bear an asynchronous frame control, the only one whose contents readers show.
    decodable: bool,
    identification: u16,
    record: Vec<u8>,
}

impl<'c> Capture<'c> {
    /// A capture that begins.
    pub fn new(sink: &'c mut dyn FrameSink, decodable: bool) -> Self {
        Capture { sink, decodable, identification: 0, record: Vec::new() }
    }

    /// Takes a frame that ended at `at`.
    pub fn frame(&mut self, at: Time, frame: &Frame) {
        self.identification = self.identification.wrapping_add(1);
        let written = match frame.packet.clone() {
            Some(packet) => self.write(frame, packet),
            None => {
                let (source_port, destination_port) = (ECHO, ECHO);
                self.write(frame, udp::Datagram { source_port, destination_port, data: frame.data })
            }
        };
        if written {
            self.sink.frame(at, &self.record);
        }
    }

    /// Whether the record has the frame; real headers make a packet longer than the study's, and the longest no
    /// longer fit a frame.
    fn write<P: Payload>(&mut self, frame: &Frame, packet: P) -> bool {
        let control = match frame.class {
            Class::Synchronous => FrameControl::SynchronousLlc(0),
            Class::Asynchronous(priority) => FrameControl::AsynchronousLlc(priority),
        };
        let destination = match frame.to {
            Destination::Host(host) => Address::local(host + 1),
            Destination::Group(_) | Destination::NoReceiver => Address::BROADCAST,
        };
        let datagram = Datagram {
            source: host_address(frame.from),
            destination: frame.to.address(),
            identification: self.identification,
            packet,
        };
        let information = Snap::new(ether_type::IP, datagram);
        let mac = MacFrame { control, destination, source: Address::local(frame.from + 1), information };
        capture_record(&mac, self.decodable, &mut self.record).is_ok()
    }
}
