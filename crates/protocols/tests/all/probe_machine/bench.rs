//! A server, a virtual clock and the packets exchanged.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use sojourn_core::{Duration, Machine, Time};
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::{OpenError, Opening, Session};
use sojourn_protocols::probe::server::{Arrival, Event, Input, Output, Path, Rules, Server};
use sojourn_protocols::probe::wire::{Limits, MAX_PACKET, Packet, ParseError, Pdu, Proof, Reason, Token};

pub const LIMITS: Limits = Limits {
    packet_rate: 1000,
    bit_rate: 8_000_000,
    octets: 1_000_000,
    seconds: 60,
    longest: MAX_PACKET,
    streams: 2,
    idle_seconds: 10,
    sends: true,
};

/// The address of the server that clients ask.
const ASKED: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 7));
/// The traffic class that packets arrive with.
pub const CLASS: u8 = 46 << 2 | 1;

pub fn rules() -> Rules {
    Rules { limits: LIMITS, sessions: 4, sessions_per_address: 2, measures: false }
}

pub fn key() -> Key {
    Key::new(b"the shared key")
}

pub fn peer(number: u8) -> SocketAddr {
    SocketAddr::from(([192, 0, 2, number], 5000))
}

/// From a client to the address that it asks.
pub fn path(number: u8) -> Path {
    Path { peer: peer(number), local: Some(ASKED) }
}

pub struct Bench {
    pub now: Time,
    pub server: Server,
    pub events: Vec<Event>,
    /// Responses to first frames of connections; `None` where one is closed without.
    pub of_streams: Vec<Option<Packet>>,
}

impl Bench {
    pub fn new(rules: Rules) -> Bench {
        Bench {
            now: Time::ZERO,
            server: Server::new(rules, Key::new(b"a secret")),
            events: Vec::new(),
            of_streams: Vec::new(),
        }
    }

    /// Delivers a packet of `octets` from a client to the server; returns what it sends.
    pub fn give(&mut self, from: SocketAddr, packet: Packet, octets: u16) -> Vec<(SocketAddr, Packet, u16)> {
        let receive_ns = self.now.picoseconds() / 1000;
        let path = Path { peer: from, local: Some(ASKED) };
        self.server.handle(
            self.now,
            Input::Packet(Arrival {
                path,
                packet,
                octets,
                receive_ns,
                by_kernel: true,
                class: Some(CLASS),
                socket_drops: 0,
            }),
        );
        self.drain()
    }

    /// Delivers a control packet; returns the only response.
    pub fn respond(&mut self, from: SocketAddr, packet: Packet) -> Pdu {
        let sent = self.give(from, packet, 128);
        assert_eq!(sent.len(), 1, "{sent:?}");
        assert_eq!((sent[0].0, sent[0].2), (from, 128));
        sent[0].1.pdu
    }

    /// Advances time, waking the server when due; returns what it sends.
    pub fn pass(&mut self, span: Duration) -> Vec<(SocketAddr, Packet, u16)> {
        let (end, mut sent) = (self.now + span, Vec::new());
        while let Some(due) = self.server.next_wakeup().filter(|due| *due <= end) {
            self.now = due.max(self.now);
            self.server.wake(self.now);
            sent.extend(self.drain());
        }
        self.now = end;
        sent
    }

    pub fn drain(&mut self) -> Vec<(SocketAddr, Packet, u16)> {
        let mut sent = Vec::new();
        while let Some(output) = self.server.poll_output() {
            match output {
                Output::Transmit { path: Path { peer, local }, packet, octets, .. } => {
                    assert_eq!(local, Some(ASKED), "it answers from the address that was asked");
                    sent.push((peer, packet, octets));
                }
                Output::Event(event) => self.events.push(event),
                Output::StreamResponse { packet, .. } => self.of_streams.push(packet),
                Output::EndStreams { .. } => {}
            }
        }
        sent
    }

    /// Opens a session over a path without delay or loss.
    pub fn open(&mut self, from: SocketAddr, wanted: Limits) -> Result<Session, OpenError> {
        self.open_through(from, wanted, |_| true)
    }

    /// Opens a session over a path that delivers the packets, counted in both directions, for which `carries` is true.
    pub fn open_through(
        &mut self,
        from: SocketAddr,
        wanted: Limits,
        mut carries: impl FnMut(usize) -> bool,
    ) -> Result<Session, OpenError> {
        let began = self.now;
        let local = |now: Time| Time::ZERO + (now - began);
        let nonce = [self.events.len() as u8 + 1; 16];
        let mut opening = Opening::new(key(), nonce, wanted);
        let mut packets = 0..;
        loop {
            if let Some(outcome) = opening.outcome() {
                return outcome;
            }
            let due = opening.next_wakeup().expect("it has no outcome yet");
            self.now = self.now.max(began + (due - Time::ZERO));
            opening.wake(local(self.now));
            while let Some(request) = opening.poll_output() {
                if !carries(packets.next().unwrap()) {
                    continue;
                }
                for (to, answer, _) in self.give(from, request, 128) {
                    if to == from && carries(packets.next().unwrap()) {
                        opening.handle(local(self.now), Ok(answer));
                    }
                }
            }
        }
    }
}

/// The session's token, as its packets show it.
pub fn token(session: &Session) -> Token {
    let mut bytes = Vec::new();
    session.encode_probe(0, 0, 0, 64, &mut bytes);
    Packet::parse(&key(), &bytes).unwrap().token
}

pub fn probe(session: &Session, sequence: u64) -> Packet {
    Packet { token: token(session), sequence, pdu: Pdu::Probe { sent_ns: 0, phase: 0 } }
}

pub fn control(session: &Session, sequence: u64, pdu: Pdu) -> Packet {
    Packet { token: token(session), sequence, pdu }
}

/// The number in the agent's report of now, for a request that confirms it; `number` is that of the query.
pub fn proof(bench: &mut Bench, from: SocketAddr, session: &Session, number: u64) -> Proof {
    match bench.respond(from, control(session, number, QUERY)) {
        Pdu::Report { proof, .. } => proof,
        other => panic!("{other:?} is not a report"),
    }
}

/// A query that confirms nothing.
pub const QUERY: Pdu = Pdu::Query { proof: 0 };

pub fn reason(pdu: Pdu) -> Reason {
    match pdu {
        Pdu::Refused { reason, .. } | Pdu::Closed { reason, .. } => reason,
        other => panic!("{other:?} has no reason"),
    }
}

pub const NO_KEY: Result<Packet, ParseError> = Err(ParseError::Unauthenticated);
