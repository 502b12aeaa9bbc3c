//! Metrics of a replication: response times with their budgets, rates, counters.

use std::hint::cold_path;

use sojourn_core::{Duration, Streams, Time};
use sojourn_metrics::RequestLog;
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;

use super::latency_budget::{COMPONENTS, LatencyBudget};
use super::message::Message;
use super::site::{FlowSettings, ServiceKind, Site, Target};
use super::sources::Source;
use sojourn_model::effect::{Effect, Timeline};
use sojourn_model::flow_tally::{Count, FlowTally};
use sojourn_model::timed::Timed;

/// Counters of a flow; those that every message updates come first, in one cache line.
#[derive(Clone, Debug)]
#[repr(C, align(64))]
pub struct FlowMetrics {
    /// Messages, and the user data of every copy delivered.
    pub messages: FlowTally,
    /// Whether the flow is a probe.
    pub probe: bool,
    /// Packets that answer a message without loss, for each of its receivers: acknowledgement or response, challenge and
    /// reply.
    answers: u64,
    /// Packets of delivered messages, each counted once however often it was sent.
    pub distinct_packets: Count,
    /// Messages not sent because the last one was open.
    pub missed: Count,
    /// Duplicate deliveries.
    pub duplicates: Count,
    /// Messages offered after the warm-up that no receiver handled.
    pub failures: u64,
    /// Receivers of messages that never handled them.
    pub unreached: u64,
    /// Transactions that failed.
    pub transaction_failures: u64,
    /// Retries of messages offered after the warm-up.
    pub retries: u64,
    /// Transactions completed, of messages offered after the warm-up.
    pub completed: u64,
    /// Response times.
    pub response: Distribution,
    /// Of a poll, times of rounds over all receivers that began after the warm-up.
    pub rounds: Distribution,
    /// Transaction times.
    pub transaction: Distribution,
    /// Instant in picoseconds and response time in seconds, if traces are recorded.
    pub trace: Vec<(u64, f64)>,
}

impl FlowMetrics {
    fn new(flow: &FlowSettings) -> FlowMetrics {
        FlowMetrics {
            messages: FlowTally::default(),
            probe: flow.probe,
            answers: answers(flow),
            distinct_packets: Count::default(),
            missed: Count::default(),
            duplicates: Count::default(),
            failures: 0,
            unreached: 0,
            transaction_failures: 0,
            retries: 0,
            completed: 0,
            response: Distribution::new(),
            rounds: Distribution::new(),
            transaction: Distribution::new(),
            trace: Vec::new(),
        }
    }

    fn end_warm_up(&mut self) {
        self.messages.end_warm_up();
        for count in [&mut self.distinct_packets, &mut self.missed, &mut self.duplicates] {
            count.end_warm_up();
        }
    }
}

/// Metrics of a replication.
#[derive(Clone, Debug)]
pub struct Metrics<'a> {
    /// Counters by flow.
    pub flows: Vec<FlowMetrics>,
    /// Mean delay budget of all probes.
    pub budget: Budget,
    /// End of the warm-up.
    pub from: Time,
    observing: bool,
    /// Whether traces are recorded.
    pub traces: bool,
    /// The probes' messages one by one, if traces are recorded.
    pub requests: RequestLog,
    /// Packets dropped for lack of a buffer.
    pub buffer_overflows: Count,
    /// The scenario's events, and what they do to response times; none without events.
    pub timed: Option<Box<Timed<'a, Effect>>>,
}

impl<'a> Metrics<'a> {
    /// No observations yet; the warm-up ends at `warm_up`.
    pub fn new(site: &Site, warm_up: Time, traces: bool) -> Self {
        Metrics {
            flows: site.flows.iter().map(FlowMetrics::new).collect(),
            budget: Budget::new(components(site)),
            from: warm_up,
            observing: false,
            traces,
            requests: RequestLog::new(traces),
            buffer_overflows: Count::default(),
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
        self.observing = true;
        self.flows.iter_mut().for_each(FlowMetrics::end_warm_up);
        self.buffer_overflows.end_warm_up();
    }

    /// A message of a flow is offered; returns whether it is observed.
    pub fn offered(&mut self, flow: u16) -> bool {
        self.flows[usize::from(flow)].messages.offer();
        self.observing
    }

    /// A source did not send a message because its last is open.
    pub fn missed(&mut self, flow: u16) {
        self.flows[usize::from(flow)].missed.add(1);
    }

    /// A packet was dropped for lack of a buffer.
    pub fn missed_packet(&mut self) {
        self.buffer_overflows.add(1);
    }

    /// An observed message is complete at its sender; recorded for probes only.
    pub fn ended(&mut self, flow: u16, span: Duration, success: bool, retries: u8) {
        let tally = &mut self.flows[usize::from(flow)];
        if !tally.probe {
            return;
        }
        tally.retries += u64::from(retries);
        if success {
            tally.completed += 1;
            tally.transaction.record(span);
        } else {
            tally.transaction_failures += 1;
        }
    }

    /// A poll has asked all its receivers once, the first at `begun`, and each has answered or failed.
    pub fn round_ended(&mut self, now: Time, flow: u16, begun: Time) {
        let span = now - begun;
        if begun >= self.from {
            self.flows[usize::from(flow)].rounds.record(span);
        }
    }

    /// A message has been removed; `unreached` of its receivers have not handled it.
    pub fn settled(&mut self, source: &Source, message: &Message, delivered: bool, unreached: u16) {
        let Message { counted, started, .. } = *message;
        let tally = &mut self.flows[usize::from(source.flow)];
        if unreached > 0 && counted {
            cold_path();
            tally.unreached += u64::from(unreached);
            if tally.probe {
                (0..unreached).for_each(|_| self.requests.failed(source.flow.into(), source.station, started));
                if let Some(timed) = &mut self.timed {
                    (0..unreached).for_each(|_| timed.ended(started, None));
                }
            }
        }
        if delivered {
            tally.messages.delivered.add(1);
            tally.distinct_packets.add(1 + u64::from(message.handled) * tally.answers);
        } else {
            tally.messages.lose(1);
            tally.failures += u64::from(counted);
        }
    }

    /// An application has handled a message of a flow; `budget` is the delay budget of a probe.
    pub fn handled(&mut self, now: Time, source: &Source, message: &mut Message, budget: Option<&LatencyBudget>) {
        if message.failed {
            return;
        }
        let tally = &mut self.flows[usize::from(source.flow)];
        // a late copy that arrives after the receive timer has expired is delivered again
        if message.handled == message.receivers {
            cold_path();
            tally.duplicates.add(1);
            return;
        }
        message.handled += 1;
        tally.messages.bytes.add(u64::from(message.data));
        if message.counted && tally.probe {
            self.record_probe(now, source, message.started, budget);
        }
    }

    /// An application has handled a probe.
    #[cold]
    #[inline(never)]
    fn record_probe(&mut self, now: Time, source: &Source, started: Time, budget: Option<&LatencyBudget>) {
        let span = now - started;
        self.record_response(now, source.flow, span);
        if let Some(timed) = &mut self.timed {
            timed.ended(started, Some(span));
        }
        if self.traces {
            self.requests.responded(source.flow.into(), source.station, started, span);
        }
        if let Some(budget) = budget {
            let spent = budget.components();
            assert_eq!(spent.iter().copied().sum::<Duration>(), span, "the delay budget adds up to the response time");
            self.budget.record(&spent[..self.budget.components().len()]);
        }
    }

    /// Records a response time.
    pub(super) fn record_response(&mut self, now: Time, flow: u16, span: Duration) {
        let tally = &mut self.flows[usize::from(flow)];
        tally.response.record(span);
        if self.traces {
            tally.trace.push((now.picoseconds(), span.seconds()));
        }
    }

    /// Panics unless offered = delivered + lost + `in_flight` messages.
    pub fn check_conservation(&self, in_flight: u64) {
        let sum =
            |count: fn(&FlowTally) -> Count| self.flows.iter().map(|flow| count(&flow.messages).total()).sum::<u64>();
        let accounted = sum(|flow| flow.delivered) + sum(|flow| flow.lost) + in_flight;
        assert_eq!(sum(|flow| flow.offered), accounted, "offered = delivered + lost + in flight");
    }
}

/// The components of the delay budget: the last is of channels over IP networks.
fn components(site: &Site) -> &'static [&'static str] {
    let has_ip = site.media.iter().any(|medium| medium.ip.is_some());
    &COMPONENTS[..COMPONENTS.len() - usize::from(!has_ip)]
}

/// Packets that answer a message of the flow without loss, for each of its receivers.
fn answers(flow: &FlowSettings) -> u64 {
    let is_broadcast = matches!(flow.to, Target::Broadcast);
    let challenges = if flow.authenticated && !is_broadcast { 2 } else { 0 };
    match flow.service {
        ServiceKind::Unacknowledged => 0,
        ServiceKind::Repeated => challenges,
        ServiceKind::Acknowledged | ServiceKind::Request => 1 + challenges,
    }
}
