//! Metrics of a replication: response times with their budgets, rounds, ages of values, counters.

use std::hint::cold_path;

use sojourn_core::{Duration, Streams, Time};
use sojourn_metrics::RequestLog;
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_model::effect::{Effect, Timeline};
use sojourn_model::flow_tally::FlowTally;
use sojourn_model::timed::Timed;

use super::latency_budget::COMPONENTS;
use super::poll::InFlight;
use super::site::{Site, SourceSettings};

/// What was seen of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowMetrics {
    /// Requests.
    pub requests: FlowTally,
    /// Whether its response times are sampled.
    pub probe: bool,
    /// From when a request was due until the client had the response.
    pub response: Distribution,
    /// From the begin of a round until its last request has ended.
    pub rounds: Distribution,
    /// Ages of values when the next ones came.
    pub ages: Distribution,
    /// Requests due after the warm-up that had no response, or an exception.
    pub failures: u64,
    /// Those that ended well.
    pub completed: u64,
    /// Tries after the first.
    pub retries: u64,
    /// Response timeouts.
    pub timeouts: u64,
    /// Failed requests in a row, of all since the start.
    pub streak: u64,
    /// Instant in picoseconds and response time in seconds, if traces are recorded.
    pub trace: Vec<(u64, f64)>,
}

/// Metrics of a replication.
#[derive(Clone, Debug)]
pub struct Metrics<'a> {
    /// By flow.
    pub flows: Vec<FlowMetrics>,
    /// Mean delay budget of the probes.
    pub budget: Budget,
    /// End of the warm-up.
    pub from: Time,
    /// Whether traces are recorded.
    pub traces: bool,
    /// The probes one by one, if traces are recorded.
    pub log: RequestLog,
    /// The scenario's events, and what they do to response times; none without events.
    pub timed: Option<Box<Timed<'a, Effect>>>,
}

impl<'a> Metrics<'a> {
    /// Nothing seen yet; the warm-up ends at `from`.
    pub fn new(site: &Site, from: Time, traces: bool) -> Self {
        let flow = |probe| FlowMetrics { probe, ..FlowMetrics::default() };
        Metrics {
            flows: site.flows.iter().map(|settings| flow(settings.probe)).collect(),
            budget: Budget::new(&COMPONENTS),
            from,
            traces,
            log: RequestLog::new(traces),
            timed: None,
        }
    }

    /// Observes what a site's events do, up to `end`.
    pub fn observe_events(&mut self, site: &'a Site, streams: &Streams, end: Time) {
        let timed = |timeline: &'a Timeline| Box::new(Timed::new(&timeline.plan, streams, self.from, end));
        self.timed = site.timeline.as_ref().map(timed);
    }

    /// Ends the warm-up.
    pub fn end_warm_up(&mut self) {
        self.flows.iter_mut().for_each(|flow| flow.requests.end_warm_up());
    }

    /// A request of a flow was due at `due`; whether it is observed.
    #[inline]
    pub fn offered(&mut self, flow: usize, due: Time) -> bool {
        self.flows[flow].requests.offer();
        due >= self.from
    }

    /// A response timeout of a flow expired.
    pub fn timed_out(&mut self, flow: usize, counted: bool) {
        self.flows[flow].timeouts += u64::from(counted);
    }

    /// A client has a new value, in place of one that the server read at `before`; never where it had none.
    #[inline]
    pub fn value(&mut self, now: Time, flow: usize, before: Time) {
        if now >= self.from && before != Time::NEVER {
            self.flows[flow].ages.record(now - before);
        }
    }

    /// A round that began at `begun` has ended.
    #[inline]
    pub fn round_ended(&mut self, now: Time, flow: usize, begun: Time) {
        if begun >= self.from {
            self.flows[flow].rounds.record(now - begun);
        }
    }

    /// A request has ended.
    #[inline]
    pub fn ended(&mut self, now: Time, source: &SourceSettings, state: &InFlight, retries: u8, answered: bool) {
        let flow = &mut self.flows[source.flow];
        if !answered {
            cold_path();
            return self.failed(source, state, retries);
        }
        flow.requests.deliver(0);
        flow.streak = 0;
        if !state.counted {
            return;
        }
        flow.completed += 1;
        flow.retries += u64::from(retries);
        if !flow.probe {
            return;
        }
        let span = now - state.due;
        let spent = state.budget.components();
        assert_eq!(spent.iter().copied().sum::<Duration>(), span, "the delay budget adds up to the response time");
        flow.response.record(span);
        self.budget.record(spent);
        if self.traces {
            flow.trace.push((now.picoseconds(), span.seconds()));
            self.log.responded(source.flow as u32, source.station as u32, state.due, span);
        }
        if let Some(timed) = &mut self.timed {
            timed.ended(state.due, Some(span));
        }
    }

    fn failed(&mut self, source: &SourceSettings, state: &InFlight, retries: u8) {
        let flow = &mut self.flows[source.flow];
        flow.requests.lose(1);
        flow.streak += 1;
        if !state.counted {
            return;
        }
        flow.failures += 1;
        flow.retries += u64::from(retries);
        if flow.probe {
            self.log.failed(source.flow as u32, source.station as u32, state.due);
            if let Some(timed) = &mut self.timed {
                timed.ended(state.due, None);
            }
        }
    }

    /// Panics unless offered = delivered + lost + `in_flight` requests.
    pub fn check_conservation(&self, in_flight: u64) {
        let mut all = FlowTally::default();
        for FlowTally { offered, delivered, lost, .. } in self.flows.iter().map(|flow| flow.requests) {
            all.offered.add(offered.total());
            all.delivered.add(delivered.total());
            all.lost.add(lost.total());
        }
        all.check_conservation(in_flight);
    }

    /// Drops the samples so far.
    pub fn forget_samples(&mut self) {
        for flow in &mut self.flows {
            for samples in [&mut flow.response, &mut flow.rounds, &mut flow.ages] {
                *samples = Distribution::new();
            }
        }
    }
}
