//! What a capture shows: every frame that was carried whole, at the instant it ended, as LLC and SNAP with IPv4
//! inside. Packets of XTP are those of XTP 4.0 (protocol 36), whatever their lengths in the simulation.

use sojourn_core::Time;
use sojourn_metrics::frames::FrameSink;
use sojourn_protocols::fddi::{Address, Frame as MacFrame, FrameControl, Snap, capture_record, ether_type};
use sojourn_protocols::xtp::ip::Datagram;
use sojourn_protocols::{StreamRange, UserData};

use super::frame::{Destination, Frame, host_address};
use super::ring::Class;

/// IPv4's protocol number of UDP.
const UDP: u8 = 17;
/// Headers of IPv4 and UDP.
const HEADERS: usize = 28;

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
        let (source, destination, identification) = (host_address(frame.from), frame.to.address(), self.identification);
        let done = match frame.packet.clone() {
            Some(packet) => self.write(frame, Datagram { source, destination, identification, packet }),
            None => self.write(frame, UdpDatagram { source, destination, identification, data: frame.data }),
        };
        if done {
            self.sink.frame(at, &self.record);
        }
    }

    /// Whether the record has the frame; real headers make a packet longer than the study's, and the longest no
    /// longer fit a frame.
    fn write<D: UserData>(&mut self, frame: &Frame, data: D) -> bool {
        let control = match frame.class {
            Class::Synchronous => FrameControl::SynchronousLlc(0),
            Class::Asynchronous(priority) => FrameControl::AsynchronousLlc(priority),
        };
        let destination = match frame.to {
            Destination::Host(host) => Address::local(host + 1),
            Destination::Group(_) | Destination::NoReceiver => Address::BROADCAST,
        };
        let information = Snap::new(ether_type::IP, data);
        let mac = MacFrame { control, destination, source: Address::local(frame.from + 1), information };
        capture_record(&mac, self.decodable, &mut self.record).is_ok()
    }
}

/// IPv4 and UDP around a datagram's data.
#[derive(Clone, Debug, PartialEq)]
struct UdpDatagram {
    source: [u8; 4],
    destination: [u8; 4],
    identification: u16,
    data: StreamRange,
}

impl UserData for UdpDatagram {
    fn length(&self) -> usize {
        HEADERS + self.data.length()
    }

    fn emit(&self, buffer: &mut [u8]) {
        let length = self.length() as u16;
        buffer[..HEADERS].fill(0);
        buffer[0] = 0x45;
        buffer[2..4].copy_from_slice(&length.to_be_bytes());
        buffer[4..6].copy_from_slice(&self.identification.to_be_bytes());
        (buffer[8], buffer[9]) = (64, UDP);
        buffer[12..16].copy_from_slice(&self.source);
        buffer[16..20].copy_from_slice(&self.destination);
        let check = checksum(&buffer[..20]);
        buffer[10..12].copy_from_slice(&check.to_be_bytes());
        // the echo port, so that readers do not guess at random contents; a UDP checksum of zero says that there is none
        buffer[20..22].copy_from_slice(&7u16.to_be_bytes());
        buffer[22..24].copy_from_slice(&7u16.to_be_bytes());
        buffer[24..26].copy_from_slice(&(length - 20).to_be_bytes());
        self.data.emit(&mut buffer[HEADERS..]);
    }
}

/// The internet checksum of a header of an even number of bytes (RFC 1071).
fn checksum(header: &[u8]) -> u16 {
    let words = header.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
    let sum = words.sum::<u32>();
    !((sum & 0xffff) + (sum >> 16)) as u16
}
