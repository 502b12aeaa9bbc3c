//! Captures: every delivered datagram, at the instant of its last bit, and RM cells.

use sojourn_core::Time;
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_protocols::atm::{Cell, CellHeader, Interface, PayloadType, RmPayload, capture};
use sojourn_protocols::fddi::{Snap, ether_type};
use sojourn_protocols::ip::{Datagram, Ecn, Payload};
use sojourn_protocols::tcp::wire::Segment;
use sojourn_protocols::udp;
use sojourn_protocols::{StreamRange, UserData};

use super::packet::{Content, Exchange, Packet};
use super::rtp::Rtp;

/// The port of the echo service (RFC 862), to which requests go over UDP and TCP.
pub const ECHO_PORT: u16 = 7;
/// The port of a service whose answers do not repeat requests, beside clients, and the first port of its clients there: no service
/// is registered at either.
const ANSWERING_PORT: u16 = 7_007;
const FIRST_DYNAMIC_PORT: u16 = 49_152;
/// The port of the discard service (RFC 863), to which streams of datagrams go.
const DISCARD_PORT: u16 = 9;
/// The port on which bulk transfers are received.
pub const BULK_PORT: u16 = 5001;
/// The default port of RTP (RFC 3551, section 8).
const VOICE_PORT: u16 = 5004;
/// The first of the ports of clients and of senders.
pub const FIRST_PORT: u16 = 20_000;

/// How datagrams stand in a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A packet of a circuit behind its LLC and SNAP headers (LINKTYPE_SUNATM).
    SunAtm,
    /// A whole AAL5 frame that begins with LLC and SNAP headers, or a cell (LINKTYPE_ERF).
    Erf,
    /// A datagram alone (LINKTYPE_RAW).
    RawIp,
    /// A frame without preamble and check (LINKTYPE_ETHERNET).
    Ethernet,
}

impl Form {
    /// What capture files call it.
    pub fn link_type(self) -> LinkType {
        match self {
            Form::SunAtm => LinkType::SunAtm,
            Form::Erf => LinkType::Erf,
            Form::RawIp => LinkType::RawIp,
            Form::Ethernet => LinkType::Ethernet,
        }
    }

    /// Whether it shows cells alone beside packets.
    pub fn shows_cells(self) -> bool {
        matches!(self, Form::Erf)
    }
}

/// What a packet has passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// The number of its circuit (VCI); 0 where there are no cells.
    pub channel: u16,
    /// Routers, each of which takes one from its time to live (RFC 791, 3.2).
    pub routers: u8,
    /// Its differentiated services code point (RFC 2474).
    pub dscp: u8,
    /// What its IP header says of congestion.
    pub ecn: Ecn,
}

impl Passed {
    /// Of a packet that a meter has marked with a drop precedence of its class (RFC 2597), unless that is 0.
    pub fn marked(self, precedence: u8) -> Passed {
        match precedence {
            0 => self,
            precedence => Passed { dscp: self.dscp & !0b111 | precedence << 1, ..self },
        }
    }
}

/// Writes datagrams to a sink.
pub struct Tap<'c> {
    sink: &'c mut dyn FrameSink,
    form: Form,
    /// Whether packets of clients are taken when they are sent.
    is_beside_clients: bool,
    identification: u16,
    /// The datagram with what stands before it.
    packet: Vec<u8>,
    record: Vec<u8>,
}

impl<'c> Tap<'c> {
    /// A capture that begins.
    pub fn new(sink: &'c mut dyn FrameSink, form: Form) -> Self {
        let is_beside_clients = sink.is_beside_clients() && form == Form::RawIp;
        Tap { sink, form, is_beside_clients, identification: 0, packet: Vec::new(), record: Vec::new() }
    }

    /// Whether it takes packets of clients when they are sent, not where they arrive.
    pub fn is_beside_clients(&self) -> bool {
        self.is_beside_clients
    }

    /// Takes a packet from host `from` to host `to` whose last bit came at `at`.
    pub fn packet(&mut self, at: Time, packet: &Packet, (from, to): (u32, u32), path: Passed) {
        self.identification = self.identification.wrapping_add(1);
        let (source, destination, identification) = (address(from), address(to), self.identification);
        let length = packet.data as u16;
        let path = Passed { ecn: packet.ecn, ..path };
        match packet.content {
            Content::Request(exchange) | Content::Answer(exchange) => {
                let data = StreamRange { stream: exchange.client, offset: exchange.number, length };
                let ports =
                    if self.is_beside_clients { ports_beside_clients(&exchange) } else { echo_ports(&exchange) };
                let (source_port, destination_port) = match packet.content {
                    Content::Request(_) => ports,
                    _ => (ports.1, ports.0),
                };
                let packet = udp::Datagram { source_port, destination_port, data };
                self.write(at, path, &Datagram { source, destination, identification, packet });
            }
            Content::Voice { talker, spoken, format } => {
                let data = Rtp { talker, spoken, format, length };
                let port = FIRST_PORT.wrapping_add(talker as u16);
                let packet = udp::Datagram { source_port: port, destination_port: VOICE_PORT, data };
                self.write(at, path, &Datagram { source, destination, identification, packet });
            }
            Content::Datagram { stream, number, .. } => {
                let data = StreamRange { stream, offset: number.wrapping_mul(packet.data), length };
                let source_port = FIRST_PORT.wrapping_add(stream as u16);
                let packet = udp::Datagram { source_port, destination_port: DISCARD_PORT, data };
                self.write(at, path, &Datagram { source, destination, identification, packet });
            }
            Content::Segment { end, header, offset, ports: [client, server], .. } => {
                let data = StreamRange { stream: end, offset: offset as u32, length };
                // ends with odd numbers are receivers and servers
                let (source_port, destination_port) = if end % 2 == 1 { (client, server) } else { (server, client) };
                let packet = Segment { source_port, destination_port, header, data };
                self.write(at, path, &Datagram { source, destination, identification, packet });
            }
        }
    }

    /// Takes a cell of rate control on circuit `channel`.
    pub fn rm_cell(&mut self, at: Time, channel: u16, cell: &RmPayload) {
        let header = CellHeader::new(0, channel, PayloadType::ResourceManagement);
        let cell = Cell { header, payload: cell.to_bytes() };
        let written = capture::erf_cell_record(&cell, Interface::Uni, at.picoseconds().into(), &mut self.record);
        written.expect("a cell fits a record");
        self.sink.frame(at, &self.record);
    }

    fn write<P: Payload>(&mut self, at: Time, path: Passed, datagram: &Datagram<P>) {
        let Passed { channel, routers, dscp, ecn } = path;
        match self.form {
            Form::SunAtm => {
                fill(&mut self.packet, &Snap::new(ether_type::IP, datagram.clone()));
                // what a host takes in comes from its switch
                capture::sun_atm_record(&self.packet, 0, channel, false, &mut self.record);
            }
            Form::Erf => {
                fill(&mut self.packet, &Snap::new(ether_type::IP, datagram.clone()));
                let since_epoch = at.picoseconds().into();
                let written = capture::erf_aal5_record(&self.packet, 0, channel, since_epoch, &mut self.record);
                // a record carries its length in 16 bits: the very longest frames do not fit, and are left out
                if written.is_err() {
                    return;
                }
            }
            Form::RawIp => {
                fill(&mut self.record, datagram);
                pass_routers(&mut self.record, routers);
                mark(&mut self.record, dscp, ecn);
            }
            Form::Ethernet => {
                fill(&mut self.packet, datagram);
                mark(&mut self.packet, dscp, ecn);
                self.record.clear();
                for address in [datagram.destination, datagram.source] {
                    // locally administered
                    self.record.extend([2, 0]);
                    self.record.extend(address);
                }
                self.record.extend(ether_type::IP.to_be_bytes());
                self.record.extend_from_slice(&self.packet);
                // shorter payloads are padded
                self.record.resize(self.record.len().max(60), 0);
            }
        }
        self.sink.frame(at, &self.record);
    }
}

fn fill(buffer: &mut Vec<u8>, data: &impl UserData) {
    buffer.clear();
    buffer.resize(data.length(), 0);
    data.emit(buffer);
}

/// Takes the routers from the time to live, and corrects the checksum of the header (RFC 1624).
fn pass_routers(datagram: &mut [u8], routers: u8) {
    let Some(header) = datagram.first_chunk_mut::<12>() else { return };
    let routers = routers.min(header[8]);
    header[8] -= routers;
    let (sum, carry) = u16::from_be_bytes([header[10], header[11]]).overflowing_add(u16::from(routers) << 8);
    header[10..12].copy_from_slice(&(sum + u16::from(carry)).to_be_bytes());
}

/// Writes the traffic class, of a header without one, and corrects the checksum (RFC 1624).
fn mark(datagram: &mut [u8], dscp: u8, ecn: Ecn) {
    let Some(header) = datagram.first_chunk_mut::<12>() else { return };
    header[1] = dscp << 2 | ecn.bits();
    let (sum, borrow) = u16::from_be_bytes([header[10], header[11]]).overflowing_sub(u16::from(header[1]));
    header[10..12].copy_from_slice(&(sum - u16::from(borrow)).to_be_bytes());
}

/// Hosts have addresses in 10.0.0.0/8, in order.
fn address(host: u32) -> [u8; 4] {
    let [_, a, b, c] = (host + 1).to_be_bytes();
    [10, a, b, c]
}

/// The ports of a client and its server.
fn echo_ports(exchange: &Exchange) -> (u16, u16) {
    (FIRST_PORT.wrapping_add(exchange.client as u16), ECHO_PORT)
}

/// The same where answers are of another length than requests, as they are not of the echo service.
fn ports_beside_clients(exchange: &Exchange) -> (u16, u16) {
    (FIRST_DYNAMIC_PORT + (exchange.client % u32::from(u16::MAX - FIRST_DYNAMIC_PORT)) as u16, ANSWERING_PORT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routers_take_from_the_time_to_live_a_mark_is_written_and_the_header_keeps_its_checksum() {
        let data = StreamRange { stream: 0, offset: 0, length: 8 };
        let packet = udp::Datagram { source_port: 7, destination_port: 7, data };
        for identification in [1, 0x4a00, 0xffff] {
            let mut bytes = Vec::new();
            fill(&mut bytes, &Datagram { source: address(0), destination: address(1), identification, packet });
            pass_routers(&mut bytes, 3);
            mark(&mut bytes, 46, Ecn::Ce);
            let words = bytes[..20].chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])));
            let sum: u32 = words.sum();
            assert_eq!((bytes[8], bytes[1], (sum & 0xffff) + (sum >> 16)), (61, 0xbb, 0xffff));
        }
    }
}
