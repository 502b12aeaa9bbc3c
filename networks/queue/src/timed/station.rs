//! A station whose servers can be interrupted: a departure is an event, which an outage voids.

use std::collections::VecDeque;

use sojourn_core::{Duration, Stream, Time};
use sojourn_engine::Generation;
use sojourn_engine::law::Law;
use sojourn_metrics::timeline::{LevelWindows, Timeline};

use crate::scenario::StationSettings;
use crate::station::{Seen, Window};

/// A station in a replication with events.
pub struct Station {
    service: Law,
    capacity: u64,
    stream: Stream,
    works: bool,
    present: u64,
    /// Customers that wait, by number.
    waiting: VecDeque<u32>,
    servers: Vec<Server>,
    /// Servers without a customer.
    idle: Vec<u32>,
    levels: Levels,
}

/// A server and the customer that it serves.
#[derive(Clone, Copy, Default)]
struct Server {
    customer: u32,
    service: Duration,
    due: Time,
    /// What is left of a service that was interrupted.
    left: Duration,
    departure: Generation,
}

/// A departure that is due unless an outage voids it.
#[derive(Clone, Copy, Debug)]
pub struct Departure {
    pub server: u32,
    generation: u32,
}

/// A customer that has been served.
pub struct Served {
    pub customer: u32,
    pub service: Duration,
}

/// What is observed of a station.
struct Levels {
    window: Window,
    since: Time,
    present: u64,
    busy: u64,
    most: u64,
    /// Customers, and working servers, times picoseconds inside the window.
    presence: u128,
    work: u128,
    trace: Option<Vec<(u64, f64)>>,
    queue: LevelWindows,
    utilisation: LevelWindows,
}

impl Station {
    /// An empty station; `levels` are those of customers present and of the share of servers that work.
    pub fn new(
        settings: &StationSettings,
        stream: Stream,
        window: Window,
        traced: bool,
        levels: [LevelWindows; 2],
    ) -> Self {
        let [queue, utilisation] = levels;
        let levels = Levels {
            window,
            since: Time::ZERO,
            present: 0,
            busy: 0,
            most: 0,
            presence: 0,
            work: 0,
            trace: traced.then(|| vec![(0, 0.0)]),
            queue,
            utilisation,
        };
        Station {
            service: settings.service.clone(),
            capacity: settings.capacity.unwrap_or(u64::MAX),
            stream,
            works: true,
            present: 0,
            waiting: VecDeque::new(),
            servers: vec![Server::default(); settings.servers],
            idle: (0..settings.servers as u32).rev().collect(),
            levels,
        }
    }

    /// Whether one more finds room.
    pub fn has_room(&self) -> bool {
        self.present < self.capacity
    }

    /// A customer that has found room arrives; when it departs, if it is served at once.
    pub fn arrive(&mut self, now: Time, customer: u32) -> Option<(Time, Departure)> {
        self.waiting.push_back(customer);
        self.present += 1;
        let due = self.serve_next(now);
        self.observe(now);
        due
    }

    /// A departure is due: who departs, unless it is void, and the departure of who is served next.
    pub fn depart(&mut self, now: Time, departure: Departure) -> Option<(Served, Option<(Time, Departure)>)> {
        let server = self.servers[departure.server as usize];
        if !server.departure.is_current(departure.generation) {
            return None;
        }
        self.idle.push(departure.server);
        self.present -= 1;
        let next = self.serve_next(now);
        self.observe(now);
        Some((Served { customer: server.customer, service: server.service }, next))
    }

    /// The servers stop; what they did is kept.
    pub fn stop(&mut self, now: Time) {
        if std::mem::replace(&mut self.works, false) {
            for number in self.busy() {
                let server = &mut self.servers[number as usize];
                server.left = server.due.since(now);
                server.departure.cancel();
            }
            self.observe(now);
        }
    }

    /// The servers go on: departures of those that were interrupted, and of who is served next.
    pub fn go_on(&mut self, now: Time) -> Vec<(Time, Departure)> {
        if std::mem::replace(&mut self.works, true) {
            return Vec::new();
        }
        let interrupted = self.busy();
        let mut departures: Vec<_> = interrupted
            .into_iter()
            .map(|number| {
                let server = &mut self.servers[number as usize];
                server.due = now + server.left;
                (server.due, Departure { server: number, generation: server.departure.renew() })
            })
            .collect();
        while let Some(departure) = self.serve_next(now) {
            departures.push(departure);
        }
        self.observe(now);
        departures
    }

    /// Services that begin from now on take this long in the mean, with the same variation.
    pub fn set_mean(&mut self, mean: Duration) {
        self.service = self.service.with_mean(mean);
    }

    fn busy(&self) -> Vec<u32> {
        let mut idle = vec![false; self.servers.len()];
        self.idle.iter().for_each(|&number| idle[number as usize] = true);
        (0..self.servers.len() as u32).filter(|&number| !idle[number as usize]).collect()
    }

    fn serve_next(&mut self, now: Time) -> Option<(Time, Departure)> {
        if !self.works || self.idle.is_empty() {
            return None;
        }
        let customer = self.waiting.pop_front()?;
        let number = self.idle.pop()?;
        let service = self.service.draw(&mut self.stream);
        let server = &mut self.servers[number as usize];
        (server.customer, server.service, server.due) = (customer, service, now + service);
        Some((server.due, Departure { server: number, generation: server.departure.renew() }))
    }

    fn observe(&mut self, now: Time) {
        let busy = if self.works { self.servers.len() - self.idle.len() } else { 0 };
        self.levels.set(now, self.present, busy as u64, self.servers.len());
    }

    /// What was seen up to the window's end, and over time.
    pub fn finish(mut self) -> (Seen, [Timeline; 2]) {
        let (window, servers) = (self.levels.window, self.servers.len() as f64);
        self.levels.advance(window.to);
        let span = window.to.since(window.from).picoseconds() as f64;
        let share = |total: u128| if span > 0.0 { total as f64 / span } else { 0.0 };
        let Levels { presence, work, most, trace, queue, utilisation, .. } = self.levels;
        let seen = Seen { mean: share(presence), max: most as f64, utilisation: share(work) / servers, trace };
        (seen, [queue.finish(window.to), utilisation.finish(window.to)])
    }
}

impl Levels {
    fn set(&mut self, now: Time, present: u64, busy: u64, servers: usize) {
        self.advance(now);
        (self.present, self.busy) = (present, busy);
        self.most = self.most.max(present);
        self.queue.set(now, present as f64);
        self.utilisation.set(now, busy as f64 / servers as f64);
        if let Some(trace) = &mut self.trace {
            trace.push((now.picoseconds(), present as f64));
        }
    }

    /// Adds up what was since the last change.
    fn advance(&mut self, now: Time) {
        let inside = self.window.inside(self.since, now);
        self.presence += inside * u128::from(self.present);
        self.work += inside * u128::from(self.busy);
        self.since = now;
    }
}
