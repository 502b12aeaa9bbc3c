//! Customers, their sources and the stations as they run.

use std::sync::atomic::AtomicBool;

use sojourn_core::{Duration, Stream, Streams, Time};
use sojourn_engine::arrivals::Process;
use sojourn_engine::law::Law;
use sojourn_engine::{Queue, World, run};
use sojourn_metrics::Record;

use super::event::Event;
use super::metrics::Metrics;
use super::scenario::{Settings, Source};
use super::station::{Station, Window};
use sojourn_model::Replication;
use sojourn_model::slab::Slab;

/// A replication as it runs.
pub(super) struct Customers<'a> {
    pub settings: &'a Settings,
    pub stations: Vec<Station>,
    pub sources: Vec<Running>,
    /// Customers between two stations, and those who think before the first.
    pub customers: Slab<Customer>,
    pub metrics: Metrics<'a>,
}

/// A customer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Customer {
    pub flow: u32,
    /// Stations of the path it has been to.
    pub visited: u32,
    pub entered: Time,
    pub waited: Duration,
}

/// A flow's source with its random numbers.
pub(super) enum Running {
    Open { process: Process, begin: Time, stream: Stream },
    Closed { population: u32, think: Law, stream: Stream },
}

impl<'a> Customers<'a> {
    /// Empty stations.
    pub fn new(settings: &'a Settings, replication: &Replication<'_>) -> Self {
        let streams = Streams::new(replication.seed, replication.index);
        let from = Time::ZERO + replication.warm_up;
        let window = Window { from, to: from + replication.duration };
        let station = |station: &super::scenario::StationSettings| {
            let stream = streams.stream(&format!("station/{}/service", station.name));
            Station::new(station, stream, window, replication.traces)
        };
        let source = |flow: &super::scenario::FlowSettings| match &flow.source {
            Source::Open { process, begin } => {
                let stream = streams.stream(&format!("flow/{}/arrivals", flow.name));
                Running::Open { process: process.clone(), begin: *begin, stream }
            }
            Source::Closed { population, think } => {
                let stream = streams.stream(&format!("flow/{}/think", flow.name));
                Running::Closed { population: *population, think: think.clone(), stream }
            }
        };
        Customers {
            settings,
            stations: settings.stations.iter().map(station).collect(),
            sources: settings.flows.iter().map(source).collect(),
            customers: Slab::new(),
            metrics: Metrics::new(settings, window, replication.traces),
        }
    }

    /// Schedules the first arrivals.
    fn begin(&mut self, queue: &mut Queue<Event>) {
        for (flow, source) in (0..).zip(&mut self.sources) {
            match source {
                Running::Open { process, begin, stream } => {
                    if let Some(first) = process.next(*begin, stream) {
                        queue.at(first, Event::Arrival { flow });
                    }
                }
                Running::Closed { population, think, stream } => {
                    for _ in 0..*population {
                        let entered = Time::ZERO + think.draw(stream);
                        let customer = Customer { flow, visited: 0, entered, waited: Duration::ZERO };
                        queue.at(entered, Event::Visit { customer: self.customers.insert(customer) });
                    }
                }
            }
        }
    }

    /// Lets the customers pass up to `end`, with an event for each arrival at a station.
    pub fn pass_by_events(&mut self, end: Time, cancelled: &AtomicBool) {
        let mut queue = Queue::new();
        self.begin(&mut queue);
        run(self, &mut queue, end, cancelled);
    }

    /// What was observed when the clock has reached `end`.
    pub fn finish(self) -> Record {
        // those that think before the first station have not entered
        let in_transit = self.customers.iter().filter(|customer| customer.visited > 0);
        let in_transit = in_transit.map(|customer| (customer.flow, customer.entered));
        self.metrics.finish(self.stations.into_iter().map(Station::finish), in_transit)
    }

    /// Lets a customer visit the next station of its path at `now`.
    #[inline]
    fn visit(&mut self, now: Time, mut customer: Customer, queue: &mut Queue<Event>) {
        if customer.visited == 0 {
            self.metrics.offer(1);
        }
        let path = &self.settings.flows[customer.flow as usize].path;
        let Some(visit) = self.stations[path[customer.visited as usize]].visit(now) else {
            return self.metrics.lose(now, customer.flow, customer.entered);
        };
        customer.visited += 1;
        customer.waited += visit.begin.since(now);
        if (customer.visited as usize) < path.len() {
            return queue.at(visit.departure, Event::Visit { customer: self.customers.insert(customer) });
        }
        self.metrics.complete(visit.departure, customer.flow, customer.entered, customer.waited);
        if let Running::Closed { think, stream, .. } = &mut self.sources[customer.flow as usize] {
            let entered = visit.departure + think.draw(stream);
            let next = Customer { visited: 0, entered, waited: Duration::ZERO, ..customer };
            queue.at(entered, Event::Visit { customer: self.customers.insert(next) });
        }
    }
}

impl World for Customers<'_> {
    type Event = Event;

    #[inline]
    fn handle(&mut self, now: Time, event: Event, queue: &mut Queue<Event>) {
        match event {
            Event::Arrival { flow } => {
                if let Running::Open { process, stream, .. } = &mut self.sources[flow as usize]
                    && let Some(next) = process.next(now, stream)
                {
                    queue.at(next, event);
                }
                self.visit(now, Customer { flow, visited: 0, entered: now, waited: Duration::ZERO }, queue);
            }
            Event::Visit { customer } => {
                let customer = self.customers.remove(customer);
                self.visit(now, customer, queue);
            }
        }
    }
}
