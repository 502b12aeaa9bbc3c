//! The server's state machine: many sessions, each within its limits.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use sojourn_core::{Duration, Machine, Time};

use super::answered::Answered;
use super::cookies::{COOKIE_LIFETIME, CookieIssuer};
use super::event::Event;
use super::io::{Arrival, Input, Output, Path, Rules};
use super::rate_limiter::RateLimiter;
use super::session::Session;
use crate::authentication::Key;
use crate::probe::wire::{MIN_PACKET, Nonce, Packet, Pdu, Reason, Report, Token};

/// How long an ended session is retained: as long as its cookie could open it again.
pub(super) const ENDED_RETENTION: Duration = COOKIE_LIFETIME.times(2);
/// Maximum responses/s to packets without a session.
const RESPONSES_WITHOUT_SESSION: u64 = 1000;

/// The agent's state machine, without sockets.
#[derive(Clone, Debug)]
pub struct Server {
    pub(super) rules: Rules,
    pub(super) cookies: CookieIssuer,
    pub(super) sessions: BTreeMap<Token, Session>,
    /// Sessions that ended within [`ENDED_RETENTION`].
    pub(super) ended: VecDeque<Ended>,
    /// Number of sessions opened so far.
    pub(super) opened: u64,
    pub(super) sessionless: RateLimiter,
    /// Openings and requests without a session that were answered.
    pub(super) answered: Answered,
    pub(super) outputs: VecDeque<Output>,
    /// No session has an action due earlier.
    pub(super) next: Time,
}

/// An ended session, retained to inform its client and to reject a replay of its opening.
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
    /// A server that enforces `rules`; `secret` is random and not shared.
    pub fn new(rules: Rules, secret: Key) -> Server {
        Server {
            rules,
            cookies: CookieIssuer::new(secret),
            sessions: BTreeMap::new(),
            ended: VecDeque::new(),
            opened: 0,
            sessionless: RateLimiter::new(RESPONSES_WITHOUT_SESSION, Duration::from_millis(100)),
            answered: Answered::default(),
            outputs: VecDeque::new(),
            next: Time::NEVER,
        }
    }

    /// Number of open sessions.
    pub fn open_sessions(&self) -> usize {
        self.sessions.len()
    }

    /// Number of sessions ended so far.
    pub fn ended_sessions(&self) -> u64 {
        self.opened - self.sessions.len() as u64
    }

    fn receive(&mut self, now: Time, arrival: Arrival) {
        let Arrival { path, packet, .. } = arrival;
        match packet.pdu {
            Pdu::Hello { nonce } => self.send_cookie(now, path, nonce),
            Pdu::Open { nonce, cookie, wanted } => self.open(now, path, nonce, &cookie, wanted),
            Pdu::Probe { .. } | Pdu::Load { .. } => self.receive_data(now, arrival),
            Pdu::Start { .. } | Pdu::Query { .. } | Pdu::PhaseQuery { .. } | Pdu::Stop | Pdu::Close => {
                self.receive_control(now, path, packet)
            }
            // PDUs of agents, and PDUs for TCP
            _ => self.log(Event::Stray { peer: path.peer }),
        }
    }

    pub(super) fn transmit(&mut self, path: Path, token: Token, sequence: u64, pdu: Pdu) {
        let packet = Packet { token, sequence, pdu };
        let octets = packet.length(MIN_PACKET);
        self.outputs.push_back(Output::Transmit { path, packet, octets, dscp: 0 });
    }

    #[cold]
    pub(super) fn log(&mut self, event: Event) {
        self.outputs.push_back(Output::Event(event));
    }
}

impl Machine for Server {
    type Input = Input;
    type Output = Output;

    fn handle(&mut self, now: Time, input: Input) {
        match input {
            Input::Packet(arrival) => self.receive(now, arrival),
            Input::ForeignVersion { path, octets, tag } => self.refuse_version(now, path, octets, tag),
            Input::ReplySent { token, sequence, residence_ns, by_kernel } => {
                if let Some(session) = self.sessions.get_mut(&token) {
                    session.reply_sent(sequence, residence_ns, by_kernel);
                }
            }
            Input::StreamRequested { connection, from, packet } => self.stream_requested(now, connection, from, packet),
            Input::StreamOfForeignVersion { connection, from, tag } => {
                self.refuse_stream_version(connection, from, tag)
            }
            Input::StreamProgress { token, octets_in, octets_out } => {
                self.stream_progress(now, token, octets_in, octets_out);
            }
            Input::StreamEnded { token } => {
                if let Some(session) = self.sessions.get_mut(&token) {
                    session.streams = session.streams.saturating_sub(1);
                }
            }
            Input::StreamRefused { from } => self.log(Event::StreamRefused { peer: from }),
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
