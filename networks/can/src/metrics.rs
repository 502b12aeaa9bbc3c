//! What a replication observes of its messages.

use sojourn_core::{Duration, Streams, Time};
use sojourn_metrics::RequestLog;
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_model::effect::{Effect, Timeline};
use sojourn_model::flow_tally::{Count, FlowTally};
use sojourn_model::timed::Timed;

use crate::in_flight::Message;
use crate::latency_budget::{COMPONENTS, LatencyBudget};
use crate::site::{Service, Site};
use crate::sources::Source;

/// Observations of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowMetrics {
    /// Messages.
    pub messages: FlowTally,
    /// Response times of a probe.
    pub response: Distribution,
    /// Receivers that handled a message, offered after the warm-up.
    pub reached: u64,
    /// Receivers that never will.
    pub unreached: u64,
    /// Messages that no receiver handled.
    pub failures: u64,
    /// Receivers that handled a message after its deadline.
    pub late: u64,
    /// Messages begun again.
    pub retries: Count,
    /// Of a poll, times of rounds that began after the warm-up.
    pub rounds: Distribution,
    /// Instants in picoseconds and response times in seconds, if traces are recorded.
    pub trace: Vec<(u64, f64)>,
}

/// Observations of a replication.
#[derive(Clone, Debug)]
pub struct Metrics<'a> {
    /// By flow.
    pub flows: Vec<FlowMetrics>,
    /// Delay budget of all probes.
    pub budget: Budget,
    /// End of the warm-up.
    pub from: Time,
    observing: bool,
    /// Whether traces are recorded.
    pub traces: bool,
    /// Messages of the probes one by one, if traces are recorded.
    pub requests: RequestLog,
    /// Frames for which a queue or a FIFO had no room.
    pub overflows: Count,
    /// The scenario's events, and what they do to response times.
    pub timed: Option<Box<Timed<'a, Effect>>>,
}

impl<'a> Metrics<'a> {
    /// Nothing is observed before `from`.
    pub fn new(site: &Site, from: Time, traces: bool) -> Self {
        Metrics {
            flows: vec![FlowMetrics::default(); site.flows.len()],
            budget: Budget::new(&COMPONENTS[..components(site)]),
            from,
            observing: false,
            traces,
            requests: RequestLog::new(traces),
            overflows: Count::default(),
            timed: None,
        }
    }

    /// Observes what a site's events do, up to `end`.
    pub fn observe_events(&mut self, site: &'a Site, streams: &Streams, end: Time) {
        let timed = |timeline: &'a Timeline| Box::new(Timed::new(&timeline.plan, streams, self.from, end));
        self.timed = site.timeline.as_ref().map(timed);
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self) {
        self.observing = true;
        for flow in &mut self.flows {
            flow.messages.end_warm_up();
            flow.retries.end_warm_up();
        }
        self.overflows.end_warm_up();
    }

    /// Drops the samples so far.
    pub fn forget_samples(&mut self) {
        self.flows.iter_mut().for_each(|flow| flow.response = Distribution::new());
    }

    /// A message is offered; whether it is observed.
    #[inline]
    pub fn offered(&mut self, now: Time, flow: u32, probe: bool, receivers: usize) -> bool {
        self.flows[flow as usize].messages.offer();
        if probe && let Some(timed) = &mut self.timed {
            (0..receivers).for_each(|_| timed.sent(now));
        }
        self.observing
    }

    /// A frame found no room.
    pub fn overflowed(&mut self, frames: u64) {
        self.overflows.add(frames);
    }

    /// A message is begun again.
    pub fn retried(&mut self, flow: u32) {
        self.flows[flow as usize].retries.add(1);
    }

    /// A receiver has handled a message; `budget` is the delay budget of a probe.
    #[inline]
    pub fn handled(
        &mut self,
        now: Time,
        site: &Site,
        source: &Source,
        message: &Message,
        budget: Option<&LatencyBudget>,
    ) {
        let settings = &site.flows[source.flow as usize];
        let flow = &mut self.flows[source.flow as usize];
        flow.messages.bytes.add(message.size.into());
        if !message.counted {
            return;
        }
        let span = now.since(message.started);
        flow.reached += 1;
        flow.late += u64::from(settings.deadline.is_some_and(|deadline| span > deadline));
        if let Some(budget) = budget {
            self.record_probe(now, source, message.started, span, budget);
        }
    }

    #[inline(never)]
    fn record_probe(&mut self, now: Time, source: &Source, started: Time, span: Duration, budget: &LatencyBudget) {
        let flow = &mut self.flows[source.flow as usize];
        flow.response.record(span);
        let spent = budget.components();
        assert_eq!(spent.iter().copied().sum::<Duration>(), span, "the delay budget adds up to the response time");
        self.budget.record(&spent[..self.budget.components().len()]);
        if self.traces {
            flow.trace.push((now.picoseconds(), span.seconds()));
            self.requests.responded(source.flow, source.station, started, span);
        }
        if let Some(timed) = &mut self.timed {
            timed.ended(started, Some(span));
        }
    }

    /// Receivers will not have a message.
    #[cold]
    pub fn unreached(&mut self, site: &Site, source: &Source, message: &Message, receivers: u32) {
        if !message.counted {
            return;
        }
        self.flows[source.flow as usize].unreached += u64::from(receivers);
        if site.flows[source.flow as usize].probe {
            for _ in 0..receivers {
                self.requests.failed(source.flow, source.station, message.started);
                if let Some(timed) = &mut self.timed {
                    timed.ended(message.started, None);
                }
            }
        }
    }

    /// All receivers of a message are settled.
    #[inline]
    pub fn settled(&mut self, flow: u32, message: &Message) {
        let flow = &mut self.flows[flow as usize];
        if message.handled > 0 {
            flow.messages.delivered.add(1);
        } else {
            flow.messages.lose(1);
            flow.failures += u64::from(message.counted);
        }
    }

    /// A round of a poll is complete that began at `begun`.
    #[cold]
    pub fn round_ended(&mut self, now: Time, flow: u32, begun: Time) {
        if begun >= self.from {
            self.flows[flow as usize].rounds.record(now - begun);
        }
    }

    /// Panics unless offered = delivered + lost + `in_flight` messages.
    pub fn check_conservation(&self, in_flight: u64) {
        let sum = |count: fn(&FlowTally) -> Count| -> u64 {
            self.flows.iter().map(|flow| count(&flow.messages).total()).sum()
        };
        let accounted = sum(|flow| flow.delivered) + sum(|flow| flow.lost) + in_flight;
        assert_eq!(sum(|flow| flow.offered), accounted, "offered = delivered + lost + in flight");
    }
}

/// How many components messages of a site have: the last are of sessions, of gateways and of IP networks.
fn components(site: &Site) -> usize {
    let has_gateways = site.hops.iter().any(|hop| !hop.next.is_empty());
    let has_sessions = site.flows.iter().any(|flow| flow.service != Service::Broadcast);
    let without = match (site.buses() < site.media.len(), has_gateways, has_sessions) {
        (true, ..) => 0,
        (false, true, _) => 1,
        (false, false, true) => 2,
        (false, false, false) => 3,
    };
    COMPONENTS.len() - without
}
