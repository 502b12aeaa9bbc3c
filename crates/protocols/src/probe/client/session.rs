//! An open session at the client.

use sojourn_core::Time;

use super::request::Request;
use crate::authentication::Key;
use crate::probe::wire::{CONTROL_LENGTH, Limits, Packet, ParseError, Pdu, Stream, Token};

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
}

impl Session {
    pub(super) fn new(key: Key, token: Token, granted: Limits) -> Session {
        Session { key, token, granted, controls: 0, streams: 0 }
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
        Packet { token: self.token, sequence, pdu: Pdu::Load { sent_ns } }.append(&self.key, octets, buffer);
    }

    /// Replaces `buffer` by the first frame of a TCP connection.
    pub fn encode_stream(&mut self, stream: Stream, buffer: &mut Vec<u8>) {
        self.streams += 1;
        self.encode(self.streams, Pdu::Stream(stream), CONTROL_LENGTH, buffer);
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

    /// Requests load at `bit_rate` of UDP payload, in packets of `octets`, for `duration_ns`.
    pub fn start(&mut self, bit_rate: u64, octets: u16, duration_ns: u64, now: Time) -> Request {
        self.request(Pdu::Start { bit_rate, octets, duration_ns }, now)
    }

    /// Requests the agent's counters.
    pub fn query(&mut self, now: Time) -> Request {
        self.request(Pdu::Query, now)
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
