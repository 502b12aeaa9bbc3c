//! The application that asks a device for a property, on the thread of its node.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use rustix::io::{Errno, read, write};
use sojourn_core::Time;
use sojourn_protocols::bacnet::{Apdu, Npdu, read_property};
use sojourn_protocols::mstp::machine::{Delivery, Input, Outcome};
use sojourn_protocols::mstp::wire::{Frame, FrameType};

use super::node::Application;
use super::url::Question;
use crate::io::network_error::ServiceError;

/// What the node's thread reports to the prober's.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A token has arrived.
    Token(Time),
    /// A request has left with a token.
    Left {
        /// Its sequence number.
        sequence: u64,
        /// When its last octet had left.
        at: Time,
    },
    /// A request has ended.
    Ended {
        /// Its sequence number.
        sequence: u64,
        /// When the last octet of what ended it was read.
        at: Time,
        /// How.
        outcome: Result<(), ServiceError>,
    },
    /// A frame for captures.
    Frame(Time, Vec<u8>),
    /// The line is lost.
    Lost(Errno),
}

/// What both threads share.
#[derive(Debug)]
pub struct Shared {
    /// Readable once the node has something to do.
    pub to_node: OwnedFd,
    /// Readable once the prober has events to take.
    pub to_prober: OwnedFd,
    /// Whether the node is to end.
    pub ends: AtomicBool,
}

/// Makes the other end of an event descriptor readable.
pub fn ring(bell: &OwnedFd) {
    // a full counter is readable already
    let _ = write(bell, &1_u64.to_ne_bytes());
}

/// Makes it unreadable until it rings again.
pub fn silence(bell: &OwnedFd) {
    let _ = read(bell, &mut [0; 8][..]);
}

/// A request that has not ended.
#[derive(Clone, Copy, Debug)]
struct Open {
    sequence: u64,
    has_left: bool,
}

/// The application.
pub struct Asking {
    question: Question,
    orders: Receiver<u64>,
    events: Sender<Event>,
    shared: Arc<Shared>,
    /// Requests by invoke ID.
    open: [Option<Open>; 256],
    next_invoke: u8,
}

impl Asking {
    /// An application that asks as often as it is ordered to.
    pub fn new(question: Question, orders: Receiver<u64>, events: Sender<Event>, shared: Arc<Shared>) -> Asking {
        Asking { question, orders, events, shared, open: [None; 256], next_invoke: 0 }
    }

    fn report(&self, event: Event) {
        // the measurement may be over
        let _ = self.events.send(event);
        ring(&self.shared.to_prober);
    }

    fn end(&mut self, invoke: u8, at: Time, outcome: Result<(), ServiceError>) {
        if let Some(Open { sequence, .. }) = self.open[usize::from(invoke)].take() {
            self.report(Event::Ended { sequence, at, outcome });
        }
    }

    /// The request whose frame left last and that has not ended.
    fn last_left(&self) -> Option<u8> {
        (0..=u8::MAX)
            .rev()
            .map(|back| self.next_invoke.wrapping_add(back))
            .find(|invoke| self.open[usize::from(*invoke)].is_some_and(|open| open.has_left))
    }
}

impl Application for Asking {
    fn poll(&mut self, _now: Time) -> Option<Input<Vec<u8>>> {
        silence(&self.shared.to_node);
        let sequence = self.orders.try_recv().ok()?;
        let invoke = self.next_invoke;
        self.next_invoke = invoke.wrapping_add(1);
        // what is as old as 256 requests is not answered any more
        self.open[usize::from(invoke)] = Some(Open { sequence, has_left: false });
        let Question { to, object, property } = self.question;
        let data = read_property(invoke, object, property);
        Some(Input::Send { kind: FrameType::DataExpectingReply, destination: to, data })
    }

    fn deliver(&mut self, now: Time, delivery: Delivery<Vec<u8>>) -> Vec<Input<Vec<u8>>> {
        let Delivery { kind, source, data, .. } = delivery;
        if source == self.question.to
            && let Some((invoke, outcome)) = answer(&data)
        {
            self.end(invoke, now, outcome);
        }
        // others may ask this master; it has no objects
        let Some(invoke) = asked(&data).filter(|_| kind.is_request()) else { return Vec::new() };
        let reject = [&Npdu::local(false)[..], &[0x60, invoke, UNRECOGNIZED_SERVICE]].concat();
        vec![Input::Reply { destination: source, data: reject }]
    }

    fn unanswered(&mut self, now: Time, _destination: u8, outcome: Outcome) {
        let error = match outcome {
            Outcome::Postponed => return,
            Outcome::Timeout | Outcome::Unexpected => ServiceError::Timeout,
            Outcome::Disturbed => ServiceError::Damaged,
        };
        if let Some(invoke) = self.last_left() {
            self.end(invoke, now, Err(error));
        }
    }

    fn token(&mut self, now: Time) {
        self.report(Event::Token(now));
    }

    fn frame(&mut self, now: Time, frame: &Frame<&[u8]>, is_own: bool) {
        if let Ok(octets) = frame.to_bytes() {
            self.report(Event::Frame(now, octets));
        }
        if is_own
            && frame.kind == FrameType::DataExpectingReply
            && let Some(open) = asked(frame.data).and_then(|invoke| self.open[usize::from(invoke)].as_mut())
        {
            open.has_left = true;
            let sequence = open.sequence;
            self.report(Event::Left { sequence, at: now });
        }
    }

    fn lost(&mut self, fault: Errno) {
        self.report(Event::Lost(fault));
    }

    fn is_over(&self, _now: Time) -> bool {
        self.shared.ends.load(Ordering::Relaxed)
    }

    fn waker(&self) -> Option<&OwnedFd> {
        Some(&self.shared.to_node)
    }
}

/// The reason of a reject: the service is not recognized (clause 18.9).
pub const UNRECOGNIZED_SERVICE: u8 = 9;

/// The invoke ID of a confirmed request.
pub fn asked(data: &[u8]) -> Option<u8> {
    let npdu = Npdu::parse(data).ok().filter(|npdu| !npdu.is_network_message)?;
    match Apdu::parse(npdu.payload) {
        Ok(Apdu::ConfirmedRequest { invoke, .. }) => Some(invoke),
        _ => None,
    }
}

/// The invoke ID of an answer, and whether it has what was asked for.
fn answer(data: &[u8]) -> Option<(u8, Result<(), ServiceError>)> {
    let npdu = Npdu::parse(data).ok().filter(|npdu| !npdu.is_network_message)?;
    match Apdu::parse(npdu.payload).ok()? {
        Apdu::SimpleAck { invoke } | Apdu::ComplexAck { invoke, .. } => Some((invoke, Ok(()))),
        Apdu::Error { invoke, code } => {
            let (class, code) = code.map_or((0, 0), |failure| (failure.class, failure.code));
            Some((invoke, Err(ServiceError::BacnetError(class, code))))
        }
        Apdu::Reject { invoke, reason } => Some((invoke, Err(ServiceError::BacnetReject(reason)))),
        Apdu::Abort { invoke, reason } => Some((invoke, Err(ServiceError::BacnetAbort(reason)))),
        _ => None,
    }
}
