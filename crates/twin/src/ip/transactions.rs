//! The transactions of a capture, exactly as its analysis finds them.
//!
//! They are paired by identifiers where their application has them; copies of packets that were captured twice, requests sent
//! again and acknowledgements of applications do not count as transactions.

use std::collections::BTreeMap;
use std::net::IpAddr;

use sojourn_capture::ip::media::MediaStream;
use sojourn_capture::ip::roles::Servers;
use sojourn_capture::{Address, Event, FlowId, Network, Outcome, Packet, Service, Sink, Trackers};
use sojourn_core::Time;

use super::flow_key::FlowKey;

/// Transactions kept; those of longer captures are counted.
const LIMIT: usize = 1_000_000;

/// A request that was answered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exchange {
    /// The first packet of the request, the first of the answer, and the last of it.
    pub begin: Time,
    pub end: Time,
    pub complete: Time,
    /// User data of request and answer, octets.
    pub octets: [u32; 2],
}

impl Exchange {
    /// Response time, s.
    pub fn response(&self) -> f64 {
        self.end.since(self.begin).seconds()
    }
}

/// Transactions between a client and a service.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    /// In the order of their begins.
    pub exchanges: Vec<Exchange>,
    /// Requests without an answer: refused or unanswered, and those whose answers cannot be distinguished.
    pub unanswered: u64,
    pub overlapped: u64,
}

/// The transactions of a capture.
#[derive(Debug)]
pub(super) struct Transactions {
    trackers: Trackers,
    sink: Sink,
    /// Answered ones with their flow, then when answers were complete by flow and begin.
    answered: Vec<(FlowId, Exchange)>,
    complete: BTreeMap<(FlowId, Time), Time>,
    /// Others by flow: unanswered and overlapped.
    others: BTreeMap<FlowId, [u64; 2]>,
    /// Answered ones beyond the limit.
    pub beyond_limit: u64,
    /// Requests without an answer: refused, given up, or open when the capture ended.
    pub without_answer: u64,
}

impl Default for Transactions {
    fn default() -> Self {
        Transactions::new(&Servers::default())
    }
}

impl Transactions {
    /// None yet, where `servers` finds who serves.
    pub fn new(servers: &Servers) -> Transactions {
        Transactions {
            trackers: Trackers::with_servers(Some(Network::Ip), servers),
            sink: Sink::with_log(),
            answered: Vec::new(),
            complete: BTreeMap::new(),
            others: BTreeMap::new(),
            beyond_limit: 0,
            without_answer: 0,
        }
    }

    /// Takes a packet of the capture.
    pub fn packet(&mut self, packet: &Packet<'_>) {
        self.trackers.packet(packet, &mut self.sink);
        self.take();
    }

    /// The capture ends at `end`.
    pub fn finish(&mut self, end: Time) {
        self.trackers.finish(end, &mut self.sink);
        self.take();
        for (flow, exchange) in &mut self.answered {
            if let Some(complete) = self.complete.get(&(*flow, exchange.begin)) {
                exchange.complete = exchange.complete.max(*complete);
            }
        }
        self.complete.clear();
        self.answered.sort_by_key(|(_, exchange)| exchange.begin);
    }

    fn take(&mut self) {
        for event in self.sink.drain_log() {
            match event {
                Event::Transaction(of) => match (of.outcome, of.end) {
                    (Outcome::Answered, Some(_)) if self.answered.len() >= LIMIT => self.beyond_limit += 1,
                    (Outcome::Answered, Some(end)) => {
                        let octets = [of.request_bytes, of.answer_bytes];
                        self.answered.push((of.flow, Exchange { begin: of.begin, end, complete: end, octets }));
                    }
                    (Outcome::Overlapped, _) => self.others.entry(of.flow).or_default()[1] += 1,
                    (Outcome::Unanswered | Outcome::Refused, _) => {
                        self.others.entry(of.flow).or_default()[0] += 1;
                        self.without_answer += 1;
                    }
                    (Outcome::Open, _) => self.without_answer += 1,
                    _ => {}
                },
                Event::Complete(flow, time, span) if self.complete.len() < LIMIT => {
                    let begin = Time::from_picoseconds(time.picoseconds().saturating_sub(span.picoseconds()));
                    self.complete.insert((flow, begin), time);
                }
                _ => {}
            }
        }
    }

    /// The streams of media that were found.
    pub fn streams(&self) -> &[MediaStream] {
        self.sink.streams()
    }

    /// Whether any was answered.
    pub fn has_answers(&self) -> bool {
        !self.answered.is_empty()
    }

    /// Those of each flow between hosts.
    pub fn flows(&self) -> BTreeMap<FlowKey, Flow> {
        let mut flows: BTreeMap<FlowKey, Flow> = BTreeMap::new();
        for (flow, exchange) in &self.answered {
            if let Some(key) = self.key(*flow) {
                flows.entry(key).or_default().exchanges.push(*exchange);
            }
        }
        for (flow, [unanswered, overlapped]) in &self.others {
            if let Some(key) = self.key(*flow) {
                let flow = flows.entry(key).or_default();
                flow.unanswered += unanswered;
                flow.overlapped += overlapped;
            }
        }
        flows
    }

    fn key(&self, flow: FlowId) -> Option<FlowKey> {
        let key = self.sink.flows().key(flow)?;
        let host = |address: Address| -> Option<IpAddr> {
            match address {
                Address::Ip(address) => Some(address),
                _ => None,
            }
        };
        let is_of_hosts = matches!(key.service, Service::Tcp(_) | Service::Udp(_) | Service::Echo);
        let (client, server) = (host(key.from)?, host(key.to)?);
        is_of_hosts.then_some(FlowKey { client, server, service: key.service })
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use sojourn_core::Duration;

    use super::super::packets::datagram;
    use super::*;
    use sojourn_capture::LinkType;

    #[test]
    fn requests_of_dns_are_paired_by_their_identifiers_where_their_answers_are_in_another_order() {
        let [client, server] = [1, 2].map(|host| (Ipv4Addr::new(10, 0, 0, host), if host == 1 { 40_000 } else { 53 }));
        let query = |id: u8| [&[0, id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, b'a', 0, 0, 1, 0, 1][..]].concat();
        let answer = |id: u8| [&[0, id, 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0, 1, b'a', 0, 0, 1, 0, 1][..]].concat();
        let script = [(0, true, 1), (1, true, 2), (5, false, 2), (9, false, 1), (20, true, 3)];
        let mut found = Transactions::default();
        for (number, (milliseconds, is_query, id)) in (1..).zip(script) {
            let data =
                if is_query { datagram(client, server, &query(id)) } else { datagram(server, client, &answer(id)) };
            let time = Time::ZERO + Duration::from_millis(milliseconds);
            found.packet(&Packet::whole(number, time, LinkType::RAW_IP, &data));
        }
        found.finish(Time::ZERO + Duration::from_millis(20));
        let flows = found.flows();
        let responses: Vec<f64> = flows.values().flat_map(|flow| &flow.exchanges).map(Exchange::response).collect();
        assert_eq!(responses, [0.009, 0.004]);
        let key = FlowKey { client: client.0.into(), server: server.0.into(), service: Service::Udp(53) };
        assert_eq!(flows.keys().copied().collect::<Vec<_>>(), [key]);
    }
}
