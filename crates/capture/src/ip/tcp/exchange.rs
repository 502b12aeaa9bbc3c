//! Requests and answers over a connection: in turns, or by the identifiers that an application gives them.

use sojourn_core::Time;

use super::messages::{Data, Found, Messages, Reading};
use super::sequence::is_before;
use crate::ip::application::{Application, Message};
use crate::ip::endpoints::Roles;
use crate::ip::requests::{Answered, RESPONSE_TIMEOUT, RequestKey, Requests};
use crate::ip::turns::Turns;
use crate::{FlowId, Moment, Outcome, Service, Sink};

/// Segments of data that do not begin a message of the application, before the connection is one of an unknown application.
const UNREAD: u8 = 4;

/// How requests and answers are distinguished.
#[derive(Debug)]
pub enum Exchange {
    /// The client asks and the server answers in turn.
    InTurns(InTurns),
    /// By identifiers.
    Named(Named),
}

/// Requests of an unknown application.
#[derive(Debug)]
pub struct InTurns {
    /// What was asked last.
    turns: Turns,
    /// The sequence number behind the data of the client.
    asked: Option<u32>,
}

/// Requests of an application that names them.
#[derive(Debug)]
pub struct Named {
    application: Application,
    /// In the streams of the client and the server.
    streams: [Messages; 2],
    /// Where they are answered in order: how many were sent, and how many were answered.
    ordered: [u64; 2],
    /// Where they are answered in order: data of the server that are within an answer whose begin has not been captured.
    adrift: Option<u32>,
    /// Until a message has been read: segments that were not, and what they are if the application is another one.
    unread: Option<(u8, InTurns)>,
}

/// Data of a connection with what they belong to.
#[derive(Clone, Copy, Debug)]
pub struct Sent<'a> {
    /// The data.
    pub data: Data<'a>,
    /// Whether the client sends.
    pub forward: bool,
    /// What the sender has received, if it says so.
    pub ack: Option<u32>,
    /// The connection.
    pub between: Between,
}

/// The ends of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Between {
    /// Client and server.
    pub roles: Roles,
    /// The flow of the client's requests.
    pub flow: FlowId,
}

impl Exchange {
    /// Of an application, or of none that is known.
    pub fn new(application: Option<Application>, flow: FlowId) -> Exchange {
        let in_turns = InTurns { turns: Turns::new(flow), asked: None };
        match application {
            Some(application) => {
                let streams = Default::default();
                Exchange::Named(Named {
                    application,
                    streams,
                    ordered: [0; 2],
                    adrift: None,
                    unread: Some((0, in_turns)),
                })
            }
            None => Exchange::InTurns(in_turns),
        }
    }

    /// Data that the point of capture sees for the first time.
    pub fn data(&mut self, sent: &Sent<'_>, requests: &mut Requests, out: &mut Sink) {
        match self {
            Exchange::InTurns(in_turns) => in_turns.data(sent, out),
            Exchange::Named(named) => {
                if let Some(other) = named.data(sent, requests, out) {
                    *self = Exchange::InTurns(other);
                }
            }
        }
    }

    /// Requests of an unknown application, or of one that may turn out to be unknown.
    fn in_turns(&mut self) -> Option<&mut InTurns> {
        match self {
            Exchange::InTurns(in_turns) => Some(in_turns),
            Exchange::Named(named) => named.unread.as_mut().map(|(_, in_turns)| in_turns),
        }
    }

    /// The client sends again what it sent.
    pub fn asked_again(&mut self, now: Time) {
        if let Some(InTurns { turns, .. }) = self.in_turns() {
            turns.asked_again(now);
        }
    }

    /// A side closes: the server's end answers no request that is still open.
    pub fn close(
        &mut self,
        (forward, is_reset): (bool, bool),
        now: Time,
        between: Between,
        requests: &mut Requests,
        out: &mut Sink,
    ) {
        if forward && !is_reset {
            return;
        }
        self.settle(between, requests, out);
        if let Some(InTurns { turns, .. }) = self.in_turns() {
            let refused = is_reset && !forward;
            let (outcome, end) = if refused { (Outcome::Refused, Some(now)) } else { (Outcome::Unanswered, None) };
            turns.close(outcome, end, out);
        }
        self.end_open(out);
    }

    /// The capture ends, or the connection is given up.
    pub fn finish(&mut self, end: Time, is_closed: bool, between: Between, requests: &mut Requests, out: &mut Sink) {
        self.settle(between, requests, out);
        if let Some(InTurns { turns, .. }) = self.in_turns() {
            let is_recent = turns.waiting_since().is_some_and(|(last, _)| end.since(last) < RESPONSE_TIMEOUT);
            let outcome = if is_recent && !is_closed { Outcome::Open } else { Outcome::Unanswered };
            turns.close(outcome, None, out);
        }
        self.end_open(out);
    }

    fn end_open(&mut self, out: &mut Sink) {
        if let Exchange::Named(named) = self {
            named.end_open(out);
        }
    }

    /// Messages whose header does not go on are what was captured of them.
    fn settle(&mut self, between: Between, requests: &mut Requests, out: &mut Sink) {
        if let Exchange::Named(named) = self {
            for forward in [true, false] {
                named.settle(forward, false, between, requests, out);
            }
        }
    }
}

impl InTurns {
    fn data(&mut self, sent: &Sent<'_>, out: &mut Sink) {
        let Sent { data: Data { seq, length, at, .. }, forward, ack, .. } = *sent;
        let InTurns { turns, asked } = self;
        if forward {
            let end = seq.wrapping_add(length);
            *asked = Some(asked.filter(|known| is_before(end, *known)).unwrap_or(end));
            return turns.asked(at, length, out);
        }
        let has_all = |asked: u32| ack.is_none_or(|ack| !is_before(ack, asked));
        if asked.is_none_or(has_all) { turns.answered(at, length) } else { turns.answered_earlier(at, length) }
    }
}

impl Named {
    /// Takes data; as what they are in turns, if the application turns out to be another one.
    fn data(&mut self, sent: &Sent<'_>, requests: &mut Requests, out: &mut Sink) -> Option<InTurns> {
        let Sent { data, forward, between, .. } = *sent;
        if !forward && self.application.is_ordered() {
            // what is answered has been asked
            self.settle(true, true, between, requests, out);
        }
        let Named { application, streams, ordered, adrift, unread } = self;
        // of data that the capture has no octet of, nothing but their turns is known
        if data.octets.is_empty()
            && data.length > 0
            && let Some((_, mut in_turns)) = unread.take()
        {
            in_turns.data(sent, out);
            return Some(in_turns);
        }
        let [of_client, of_server] = streams;
        let (own, other) = if forward { (of_client, of_server) } else { (of_server, of_client) };
        let mut names = Names { application: *application, forward, between, ordered };
        let reading = own.read(*application, forward, &data, |found| match found {
            Found::Message(message, octets, first) => {
                if message != Message::Other {
                    *unread = None;
                }
                if matches!(message, Message::Request(_)) {
                    other.end_open(&mut |found| completed(found, out));
                }
                // a begin that comes now was overtaken, not lost
                if !forward && adrift.take().is_some_and(|seq| !is_before(data.seq, seq)) {
                    names.lost(requests, out);
                }
                names.message(message, octets, first, requests, out)
            }
            Found::Complete(..) => completed(found, out),
        });
        let is_waited_for = application.is_ordered() && ordered[1] < ordered[0];
        if reading == Reading::Unread && !forward && is_waited_for && adrift.is_none() && !streams[1].is_open() {
            *adrift = Some(data.seq);
        }
        if let Some((segments, in_turns)) = unread.as_mut().filter(|_| reading != Reading::Messages) {
            in_turns.data(sent, out);
            *segments += u8::from(reading == Reading::Unread);
            if *segments >= UNREAD {
                return unread.take().map(|(_, in_turns)| in_turns);
            }
        }
        None
    }

    /// Takes the message of a side whose header does not go on; with `is_answered` only one that is certain.
    fn settle(&mut self, forward: bool, is_answered: bool, between: Between, requests: &mut Requests, out: &mut Sink) {
        let Named { application, streams, ordered, unread, .. } = self;
        let mut names = Names { application: *application, forward, between, ordered };
        streams[usize::from(!forward)].settle(*application, forward, is_answered, |found| match found {
            Found::Message(message, octets, first) => {
                if message != Message::Other {
                    *unread = None;
                }
                names.message(message, octets, first, requests, out)
            }
            Found::Complete(..) => completed(found, out),
        });
    }

    /// Answers without a length are complete.
    fn end_open(&mut self, out: &mut Sink) {
        for stream in &mut self.streams {
            stream.end_open(&mut |found| completed(found, out));
        }
    }
}

/// Gives messages of a connection the names of their requests.
struct Names<'a> {
    application: Application,
    /// Whether the client sends.
    forward: bool,
    between: Between,
    ordered: &'a mut [u64; 2],
}

impl Names<'_> {
    /// A message and the packet that it begins in: which request it answers.
    fn message(
        &mut self,
        message: Message,
        octets: u32,
        first: Moment,
        requests: &mut Requests,
        out: &mut Sink,
    ) -> Option<Answered> {
        let (forward, is_ordered) = (self.forward, self.application.is_ordered());
        let [asked, answered] = &mut *self.ordered;
        match message {
            Message::Request(name) => {
                let name = if is_ordered { *asked } else { name };
                *asked += 1;
                let (key, flow) = self.key(forward, name, out);
                requests.request(key, flow, first, octets, out);
                None
            }
            Message::Part(name) | Message::Answer(name) | Message::Refusal(name) | Message::Pending(name) => {
                if is_ordered && answered >= asked {
                    return None;
                }
                let name = if is_ordered { *answered } else { name };
                let (key, flow) = self.key(!forward, name, out);
                // what was held back for its end came before the request
                if requests.begins_after(&key, first.time) {
                    return None;
                }
                self.ordered[1] += u64::from(!matches!(message, Message::Part(_) | Message::Pending(_)));
                requests.answer(key, message, (flow, octets), first, out)
            }
            Message::Encrypted => {
                out.note(self.application.encrypted());
                None
            }
            Message::Other => None,
        }
    }

    /// The begin of the next answer was not captured: when it came is not known.
    fn lost(&mut self, requests: &mut Requests, out: &mut Sink) {
        let [asked, answered] = &mut *self.ordered;
        if answered < asked {
            let name = *answered;
            *answered += 1;
            let (key, _) = self.key(true, name, out);
            requests.lost(&key, out);
        }
    }

    /// What names a request, and its flow: over some protocols the server asks as well.
    fn key(&self, by_client: bool, name: u64, out: &mut Sink) -> (RequestKey, FlowId) {
        let Between { roles, flow } = self.between;
        let application = Some(self.application);
        if by_client {
            return (RequestKey { roles, application, name }, flow);
        }
        let roles = roles.swapped();
        (RequestKey { roles, application, name }, out.flow(roles.flow(Service::Tcp)))
    }
}

fn completed(found: Found, out: &mut Sink) -> Option<Answered> {
    if let Found::Complete(Answered { flow, begin }, time) = found {
        out.complete(flow, begin, time);
    }
    None
}
