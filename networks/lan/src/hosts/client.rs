//! A client that sends a request over UDP and waits for the answer.

use sojourn_core::{Duration, Stream, Time, rekey_fields};

use crate::metrics::Program;
use crate::site::{Activity, Echo};

/// A client over UDP and its server: one request at a time.
#[derive(Clone, Debug)]
pub struct Client {
    /// Under which flow it is reported.
    pub flow: u32,
    /// The host it is on.
    pub host: u32,
    /// The connections to its servers, which it asks in turn.
    connections: Vec<u32>,
    /// What it asks, and when.
    pub echo: Echo,
    /// Whether it asks.
    pub sends: bool,
    /// Whether a request was due while it did not ask.
    pub is_held: bool,
    random: Stream,
    /// Draws the server's times.
    server: Stream,
    /// The number of the request that was made last.
    number: u32,
    /// Until when its answer is waited for; none if it is there.
    waits_until: Option<Time>,
    /// When the event is due that looks for silence.
    watch: Option<Time>,
    /// When the next request is due, of a client that asks at intervals: one that had to wait does not delay those behind it.
    due: Option<Time>,
}

impl Client {
    /// A client that has not begun.
    pub fn new(activity: &Activity, echo: Echo, random: Stream, server: Stream) -> Self {
        Client {
            flow: activity.flow,
            host: activity.from,
            connections: activity.connections().collect(),
            echo,
            sends: !activity.silent,
            is_held: false,
            random,
            server,
            number: 0,
            waits_until: None,
            watch: None,
            due: None,
        }
    }

    /// Whose samples its response times are.
    pub fn program(&self) -> Program {
        Program { flow: self.flow, host: self.host, probed: self.echo.cycle.probed }
    }

    /// The connection to the server that it asks now or has asked last.
    pub fn connection(&self) -> u32 {
        self.connections[self.number.wrapping_sub(1) as usize % self.connections.len()]
    }

    /// Makes the next request: its number, and when to look for silence if no look is due.
    pub fn ask(&mut self, now: Time) -> (u32, Option<Time>) {
        let until = now + self.echo.timeout;
        if let Some(interval) = &mut self.echo.cycle.interval {
            self.due = Some(self.due.unwrap_or(now) + interval.draw(&mut self.random));
        }
        self.number = self.number.wrapping_add(1);
        self.waits_until = Some(until);
        let look = self.watch.is_none().then_some(until);
        self.watch = self.watch.or(look);
        (self.number, look)
    }

    /// An answer is there; whether it is the one waited for.
    pub fn answered(&mut self, number: u32) -> bool {
        let expected = self.waits_until.is_some() && number == self.number;
        if expected {
            self.waits_until = None;
        }
        expected
    }

    /// Looks for silence: whether the request is lost, and when to look again.
    pub fn look(&mut self, now: Time) -> (bool, Option<Time>) {
        let lost = self.waits_until.is_some_and(|until| until <= now);
        self.watch = self.waits_until.filter(|_| !lost);
        if lost {
            self.waits_until = None;
        }
        (lost, self.watch)
    }

    /// How long it has waited for an answer, if it waits.
    pub fn waited(&self, now: Time) -> Option<Duration> {
        self.waits_until.map(|until| self.echo.timeout.saturating_sub(until.since(now)))
    }

    /// Whether it waits for an answer.
    pub fn is_waiting(&self) -> bool {
        self.waits_until.is_some()
    }

    /// When it makes the next request, if the last one has ended now.
    pub fn next(&mut self, now: Time) -> Time {
        match self.due {
            Some(due) => now.max(due),
            None => now + self.echo.cycle.think.draw(&mut self.random),
        }
    }

    /// How long its server takes.
    pub fn server_time(&mut self) -> Duration {
        self.echo.cycle.server.draw(&mut self.server)
    }
}

rekey_fields!(Client { random, server });
