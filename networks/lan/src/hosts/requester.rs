//! A client that sends requests over TCP, and its server.

use sojourn_core::{Duration, Stream, Time, rekey_fields};

use super::transfer::{Program, Ticks, Transfer, connections};
use crate::latency_budget::LatencyBudget;
use crate::metrics;
use crate::site::{Activity, Opened, Request};

/// A client and its server: one request at a time.
#[derive(Clone, Debug)]
pub struct Requester {
    /// Under which flow it is reported.
    pub flow: u32,
    /// The host of the client.
    host: u32,
    /// What it asks, and when.
    pub request: Request,
    /// Whether it asks.
    pub sends: bool,
    /// Whether a request was due while it did not ask.
    pub is_held: bool,
    /// Its servers, which it asks in turn, and which it asks now or has asked last.
    servers: Vec<Server>,
    turn: usize,
    /// The exchange in progress.
    pub exchange: Option<Exchanged>,
    think: Stream,
    server: Stream,
    sequence: Stream,
    ticks: Ticks,
    /// When the next request is due, of a client that asks at intervals: one that had to wait does not delay those behind it.
    due: Option<Time>,
}

/// A server of a client.
#[derive(Clone, Debug)]
struct Server {
    host: u32,
    /// The network's connection to it.
    connection: u32,
    ticks: Ticks,
    /// The TCP connection; none before the first request, and after one that failed.
    transfer: Option<u32>,
    has_connected: bool,
}

/// An exchange in progress.
#[derive(Clone, Copy, Debug)]
pub struct Exchanged {
    /// When the client's program made the request.
    pub began: Time,
    /// Where the time went of all that is done: until the message in progress was begun.
    pub latency: LatencyBudget,
    /// Octets of the request and of the response that TCP has not accepted.
    pub unwritten: [u64; 2],
    /// Octets of the request and of the response that their receiver does not have.
    pub missing: [u64; 2],
}

impl Requester {
    /// A client that has not begun, between hosts whose ticks are at instants `ticks`; `stream` gives a random stream for
    /// each use.
    pub fn new(activity: &Activity, request: &Request, ticks: &[Ticks], stream: impl Fn(&str) -> Stream) -> Self {
        let servers = activity.receivers().zip(activity.connections()).zip(&ticks[1..]);
        let servers = servers.map(|((host, connection), ticks)| Server {
            host,
            connection,
            ticks: *ticks,
            transfer: None,
            has_connected: false,
        });
        Requester {
            flow: activity.flow,
            host: activity.from,
            request: request.clone(),
            sends: !activity.silent,
            is_held: false,
            servers: servers.collect(),
            turn: usize::MAX,
            exchange: None,
            think: stream("think"),
            server: stream("server"),
            sequence: stream("sequence"),
            ticks: ticks[0],
            due: None,
        }
    }

    /// The TCP connection to the server that it asks now or has asked last.
    pub fn transfer(&self) -> Option<u32> {
        self.servers.get(self.turn)?.transfer
    }

    /// It has another TCP connection to this server, or none.
    pub fn set_transfer(&mut self, transfer: Option<u32>) {
        if let Some(server) = self.servers.get_mut(self.turn) {
            server.transfer = transfer;
        }
    }

    /// Makes the next request.
    pub fn ask(&mut self, now: Time) {
        self.turn = self.turn.wrapping_add(1) % self.servers.len();
        let [request, response] = self.request.sizes;
        if let Some(interval) = &mut self.request.cycle.interval {
            self.due = Some(self.due.unwrap_or(now) + interval.draw(&mut self.think));
        }
        self.exchange = Some(Exchanged {
            began: now,
            latency: LatencyBudget::new(now),
            unwritten: [request, 0],
            missing: [request, response],
        });
    }

    /// A TCP connection for the requests of this client, which is `number`; whether it is open.
    pub fn connect(&mut self, number: u32, ports: [u16; 2]) -> (Transfer, bool) {
        let server = &mut self.servers[self.turn];
        let is_open = !server.has_connected && self.request.opened == Opened::Before;
        server.has_connected = true;
        let settings = self.request.ends[self.turn].each_ref();
        let tcp = connections(settings, [self.ticks, server.ticks], is_open, &mut self.sequence);
        let hosts = [self.host, server.host];
        let transfer = Transfer::new(self.flow, hosts, server.connection, tcp, Program::Requests(number), ports);
        (transfer, is_open)
    }

    /// Whose samples its response times are.
    pub fn program(&self) -> metrics::Program {
        metrics::Program { flow: self.flow, host: self.host, probed: self.request.cycle.probed }
    }

    /// When it makes the next request, if the last one has ended now.
    pub fn next(&mut self, now: Time) -> Time {
        match self.due {
            Some(due) => now.max(due),
            None => now + self.request.cycle.think.draw(&mut self.think),
        }
    }

    /// How long the server takes.
    pub fn server_time(&mut self) -> Duration {
        self.request.cycle.server.draw(&mut self.server)
    }

    /// How long it has waited for a response, if it waits.
    pub fn waited(&self, now: Time) -> Option<Duration> {
        self.exchange.map(|exchange| now.since(exchange.began))
    }
}

rekey_fields!(Requester { think, server });
