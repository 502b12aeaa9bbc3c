//! Metrics of a replication: response times with their budgets, rates, counters.

use std::hint::cold_path;

use sojourn_core::{Duration, Time};
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;

use super::latency_budget::{COMPONENTS, LatencyBudget};
use super::message::Message;
use super::site::Site;

/// Counters of a flow; those that every message updates come first, in one cache line.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct FlowTally {
    /// Whether the flow is a probe.
    pub probe: bool,
    /// Messages offered, delivered and lost since time 0, for conservation.
    pub offered: u64,
    /// Messages delivered since time 0.
    pub delivered: u64,
    /// Messages lost since time 0.
    pub lost: u64,
    /// Packets of messages offered after the warm-up, without loss.
    pub offered_packets: u64,
    /// User bytes delivered after the warm-up.
    pub bytes: u64,
    /// Messages not sent because the last one was open.
    pub missed: u64,
    /// Duplicate deliveries.
    pub duplicates: u64,
    /// Messages that no receiver handled.
    pub failures: u64,
    /// Receivers of messages that never handled them.
    pub unreached: u64,
    /// Transactions that failed.
    pub transaction_failures: u64,
    /// Retries.
    pub retries: u64,
    /// Transactions completed after the warm-up.
    pub completed: u64,
    /// Response times.
    pub response: Distribution,
    /// Transaction times.
    pub transaction: Distribution,
    /// Instant in picoseconds and response time in seconds, if traces are recorded.
    pub trace: Vec<(u64, f64)>,
}

/// Metrics of a replication.
#[derive(Debug)]
pub struct Metrics {
    /// Counters by flow.
    pub flows: Vec<FlowTally>,
    /// Mean delay budget of all probes.
    pub budget: Budget,
    /// End of the warm-up.
    pub from: Time,
    observing: bool,
    /// Whether traces are recorded.
    pub traces: bool,
    /// Packets dropped for lack of a buffer.
    pub buffer_overflows: u64,
}

impl Metrics {
    /// No observations yet; the warm-up ends at `warm_up`.
    pub fn new(site: &Site, warm_up: Time, traces: bool) -> Self {
        let flows = site.flows.iter().map(|flow| FlowTally {
            probe: flow.probe,
            offered: 0,
            delivered: 0,
            lost: 0,
            offered_packets: 0,
            bytes: 0,
            missed: 0,
            duplicates: 0,
            failures: 0,
            unreached: 0,
            transaction_failures: 0,
            retries: 0,
            completed: 0,
            response: Distribution::new(),
            transaction: Distribution::new(),
            trace: Vec::new(),
        });
        Metrics {
            flows: flows.collect(),
            budget: Budget::new(&COMPONENTS),
            from: warm_up,
            observing: warm_up == Time::ZERO,
            traces,
            buffer_overflows: 0,
        }
    }

    /// Ends the warm-up.
    pub fn end_warm_up(&mut self) {
        self.observing = true;
    }

    /// A message of a flow is offered, which causes `packets` packets without loss; returns whether it is observed.
    pub fn offered(&mut self, _now: Time, flow: u16, packets: u64) -> bool {
        let tally = &mut self.flows[usize::from(flow)];
        tally.offered += 1;
        if self.observing {
            tally.offered_packets += packets;
        }
        self.observing
    }

    /// A source did not send a message because its last is open.
    pub fn missed(&mut self, _now: Time, flow: u16) {
        self.flows[usize::from(flow)].missed += u64::from(self.observing);
    }

    /// A packet was dropped for lack of a buffer.
    pub fn missed_packet(&mut self, _now: Time) {
        self.buffer_overflows += u64::from(self.observing);
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

    /// A message has been removed; `unreached` of its receivers have not handled it.
    pub fn settled(&mut self, flow: u16, delivered: bool, counted: bool, unreached: u16) {
        let tally = &mut self.flows[usize::from(flow)];
        if unreached > 0 && counted {
            cold_path();
            tally.unreached += u64::from(unreached);
        }
        if delivered {
            tally.delivered += 1;
        } else {
            tally.lost += 1;
            tally.failures += u64::from(counted);
        }
    }

    /// An application has handled a message of a flow; `budget` is the delay budget of a probe.
    pub fn handled(&mut self, now: Time, flow: u16, message: &mut Message, budget: Option<&LatencyBudget>) {
        if message.failed {
            return;
        }
        let tally = &mut self.flows[usize::from(flow)];
        // a late copy that arrives after the receive timer has expired is delivered again
        if message.handled == message.receivers {
            cold_path();
            tally.duplicates += u64::from(self.observing);
            return;
        }
        message.handled += 1;
        if self.observing {
            tally.bytes += u64::from(message.data);
        }
        if message.counted && tally.probe {
            self.record_probe(now, flow, now - message.started, budget);
        }
    }

    /// An application has handled a probe.
    #[cold]
    #[inline(never)]
    fn record_probe(&mut self, now: Time, flow: u16, span: Duration, budget: Option<&LatencyBudget>) {
        let tally = &mut self.flows[usize::from(flow)];
        tally.response.record(span);
        if self.traces {
            tally.trace.push((now.picoseconds(), span.seconds()));
        }
        if let Some(budget) = budget {
            let spent = budget.components();
            assert_eq!(spent.iter().copied().sum::<Duration>(), span, "the delay budget adds up to the response time");
            self.budget.record(spent);
        }
    }

    /// Panics unless offered = delivered + lost + `in_flight` messages.
    pub fn check_conservation(&self, in_flight: u64) {
        let sum = |count: fn(&FlowTally) -> u64| self.flows.iter().map(count).sum::<u64>();
        let accounted = sum(|flow| flow.delivered) + sum(|flow| flow.lost) + in_flight;
        assert_eq!(sum(|flow| flow.offered), accounted, "offered = delivered + lost + in flight");
    }
}
