//! The network with an event for each departure, as rare events need it.
//!
//! [`Station`](super::station::Station) fixes a customer's service when it arrives. Copies of a full queue would share the
//! services of all who wait, and with them most of what happens next. Here a service is drawn when it begins, by the same
//! stream and in the same order, so that a world that is never copied has the events of the run; a test holds one
//! against the other. A copy moreover draws again what has no memory: the rest of exponential services, gaps and pauses. Given all that
//! has happened so far, the rest is distributed as the whole, so that the distribution of paths is unchanged.

use std::collections::VecDeque;

use sojourn_core::{CopyKey, Duration, Rekey, Stream, Streams, Time, rekey_fields};
use sojourn_engine::arrivals::Process;
use sojourn_engine::law::Law;
use sojourn_engine::splitting::Copied;
use sojourn_engine::{Queue, World};

use super::scenario::{FlowSettings, Settings, Source, StationSettings};
use super::station::Window;
use sojourn_model::Replication;
use sojourn_model::rare::{Gauge, Gauged, MICROSECONDS, Watched};
use sojourn_model::slab::{NONE, Slab};

/// What a rare event can be about, by number.
pub(super) const GAUGES: [Gauge; 3] = [
    Gauge {
        name: "queue_length",
        of: Some("station"),
        unit: "customers",
        lasts: false,
        definition: "Customers at a station, those served included; without a station, at the one with the most.",
    },
    Gauge {
        name: "failures",
        of: None,
        unit: "customers",
        lasts: true,
        definition: "Customers of the probes that found no room since the warm-up.",
    },
    Gauge {
        name: "response_time",
        of: None,
        unit: MICROSECONDS,
        lasts: true,
        definition: "The longest response time of the probes since the warm-up.",
    },
];

/// An event.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// A customer of a flow arrives from outside.
    Arrival { flow: u32 },
    /// A customer reaches the next station of its path.
    Visit { customer: u32 },
    /// A server of a station has served its customer.
    Departure { station: u32, server: u32 },
}

/// A replication as it runs.
#[derive(Clone)]
pub(super) struct Stepped<'a> {
    settings: &'a Settings,
    window: Window,
    stations: Vec<Line>,
    sources: Vec<Running>,
    customers: Slab<Customer>,
    /// Customers of the probes that found no room inside the window.
    lost: u64,
    /// The longest response time of the probes inside the window.
    longest: Duration,
}

/// A customer, inside the network or thinking.
#[derive(Clone, Copy, Debug)]
struct Customer {
    flow: u32,
    /// Stations of the path it has been to.
    visited: u32,
    entered: Time,
    thinks: bool,
}

/// A station: who waits and who is served.
#[derive(Clone)]
struct Line {
    stream: Stream,
    waiting: VecDeque<u32>,
    /// The customer of each server, [`NONE`] where it is idle.
    servers: Vec<u32>,
    idle: Vec<u32>,
}

/// A flow's source with its random numbers.
#[derive(Clone)]
enum Running {
    Open { process: Process, begin: Time, stream: Stream },
    Closed { first: u32, population: u32, think: Law, stream: Stream },
}

impl<'a> Stepped<'a> {
    /// Empty stations.
    pub fn new(settings: &'a Settings, replication: &Replication<'_>) -> Self {
        let streams = Streams::new(replication.seed, replication.index);
        let from = Time::ZERO + replication.warm_up;
        let mut population_before = 0;
        let source = |flow: &FlowSettings| Running::new(flow, &streams, &mut population_before);
        Stepped {
            settings,
            window: Window { from, to: from + replication.duration },
            sources: settings.flows.iter().map(source).collect(),
            stations: settings.stations.iter().map(|station| Line::new(station, &streams)).collect(),
            customers: Slab::new(),
            lost: 0,
            longest: Duration::ZERO,
        }
    }

    /// Schedules the first arrivals.
    pub fn begin(&mut self, queue: &mut Queue<Step>) {
        for (flow, source) in (0..).zip(&mut self.sources) {
            match source {
                Running::Open { process, begin, stream } => {
                    if let Some(first) = process.next(*begin, stream) {
                        queue.at(first, Step::Arrival { flow });
                    }
                }
                Running::Closed { first, population, think, stream } => {
                    for number in 0..*population {
                        let thinking = Customer { flow, visited: 0, entered: Time::ZERO, thinks: true };
                        let customer = self.customers.insert(thinking);
                        assert!(customer == *first + number, "those who go round keep the first keys");
                        let back = Time::ZERO + think.draw(stream);
                        queue.at(back, Step::Visit { customer });
                    }
                }
            }
        }
    }

    /// Customers at a station.
    pub fn present_at(&self, station: usize) -> u64 {
        self.stations[station].present()
    }

    fn arrive(&mut self, now: Time, flow: u32, queue: &mut Queue<Step>) {
        if let Running::Open { process, stream, .. } = &mut self.sources[flow as usize]
            && let Some(next) = process.next(now, stream)
        {
            queue.at(next, Step::Arrival { flow });
        }
        let entered = Customer { flow, visited: 0, entered: now, thinks: false };
        let customer = self.customers.insert(entered);
        self.visit(now, customer, queue);
    }

    /// Lets a customer visit the next station of its path.
    fn visit(&mut self, now: Time, key: u32, queue: &mut Queue<Step>) {
        let customer = &mut self.customers[key];
        if std::mem::take(&mut customer.thinks) {
            customer.entered = now;
        }
        let station = self.settings.flows[customer.flow as usize].path[customer.visited as usize];
        let (line, settings) = (&mut self.stations[station], &self.settings.stations[station]);
        if line.present() >= settings.capacity.unwrap_or(u64::MAX) {
            let Customer { flow, .. } = self.customers.remove(key);
            let counts = self.window.holds(now) && self.settings.flows[flow as usize].probe;
            self.lost += u64::from(counts);
            return;
        }
        customer.visited += 1;
        match line.idle.pop() {
            Some(server) => line.serve(now, station, server, key, &settings.service, queue),
            None => line.waiting.push_back(key),
        }
    }

    fn depart(&mut self, now: Time, station: usize, server: u32, queue: &mut Queue<Step>) {
        let (line, service) = (&mut self.stations[station], &self.settings.stations[station].service);
        let key = std::mem::replace(&mut line.servers[server as usize], NONE);
        match line.waiting.pop_front() {
            Some(next) => line.serve(now, station, server, next, service, queue),
            None => line.idle.push(server),
        }
        let customer = self.customers[key];
        if (customer.visited as usize) < self.settings.flows[customer.flow as usize].path.len() {
            // departures of an instant come before its arrivals
            return queue.at(now, Step::Visit { customer: key });
        }
        self.complete(now, key, customer, queue);
    }

    fn complete(&mut self, now: Time, key: u32, customer: Customer, queue: &mut Queue<Step>) {
        if self.window.holds(now) && self.settings.flows[customer.flow as usize].probe {
            self.longest = self.longest.max(now.since(customer.entered));
        }
        match &mut self.sources[customer.flow as usize] {
            Running::Open { .. } => {
                self.customers.remove(key);
            }
            Running::Closed { think, stream, .. } => {
                self.customers[key] = Customer { visited: 0, thinks: true, ..customer };
                let back = now + think.draw(stream);
                queue.at(back, Step::Visit { customer: key });
            }
        }
    }
}

impl Line {
    fn new(settings: &StationSettings, streams: &Streams) -> Self {
        let idle = (0..u32::try_from(settings.servers).expect("a declared number of servers fits")).rev().collect();
        Line {
            stream: streams.stream(&format!("station/{}/service", settings.name)),
            waiting: VecDeque::new(),
            servers: vec![NONE; settings.servers],
            idle,
        }
    }

    fn present(&self) -> u64 {
        (self.waiting.len() + self.servers.len() - self.idle.len()) as u64
    }

    fn serve(&mut self, now: Time, station: usize, server: u32, customer: u32, service: &Law, queue: &mut Queue<Step>) {
        self.servers[server as usize] = customer;
        let departure = now + service.draw(&mut self.stream);
        queue.at(departure, Step::Departure { station: station as u32, server });
    }
}

impl Running {
    /// A source; those who go round have the keys from `population_before` on.
    fn new(flow: &FlowSettings, streams: &Streams, population_before: &mut u32) -> Self {
        match &flow.source {
            Source::Open { process, begin } => {
                let stream = streams.stream(&format!("flow/{}/arrivals", flow.name));
                Running::Open { process: process.clone(), begin: *begin, stream }
            }
            Source::Closed { population, think } => {
                let stream = streams.stream(&format!("flow/{}/think", flow.name));
                let first = *population_before;
                *population_before += population;
                Running::Closed { first, population: *population, think: think.clone(), stream }
            }
        }
    }
}

impl World for Stepped<'_> {
    type Event = Step;

    #[inline]
    fn class(event: &Step) -> u8 {
        u8::from(!matches!(event, Step::Departure { .. }))
    }

    #[inline]
    fn handle(&mut self, now: Time, event: Step, queue: &mut Queue<Step>) {
        match event {
            Step::Arrival { flow } => self.arrive(now, flow, queue),
            Step::Visit { customer } => self.visit(now, customer, queue),
            Step::Departure { station, server } => self.depart(now, station as usize, server, queue),
        }
    }
}

impl Copied for Stepped<'_> {
    /// There are none.
    fn drop_samples(&mut self) {}

    fn redraw(&mut self, now: Time, queue: &mut Queue<Step>) {
        let Stepped { settings, stations, sources, customers, .. } = self;
        queue.reschedule(|due, step| match *step {
            Step::Departure { station, .. } => {
                let service = &settings.stations[station as usize].service;
                service.redraw(now, due, &mut stations[station as usize].stream)
            }
            Step::Arrival { flow } => match &mut sources[flow as usize] {
                Running::Open { process, stream, .. } => process.redraw(now, due, stream),
                Running::Closed { .. } => due,
            },
            Step::Visit { customer } => match &mut sources[customers[customer].flow as usize] {
                Running::Closed { think, stream, .. } => think.redraw(now, due, stream),
                Running::Open { .. } => due,
            },
        });
    }
}

impl Gauged for Stepped<'_> {
    fn gauge(&mut self, _now: Time, watched: Watched) -> u64 {
        match (watched.gauge, watched.member) {
            (0, Watched::ALL) => self.stations.iter().map(Line::present).max().unwrap_or(0),
            (0, station) => self.present_at(station as usize),
            (1, _) => self.lost,
            _ => self.longest.picoseconds() / 1_000_000,
        }
    }
}

impl Rekey for Running {
    fn rekey(&mut self, copy: CopyKey) {
        match self {
            Running::Open { stream, .. } | Running::Closed { stream, .. } => stream.rekey(copy),
        }
    }
}

rekey_fields!(Line { stream });
rekey_fields!(Stepped<'_> { stations, sources });

#[cfg(test)]
mod tests;
