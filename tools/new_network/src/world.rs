//! What happens in a replication, and what is observed.

use std::collections::VecDeque;

use sojourn_core::{Duration, Stream, Streams, Time};
use sojourn_engine::Queue;
use sojourn_engine::arrivals::Process;
use sojourn_metrics::{Distribution, Observation, Record};
use sojourn_model::Replication;

use crate::network::Settings;

/// What happens at an instant; small, because the queue holds one for each that is pending.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A customer arrives.
    Arrival,
    /// The customer that is served leaves.
    Departure,
}

/// A replication as it runs.
pub struct World<'a> {
    settings: &'a Settings,
    process: Process,
    /// A stream for each cause of randomness: a change of one leaves the draws of the others.
    gaps: Stream,
    services: Stream,
    /// When those present have arrived; the first is served.
    present: VecDeque<Time>,
    observed: Observed,
    traces: Option<Vec<(u64, f64)>>,
}

/// What is counted from the end of the warm-up on.
#[derive(Default)]
struct Observed {
    from: Time,
    response_time: Distribution,
    busy: Duration,
    busy_since: Option<Time>,
}

impl<'a> World<'a> {
    /// No customer is present; the first arrival is scheduled.
    pub fn new(settings: &'a Settings, replication: &Replication<'_>, events: &mut Queue<Event>) -> Self {
        let streams = Streams::new(replication.seed, replication.index);
        let mut world = World {
            settings,
            process: settings.process.clone(),
            gaps: streams.stream("arrivals"),
            services: streams.stream("service"),
            present: VecDeque::new(),
            observed: Observed::default(),
            traces: replication.traces.then(Vec::new),
        };
        if let Some(first) = world.process.next(settings.begin, &mut world.gaps) {
            events.at(first, Event::Arrival);
        }
        world
    }

    fn serve(&mut self, now: Time, events: &mut Queue<Event>) {
        self.observed.busy_since = Some(now);
        events.at(now + self.settings.service.draw(&mut self.services), Event::Departure);
    }

    fn depart(&mut self, now: Time, events: &mut Queue<Event>) {
        let arrived = self.present.pop_front().expect("who departs was served");
        self.observed.response_time.record(now - arrived);
        if let Some(trace) = &mut self.traces {
            trace.push((now.picoseconds(), (now - arrived).seconds()));
        }
        if let Some(since) = self.observed.busy_since.take() {
            self.observed.busy += now - since;
        }
        if !self.present.is_empty() {
            self.serve(now, events);
        }
    }

    /// What was observed up to `to`.
    pub fn finish(mut self, to: Time) -> Record {
        let Observed { from, mut response_time, mut busy, busy_since } = self.observed;
        busy += busy_since.map_or(Duration::ZERO, |since| to - since);
        let seconds = (to - from).seconds();
        let share = |part: f64| if seconds > 0.0 { part / seconds } else { 0.0 };
        // those present have no response time yet: it is at least what they have waited
        response_time.censor_open(self.present.iter().map(|arrived| to.since(*arrived)));
        let mut record = Record::default();
        record.scalar("transaction_rate", share(response_time.count() as f64));
        record.scalar("utilisation", share(busy.seconds()));
        record.scalar(format!("utilisation/{}", self.settings.server), share(busy.seconds()));
        record.share("loss", 0, response_time.count());
        record.observe("response_time", Observation::Distribution(response_time));
        if let Some(trace) = self.traces.take() {
            record.trace("response_time".to_owned(), trace);
        }
        record
    }
}

impl sojourn_engine::World for World<'_> {
    type Event = Event;

    fn handle(&mut self, now: Time, event: Event, events: &mut Queue<Event>) {
        match event {
            Event::Arrival => {
                if let Some(next) = self.process.next(now, &mut self.gaps) {
                    events.at(next, event);
                }
                self.present.push_back(now);
                if self.present.len() == 1 {
                    self.serve(now, events);
                }
            }
            Event::Departure => self.depart(now, events),
        }
    }

    fn end_warm_up(&mut self, now: Time, _events: &mut Queue<Event>) {
        let busy_since = self.observed.busy_since.map(|_| now);
        self.observed = Observed { from: now, busy_since, ..Observed::default() };
    }
}
