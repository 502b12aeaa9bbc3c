//! Properties of a server under arbitrary input; called by the fuzz target and by the tests over its corpus.

use std::net::SocketAddr;

use sojourn_core::{Duration, Machine, Time};

use super::{Arrival, Input, Output, Path, Rules, Server};
use crate::authentication::Key;
use crate::probe::wire::{CONTROL_LENGTH, Limits, MIN_PACKET, NO_TOKEN, Packet, Pdu, Token, VERSION};

/// Octets of a step: time to wait, source address, token, length, and packet contents.
const STEP: usize = 8 + 80;
const RULES: Rules = Rules {
    limits: Limits {
        octets: 100_000,
        seconds: 600,
        bit_rate: 1_000_000,
        packet_rate: 1000,
        idle_seconds: 30,
        ..Limits::NONE
    },
    sessions: 3,
    sessions_per_address: 2,
    measures: false,
};

/// Runs steps of any clients: the server enforces its limits and never amplifies packets without a session. Returns the
/// number of sessions opened.
pub fn dialogue(bytes: &[u8]) -> u64 {
    let mut dialogue = Dialogue {
        now: Time::ZERO,
        server: Server::new(RULES, Key::new(b"secret")),
        cookies: Vec::new(),
        tokens: vec![NO_TOKEN],
    };
    for step in bytes.chunks_exact(STEP) {
        dialogue.step(step);
    }
    dialogue.server.handle(dialogue.now, Input::ShutDown);
    dialogue.drain(None);
    assert_eq!(dialogue.server.open_sessions(), 0);
    dialogue.server.ended_sessions()
}

struct Dialogue {
    now: Time,
    server: Server,
    /// Cookie PDUs that the server has sent.
    cookies: Vec<Pdu>,
    tokens: Vec<Token>,
}

impl Dialogue {
    fn step(&mut self, step: &[u8]) {
        let (head, contents) = step.split_at(8);
        self.now += Duration::from_millis(u64::from(head[0]) * u64::from(head[0]));
        if self.server.next_wakeup().is_some_and(|due| due <= self.now) {
            self.server.wake(self.now);
            self.drain(None);
        }
        let from = SocketAddr::from(([192, 0, 2, head[1] % 4], 1 + u16::from(head[2] % 2)));
        let token = self.tokens[usize::from(head[3]) % self.tokens.len()];
        let octets = u16::from_be_bytes([head[4], head[5]]).max(MIN_PACKET);
        let Some(packet) = self.packet(token, contents) else { return };
        let octets = packet.length(octets);
        if head[6] & 1 == 1 {
            self.server.handle(self.now, Input::StreamRequested { connection: 1, from, packet });
            return self.drain(None);
        }
        let path = Path { peer: from, local: None };
        let arrival = Arrival {
            path,
            packet,
            octets,
            receive_ns: self.now.picoseconds() / 1000,
            by_kernel: false,
            class: None,
            socket_drops: 0,
        };
        self.server.handle(self.now, Input::Packet(arrival));
        assert!(self.server.open_sessions() <= RULES.sessions as usize);
        self.drain(Some((from, octets)));
    }

    /// A packet with these contents; an Open carries the last cookie sent.
    fn packet(&self, token: Token, contents: &[u8]) -> Option<Packet> {
        let mut bytes = vec![0; usize::from(CONTROL_LENGTH)];
        bytes[..3].copy_from_slice(b"SJN");
        bytes[3] = VERSION;
        bytes[20] = contents[0];
        bytes[22..24].copy_from_slice(&CONTROL_LENGTH.to_be_bytes());
        bytes[24..40].copy_from_slice(&token);
        bytes[47] = contents[1];
        bytes[48..].copy_from_slice(&[&contents[2..], &[0, 0]].concat());
        let key = Key::new(b"fuzz");
        let tag = key.tag(&[&bytes[..4], &bytes[20..]]);
        bytes[4..20].copy_from_slice(&tag);
        let mut packet = Packet::parse(&key, &bytes).ok()?;
        if let (Pdu::Open { nonce, cookie, .. }, Some(Pdu::Cookie { nonce: given_for, cookie: given })) =
            (&mut packet.pdu, self.cookies.last())
        {
            (*nonce, *cookie) = (*given_for, *given);
        }
        Some(packet)
    }

    /// Processes the server's outputs; `request` is the source and length of the packet that it answers.
    fn drain(&mut self, request: Option<(SocketAddr, u16)>) {
        while let Some(output) = self.server.poll_output() {
            let Output::Transmit { path: Path { peer: to, .. }, packet, octets, .. } = output else { continue };
            match packet.pdu {
                Pdu::Cookie { .. } => self.cookies.push(packet.pdu),
                Pdu::Opened { .. } if !self.tokens.contains(&packet.token) => self.tokens.push(packet.token),
                _ => {}
            }
            if let Some((from, sent)) = request.filter(|_| !matches!(packet.pdu, Pdu::Closed { .. })) {
                assert!(to == from && octets <= sent, "{octets} octets to {to} for {sent} of {from}");
            }
        }
    }
}
