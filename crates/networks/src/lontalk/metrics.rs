//! Metrics of a replication: response times with their budgets, rates, counters.

use std::hint::cold_path;

use sojourn_core::{Duration, Time};
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};
use sojourn_protocols::lontalk::machine::Counter;

use super::latency_budget::COMPONENTS;
use super::site::Site;
use super::slab::NONE;
use super::station::Counts;
use super::world::Simulation;

/// Counters of a flow; those that every message updates come first, in one cache line.
#[derive(Debug)]
#[repr(C, align(64))]
struct FlowTally {
    probe: bool,
    /// Messages offered, delivered and lost since time 0, for conservation.
    offered: u64,
    delivered: u64,
    lost: u64,
    /// Packets of messages offered after the warm-up, without loss.
    offered_packets: u64,
    /// User bytes delivered after the warm-up.
    bytes: u64,
    missed: u64,
    duplicates: u64,
    failures: u64,
    transaction_failures: u64,
    retries: u64,
    /// Transactions completed after the warm-up.
    completed: u64,
    response: Distribution,
    transaction: Distribution,
    trace: Vec<(u64, f64)>,
}

/// Metrics of a replication.
#[derive(Debug)]
pub struct Metrics {
    flows: Vec<FlowTally>,
    budget: Budget,
    from: Time,
    observing: bool,
    traces: bool,
    buffer_overflows: u64,
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

    /// A message has been removed.
    pub fn settled(&mut self, flow: u16, delivered: bool, counted: bool) {
        let tally = &mut self.flows[usize::from(flow)];
        if delivered {
            tally.delivered += 1;
        } else {
            tally.lost += 1;
            tally.failures += u64::from(counted);
        }
    }
}

impl Simulation<'_, '_> {
    /// An application has handled a message.
    pub(super) fn observe_response(&mut self, now: Time, message: u32, budget: u32) {
        let state = &mut self.messages[message];
        if state.failed {
            return;
        }
        // a late copy that arrives after the receive timer has expired is delivered again
        if state.handled == state.receivers {
            cold_path();
            let tally = &mut self.metrics.flows[usize::from(self.sources[state.source as usize].flow)];
            tally.duplicates += u64::from(self.metrics.observing);
            return;
        }
        state.handled += 1;
        let (span, bytes, counted) = (now - state.started, u64::from(state.data), state.counted);
        let flow = self.sources[state.source as usize].flow;
        let metrics = &mut self.metrics;
        let tally = &mut metrics.flows[usize::from(flow)];
        if metrics.observing {
            tally.bytes += bytes;
        }
        if counted && tally.probe {
            self.observe_probe(now, flow, span, budget);
        }
    }

    /// An application has handled a probe.
    #[cold]
    #[inline(never)]
    fn observe_probe(&mut self, now: Time, flow: u16, span: Duration, budget: u32) {
        let metrics = &mut self.metrics;
        let tally = &mut metrics.flows[usize::from(flow)];
        tally.response.record(span);
        if metrics.traces {
            tally.trace.push((now.picoseconds(), span.seconds()));
        }
        if budget != NONE {
            let spent = self.budgets[budget].components();
            assert_eq!(spent.iter().copied().sum::<Duration>(), span, "the delay budget adds up to the response time");
            metrics.budget.record(spent);
        }
    }

    /// Panics unless offered = delivered + lost + in flight.
    pub(super) fn check_conservation(&self) {
        let sum = |count: fn(&FlowTally) -> u64| self.metrics.flows.iter().map(count).sum::<u64>();
        let in_flight = self.messages.len() as u64;
        let accounted = sum(|flow| flow.delivered) + sum(|flow| flow.lost) + in_flight;
        assert_eq!(sum(|flow| flow.offered), accounted, "offered = delivered + lost + in flight");
    }
}

/// The record of a replication that ended at `end`.
pub fn record(simulation: &Simulation<'_, '_>, end: Time) -> Record {
    let mut record = Record::default();
    let seconds = end.since(simulation.metrics.from).seconds();
    record_flows(simulation, seconds, &mut record);
    record_media(simulation, seconds, &mut record);
    record_stations(simulation, &mut record);
    record
}

fn record_flows(simulation: &Simulation<'_, '_>, seconds: f64, record: &mut Record) {
    let metrics = &simulation.metrics;
    let (mut response, mut transaction) = (Distribution::new(), Distribution::new());
    let mut trace = Vec::new();
    for (flow, settings) in metrics.flows.iter().zip(&simulation.site.flows).filter(|(flow, _)| flow.probe) {
        response.merge(&flow.response);
        transaction.merge(&flow.transaction);
        let name = &settings.name;
        record.observe(format!("response_time/{name}"), Observation::Distribution(flow.response.clone()));
        record.count(format!("failures/{name}"), flow.failures);
        trace.extend_from_slice(&flow.trace);
    }
    let probed = |count: fn(&FlowTally) -> u64| metrics.flows.iter().filter(|flow| flow.probe).map(count).sum::<u64>();
    let all = |count: fn(&FlowTally) -> u64| metrics.flows.iter().map(count).sum::<u64>() as f64;
    record.observe("response_time", Observation::Distribution(response));
    record.observe("transaction_time", Observation::Distribution(transaction));
    record.observe("delay_budget", Observation::Budget(metrics.budget.clone()));
    record.scalar("transaction_rate", probed(|flow| flow.completed) as f64 / seconds);
    record.count("failures", probed(|flow| flow.failures));
    record.count("transaction_failures", probed(|flow| flow.transaction_failures));
    record.count("retries", probed(|flow| flow.retries));
    record.count("missed", probed(|flow| flow.missed));
    record.count("duplicates", all(|flow| flow.duplicates) as u64);
    record.scalar("throughput", all(|flow| flow.bytes) * 8.0 / seconds);
    record.scalar("throughput_l4", all(|flow| flow.offered_packets) / seconds);
    if metrics.traces {
        trace.sort_by_key(|&(at, _)| at);
        record.traces.insert("response_time".into(), trace);
    }
}

fn record_media(simulation: &Simulation<'_, '_>, seconds: f64, record: &mut Record) {
    let (mut correct, mut errors, mut busy, mut backlog) = (0u64, 0u64, 0.0, 0.0);
    let (mut highest, mut collisions) = (0, 0);
    let several = simulation.segments.len() > 1;
    for (segment, settings) in simulation.segments.iter().zip(&simulation.site.media) {
        let counters = segment.medium.counters();
        let here_errors = counters.collisions + counters.corrupted;
        let utilisation = counters.busy.seconds() / seconds;
        let name = &settings.name;
        if counters.correct > 0 {
            let length = counters.bytes as f64 / counters.correct as f64;
            record.scalar(format!("packet_length/{name}"), length);
            record.scalar(format!("packet_rate_limit/{name}"), settings.channel.saturation_rate(length));
            record.scalar(format!("answers/{name}"), share(segment.answers, counters.correct));
        }
        if several {
            record.scalar(format!("throughput_l3/{name}"), counters.correct as f64 / seconds);
            record.scalar(format!("utilisation/{name}"), utilisation);
            record.scalar(format!("collision_rate/{name}"), share(here_errors, counters.correct + here_errors));
        }
        correct += counters.correct;
        errors += here_errors;
        collisions += counters.collisions;
        busy += utilisation;
        backlog += counters.backlog as f64 * 1e-12;
        highest = highest.max(counters.backlog_max);
    }
    let ports = simulation.ports.len() as f64;
    record.scalar("throughput_l3", correct as f64 / seconds);
    record.scalar("collision_rate", share(errors, correct + errors));
    record.scalar("utilisation", busy / simulation.segments.len() as f64);
    record.count("packets", correct);
    record.count("collisions", collisions);
    let (mean, max) = (backlog / ports / seconds, f64::from(highest));
    record.observe("backlog", Observation::TimeWeighted { mean, max });
}

fn record_stations(simulation: &Simulation<'_, '_>, record: &mut Record) {
    let (mut late, mut overflows) = (0, simulation.metrics.buffer_overflows);
    for (station, settings) in simulation.stations.iter().zip(&simulation.site.stations) {
        let Some(active) = &station.active else { continue };
        let counters = active.node.counters();
        let Counts { sent, .. } = active.counts;
        if sent > 0 {
            record.count(format!("packets/{}", settings.name()), sent);
        }
        late += u64::from(counters.get(Counter::LateAcknowledgements));
        overflows += u64::from(counters.get(Counter::LostMessages)) + active.counts.refused;
    }
    record.count("late_acknowledgements", late);
    record.count("buffer_overflows", overflows);
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
