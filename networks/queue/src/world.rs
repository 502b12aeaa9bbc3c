//! Customers, their sources and the stations as they run.

use std::sync::atomic::AtomicBool;

use sojourn_core::{Streams, Time, clone_fields};
use sojourn_engine::{Queue, World, run};
use sojourn_metrics::Record;

use super::customer::Customer;
use super::event::Event;
use super::levels::{Levels, Window};
use super::metrics::Metrics;
use super::observer::Observer;
use super::plan::Effect;
use super::recursion::Recursion;
use super::scenario::{Settings, Source};
use super::source::Running;
use super::station::Station;
use sojourn_model::Replication;
use sojourn_model::slab::Slab;
use sojourn_model::timed::{Step, Timed};

/// A replication as it runs. Departures are `FORESEEN`, known on arrival, where no event of the scenario moves them and no copy
/// draws them again.
pub(super) struct Customers<'a, O, const FORESEEN: bool> {
    pub settings: &'a Settings,
    /// The stations, where departures are foreseen.
    pub foreseen: Vec<Recursion>,
    /// The stations otherwise.
    pub stations: Vec<Station>,
    pub sources: Vec<Running>,
    /// Customers between two stations, those who think before the first, and those at a station that has an event for their
    /// departure.
    pub customers: Slab<Customer>,
    pub observer: O,
}

// copies of a world reuse the memory of those that have ended
clone_fields!(['a, O: Clone] Customers<'a, O, false> { settings, foreseen, stations, sources, customers, observer });

/// Runs one replication.
pub(super) fn replicate(settings: &Settings, replication: &Replication<'_>) -> Record {
    let end = Window::of(replication).to;
    if settings.events.is_some() {
        return Recorded::<false>::new(settings, replication).pass_by_events(end, replication.cancelled);
    }
    let customers = Recorded::<true>::new(settings, replication);
    if settings.keeps_order() {
        customers.pass_in_order(end, replication.cancelled)
    } else {
        customers.pass_by_events(end, replication.cancelled)
    }
}

/// A replication of which a record is made.
pub(super) type Recorded<'a, const FORESEEN: bool> = Customers<'a, Metrics<'a>, FORESEEN>;

impl<'a, const FORESEEN: bool> Recorded<'a, FORESEEN> {
    /// Empty stations.
    pub fn new(settings: &'a Settings, replication: &Replication<'_>) -> Self {
        let (window, traced) = (Window::of(replication), replication.traces);
        let streams = Streams::new(replication.seed, replication.index);
        let timed = settings.events.as_ref().map(|plan| Timed::new(plan, &streams, window.from, window.to));
        let edges = timed.as_ref().map(Timed::edges);
        let metrics = Metrics::new(settings, window, traced, timed);
        let mut customers = Customers::without_stations(settings, &streams, metrics);
        for station in &settings.stations {
            let stream = station.stream(&streams);
            if FORESEEN {
                customers.foreseen.push(Recursion::new(station, stream, window, traced));
            } else {
                let levels = edges.as_ref().map(|edges| Levels::new(window, traced, edges));
                customers.stations.push(Station::new(station, stream, levels));
            }
        }
        customers
    }

    /// Lets the customers pass up to `end`, with an event for each arrival at a station; what was observed.
    pub fn pass_by_events(mut self, end: Time, cancelled: &AtomicBool) -> Record {
        let mut queue = Queue::new();
        self.begin(&mut queue);
        let steps = self.observer.timed.as_mut().map(Timed::begin).unwrap_or_default();
        steps.into_iter().for_each(|(at, step)| queue.at(at, Event::Step(step)));
        run(&mut self, &mut queue, end, cancelled);
        Record { events: queue.handled(), ..self.finish() }
    }

    /// What was observed when the clock has reached the end.
    pub fn finish(self) -> Record {
        // those who think before the first station have not entered
        let inside = self.customers.iter().filter(|customer| customer.visited > 0);
        let inside = inside.map(|customer| (customer.flow, customer.entered));
        let foreseen = self.foreseen.into_iter().map(Recursion::finish);
        let stations = foreseen.chain(self.stations.into_iter().map(Station::finish));
        self.observer.finish(stations.collect(), inside)
    }
}

impl<'a, O: Observer, const FORESEEN: bool> Customers<'a, O, FORESEEN> {
    /// A network without a station.
    pub fn without_stations(settings: &'a Settings, streams: &Streams, observer: O) -> Self {
        Customers {
            settings,
            foreseen: Vec::new(),
            stations: Vec::new(),
            sources: settings.flows.iter().map(|flow| Running::new(flow, streams)).collect(),
            customers: Slab::new(),
            observer,
        }
    }

    /// Schedules the first arrivals.
    pub fn begin(&mut self, queue: &mut Queue<Event>) {
        for (flow, settings) in (0..).zip(&self.settings.flows) {
            match &settings.source {
                Source::Open { begin, .. } => self.sources[flow as usize].begin(*begin, flow, queue),
                Source::Closed { population, .. } => {
                    (0..*population).for_each(|_| self.think(Time::ZERO, flow, queue));
                }
            }
        }
    }

    /// A customer of a closed flow comes to the first station of its path when it has thought from `begin` on.
    #[inline]
    fn think(&mut self, begin: Time, flow: u32, queue: &mut Queue<Event>) {
        if let Source::Closed { think, .. } = &self.settings.flows[flow as usize].source {
            let entered = begin + think.draw(&mut self.sources[flow as usize].stream);
            let customer = self.customers.insert(Customer::new(flow, entered));
            queue.at(entered, Event::Visit { customer });
        }
    }

    /// A customer comes to the next station of its path.
    #[inline]
    fn visit(&mut self, now: Time, mut customer: Customer, queue: &mut Queue<Event>) {
        if customer.visited == 0 {
            customer.entered = now;
            self.observer.offer(now, customer.flow);
        }
        let number = self.settings.flows[customer.flow as usize].path[customer.visited as usize];
        customer.visited += 1;
        if FORESEEN {
            if let Some(visit) = self.foreseen[number].visit(now) {
                customer.served += visit.departure.since(visit.begin);
                return self.depart(visit.departure, customer, queue);
            }
        } else if self.stations[number].has_room() {
            let key = self.customers.insert(customer);
            return self.stations[number].arrive(now, key, &mut self.customers, queue);
        }
        self.observer.lose(now, customer.flow, customer.entered);
    }

    /// A service ends, unless it was interrupted.
    #[inline]
    fn end_service(&mut self, now: Time, key: u32, queue: &mut Queue<Event>) {
        let station = self.customers[key].station(self.settings);
        if !self.stations[station].depart(now, key, &mut self.customers, queue) {
            return;
        }
        let customer = self.customers.remove(key);
        if O::SEES_TRANSFERS || !self.has_next(&customer) {
            return self.depart(now, customer, queue);
        }
        self.visit(now, customer, queue);
    }

    /// Whether the path of a customer goes on.
    #[inline]
    fn has_next(&self, customer: &Customer) -> bool {
        (customer.visited as usize) < self.settings.flows[customer.flow as usize].path.len()
    }

    /// A customer leaves a station for the next one, or the network, at `departure`, which may lie ahead.
    #[inline]
    fn depart(&mut self, departure: Time, customer: Customer, queue: &mut Queue<Event>) {
        if self.has_next(&customer) {
            return queue.at(departure, Event::Visit { customer: self.customers.insert(customer) });
        }
        let Customer { flow, entered, served, .. } = customer;
        self.observer.complete(departure, flow, entered, served);
        self.think(departure, flow, queue);
    }

    /// An event of the scenario begins or ends.
    #[inline(never)]
    fn step(&mut self, now: Time, step: Step, queue: &mut Queue<Event>) {
        let (next, effects) = self.observer.take(now, step);
        if let Some((at, step)) = next {
            queue.at(at, Event::Step(step));
        }
        effects.into_iter().for_each(|effect| self.obey(now, effect, queue));
    }

    fn obey(&mut self, now: Time, effect: Effect, queue: &mut Queue<Event>) {
        match effect {
            Effect::Working(station, false) => self.stations[station].stop(now),
            Effect::Working(station, true) => self.stations[station].resume(now, &mut self.customers, queue),
            Effect::Sending(flow, sends) => self.sources[flow].send(sends, now, flow as u32, queue),
            Effect::Burst(flow, size) => {
                (0..size).for_each(|_| self.visit(now, Customer::new(flow as u32, now), queue));
            }
            Effect::Mean(station, [mean, _]) => {
                let service = &mut self.stations[station].service;
                *service = service.with_mean(mean);
            }
        }
    }
}

impl<O: Observer, const FORESEEN: bool> World for Customers<'_, O, FORESEEN> {
    type Event = Event;

    #[inline]
    fn handle(&mut self, now: Time, event: Event, queue: &mut Queue<Event>) {
        match event {
            Event::Arrival { flow } => {
                if self.sources[flow as usize].arrive(now, flow, queue) {
                    self.visit(now, Customer::new(flow, now), queue);
                }
            }
            Event::Visit { customer } => {
                let customer = self.customers.remove(customer);
                self.visit(now, customer, queue);
            }
            Event::Departure { .. } | Event::Step(_) if FORESEEN => unreachable!("departures cost no events"),
            Event::Departure { customer } => self.end_service(now, customer, queue),
            Event::Step(step) => self.step(now, step, queue),
        }
    }

    /// Who leaves makes room for who comes at the same instant.
    #[inline]
    fn class(event: &Event) -> u8 {
        match event {
            Event::Departure { .. } => 0,
            Event::Step(_) => 1,
            Event::Arrival { .. } | Event::Visit { .. } => 2,
        }
    }
}
