//! Two questions, each asked until it is answered: for a cookie, and with it for a session.

use sojourn_core::{Machine, Time};
use thiserror::Error;

use super::patience::{Next, Patience};
use super::session::Session;
use crate::authentication::Key;
use crate::probe::wire::{Cookie, Fault, Limits, NO_TOKEN, Nonce, Packet, Pdu, Reason};

/// Opens a session. It begins when it is first woken and has an [`outcome`](Opening::outcome) within eight seconds.
#[derive(Clone, Debug)]
pub struct Opening {
    key: Key,
    nonce: Nonce,
    wanted: Limits,
    cookie: Option<Cookie>,
    patience: Patience,
    question: Option<Packet>,
    unauthenticated: u32,
    outcome: Option<Result<Session, OpeningFailure>>,
}

/// Why there is no session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum OpeningFailure {
    /// Nothing came that the key vouches for.
    #[error("no answer")]
    NoAnswer {
        /// Whether it was the second question that had none.
        after_cookie: bool,
        /// Datagrams that came from there and were nothing of this key.
        unauthenticated: u32,
    },
    /// The agent told why not.
    #[error("the agent refuses: {0}")]
    Refused(Reason),
    /// The agent has the key, and speaks another version.
    #[error("the agent speaks version {0} of the protocol, and version 1 is spoken here")]
    Version(u8),
}

impl Opening {
    /// With a key, the key of no octets for an agent without one; `nonce` is fresh chance.
    pub fn new(key: Key, nonce: Nonce, wanted: Limits) -> Opening {
        let patience = Patience::from(Time::ZERO);
        Opening { key, nonce, wanted, cookie: None, patience, question: None, unauthenticated: 0, outcome: None }
    }

    /// The session or why there is none, once that is known.
    pub fn outcome(&self) -> Option<Result<Session, OpeningFailure>> {
        self.outcome.clone()
    }

    fn ask(&self) -> Packet {
        let Opening { nonce, wanted, .. } = *self;
        let pdu = match self.cookie {
            None => Pdu::Hello { nonce },
            Some(cookie) => Pdu::Open { nonce, cookie, wanted },
        };
        Packet { token: NO_TOKEN, sequence: 0, pdu }
    }

    fn hear(&mut self, now: Time, packet: Packet) {
        match packet.pdu {
            Pdu::Cookie { nonce, cookie } if nonce == self.nonce && self.cookie.is_none() => {
                self.cookie = Some(cookie);
                self.patience = Patience::from(now);
                self.wake(now);
            }
            Pdu::Opened { nonce, granted } if nonce == self.nonce && self.cookie.is_some() => {
                self.outcome = Some(Ok(Session::new(self.key.clone(), packet.token, granted.tighter(self.wanted))));
            }
            Pdu::Refused { nonce, reason } if nonce == self.nonce => {
                self.outcome = Some(Err(OpeningFailure::Refused(reason)));
            }
            _ => {}
        }
    }
}

impl Machine for Opening {
    /// What came from the agent's address, read with the key.
    type Input = Result<Packet, Fault>;
    /// To the agent.
    type Output = Packet;

    fn handle(&mut self, now: Time, input: Self::Input) {
        if self.outcome.is_some() {
            return;
        }
        match input {
            Ok(packet) => self.hear(now, packet),
            Err(Fault::Version(version)) => self.outcome = Some(Err(OpeningFailure::Version(version))),
            Err(_) => self.unauthenticated += 1,
        }
    }

    fn wake(&mut self, now: Time) {
        if self.outcome.is_some() {
            return;
        }
        match self.patience.next(now) {
            Next::Wait => {}
            Next::Ask => self.question = Some(self.ask()),
            Next::GiveUp => {
                let (after_cookie, unauthenticated) = (self.cookie.is_some(), self.unauthenticated);
                self.outcome = Some(Err(OpeningFailure::NoAnswer { after_cookie, unauthenticated }));
            }
        }
    }

    fn poll_output(&mut self) -> Option<Packet> {
        self.question.take()
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.outcome.is_none().then(|| self.patience.due())
    }
}
