//! Closed loops of requests over TCP.

use sojourn_core::Time;

use super::connection::Connection;
use super::conversation::{Exchanges, Thinks};
use super::flow_key::FlowKey;
use super::trips::{at, sorted};

/// Requests from which a connection is a loop of its own.
const ENOUGH_REQUESTS: u64 = 8;

/// Retransmission timeouts of systems of today beside the round-trip time, s: at least 200 ms of Linux (RFC 6298 has a second),
/// and a second where none was measured.
const TIMEOUTS: [(f64, f64); 2] = [(0.19, 0.4), (0.9, 1.3)];

/// How the connections of a loop are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Opened {
    /// One was open when the capture began.
    Before,
    /// One for many requests.
    Once,
    /// One for each request.
    PerRequest,
}

/// A closed loop of requests over one connection, or over several that follow each other.
#[derive(Clone, Debug)]
pub(super) struct Requests<'a> {
    pub key: FlowKey,
    pub exchanges: Exchanges,
    pub opened: Opened,
    pub connections: Vec<&'a Connection>,
}

/// The loops of connections between a client and a service: those with many requests each by itself, of the others as many as
/// overlap.
pub(super) fn loops<'a>(key: FlowKey, mut connections: Vec<&'a Connection>) -> Vec<Requests<'a>> {
    connections.sort_by_key(|connection| connection.begin);
    let (long, short): (Vec<_>, Vec<_>) =
        connections.into_iter().partition(|connection| connection.turns.requests() >= ENOUGH_REQUESTS);
    let mut lanes: Vec<Vec<&Connection>> = long.into_iter().map(|connection| vec![connection]).collect();
    let first = lanes.len();
    for connection in short {
        let is_free = |lane: &&mut Vec<&Connection>| lane.last().is_some_and(|last| end(last) <= connection.begin);
        match lanes[first..].iter_mut().find(is_free) {
            Some(lane) => lane.push(connection),
            None => lanes.push(vec![connection]),
        }
    }
    lanes.into_iter().map(|lane| Requests::new(key, lane)).collect()
}

/// Whether a delay is that of a timeout.
fn is_timeout(delay: f64) -> bool {
    TIMEOUTS.iter().any(|(least, most)| (*least..*most).contains(&delay))
}

/// When a connection's last answer was captured.
fn end(connection: &Connection) -> Time {
    connection.turns.last().unwrap_or(connection.end)
}

impl<'a> Requests<'a> {
    fn new(key: FlowKey, connections: Vec<&'a Connection>) -> Requests<'a> {
        let mut exchanges = Exchanges::default();
        let mut answered: Option<Time> = None;
        for connection in &connections {
            let own = connection.turns.exchanges();
            exchanges.responses.merge(&own.responses);
            exchanges.request_octets.merge(&own.request_octets);
            exchanges.answer_octets.merge(&own.answer_octets);
            exchanges.replies += own.replies;
            exchanges.bytes += connection.bytes;
            // where a client opens a connection for a request, it thinks until it does
            let think = answered.map(|answered| connection.begin.since(answered).seconds());
            exchanges.times.append(&own.times, think);
            answered = connection.turns.answered();
        }
        let requests = exchanges.requests();
        let opened = match &connections[..] {
            several if several.len() > 1 && requests < 2 * several.len() as u64 => Opened::PerRequest,
            [first, ..] if !first.has_begun => Opened::Before,
            _ => Opened::Once,
        };
        Requests { key, exchanges, opened, connections }
    }

    /// Segments that were lost before the point of capture, which only the timeouts of TCP show: requests in the times before
    /// them, answers in theirs, and handshakes.
    pub fn lost_unseen(&self) -> u64 {
        let Thinks { usual, interrupted } = Thinks::new(&self.exchanges);
        let think = at(&usual, 0.5);
        let timeouts = interrupted.iter().map(|pause| pause - think).filter(|pause| is_timeout(*pause)).count();
        let answers = sorted(&self.exchanges.responses.times);
        let usual = at(&answers, 0.5);
        let late = answers.iter().filter(|time| is_timeout(**time - usual)).count();
        let began = self.connections.iter().filter(|connection| connection.has_begun);
        let waits = began.filter_map(|connection| Some(connection.turns.first?.since(connection.begin).seconds()));
        // those of requests and answers are samples
        let of_all = |found: usize, kept: usize, seen: u64| found as u64 * seen / (kept as u64).max(1);
        let thinks = self.exchanges.times.thinks();
        of_all(timeouts, thinks.values().len(), thinks.seen())
            + of_all(late, answers.len(), self.exchanges.answers())
            + waits.filter(|wait| is_timeout(*wait)).count() as u64
    }

    /// Packets of handshakes that TCP sends again where they are lost.
    pub fn handshake_packets(&self) -> u64 {
        2 * self.connections.iter().filter(|connection| connection.has_begun).count() as u64
    }

    /// When its first request, or the connection for it, was begun.
    pub fn begin(&self) -> Time {
        let first = self.connections[0];
        if first.has_begun { first.begin } else { first.turns.first.unwrap_or(first.begin) }
    }
}
