//! An open session at the client.

use std::net::SocketAddr;

use sojourn_core::Time;

use super::request::Request;
use crate::authentication::Key;
use crate::probe::wire::{CONTROL_LENGTH, Limits, Packet, ParseError, Pdu, Proof, Stream, Token};

/// An open session, bound to the socket from which it was opened; ended by [`close`](Session::close).
#[derive(Clone, Debug)]
pub struct Session {
    key: Key,
    token: Token,
    granted: Limits,
    /// Control packets sent.
    controls: u64,
    /// TCP connections requested.
    streams: u64,
    /// Number in the latest packet of the agent that carries one, which confirms that it was received.
    proof: Proof,
    /// Address and port of this client as the agent sees them, if it says.
    seen_at: Option<SocketAddr>,
}

/// The load that a client requests of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadRequest {
    /// Rate of UDP payload, bit/s.
    pub bit_rate: u64,
    /// Length of each packet, octets.
    pub octets: u16,
    /// Its duration, ns.
    pub duration_ns: u64,
    /// Differentiated services code point of its packets, 0 to 63.
    pub dscp: u8,
}

impl Session {
    pub(super) fn new(key: Key, token: Token, granted: Limits, proof: Proof, seen_at: Option<SocketAddr>) -> Session {
        Session { key, token, granted, controls: 0, streams: 0, proof, seen_at }
    }

    /// Address and port of this client as the agent sees them; `None` of an agent that does not say.
    pub fn seen_at(&self) -> Option<SocketAddr> {
        self.seen_at
    }

    /// Limits that the agent granted.
    pub fn granted(&self) -> Limits {
        self.granted
    }

    /// Token of the session.
    pub fn token(&self) -> Token {
        self.token
    }

    /// Key that authenticates its packets.
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// Replaces `buffer` by probe `sequence` of a phase, with `octets` of UDP payload, 64 to 65 507. Probes and load of a session
    /// share a sequence number space, in which each number is accepted once.
    pub fn encode_probe(&self, sequence: u64, sent_ns: u64, phase: u32, octets: u16, buffer: &mut Vec<u8>) {
        self.encode(sequence, Pdu::Probe { sent_ns, phase }, octets, buffer);
    }

    /// Appends load packet `sequence`, with parameters as of a probe, to `buffer`.
    pub fn append_load(&self, sequence: u64, sent_ns: u64, octets: u16, buffer: &mut Vec<u8>) {
        Packet { token: self.token, sequence, pdu: Pdu::Load { sent_ns, proof: 0 } }.append(&self.key, octets, buffer);
    }

    /// Replaces `buffer` by the first frame of a TCP connection.
    pub fn encode_stream(&mut self, stream: Stream, buffer: &mut Vec<u8>) {
        self.streams += 1;
        self.encode(self.streams, Pdu::Stream(stream), CONTROL_LENGTH, buffer);
    }

    /// Number of the latest TCP connection that was requested.
    pub fn last_stream(&self) -> u64 {
        self.streams
    }

    /// Replaces `buffer` by a packet of a [`Request`].
    pub fn encode_packet(&self, packet: &Packet, buffer: &mut Vec<u8>) {
        packet.emit(&self.key, CONTROL_LENGTH, buffer);
    }

    /// Parses a packet from the agent and verifies that it belongs to this session.
    pub fn decode(&self, bytes: &[u8]) -> Result<Packet, ParseError> {
        let packet = Packet::parse(&self.key, bytes)?;
        if packet.token == self.token { Ok(packet) } else { Err(ParseError::Token) }
    }

    /// Takes the proof from a packet of this session: the next request confirms its receipt.
    pub fn received(&mut self, packet: &Packet) {
        if let Pdu::Report { proof, .. } | Pdu::Load { proof, .. } = packet.pdu {
            self.proof = proof;
        }
    }

    /// Requests load, within five seconds of the opening or of a report that was [received](Self::received). The load ends two seconds after the last
    /// [query](Self::query) that confirms its receipt.
    pub fn start(&mut self, load: LoadRequest, now: Time) -> Request {
        let LoadRequest { bit_rate, octets, duration_ns, dscp } = load;
        self.request(Pdu::Start { bit_rate, octets, duration_ns, dscp, proof: self.proof }, now)
    }

    /// Requests the agent's counters.
    pub fn query(&mut self, now: Time) -> Request {
        self.request(Pdu::Query { proof: self.proof }, now)
    }

    /// Requests the agent's counters of a phase.
    pub fn query_phase(&mut self, phase: u32, now: Time) -> Request {
        self.request(Pdu::PhaseQuery { phase }, now)
    }

    /// Requests the agent to stop its load.
    pub fn stop(&mut self, now: Time) -> Request {
        self.request(Pdu::Stop, now)
    }

    /// Requests the end of the session.
    pub fn close(&mut self, now: Time) -> Request {
        self.request(Pdu::Close, now)
    }

    fn request(&mut self, pdu: Pdu, now: Time) -> Request {
        self.controls += 1;
        Request::new(Packet { token: self.token, sequence: self.controls, pdu }, now)
    }

    fn encode(&self, sequence: u64, pdu: Pdu, octets: u16, buffer: &mut Vec<u8>) {
        Packet { token: self.token, sequence, pdu }.emit(&self.key, octets, buffer);
    }
}
