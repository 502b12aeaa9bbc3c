//! Captures: frames of TCP as IP packets where a site has links, else frames of lines as a user's link type.
//!
//! A server answers a read with registers that count up from the address, a client writes them: what is in a frame does not
//! change how long it takes.

use sojourn_core::Time;
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_protocols::UserData;
use sojourn_protocols::ip::Datagram;
use sojourn_protocols::modbus::{EXCEPTION_BIT, Function, rtu, tcp};
use sojourn_protocols::tcp::wire::{Flags, Header, Options, Segment};

use super::poll::{Answer, Poll};

/// The first port of clients.
const FIRST_PORT: u16 = 49_152;

/// Writes frames to a sink.
pub struct Capture<'c> {
    sink: &'c mut dyn FrameSink,
    /// Whether frames of TCP are taken, not those of lines.
    is_of_tcp: bool,
    identification: u16,
    /// By connection, the octets that its client has sent and received.
    sequences: Vec<[u32; 2]>,
    pdu: Vec<u8>,
    record: Vec<u8>,
}

impl std::fmt::Debug for Capture<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Capture").field("is_of_tcp", &self.is_of_tcp).finish_non_exhaustive()
    }
}

/// The link type of a capture.
pub const fn link_type(is_of_tcp: bool) -> LinkType {
    if is_of_tcp { LinkType::RawIp } else { LinkType::User0 }
}

impl<'c> Capture<'c> {
    /// A capture that begins.
    pub fn new(sink: &'c mut dyn FrameSink, is_of_tcp: bool) -> Self {
        let (pdu, record) = (Vec::new(), Vec::new());
        Capture { sink, is_of_tcp, identification: 0, sequences: Vec::new(), pdu, record }
    }

    /// Takes a request that ended on a line.
    pub fn line_request(&mut self, at: Time, _medium: usize, poll: &Poll) {
        request(poll, &mut self.pdu);
        self.line(at, poll.unit);
    }

    /// Takes a response that ended on a line.
    pub fn line_answer(&mut self, at: Time, _medium: usize, answer: &Answer) {
        response(answer, &mut self.pdu);
        self.line(at, answer.poll.unit);
    }

    fn line(&mut self, at: Time, unit: u8) {
        if self.is_of_tcp {
            return;
        }
        self.record.clear();
        rtu::emit(unit, &self.pdu, &mut self.record);
        self.sink.frame(at, &self.record);
    }

    /// Takes a request that arrived, from one host at another.
    pub fn tcp_request(&mut self, at: Time, hosts: [u32; 2], poll: &Poll) {
        request(poll, &mut self.pdu);
        self.segment(at, hosts, poll, 0);
    }

    /// Takes a response that arrived.
    pub fn tcp_answer(&mut self, at: Time, hosts: [u32; 2], answer: &Answer) {
        response(answer, &mut self.pdu);
        self.segment(at, hosts, &answer.poll, 1);
    }

    /// A segment from the client (0) or to it (1).
    fn segment(&mut self, at: Time, [from, to]: [u32; 2], poll: &Poll, direction: usize) {
        let connection = poll.connection as usize;
        if self.sequences.len() <= connection {
            self.sequences.resize(connection + 1, [1, 1]);
        }
        let mut data = Vec::with_capacity(tcp::length(self.pdu.len()));
        tcp::emit(poll.transaction, poll.unit, &self.pdu, &mut data);
        let sequences = &mut self.sequences[connection];
        let header = Header {
            seq: sequences[direction],
            ack: Some(sequences[1 - direction]),
            flags: Flags { psh: true, ..Flags::default() },
            window: 64_240,
            options: Options::default(),
        };
        sequences[direction] = sequences[direction].wrapping_add(data.len() as u32);
        let client = FIRST_PORT + (poll.connection % u32::from(u16::MAX - FIRST_PORT)) as u16;
        let [source_port, destination_port] = if direction == 0 { [client, tcp::PORT] } else { [tcp::PORT, client] };
        self.identification = self.identification.wrapping_add(1);
        let (source, destination, identification) = (address(from), address(to), self.identification);
        let packet = Segment { source_port, destination_port, header, data };
        let datagram = Datagram { source, destination, identification, packet };
        self.record.clear();
        self.record.resize(datagram.length(), 0);
        datagram.emit(&mut self.record);
        self.sink.frame(at, &self.record);
    }
}

/// Hosts have addresses in 10.0.0.0/8, in order.
fn address(host: u32) -> [u8; 4] {
    let [_, a, b, c] = (host + 1).to_be_bytes();
    [10, a, b, c]
}

/// The PDU of a request.
fn request(poll: &Poll, pdu: &mut Vec<u8>) {
    pdu.clear();
    pdu.push(poll.function.code());
    pdu.extend_from_slice(&poll.address.to_be_bytes());
    match poll.function {
        Function::WriteSingleCoil => pdu.extend_from_slice(&[0xff, 0]),
        Function::WriteSingleRegister | Function::MaskWriteRegister => {
            pdu.extend_from_slice(&poll.address.to_be_bytes())
        }
        _ => pdu.extend_from_slice(&poll.count.to_be_bytes()),
    }
    match poll.function {
        Function::WriteMultipleCoils => counted(poll.count.div_ceil(8), poll.address, pdu),
        Function::WriteMultipleRegisters => counted(2 * poll.count, poll.address, pdu),
        Function::MaskWriteRegister => pdu.extend_from_slice(&[0, 0]),
        Function::ReadWriteMultipleRegisters => {
            pdu.extend_from_slice(&poll.address.to_be_bytes());
            pdu.extend_from_slice(&poll.count.to_be_bytes());
            counted(2 * poll.count, poll.address, pdu);
        }
        _ => {}
    }
}

/// The PDU of a response.
fn response(answer: &Answer, pdu: &mut Vec<u8>) {
    let Answer { poll, exception, .. } = answer;
    if *exception != 0 {
        pdu.clear();
        return pdu.extend_from_slice(&[poll.function.code() | EXCEPTION_BIT, *exception]);
    }
    match poll.function {
        function if function.is_read() || function == Function::ReadWriteMultipleRegisters => {
            pdu.clear();
            pdu.push(function.code());
            counted(poll.response - 2, poll.address, pdu);
        }
        function => {
            request(poll, pdu);
            pdu.truncate(function.response_length(1));
        }
    }
}

/// A count of octets, and these: registers that count up.
fn counted(octets: u16, address: u16, pdu: &mut Vec<u8>) {
    pdu.push(octets as u8);
    let registers = (0..octets.div_ceil(2)).flat_map(|register| address.wrapping_add(register).to_be_bytes());
    pdu.extend(registers.take(octets.into()));
}
