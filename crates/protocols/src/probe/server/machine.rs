//! The machine of an agent: many sessions, each within its limits.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use sojourn_core::{Duration, Machine, Time};

use super::allowance::Allowance;
use super::event::Event;
use super::io::{Arrival, Input, Output, Rules};
use super::jar::{FRESH, Jar};
use super::session::Session;
use crate::authentication::Key;
use crate::probe::wire::{Nonce, Packet, Pdu, Reason, Report, SHORTEST, Token};

/// How long an ended session is remembered: as long as its cookie could open it again.
pub(super) const REMEMBERED: Duration = FRESH.times(2);
/// Answers per second to those who have no session.
const ANSWERS_TO_STRANGERS: u64 = 1000;

/// An agent without its sockets.
#[derive(Clone, Debug)]
pub struct Server {
    pub(super) rules: Rules,
    pub(super) jar: Jar,
    pub(super) sessions: BTreeMap<Token, Session>,
    /// Sessions that ended lately.
    pub(super) ended: VecDeque<Ended>,
    /// Sessions ever opened.
    pub(super) opened: u64,
    pub(super) strangers: Allowance,
    pub(super) outputs: VecDeque<Output>,
    /// No session needs to be woken earlier.
    pub(super) next: Time,
}

/// What is remembered of a session, so that its client can be told and its opening not be replayed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub token: Token,
    pub peer: SocketAddr,
    pub nonce: Nonce,
    pub reason: Reason,
    pub report: Report,
    pub at: Time,
}

impl Server {
    /// An agent that keeps to `rules`; `secret` is fresh chance that nobody else knows.
    pub fn new(rules: Rules, secret: Key) -> Server {
        Server {
            rules,
            jar: Jar::new(secret),
            sessions: BTreeMap::new(),
            ended: VecDeque::new(),
            opened: 0,
            strangers: Allowance::new(ANSWERS_TO_STRANGERS, Duration::from_millis(100)),
            outputs: VecDeque::new(),
            next: Time::NEVER,
        }
    }

    /// Sessions open now.
    pub fn open_sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Sessions ended so far.
    pub fn ended_sessions(&self) -> u64 {
        self.opened - self.sessions.len() as u64
    }

    fn receive(&mut self, now: Time, arrival: Arrival) {
        let Arrival { from, packet, .. } = arrival;
        match packet.pdu {
            Pdu::Hello { nonce } => self.greet(now, from, nonce),
            Pdu::Open { nonce, cookie, wanted } => self.open(now, from, nonce, &cookie, wanted),
            Pdu::Probe { .. } | Pdu::Load { .. } => self.receive_data(now, arrival),
            Pdu::Start { .. } | Pdu::Ask | Pdu::Stop | Pdu::Close => self.receive_control(now, from, packet),
            // what agents say to clients, and what belongs on TCP
            _ => self.tell(Event::Stray { peer: from }),
        }
    }

    pub(super) fn transmit(&mut self, to: SocketAddr, token: Token, sequence: u64, pdu: Pdu) {
        let packet = Packet { token, sequence, pdu };
        self.outputs.push_back(Output::Transmit { to, packet, octets: packet.length(SHORTEST) });
    }

    #[cold]
    pub(super) fn tell(&mut self, event: Event) {
        self.outputs.push_back(Output::Event(event));
    }
}

impl Machine for Server {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::Packet(arrival) => self.receive(now, arrival),
            Input::ForeignVersion { from, octets } => self.refuse_version(now, from, octets),
            Input::ReplyLeft { token, sequence, held_ns, by_kernel } => {
                if let Some(session) = self.sessions.get_mut(&token) {
                    session.reply_left(sequence, held_ns, by_kernel);
                }
            }
            Input::StreamAsked { connection, from, packet } => self.stream_asked(now, connection, from, packet),
            Input::StreamCarried { token, octets_in, octets_out } => {
                self.stream_carried(now, token, octets_in, octets_out);
            }
            Input::StreamEnded { token } => {
                if let Some(session) = self.sessions.get_mut(&token) {
                    session.streams = session.streams.saturating_sub(1);
                }
            }
            Input::ShutDown => {
                let open: Vec<Token> = self.sessions.keys().copied().collect();
                open.into_iter().for_each(|token| self.end(now, token, Reason::ShuttingDown, 0));
            }
        }
    }

    fn wake(&mut self, now: Time) {
        self.forget_ended(now);
        if now >= self.next {
            self.next = self.wake_sessions(now);
        }
    }

    fn poll_output(&mut self) -> Option<Output> {
        self.outputs.pop_front()
    }

    fn next_wakeup(&self) -> Option<Time> {
        (self.next != Time::NEVER).then_some(self.next)
    }
}
