//! UDP conversations: requests are matched by the identifiers of their application, otherwise by the turns of the two
//! sides.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use sojourn_core::{Duration, Time};
use sojourn_protocols::udp::Datagram;

use super::application::{Application, Message};
use super::endpoints::{Endpoint, Pair, Roles};
use super::requests::{RESPONSE_TIMEOUT, RequestKey, Requests};
use super::turns::Turns;
use crate::open_table::OpenTable;
use crate::{FlowId, Outcome, Sent, Service, Sink};

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
}

#[derive(Debug)]
struct Conversation {
    roles: Roles,
    flow: FlowId,
    application: Option<Application>,
    turns: Turns,
    /// The request that was sent last, by its content.
    content: u64,
}

/// A captured datagram.
#[derive(Clone, Copy, Debug)]
pub struct Captured<'a> {
    /// Sender.
    pub from: Endpoint,
    /// Receiver.
    pub to: Endpoint,
    /// Ports and user data as captured.
    pub datagram: Datagram<&'a [u8]>,
    /// Octets of user data by the length field, later fragments included.
    pub octets: u32,
    /// Octets of this packet of IP.
    pub l3_bytes: u32,
    /// Stamp.
    pub time: Time,
}

impl Default for Conversations {
    fn default() -> Self {
        Conversations { open: OpenTable::new(CONVERSATIONS) }
    }
}

impl Conversations {
    /// A datagram was captured; returns its flow and the client's end.
    pub fn datagram(&mut self, captured: &Captured<'_>, requests: &mut Requests, out: &mut Sink) -> (FlowId, Endpoint) {
        let Captured { from, to, octets, l3_bytes, time, .. } = *captured;
        let pair = Pair::of(from, to);
        if self.open.use_entry(&pair).is_none() {
            let silent = self.open.insert(pair, Conversation::new(from, to, out));
            if let Some((_, mut conversation)) = silent {
                conversation.finish(time, out);
            }
        }
        let Some(conversation) = self.open.get_mut(&pair) else { return (FlowId::REST, from) };
        let forward = from == conversation.roles.client;
        let repeated = match conversation.application {
            Some(application) => conversation.named(application, captured, requests, out),
            None => conversation.turn(captured, forward, out),
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
                    let roles = Roles { client: from, server: to };
                    requests.refuse(&RequestKey { roles, application: Some(application), name }, now, out);
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
    fn new(from: Endpoint, to: Endpoint, out: &mut Sink) -> Conversation {
        let roles = Roles::by_ports(from, to, Application::of_udp_port);
        let flow = out.flow(roles.flow(Service::Udp));
        let application = Application::of_udp_port(roles.server.port);
        Conversation { roles, flow, application, turns: Turns::new(flow), content: 0 }
    }

    /// Whether the sender is the client; `None` where the ports do not show it.
    fn to_server(&self, from: Endpoint) -> Option<bool> {
        let Roles { client, server } = self.roles;
        (client.port != server.port).then_some(from == client)
    }

    /// A message of a known application; whether it is a request that was sent before.
    fn named(
        &self,
        application: Application,
        captured: &Captured<'_>,
        requests: &mut Requests,
        out: &mut Sink,
    ) -> bool {
        let Captured { from, to, octets, time, .. } = *captured;
        let key = |client, server, name| {
            let roles = Roles { client, server };
            RequestKey { roles, application: Some(application), name }
        };
        // between equal ports either host may ask
        let mut flow = |client: Endpoint| {
            if client == self.roles.client { self.flow } else { out.flow(self.roles.swapped().flow(Service::Udp)) }
        };
        match application.read(self.to_server(from), captured.datagram.data) {
            Message::Request(name) => {
                let flow = flow(from);
                requests.request(key(from, to, name), flow, time, octets, out)
            }
            Message::Answer(name) => {
                let flow = flow(to);
                requests.answer(key(to, from, name), flow, time, octets, Outcome::Answered, out);
                false
            }
            Message::Refusal(name) => {
                let flow = flow(to);
                requests.answer(key(to, from, name), flow, time, octets, Outcome::Refused, out);
                false
            }
            Message::Other => false,
        }
    }

    /// A datagram of an unknown application; whether it was sent before. As long as nothing is answered, each of the client's
    /// datagrams is a message of its own, which expects no answer.
    fn turn(&mut self, captured: &Captured<'_>, forward: bool, out: &mut Sink) -> bool {
        let Captured { octets, time, .. } = *captured;
        if !forward {
            self.turns.answered(time, octets);
            return false;
        }
        let data = captured.datagram.data;
        let content = FixedState::default().hash_one((octets, &data[..data.len().min(COMPARED)]));
        let known = std::mem::replace(&mut self.content, content);
        if let Some((last, slowest)) = self.turns.waiting_since() {
            let Some(slowest) = slowest else {
                self.turns.close(Outcome::Sent, None, out);
                self.turns.asked(time, octets, out);
                return false;
            };
            if content == known && time.since(last) < RESPONSE_TIMEOUT {
                self.turns.asked_again(time);
                return true;
            }
            let wait = Duration::from_picoseconds(slowest.picoseconds().saturating_mul(ANSWERS_WAITED));
            if time.since(last) >= wait.max(MIN_WAIT) {
                self.turns.close(Outcome::Unanswered, None, out);
            }
        }
        self.turns.asked(time, octets, out);
        false
    }

    fn finish(&mut self, end: Time, out: &mut Sink) {
        let outcome = match self.turns.waiting_since() {
            Some((_, None)) => Outcome::Sent,
            Some((last, _)) if end.since(last) < RESPONSE_TIMEOUT => Outcome::Open,
            _ => Outcome::Unanswered,
        };
        self.turns.close(outcome, None, out);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;
    use crate::{Event, Transaction};

    struct Trial {
        conversations: Conversations,
        requests: Requests,
        out: Sink,
    }

    impl Trial {
        fn new() -> Trial {
            Trial { conversations: Conversations::default(), requests: Requests::default(), out: Sink::with_log() }
        }

        fn datagram(&mut self, milliseconds: u64, from: Endpoint, to: Endpoint, data: &[u8]) {
            let datagram = Datagram { source_port: from.port, destination_port: to.port, data };
            let (octets, time) = (data.len() as u32, at(milliseconds));
            let captured = Captured { from, to, datagram, octets, l3_bytes: octets + 28, time };
            self.conversations.datagram(&captured, &mut self.requests, &mut self.out);
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
        let Trial { conversations, requests, out } = &mut trial;
        conversations.refused(client, server, &[0, 1, 1, 0], at(2), requests, out);
        assert_eq!(trial.finish(10), [(Outcome::Refused, 1, Some(2))]);
    }
}
