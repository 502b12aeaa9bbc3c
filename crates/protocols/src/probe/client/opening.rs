//! Opening of a session: a Hello for a cookie, then an Open with it; each is retransmitted until answered.

use sojourn_core::{Machine, Time};
use thiserror::Error;

use super::retry::{Next, Retry};
use super::session::Session;
use crate::authentication::Key;
use crate::probe::wire::{Cookie, Limits, NO_TOKEN, Nonce, Packet, ParseError, Pdu, Reason};

/// Opens a session. It starts when first woken and has an [`outcome`](Opening::outcome) within eight seconds.
#[derive(Clone, Debug)]
pub struct Opening {
    key: Key,
    nonce: Nonce,
    wanted: Limits,
    cookie: Option<Cookie>,
    retry: Retry,
    request: Option<Packet>,
    unauthenticated: u32,
    outcome: Option<Result<Session, OpenError>>,
}

/// Why a session could not be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OpenError {
    /// No authenticated response arrived.
    #[error("no response")]
    NoResponse {
        /// Whether the Hello was answered and the Open was not.
        after_cookie: bool,
        /// Datagrams from the agent's address that this key does not authenticate.
        unauthenticated: u32,
    },
    /// The agent refused the session.
    #[error("the agent refused: {0}")]
    Refused(Reason),
    /// The agent uses another version of the protocol.
    #[error("the agent uses protocol version {0}, this client version {own}", own = crate::probe::wire::VERSION)]
    Version(u8),
}

impl Opening {
    /// Opens with a key, the empty key for an agent without one; `nonce` is random and used once.
    pub fn new(key: Key, nonce: Nonce, wanted: Limits) -> Opening {
        let retry = Retry::from(Time::ZERO);
        Opening { key, nonce, wanted, cookie: None, retry, request: None, unauthenticated: 0, outcome: None }
    }

    /// The session or the error, once known.
    pub fn outcome(&self) -> Option<Result<Session, OpenError>> {
        self.outcome.clone()
    }

    fn request_packet(&self) -> Packet {
        let Opening { nonce, wanted, .. } = *self;
        let pdu = match self.cookie {
            None => Pdu::Hello { nonce },
            Some(cookie) => Pdu::Open { nonce, cookie, wanted },
        };
        Packet { token: NO_TOKEN, sequence: 0, pdu }
    }

    fn receive(&mut self, now: Time, packet: Packet) {
        match packet.pdu {
            Pdu::Cookie { nonce, cookie } if nonce == self.nonce && self.cookie.is_none() => {
                self.cookie = Some(cookie);
                self.retry = Retry::from(now);
                self.wake(now);
            }
            Pdu::Opened { nonce, granted, proof, seen_at } if nonce == self.nonce && self.cookie.is_some() => {
                let granted = granted.min(self.wanted);
                self.outcome = Some(Ok(Session::new(self.key.clone(), packet.token, granted, proof, seen_at)));
            }
            Pdu::Refused { nonce, reason } if nonce == self.nonce => {
                self.outcome = Some(Err(OpenError::Refused(reason)));
            }
            _ => {}
        }
    }
}

impl Machine for Opening {
    /// A datagram from the agent's address, parsed with the key.
    type Input = Result<Packet, ParseError>;
    /// A packet for the agent.
    type Output = Packet;

    fn handle(&mut self, now: Time, input: Self::Input) {
        if self.outcome.is_some() {
            return;
        }
        match input {
            Ok(packet) => self.receive(now, packet),
            Err(ParseError::Version(version)) => self.outcome = Some(Err(OpenError::Version(version))),
            Err(_) => self.unauthenticated += 1,
        }
    }

    fn wake(&mut self, now: Time) {
        if self.outcome.is_some() {
            return;
        }
        match self.retry.next(now) {
            Next::Wait => {}
            Next::Send => self.request = Some(self.request_packet()),
            Next::GiveUp => {
                let (after_cookie, unauthenticated) = (self.cookie.is_some(), self.unauthenticated);
                self.outcome = Some(Err(OpenError::NoResponse { after_cookie, unauthenticated }));
            }
        }
    }

    fn poll_output(&mut self) -> Option<Packet> {
        self.request.take()
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.outcome.is_none().then(|| self.retry.due())
    }
}
