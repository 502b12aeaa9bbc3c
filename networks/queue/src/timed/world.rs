//! Customers, their sources and stations as they run when events happen.

use sojourn_core::{Duration, Stream, Streams, Time};
use sojourn_engine::arrivals::Process;
use sojourn_engine::law::Law;
use sojourn_engine::{Generation, Queue, World, run};
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::timeline::LevelWindows;

use super::plan::Effect;
use super::station::{Departure, Served, Station};
use crate::metrics::Metrics;
use crate::scenario::{FlowSettings, Settings, Source};
use crate::station::Window;
use sojourn_model::Replication;
use sojourn_model::slab::Slab;
use sojourn_model::timed::{Plan, Step, Timed};

/// Runs one replication.
pub fn replicate(settings: &Settings, plan: &Plan<Effect>, replication: Replication<'_>) -> Record {
    let mut customers = Customers::new(settings, plan, &replication);
    let mut queue = Queue::new();
    customers.begin(&mut queue);
    let end = Time::ZERO + replication.warm_up + replication.duration;
    run(&mut customers, &mut queue, end, replication.cancelled);
    customers.finish()
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// A customer of a flow arrives from outside, unless the flow has stopped since.
    Arrival { flow: u32, generation: u32 },
    /// A customer of a closed flow has thought.
    Thought { customer: u32 },
    /// A service ends, unless it was interrupted.
    Departure { station: u32, departure: Departure },
    /// An event of the scenario begins or ends.
    Step(Step),
}

struct Customers<'a> {
    settings: &'a Settings,
    stations: Vec<Station>,
    sources: Vec<Running>,
    customers: Slab<Customer>,
    metrics: Metrics<'a>,
    timed: Timed<'a, Effect>,
}

/// A customer.
#[derive(Clone, Copy, Debug)]
struct Customer {
    flow: u32,
    /// Stations of the path it has come to.
    visited: u32,
    entered: Time,
    /// When it came to the station where it is.
    arrived: Time,
    waited: Duration,
}

/// A flow's source with its random numbers.
struct Running {
    kind: Kind,
    stream: Stream,
    sends: bool,
    arrival: Generation,
}

enum Kind {
    Open { process: Process, begin: Time },
    Closed { population: u32, think: Law },
}

impl<'a> Customers<'a> {
    fn new(settings: &'a Settings, plan: &'a Plan<Effect>, replication: &Replication<'_>) -> Self {
        let streams = Streams::new(replication.seed, replication.index);
        let from = Time::ZERO + replication.warm_up;
        let window = Window { from, to: from + replication.duration };
        let timed = Timed::new(plan, &streams, from, window.to);
        let station = |station: &crate::scenario::StationSettings| {
            let stream = streams.stream(&format!("station/{}/service", station.name));
            let levels = [0, 1].map(|_| LevelWindows::new(timed.edges()));
            Station::new(station, stream, window, replication.traces, levels)
        };
        Customers {
            settings,
            stations: settings.stations.iter().map(station).collect(),
            sources: settings.flows.iter().map(|flow| Running::new(flow, &streams)).collect(),
            customers: Slab::new(),
            metrics: Metrics::new(settings, window, replication.traces),
            timed,
        }
    }

    fn begin(&mut self, queue: &mut Queue<Event>) {
        for flow in 0..self.sources.len() as u32 {
            let source = &mut self.sources[flow as usize];
            match &source.kind {
                Kind::Open { begin, .. } if source.sends => source.start(*begin, flow, queue),
                Kind::Open { .. } => {}
                Kind::Closed { population, think } => {
                    for _ in 0..*population {
                        let entered = Time::ZERO + think.draw(&mut source.stream);
                        let customer = self.customers.insert(Customer::new(flow, entered));
                        queue.at(entered, Event::Thought { customer });
                    }
                }
            }
        }
        self.timed.begin().into_iter().for_each(|(at, step)| queue.at(at, Event::Step(step)));
    }

    fn is_probe(&self, flow: u32) -> bool {
        self.settings.flows[flow as usize].probe
    }

    /// A customer comes to the first station of its path.
    fn enter(&mut self, now: Time, customer: Customer, queue: &mut Queue<Event>) {
        self.metrics.offer(1);
        if self.is_probe(customer.flow) {
            self.timed.sent(now);
        }
        self.visit(now, customer, queue);
    }

    /// A customer comes to the next station of its path.
    fn visit(&mut self, now: Time, mut customer: Customer, queue: &mut Queue<Event>) {
        let number = self.settings.flows[customer.flow as usize].path[customer.visited as usize];
        let station = &mut self.stations[number];
        if !station.has_room() {
            if self.is_probe(customer.flow) {
                self.timed.ended(customer.entered, None);
            }
            return self.metrics.lose(now, customer.flow, customer.entered);
        }
        customer.visited += 1;
        customer.arrived = now;
        let due = station.arrive(now, self.customers.insert(customer));
        schedule(queue, number, due);
    }

    fn departs(&mut self, now: Time, number: usize, departure: Departure, queue: &mut Queue<Event>) {
        let Some((Served { customer, service }, next)) = self.stations[number].depart(now, departure) else { return };
        schedule(queue, number, next);
        let mut customer = self.customers.remove(customer);
        customer.waited += now.since(customer.arrived).saturating_sub(service);
        let Customer { flow, entered, waited, .. } = customer;
        if (customer.visited as usize) < self.settings.flows[flow as usize].path.len() {
            return self.visit(now, customer, queue);
        }
        self.metrics.complete(now, flow, entered, waited);
        if self.is_probe(flow) {
            self.timed.ended(entered, Some(now.since(entered)));
        }
        let source = &mut self.sources[flow as usize];
        if let Kind::Closed { think, .. } = &source.kind {
            let entered = now + think.draw(&mut source.stream);
            let customer = self.customers.insert(Customer::new(flow, entered));
            queue.at(entered, Event::Thought { customer });
        }
    }

    fn step(&mut self, now: Time, step: Step, queue: &mut Queue<Event>) {
        let (next, effects) = self.timed.take(now, step);
        if let Some((at, step)) = next {
            queue.at(at, Event::Step(step));
        }
        for effect in effects {
            self.obey(now, effect, queue);
        }
    }

    fn obey(&mut self, now: Time, effect: Effect, queue: &mut Queue<Event>) {
        match effect {
            Effect::Working(station, false) => self.stations[station].stop(now),
            Effect::Working(station, true) => {
                for departure in self.stations[station].go_on(now) {
                    schedule(queue, station, Some(departure));
                }
            }
            Effect::Sending(flow, sends) => {
                let source = &mut self.sources[flow];
                if std::mem::replace(&mut source.sends, sends) == sends {
                    return;
                }
                source.arrival.cancel();
                if sends {
                    source.start(now, flow as u32, queue);
                }
            }
            Effect::Burst(flow, size) => {
                (0..size).for_each(|_| self.enter(now, Customer::new(flow as u32, now), queue));
            }
            Effect::Mean(station, [mean, _]) => self.stations[station].set_mean(mean),
        }
    }

    fn finish(self) -> Record {
        let in_transit: Vec<_> = self.customers.iter().filter(|customer| customer.visited > 0).copied().collect();
        let in_transit = in_transit.iter().map(|customer| (customer.flow, customer.entered));
        let (seen, timelines): (Vec<_>, Vec<_>) = self.stations.into_iter().map(Station::finish).unzip();
        let bottleneck = seen
            .iter()
            .enumerate()
            .fold(0, |most, (at, station)| if station.utilisation > seen[most].utilisation { at } else { most });
        let mut record = self.metrics.finish(seen.into_iter(), in_transit);
        for (at, (settings, [queue, utilisation])) in self.settings.stations.iter().zip(timelines).enumerate() {
            for (metric, timeline) in [("queue_length", queue), ("utilisation", utilisation)] {
                if at == bottleneck {
                    record.observe(format!("{metric}/timeline"), Observation::Timeline(timeline.clone()));
                }
                record.observe(format!("{metric}/{}/timeline", settings.name), Observation::Timeline(timeline));
            }
        }
        self.timed.finish(&mut record);
        record
    }
}

fn schedule(queue: &mut Queue<Event>, station: usize, departure: Option<(Time, Departure)>) {
    if let Some((at, departure)) = departure {
        queue.at(at, Event::Departure { station: station as u32, departure });
    }
}

impl Customer {
    fn new(flow: u32, entered: Time) -> Customer {
        Customer { flow, visited: 0, entered, arrived: entered, waited: Duration::ZERO }
    }
}

impl Running {
    fn new(flow: &FlowSettings, streams: &Streams) -> Running {
        let (kind, stream) = match &flow.source {
            Source::Open { process, begin } => (Kind::Open { process: process.clone(), begin: *begin }, "arrivals"),
            Source::Closed { population, think } => {
                (Kind::Closed { population: *population, think: think.clone() }, "think")
            }
        };
        let stream = streams.stream(&format!("flow/{}/{stream}", flow.name));
        Running { kind, stream, sends: !flow.silent, arrival: Generation::default() }
    }

    /// Arrivals begin at `begin`, as if for the first time.
    fn start(&mut self, begin: Time, flow: u32, queue: &mut Queue<Event>) {
        let Kind::Open { process, .. } = &mut self.kind else { return };
        *process = process.begun_anew();
        if let Some(first) = process.next(begin, &mut self.stream) {
            queue.at(first, Event::Arrival { flow, generation: self.arrival.renew() });
        }
    }
}

impl World for Customers<'_> {
    type Event = Event;

    fn handle(&mut self, now: Time, event: Event, queue: &mut Queue<Event>) {
        match event {
            Event::Arrival { flow, generation } => {
                let source = &mut self.sources[flow as usize];
                if !source.arrival.is_current(generation) {
                    return;
                }
                if let Kind::Open { process, .. } = &mut source.kind
                    && let Some(next) = process.next(now, &mut source.stream)
                {
                    queue.at(next, event);
                }
                self.enter(now, Customer::new(flow, now), queue);
            }
            Event::Thought { customer } => {
                let customer = self.customers.remove(customer);
                self.enter(now, customer, queue);
            }
            Event::Departure { station, departure } => self.departs(now, station as usize, departure, queue),
            Event::Step(step) => self.step(now, step, queue),
        }
    }

    /// Who leaves makes room for who comes at the same instant.
    fn class(event: &Event) -> u8 {
        match event {
            Event::Departure { .. } => 0,
            Event::Step(_) => 1,
            Event::Arrival { .. } | Event::Thought { .. } => 2,
        }
    }
}
