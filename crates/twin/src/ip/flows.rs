//! Converts the flows of a capture to those of an `ip` scenario: closed loops of requests over UDP and TCP, streams
//! of datagrams, and unlimited transfers.

use std::collections::BTreeMap;
use std::net::IpAddr;

use super::connection::Connection;
use super::conversation::{Exchanges, Thinks};
use super::flow_key::FlowKey;
use super::left_out::{LeftOut, Reason};
use super::requests::{Requests, loops};
use super::survey::Survey;
use super::trips::{at, sorted};
use super::voice::named;
use sojourn_capture::Service;
use sojourn_capture::arrivals::{Reservoir, SendTimes};

/// Requests below which the time between them is not known.
const FEWEST_REQUESTS: u64 = 3;
/// Requests from which a conversation is a closed loop of its own, and their share of those of its flow.
const ENOUGH_REQUESTS: u64 = 8;
const SHARE: f64 = 0.8;
/// Octets of a bulk transfer, and how often those of the other direction.
const BULK: u64 = 100_000;
const ONE_SIDED: u64 = 20;
/// Share of the capture that a transfer which ends has to take, and of which its end may differ from that of the capture.
const LASTS: f64 = 0.7;
const END: f64 = 0.1;
/// Flows of a scenario.
const MOST: usize = 64;

/// A closed loop of requests.
#[derive(Clone, Copy, Debug)]
pub(super) struct Echo<'a> {
    pub key: FlowKey,
    pub exchanges: &'a Exchanges,
}

/// A transfer without an end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transfer<'a> {
    pub connection: &'a Connection,
    pub from: IpAddr,
    pub to: IpAddr,
}

/// Datagrams in one direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stream<'a> {
    pub key: FlowKey,
    pub from: IpAddr,
    pub to: IpAddr,
    pub times: &'a SendTimes,
    pub octets: &'a Reservoir,
    pub bytes: u64,
}

/// The flows of a scenario.
#[derive(Debug, Default)]
pub(super) struct Flows<'a> {
    pub echoes: Vec<Echo<'a>>,
    pub requests: Vec<Requests<'a>>,
    pub streams: Vec<Stream<'a>>,
    pub transfers: Vec<Transfer<'a>>,
    pub left_out: LeftOut,
}

impl<'a> Flows<'a> {
    /// What a scenario has of the flows of a capture.
    pub fn new(survey: &'a Survey) -> Flows<'a> {
        let mut flows = Flows::default();
        for (key, flow) in &survey.flows {
            flows.add_requests(survey, *key, flow);
        }
        let mut turns: BTreeMap<FlowKey, Vec<&Connection>> = BTreeMap::new();
        for connection in survey.all_connections() {
            match flows.reason(survey, connection) {
                None => {
                    let (from, to) = connection.direction();
                    flows.transfers.push(Transfer { connection, from: from.address, to: to.address });
                }
                Some(_) if connection.turns.answered().is_some() || connection.turns.requests() > 1 => {
                    turns.entry(connection.key()).or_default().push(connection);
                }
                Some(reason) => leave_out_connection(connection, reason, &mut flows.left_out),
            }
        }
        for (key, connections) in turns {
            flows.add_loops(survey, key, connections);
        }
        for media in survey.voice.streams.iter().map(|stream| &stream.media).chain(&survey.voice.others) {
            let (service, ends, bytes) = named(media);
            flows.left_out.add(service, ends, bytes, Reason::CallsBeside);
        }
        flows.limit();
        flows
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pairs().next().is_none()
    }

    /// The connections of transfers and requests.
    pub fn connections(&self) -> impl Iterator<Item = &'a Connection> + '_ {
        let of_requests = self.requests.iter().flat_map(|of| of.connections.iter().copied());
        self.transfers.iter().map(|transfer| transfer.connection).chain(of_requests)
    }

    /// The closed loops over UDP, ICMP and TCP.
    pub fn loops(&self) -> impl Iterator<Item = Echo<'_>> {
        self.echoes.iter().copied().chain(self.requests.iter().map(|of| Echo { key: of.key, exchanges: &of.exchanges }))
    }

    /// The client and the server of each flow.
    pub fn pairs(&self) -> impl Iterator<Item = (IpAddr, IpAddr)> {
        let echoes = self.echoes.iter().map(|echo| (echo.key.client, echo.key.server));
        let ends = |transfer: &Transfer<'_>| (transfer.connection.client.address, transfer.connection.server.address);
        let requests = self.requests.iter().map(|of| (of.key.client, of.key.server));
        let streams = self.streams.iter().map(|stream| (stream.from, stream.to));
        self.transfers.iter().map(ends).chain(echoes).chain(requests).chain(streams)
    }

    /// Leaves out the flows between hosts that `keep` refuses.
    pub fn retain(&mut self, keep: impl Fn(IpAddr, IpAddr) -> bool) {
        let Flows { echoes, requests, streams, transfers, left_out } = self;
        requests.retain(|of| {
            let kept = keep(of.key.client, of.key.server);
            if !kept {
                left_out.add(of.key.service, (of.key.client, of.key.server), of.exchanges.bytes, Reason::SameSide);
            }
            kept
        });
        streams.retain(|stream| {
            let kept = keep(stream.from, stream.to);
            if !kept {
                left_out.add(stream.key.service, (stream.from, stream.to), stream.bytes, Reason::SameSide);
            }
            kept
        });
        echoes.retain(|echo| {
            let kept = keep(echo.key.client, echo.key.server);
            if !kept {
                leave_out_echo(echo, Reason::SameSide, left_out);
            }
            kept
        });
        transfers.retain(|transfer| {
            let kept = keep(transfer.from, transfer.to);
            if !kept {
                leave_out_connection(transfer.connection, Reason::SameSide, left_out);
            }
            kept
        });
    }

    fn add_requests(&mut self, survey: &'a Survey, key: FlowKey, flow: &'a Exchanges) {
        let whole = Echo { key, exchanges: flow };
        let is_stream = |one: u64, other: u64| key.service != Service::Echo && 2 * other < one;
        if is_stream(flow.requests(), flow.replies) {
            return self.add_stream(key, (key.client, key.server), &flow.times, &flow.request_octets, flow.bytes);
        }
        if is_stream(flow.replies, flow.requests()) {
            return self.add_stream(key, (key.server, key.client), &flow.reply_times, &flow.reply_octets, flow.bytes);
        }
        if flow.requests() < FEWEST_REQUESTS {
            return leave_out_echo(&whole, Reason::FewRequests, &mut self.left_out);
        }
        let own = survey.conversations.values().filter(|(of, _, _)| *of == key);
        let loops: Vec<&Exchanges> = own
            .map(|(_, _, conversation)| &conversation.exchanges)
            .filter(|exchanges| exchanges.requests() >= ENOUGH_REQUESTS)
            .collect();
        let covered: u64 = loops.iter().map(|exchanges| exchanges.requests()).sum();
        if covered as f64 >= SHARE * flow.requests() as f64 {
            self.echoes.extend(loops.into_iter().map(|exchanges| Echo { key, exchanges }));
        } else {
            self.echoes.push(whole);
        }
    }

    fn add_stream(
        &mut self,
        key: FlowKey,
        (from, to): (IpAddr, IpAddr),
        times: &'a SendTimes,
        octets: &'a Reservoir,
        bytes: u64,
    ) {
        if times.count() < FEWEST_REQUESTS {
            return self.left_out.add(key.service, (from, to), bytes, Reason::FewDatagrams);
        }
        self.streams.push(Stream { key, from, to, times, octets, bytes });
    }

    /// Requests over TCP; what is too short for a loop is left out.
    fn add_loops(&mut self, survey: &Survey, key: FlowKey, connections: Vec<&'a Connection>) {
        for found in loops(key, connections) {
            if found.exchanges.requests() >= FEWEST_REQUESTS {
                self.requests.push(found);
                continue;
            }
            for connection in &found.connections {
                let reason = match self.reason(survey, connection) {
                    Some(Reason::TransferThatEnds) => Reason::TransferThatEnds,
                    _ => Reason::FewRequests,
                };
                leave_out_connection(connection, reason, &mut self.left_out);
            }
        }
    }

    /// Why a connection is not an unlimited transfer; `None` if it is one.
    fn reason(&self, survey: &Survey, connection: &Connection) -> Option<Reason> {
        let side = &connection.sides[connection.sender()];
        match (side.first, side.last) {
            (Some(first), Some(last)) if is_bulk(connection) => {
                let [first, last] = [first, last].map(|time| survey.since_begin(time));
                let whole = survey.seconds();
                let lasts = whole - last <= (END * whole).max(0.5) || last - first >= LASTS * whole;
                if lasts { None } else { Some(Reason::TransferThatEnds) }
            }
            (None, _) => Some(Reason::NoData),
            _ => Some(Reason::DataOverTcp),
        }
    }

    /// Keeps the busiest flows.
    fn limit(&mut self) {
        self.transfers.sort_by_key(|transfer| std::cmp::Reverse(transfer.connection.bytes));
        self.echoes.sort_by_key(|echo| std::cmp::Reverse(echo.exchanges.requests()));
        for transfer in self.transfers.drain(self.transfers.len().min(MOST)..) {
            leave_out_connection(transfer.connection, Reason::TooMany, &mut self.left_out);
        }
        for echo in self.echoes.drain(self.echoes.len().min(MOST)..) {
            leave_out_echo(&echo, Reason::TooMany, &mut self.left_out);
        }
        self.requests.sort_by_key(|of| std::cmp::Reverse(of.exchanges.requests()));
        for of in self.requests.drain(self.requests.len().min(MOST)..) {
            self.left_out.add(of.key.service, (of.key.client, of.key.server), of.exchanges.bytes, Reason::TooMany);
        }
        self.streams.sort_by_key(|stream| std::cmp::Reverse(stream.bytes));
        for stream in self.streams.drain(self.streams.len().min(MOST)..) {
            self.left_out.add(stream.key.service, (stream.from, stream.to), stream.bytes, Reason::TooMany);
        }
        self.requests.sort_by_key(|of| (of.key, of.begin()));
        self.streams.sort_by_key(|stream| (stream.key, stream.from, stream.times.first()));
        self.transfers.sort_by_key(|transfer| transfer.connection.begin);
        self.echoes.sort_by_key(|echo| (echo.key, echo.exchanges.times.first()));
    }
}

/// Whether a connection carries a transfer: much data in one direction, little in the other, in hardly any turns.
pub(super) fn is_bulk(connection: &Connection) -> bool {
    let sender = connection.sender();
    let [data, back] = [sender, 1 - sender].map(|side| connection.sides[side].octets);
    data >= BULK && back.saturating_mul(ONE_SIDED) <= data && connection.turns.requests() < FEWEST_REQUESTS
}

/// How long a client waits for an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeout {
    /// The median, s.
    pub seconds: f64,
    /// Requests that timed out in view of the point of capture, and before it.
    pub seen: u64,
    pub unseen: u64,
    /// Whether timeouts last alike, not as long as pauses of a user would.
    pub is_regular: bool,
}

impl Echo<'_> {
    /// The timeout of the client, if a request was lost.
    pub fn timeout(&self) -> Option<Timeout> {
        let thinks = Thinks::new(self.exchanges);
        let think = thinks.mean();
        let silences = sorted(&self.exchanges.silences);
        let mut waits: Vec<f64> = silences.iter().map(|silence| silence - think).collect();
        waits.extend(thinks.interrupted.iter().map(|pause| pause - 2.0 * think));
        waits.sort_by(f64::total_cmp);
        let seconds = at(&waits, 0.5);
        let is_alike = |wait: &&f64| libm::fabs(**wait - seconds) <= 0.1 * seconds;
        let is_regular = 2 * waits.iter().filter(is_alike).count() > waits.len();
        let (seen, unseen) = (silences.len() as u64, thinks.interrupted.len() as u64);
        (!waits.is_empty()).then_some(Timeout { seconds: seconds.clamp(1e-3, 3600.0), seen, unseen, is_regular })
    }

    /// Octets of user data of requests, of answers, and their mean, which takes as long in all.
    pub fn sizes(&self) -> [f64; 3] {
        let [request, answer] =
            [&self.exchanges.request_octets, &self.exchanges.answer_octets].map(|octets| at(&sorted(octets), 0.5));
        [request, answer, f64::midpoint(request, answer).clamp(1.0, 65_507.0)]
    }
}

impl Transfer<'_> {
    /// The sending side of the connection: 0 the client, 1 the server.
    pub fn sender(&self) -> usize {
        self.connection.sender()
    }
}

fn leave_out_echo(echo: &Echo<'_>, reason: Reason, left_out: &mut LeftOut) {
    let FlowKey { client, server, service } = echo.key;
    left_out.add(service, (client, server), echo.exchanges.bytes, reason);
}

fn leave_out_connection(connection: &Connection, reason: Reason, left_out: &mut LeftOut) {
    let Connection { client, server, bytes, .. } = connection;
    left_out.add(Service::Tcp(server.port), (client.address, server.address), *bytes, reason);
}
