//! UDP conversations: requests are matched by the identifiers of their application, otherwise by the turns of the two
//! sides.

use std::hash::BuildHasher;
use std::net::{IpAddr, Ipv4Addr};

use foldhash::fast::FixedState;
use sojourn_core::{Duration, Time};

use super::application::{Application, Message};
use super::datagram::Captured;
use super::endpoints::{Endpoint, Pair, Roles};
use super::media::{Header, Likeness, Media, Recognition};
use super::requests::{RESPONSE_TIMEOUT, RequestKey, Requests};
use super::roles::{Decision, Evidence, Servers};
use super::turns::Turns;
use crate::open_table::OpenTable;
use crate::{FlowId, Moment, Outcome, Sent, Service, Sink};

/// Conversations kept apart at the same time; beyond it the one that was silent longest is closed.
pub const CONVERSATIONS: usize = 65_536;

/// Octets of a datagram by which a repeated request is recognized, beside its length.
const COMPARED: usize = 64;
/// A request of an unknown application is given up when the client asks again after this many times the slowest answer,
const ANSWERS_WAITED: u64 = 4;
/// and at least this.
const MIN_WAIT: Duration = Duration::from_secs(1);

/// UDP conversations by their endpoints.
#[derive(Debug)]
pub struct Conversations {
    open: OpenTable<Pair, Conversation>,
    servers: Servers,
}

#[derive(Debug)]
struct Conversation {
    roles: Roles,
    flow: FlowId,
    evidence: Evidence,
    application: Option<Application>,
    /// Whether the client, and the server, have sent.
    have_sent: [bool; 2],
    turns: Turns,
    /// The request that was sent last, by its content.
    content: u64,
    /// What may be a stream of RTP; none once it is one.
    rtp: Option<Recognition>,
    /// Datagrams of an unknown application that may be the first of a stream.
    deferred: Vec<Turn>,
}

/// A datagram of an unknown application.
#[derive(Clone, Copy, Debug)]
struct Turn {
    at: Moment,
    octets: u32,
    content: u64,
    /// Whether the client sends.
    forward: bool,
}

impl Default for Conversations {
    fn default() -> Self {
        Conversations::new(Servers::default())
    }
}

impl Conversations {
    /// None yet, where `servers` finds who serves.
    pub fn new(servers: Servers) -> Conversations {
        Conversations { open: OpenTable::new(CONVERSATIONS), servers }
    }

    /// A datagram was captured; returns its flow and the client's end.
    pub fn datagram(
        &mut self,
        captured: &Captured<'_>,
        requests: &mut Requests,
        media: &mut Media,
        out: &mut Sink,
    ) -> (FlowId, Endpoint) {
        let Captured { from, to, octets, l3_bytes, time, .. } = *captured;
        let pair = Pair::of(from, to);
        if self.open.use_entry(&pair).is_none() {
            let decision = self.servers.of_datagram(from, to, captured.datagram.data);
            let silent = self.open.insert(pair, Conversation::new(decision, out));
            if let Some((_, mut conversation)) = silent {
                conversation.finish(time, out);
            }
        }
        let Some(conversation) = self.open.get_mut(&pair) else { return (FlowId::REST, from) };
        let forward = from == conversation.roles.client;
        conversation.have_sent[usize::from(!forward)] = true;
        let repeated = match (conversation.likeness(captured, forward, media, out), conversation.application) {
            (Likeness::Stream, _) => false,
            (_, Some(application)) => conversation.named(application, captured, requests, out),
            (Likeness::Perhaps, None) => {
                conversation.deferred.push(Turn::of(captured, forward, out));
                false
            }
            (Likeness::None, None) => {
                conversation.take_deferred(out);
                conversation.turn(Turn::of(captured, forward, out), out)
            }
        };
        let flow = conversation.flow;
        out.sent(Sent { flow, time, forward, l3_bytes, l4_bytes: octets.min(l3_bytes), repeated });
        (flow, conversation.roles.client)
    }

    /// A host or router refuses a datagram, of which it returns the begin.
    pub fn refused(
        &mut self,
        from: Endpoint,
        to: Endpoint,
        begin: &[u8],
        now: Time,
        requests: &mut Requests,
        out: &mut Sink,
    ) {
        let Some(conversation) = self.open.get_mut(&Pair::of(from, to)) else { return };
        match conversation.application {
            Some(application) => {
                let to_server = conversation.to_server(from);
                if let Message::Request(name) = application.read(to_server, begin) {
                    requests.refuse(&key(application, from, to, name), now, out);
                }
            }
            None if from == conversation.roles.client => conversation.turns.close(Outcome::Refused, Some(now), out),
            None => {}
        }
    }

    /// The capture ends.
    pub fn finish(&mut self, end: Time, out: &mut Sink) {
        while let Some((_, mut conversation)) = self.open.remove_oldest() {
            conversation.finish(end, out);
        }
    }
}

impl Conversation {
    fn new(decision: Decision, out: &mut Sink) -> Conversation {
        let Decision { roles, evidence, application } = decision;
        let flow = out.flow(roles.flow(Service::Udp));
        let turns = Turns::new(flow);
        Conversation {
            roles,
            flow,
            evidence,
            application,
            have_sent: [false; 2],
            turns,
            content: 0,
            rtp: Some(Recognition::default()),
            deferred: Vec::new(),
        }
    }

    /// Whether the sender is the client; `None` where the ports do not show it.
    fn to_server(&self, from: Endpoint) -> Option<bool> {
        let Roles { client, server } = self.roles;
        (client.port != server.port).then_some(from == client)
    }

    /// A message of a known application, or several; whether the first is a request that was sent before.
    fn named(
        &self,
        application: Application,
        captured: &Captured<'_>,
        requests: &mut Requests,
        out: &mut Sink,
    ) -> bool {
        let Captured { from, octets, .. } = *captured;
        let to_server = self.to_server(from);
        let mut data = captured.datagram.data;
        let repeated = self.message(application, application.read(to_server, data), captured, octets, requests, out);
        while let Some(next) = application.next_message(data, data.len()) {
            data = &data[next..];
            self.message(application, application.read(to_server, data), captured, 0, requests, out);
        }
        repeated
    }

    /// One message of a known application.
    fn message(
        &self,
        application: Application,
        message: Message,
        captured: &Captured<'_>,
        octets: u32,
        requests: &mut Requests,
        out: &mut Sink,
    ) -> bool {
        let Captured { from, to, time, .. } = *captured;
        // between equal ports either host may ask, and over some protocols between any
        let mut flow = |client: Endpoint| {
            if client == self.roles.client { self.flow } else { out.flow(self.roles.swapped().flow(Service::Udp)) }
        };
        match message {
            Message::Request(name) => {
                let flow = flow(from);
                requests.request(key(application, from, to, name), flow, out.moment(time), octets, out)
            }
            Message::Part(name) | Message::Answer(name) | Message::Refusal(name) | Message::Pending(name) => {
                let flow = flow(to);
                let key = key(application, to, from, name);
                if let Some(answered) = requests.answer(key, message, (flow, octets), out.moment(time), out) {
                    out.complete(answered.flow, answered.begin, time);
                }
                false
            }
            Message::Encrypted => {
                out.note(application.encrypted());
                false
            }
            Message::Other => false,
        }
    }

    /// A datagram of an unknown application; whether it was sent before. As long as nothing is answered, each of the client's
    /// datagrams is a message of its own, which expects no answer.
    fn turn(&mut self, turn: Turn, out: &mut Sink) -> bool {
        let Turn { at, octets, content, forward } = turn;
        let time = at.time;
        if !forward {
            self.turns.answered(at, octets);
            return false;
        }
        let known = std::mem::replace(&mut self.content, content);
        if let Some((last, slowest)) = self.turns.waiting_since() {
            let Some(slowest) = slowest else {
                self.turns.close(Outcome::Sent, None, out);
                self.turns.asked(at, octets, out);
                return false;
            };
            if content == known && time.since(last) < RESPONSE_TIMEOUT {
                self.turns.asked_again(time);
                return true;
            }
            let wait = Duration::from_picoseconds(slowest.picoseconds().saturating_mul(ANSWERS_WAITED));
            if time.since(last) >= wait.max(MIN_WAIT) {
                self.turns.close(Outcome::Unanswered, None, out);
            } else if time.since(last) < wait {
                self.turns.overlaps();
            }
        }
        self.turns.asked(at, octets, out);
        false
    }

    /// Whether a datagram is of media over RTP: what seemed to be asked so far was not.
    fn likeness(&mut self, captured: &Captured<'_>, forward: bool, media: &mut Media, out: &mut Sink) -> Likeness {
        if self.rtp.is_none() {
            media.datagram(captured, out);
            return Likeness::Stream;
        }
        let Captured { from, to, datagram, octets, time, .. } = *captured;
        let is_report = Media::is_report(captured);
        let header = Header::parse(datagram.data, octets).filter(|_| !self.is_message(captured));
        let is_announced = header.is_some() && media.is_announced(from, to);
        let side = usize::from(!forward);
        let Some(recognition) = &mut self.rtp else { return Likeness::None };
        let likeness = recognition.take(side, time, header);
        if likeness != Likeness::Stream && !is_announced && !is_report {
            return likeness;
        }
        let (own, other) = (recognition.packets(side), recognition.packets(1 - side));
        own.for_each(|sample| media.packet(from, to, sample, out));
        other.for_each(|sample| media.packet(to, from, sample, out));
        if is_report {
            media.datagram(captured, out);
        }
        self.rtp = None;
        self.turns.discard();
        self.deferred = Vec::new();
        Likeness::Stream
    }

    /// What might have been a stream is none.
    fn take_deferred(&mut self, out: &mut Sink) {
        for turn in std::mem::take(&mut self.deferred) {
            self.turn(turn, out);
        }
    }

    /// Whether a datagram is a message of the application of this conversation.
    fn is_message(&self, captured: &Captured<'_>) -> bool {
        self.application.is_some_and(|application| {
            application.read(self.to_server(captured.from), captured.datagram.data) != Message::Other
        })
    }

    fn finish(&mut self, end: Time, out: &mut Sink) {
        self.take_deferred(out);
        let outcome = match self.turns.waiting_since() {
            Some((_, None)) => Outcome::Sent,
            Some((last, _)) if end.since(last) < RESPONSE_TIMEOUT => Outcome::Open,
            _ => Outcome::Unanswered,
        };
        self.turns.close(outcome, None, out);
        if self.have_sent == [true; 2] && self.rtp.is_some() {
            out.served_by(self.flow, self.evidence);
        }
    }
}

impl Turn {
    fn of(captured: &Captured<'_>, forward: bool, out: &Sink) -> Turn {
        let Captured { octets, time, datagram, .. } = *captured;
        let data = datagram.data;
        let content = FixedState::default().hash_one((octets, &data[..data.len().min(COMPARED)]));
        Turn { at: out.moment(time), octets, content, forward }
    }
}

/// What names a request between two ends. Where it may go to all hosts, its name says all.
fn key(application: Application, client: Endpoint, server: Endpoint, name: u64) -> RequestKey {
    let anywhere = Endpoint { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), port: 0 };
    let [client, server] = if application.is_broadcast() { [anywhere; 2] } else { [client, server] };
    RequestKey { roles: Roles { client, server }, application: Some(application), name }
}

#[cfg(test)]
mod tests {
    use sojourn_protocols::udp::Datagram;

    use super::*;
    use crate::{Event, Transaction};

    struct Trial {
        conversations: Conversations,
        requests: Requests,
        media: Media,
        out: Sink,
    }

    impl Trial {
        fn new() -> Trial {
            Trial {
                conversations: Conversations::default(),
                requests: Requests::default(),
                media: Media::default(),
                out: Sink::with_log(),
            }
        }

        fn datagram(&mut self, milliseconds: u64, from: Endpoint, to: Endpoint, data: &[u8]) {
            let datagram = Datagram { source_port: from.port, destination_port: to.port, data };
            let (octets, time) = (data.len() as u32, at(milliseconds));
            let captured = Captured { from, to, datagram, octets, l3_bytes: octets + 28, time };
            self.conversations.datagram(&captured, &mut self.requests, &mut self.media, &mut self.out);
        }

        /// Outcome, attempts and milliseconds of all transactions once the capture has ended.
        fn finish(mut self, milliseconds: u64) -> Vec<(Outcome, u32, Option<u64>)> {
            self.conversations.finish(at(milliseconds), &mut self.out);
            self.requests.finish(at(milliseconds), &mut self.out);
            let milliseconds = |of: &Transaction| of.end.map(|end| (end - of.begin).whole(Duration::from_millis(1)));
            let transaction = |event: &Event| match event {
                Event::Transaction(of) => Some((of.outcome, of.attempts, milliseconds(of))),
                _ => None,
            };
            self.out.log().iter().filter_map(transaction).collect()
        }
    }

    fn at(milliseconds: u64) -> Time {
        Time::ZERO + Duration::from_millis(milliseconds)
    }

    fn end(host: u8, port: u16) -> Endpoint {
        Endpoint { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, host)), port }
    }

    #[test]
    fn answers_of_the_echo_service_are_matched_in_any_order_by_what_they_repeat() {
        let (client, server, mut trial) = (end(1, 20_000), end(2, 7), Trial::new());
        trial.datagram(0, client, server, b"first");
        trial.datagram(10, client, server, b"second");
        trial.datagram(12, server, client, b"second");
        trial.datagram(15, server, client, b"first");
        assert_eq!(trial.finish(16), [(Outcome::Answered, 1, Some(2)), (Outcome::Answered, 1, Some(15))]);
    }

    #[test]
    fn an_unknown_application_takes_turns_and_repeats_what_it_asks() {
        let (client, server, mut trial) = (end(1, 40_000), end(2, 5_000), Trial::new());
        trial.datagram(0, client, server, b"a");
        trial.datagram(5, server, client, b"A");
        trial.datagram(100, client, server, b"b");
        trial.datagram(300, client, server, b"b");
        trial.datagram(306, server, client, b"B");
        trial.datagram(400, client, server, b"c");
        trial.datagram(2_400, client, server, b"d");
        trial.datagram(2_403, server, client, b"D");
        let expected = [
            (Outcome::Answered, 1, Some(5)),
            (Outcome::Answered, 2, Some(206)),
            (Outcome::Unanswered, 1, None),
            (Outcome::Answered, 1, Some(3)),
        ];
        assert_eq!(trial.finish(2_500), expected);
    }

    #[test]
    fn what_is_never_answered_is_sent_datagram_by_datagram() {
        let (client, server, mut trial) = (end(1, 40_000), end(2, 514), Trial::new());
        for milliseconds in [0, 1_000, 2_000] {
            trial.datagram(milliseconds, client, server, b"the same message");
        }
        assert_eq!(trial.finish(2_500), [(Outcome::Sent, 1, None); 3]);
    }

    #[test]
    fn requests_that_are_sent_before_the_last_is_answered_overlap() {
        let (client, server, mut trial) = (end(1, 40_000), end(2, 5_000), Trial::new());
        trial.datagram(0, client, server, b"a");
        trial.datagram(50, server, client, b"A");
        trial.datagram(100, client, server, b"b");
        trial.datagram(110, client, server, b"c");
        trial.datagram(150, server, client, b"B");
        trial.datagram(160, server, client, b"C");
        assert_eq!(trial.finish(200), [(Outcome::Answered, 1, Some(50)), (Outcome::Overlapped, 1, None)]);
    }

    #[test]
    fn streams_of_rtp_are_no_requests_however_they_alternate() {
        let (one, other, mut trial) = (end(1, 16_000), end(2, 17_000), Trial::new());
        let packet = |source: u8, sequence: u8| [0x80, 8, 0, sequence, 0, 0, 0, 0, 1, 2, 3, source];
        for sequence in 0..50 {
            let milliseconds = 20 * u64::from(sequence);
            trial.datagram(milliseconds, one, other, &packet(1, sequence));
            if sequence > 10 {
                trial.datagram(milliseconds + 7, other, one, &packet(2, sequence));
            }
        }
        trial.media.finish(&mut trial.out);
        let packets: Vec<u64> = trial.out.streams().iter().map(|stream| stream.packets).collect();
        assert_eq!(packets, [50, 39], "the first ones too");
        assert_eq!(trial.finish(2_000), []);
    }

    #[test]
    fn what_begins_like_a_stream_and_is_none_is_a_request() {
        let (client, server, mut trial) = (end(1, 40_000), end(2, 5_000), Trial::new());
        let request = [0x80, 8, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4];
        trial.datagram(0, client, server, &request);
        trial.datagram(5, server, client, b"answer");
        trial.datagram(90, client, server, &request);
        trial.datagram(96, server, client, b"answer");
        assert_eq!(trial.finish(100), [(Outcome::Answered, 1, Some(5)), (Outcome::Answered, 1, Some(6))]);
    }

    #[test]
    fn a_conversation_whose_media_are_announced_is_a_stream_from_its_first_packet() {
        let (one, other, mut trial) = (end(1, 16_000), end(2, 20_000), Trial::new());
        trial.media.describe(b"\r\nv=0\r\nc=IN IP4 10.0.0.2\r\nm=audio 20000 RTP/AVP 8\r\n");
        trial.datagram(0, one, other, &[0x80, 8, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4]);
        trial.media.finish(&mut trial.out);
        assert_eq!(trial.out.streams().len(), 1);
        assert_eq!(trial.finish(2_000), []);
    }

    #[test]
    fn a_lease_is_answered_though_neither_side_has_an_address_yet() {
        let to_all = Endpoint { address: IpAddr::V4(Ipv4Addr::BROADCAST), port: 67 };
        let (client, server, mut trial) = (end(0, 68), end(2, 67), Trial::new());
        let message = |kind: u8| [&[0; 236][..], &[99, 130, 83, 99, 53, 1, kind, 255]].concat();
        trial.datagram(0, client, to_all, &message(1));
        trial.datagram(7, server, end(9, 68), &message(2));
        assert_eq!(trial.finish(20), [(Outcome::Answered, 1, Some(7))]);
    }

    #[test]
    fn either_host_may_ask_between_equal_ports() {
        let (one, other, mut trial) = (end(1, 47_808), end(2, 47_808), Trial::new());
        let (request, answer) = ([0x81, 10, 0, 9, 1, 4, 0, 5, 42, 12], [0x81, 10, 0, 8, 1, 0, 0x30, 42, 12]);
        trial.datagram(0, one, other, &request);
        trial.datagram(1, other, one, &request);
        trial.datagram(4, one, other, &answer);
        trial.datagram(9, other, one, &answer);
        let flows = trial.out.flows().iter().count();
        assert_eq!(trial.finish(10), [(Outcome::Answered, 1, Some(3)), (Outcome::Answered, 1, Some(9))]);
        assert_eq!(flows, 2);
    }

    #[test]
    fn a_refused_datagram_ends_its_request() {
        let (client, server, mut trial) = (end(1, 40_000), end(2, 53), Trial::new());
        trial.datagram(0, client, server, &[0, 1, 1, 0]);
        let Trial { conversations, requests, out, .. } = &mut trial;
        conversations.refused(client, server, &[0, 1, 1, 0], at(2), requests, out);
        assert_eq!(trial.finish(10), [(Outcome::Refused, 1, Some(2))]);
    }
}
