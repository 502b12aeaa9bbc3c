//! Session renewal: while the agent is silent, the client asks whether its session is still open, and opens another
//! if not, as after a restart of the agent. The agent's responses arrive interleaved with replies to probes.

use sojourn_core::{Machine, Time};
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::{OpenError, Opening, Request, RequestError, Session};
use sojourn_protocols::probe::wire::{CONTROL_LENGTH, Limits, Packet, Pdu, Reason};

use crate::key::random_bytes;
use crate::prober::peer::Rebinding;

/// Rebindings that are kept: a path that changes more often is not measured by sessions.
const MOST_REBINDINGS: usize = 100;

/// The request in progress.
#[derive(Debug)]
enum Step {
    /// Nothing is asked.
    Idle,
    /// Whether the session lives.
    Asking(Box<Request>),
    /// For another session.
    Opening(Box<Opening>),
}

/// Asks for the state of a session, and for another one.
#[derive(Debug)]
pub struct Renewal {
    key: Key,
    step: Step,
    /// Whether the agent no longer has the session.
    session_is_gone: bool,
    /// The limit at which the agent ended the session.
    reached: Option<Reason>,
    /// Whether the session is another than at the start.
    has_renewed: bool,
    /// Other addresses of this host that the agent has seen.
    rebindings: Vec<Rebinding>,
}

impl Renewal {
    /// With the key of the session.
    pub fn new(key: Key) -> Renewal {
        let rebindings = Vec::new();
        Renewal { key, step: Step::Idle, session_is_gone: false, reached: None, has_renewed: false, rebindings }
    }

    /// The limit at which the agent ended the session: another one would circumvent it.
    pub fn reached(&self) -> Option<Reason> {
        self.reached
    }

    /// Whether the agent no longer has the session.
    pub fn is_gone(&self) -> bool {
        self.session_is_gone
    }

    /// Whether the session was opened again.
    pub fn has_renewed(&self) -> bool {
        self.has_renewed
    }

    /// Other addresses of this host that the agent has seen.
    pub fn rebindings(&self) -> &[Rebinding] {
        &self.rebindings
    }

    /// Replaces `datagram` by a packet that is due; false if none is.
    pub fn write(&mut self, now: Time, session: &mut Session, datagram: &mut Vec<u8>) -> bool {
        if self.reached.is_some() {
            return false;
        }
        if let Step::Idle = self.step {
            self.step = self.begin(now, session);
        }
        let packet = match &mut self.step {
            Step::Idle => None,
            Step::Asking(request) => next(request.as_mut(), now),
            Step::Opening(opening) => next(opening.as_mut(), now),
        };
        self.conclude(now, session);
        if let Some(packet) = packet {
            packet.emit(&self.key, CONTROL_LENGTH, datagram);
        }
        packet.is_some()
    }

    /// Reads a datagram that is not a reply; true if it is authentic.
    pub fn read(&mut self, now: Time, session: &mut Session, datagram: &[u8]) -> bool {
        let Ok(packet) = Packet::parse(&self.key, datagram) else { return false };
        let is_of_session = packet.token == session.token();
        match packet.pdu {
            Pdu::Closed { reason, .. } | Pdu::Refused { reason: reason @ Reason::NoSession, .. } if is_of_session => {
                self.ended(reason);
            }
            _ => {}
        }
        match &mut self.step {
            Step::Asking(request) if is_of_session => request.handle(now, packet),
            Step::Opening(opening) => opening.handle(now, Ok(packet)),
            Step::Idle | Step::Asking(_) => {}
        }
        self.conclude(now, session);
        true
    }

    fn begin(&self, now: Time, session: &mut Session) -> Step {
        if !self.session_is_gone {
            return Step::Asking(Box::new(session.query(now)));
        }
        // without randomness now there may be some later
        let Ok(nonce) = random_bytes() else { return Step::Idle };
        Step::Opening(Box::new(Opening::new(self.key.clone(), nonce, Limits::NONE)))
    }

    /// The agent ended the session.
    fn ended(&mut self, reason: Reason) {
        match reason {
            Reason::TimeLimit | Reason::VolumeLimit => self.reached = Some(reason),
            _ => self.session_is_gone = true,
        }
    }

    /// Takes the outcome of the request in progress.
    fn conclude(&mut self, now: Time, session: &mut Session) {
        match &self.step {
            Step::Idle => return,
            Step::Asking(request) => match request.outcome() {
                None => return,
                Some(Err(RequestError::Ended { reason, .. } | RequestError::Refused(reason))) => self.ended(reason),
                Some(Ok(_) | Err(RequestError::NoResponse)) => {}
            },
            Step::Opening(opening) => match opening.outcome() {
                None => return,
                Some(Ok(opened)) => {
                    if let (Some(old), Some(new)) = (session.seen_at(), opened.seen_at())
                        && old != new
                        && self.rebindings.len() < MOST_REBINDINGS
                    {
                        self.rebindings.push(Rebinding { found: now, old, new });
                    }
                    *session = opened;
                    (self.session_is_gone, self.has_renewed) = (false, true);
                }
                Some(Err(OpenError::NoResponse { .. } | OpenError::Refused(_) | OpenError::Version(_))) => {}
            },
        }
        self.step = Step::Idle;
    }
}

/// The packet that a machine sends at `now`.
pub fn next<M: Machine<Output = Packet>>(machine: &mut M, now: Time) -> Option<Packet> {
    if machine.next_wakeup().is_some_and(|due| due <= now) {
        machine.wake(now);
    }
    machine.poll_output()
}
