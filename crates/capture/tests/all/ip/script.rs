//! Scripted packets, and what the tracker reports of them.

use sojourn_capture::ip::IpTracker;
use sojourn_capture::{Event, LinkType, Outcome, Packet, Sink, Tracker};
use sojourn_core::{Duration, Time};
use sojourn_protocols::UserData;
use sojourn_protocols::ip::{Datagram, Payload};
use sojourn_protocols::tcp::wire::{Flags, Header, Segment, Timestamps};
use sojourn_protocols::udp;

pub const CLIENT: [u8; 4] = [10, 0, 0, 1];
pub const SERVER: [u8; 4] = [10, 0, 0, 2];
pub const CLIENT_PORT: u16 = 40_000;

/// Packets in order of time, as raw IP.
#[derive(Default)]
pub struct Script {
    pub packets: Vec<(Time, Vec<u8>)>,
    /// The client's port, if not [`CLIENT_PORT`].
    client_port: Option<u16>,
    identification: u16,
}

pub fn at(milliseconds: u64) -> Time {
    Time::ZERO + Duration::from_millis(milliseconds)
}

/// A segment's header with the octets of its data.
pub fn data(seq: u32, ack: u32, octets: usize) -> (Header, usize) {
    (Header { seq, ack: Some(ack), window: 1000, ..Header::default() }, octets)
}

pub fn ack(seq: u32, ack: u32) -> (Header, usize) {
    data(seq, ack, 0)
}

pub fn sack(seq: u32, number: u32, blocks: &[(u32, u32)]) -> (Header, usize) {
    let (mut header, octets) = ack(seq, number);
    blocks.iter().for_each(|&(left, right)| assert!(header.options.sack.push(left, right)));
    (header, octets)
}

pub fn syn(seq: u32) -> (Header, usize) {
    let flags = Flags { syn: true, ..Flags::default() };
    (Header { seq, flags, window: 1000, ..Header::default() }, 0)
}

pub fn syn_ack(seq: u32, ack: u32) -> (Header, usize) {
    (Header { ack: Some(ack), ..syn(seq).0 }, 0)
}

pub fn fin(seq: u32, ack: u32) -> (Header, usize) {
    let flags = Flags { fin: true, ..Flags::default() };
    (Header { flags, ..data(seq, ack, 0).0 }, 0)
}

pub fn rst(seq: u32, ack: u32) -> (Header, usize) {
    let flags = Flags { rst: true, ..Flags::default() };
    (Header { flags, window: 0, ..data(seq, ack, 0).0 }, 0)
}

/// The same segment with another window.
pub fn window((header, octets): (Header, usize), window: u16) -> (Header, usize) {
    (Header { window, ..header }, octets)
}

/// The same segment with timestamps.
pub fn stamped((mut header, octets): (Header, usize), ts_val: u32, ts_ecr: u32) -> (Header, usize) {
    header.options.timestamps = Some(Timestamps { ts_val, ts_ecr });
    (header, octets)
}

impl Script {
    /// Packets of a client with this port.
    pub fn of_client(port: u16) -> Script {
        Script { client_port: Some(port), ..Script::default() }
    }

    /// The client sends a segment to port 80 of the server.
    pub fn client(&mut self, milliseconds: u64, (header, octets): (Header, usize)) {
        self.segment(milliseconds, true, 80, header, &vec![b'q'; octets]);
    }

    /// The server sends a segment from its port 80.
    pub fn server(&mut self, milliseconds: u64, (header, octets): (Header, usize)) {
        self.segment(milliseconds, false, 80, header, &vec![b'a'; octets]);
    }

    /// A handshake of 20 ms from `milliseconds` on: the client sends from 101 on, the server from 501 on.
    pub fn handshake(&mut self, milliseconds: u64) {
        self.client(milliseconds, syn(100));
        self.server(milliseconds + 20, syn_ack(500, 101));
        self.client(milliseconds + 20, ack(101, 501));
    }

    pub fn segment(&mut self, milliseconds: u64, forward: bool, port: u16, header: Header, octets: &[u8]) {
        let (source_port, destination_port) = self.ports(forward, port);
        self.packet(milliseconds, forward, Segment { source_port, destination_port, header, data: octets });
    }

    pub fn datagram(&mut self, milliseconds: u64, forward: bool, port: u16, octets: &[u8]) {
        let (source_port, destination_port) = self.ports(forward, port);
        self.packet(milliseconds, forward, udp::Datagram { source_port, destination_port, data: octets });
    }

    fn ports(&self, forward: bool, port: u16) -> (u16, u16) {
        let client = self.client_port.unwrap_or(CLIENT_PORT);
        if forward { (client, port) } else { (port, client) }
    }

    fn packet(&mut self, milliseconds: u64, forward: bool, packet: impl Payload) {
        self.identification += 1;
        let (source, destination) = if forward { (CLIENT, SERVER) } else { (SERVER, CLIENT) };
        let datagram = Datagram { source, destination, identification: self.identification, packet };
        let mut bytes = vec![0; datagram.length()];
        datagram.emit(&mut bytes);
        self.packets.push((at(milliseconds), bytes));
    }

    /// The last packet is captured once more.
    pub fn again(&mut self, milliseconds: u64) {
        let (_, bytes) = self.packets.last().expect("a packet").clone();
        self.packets.push((at(milliseconds), bytes));
    }

    /// What the tracker reports of all packets, of a capture that ends at `milliseconds`.
    pub fn report(&self, milliseconds: u64) -> Report {
        let (mut tracker, mut out) = (IpTracker::default(), Sink::with_log());
        for (number, (time, data)) in (1..).zip(&self.packets) {
            tracker.packet(&packet(number, *time, data), &mut out);
        }
        tracker.finish(at(milliseconds), &mut out);
        Report(out)
    }
}

/// A packet of raw IP that was captured whole.
pub fn packet(number: u64, time: Time, data: &[u8]) -> Packet<'_> {
    Packet::whole(number, time, LinkType::RAW_IP, data)
}

/// What the tracker reported.
pub struct Report(pub Sink);

/// Outcome, attempts, milliseconds, octets of request and answer.
pub type Line = (Outcome, u32, Option<u64>, [u32; 2]);

impl Report {
    /// The total of a count.
    pub fn count(&self, metric: &str) -> u64 {
        let counted = |event: &Event| match event {
            Event::Count(_, name, more) if *name == metric => Some(*more),
            _ => None,
        };
        self.0.log().iter().filter_map(counted).sum()
    }

    /// Retransmissions: all, RTO, fast, tail loss probes, spurious.
    pub fn retransmissions(&self) -> [u64; 5] {
        let members = ["", "/rto", "/fast", "/tail-loss-probe", "/spurious"];
        members.map(|member| self.count(&format!("retransmissions{member}")))
    }

    /// The samples of a metric in milliseconds.
    pub fn samples(&self, metric: &str) -> Vec<u64> {
        let sample = |event: &Event| match event {
            Event::Sample(_, name, _, duration) if *name == metric => Some(duration.whole(Duration::from_millis(1))),
            _ => None,
        };
        self.0.log().iter().filter_map(sample).collect()
    }

    /// From requests to complete answers in milliseconds.
    pub fn complete(&self) -> Vec<u64> {
        let complete = |event: &Event| match event {
            Event::Complete(_, _, duration) => Some(duration.whole(Duration::from_millis(1))),
            _ => None,
        };
        self.0.log().iter().filter_map(complete).collect()
    }

    /// All transactions.
    pub fn transactions(&self) -> Vec<Line> {
        let line = |event: &Event| match event {
            Event::Transaction(of) => {
                let milliseconds = of.end.map(|end| (end - of.begin).whole(Duration::from_millis(1)));
                Some((of.outcome, of.attempts, milliseconds, [of.request_bytes, of.answer_bytes]))
            }
            _ => None,
        };
        self.0.log().iter().filter_map(line).collect()
    }

    /// Packets of both directions, and those sent again.
    pub fn packets(&self) -> [usize; 3] {
        let sent = || {
            self.0.log().iter().filter_map(|event| match event {
                Event::Sent(sent) => Some(sent),
                _ => None,
            })
        };
        let forward = sent().filter(|sent| sent.forward).count();
        [forward, sent().count() - forward, sent().filter(|sent| sent.repeated).count()]
    }
}
