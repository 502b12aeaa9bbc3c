//! What a replication observes at the hosts, and its record.

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::{Budget, Distribution, RequestLog};

use super::fabric::Tally;
use super::hosts::Client;
use super::latency_budget::COMPONENTS;
use super::packet::Exchange;
use super::site::{Service, Site};
use crate::common::flow_tally::{Count, FlowTally};

/// What is observed of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowMetrics {
    /// Exchanges of an echo, each from request to response; bytes that a bulk transfer's receiver has read.
    pub tally: FlowTally,
    /// Response times, if it is probed.
    pub responses: Distribution,
}

/// All that is observed at the hosts.
#[derive(Clone, Debug)]
pub struct Metrics {
    from: Time,
    /// Counts and response times of each flow.
    pub flows: Vec<FlowMetrics>,
    /// Response times of all probes.
    pub responses: Distribution,
    /// Mean delay budget of all probes.
    pub budget: Budget,
    /// Response times in order, (picoseconds, seconds), where traces are kept.
    pub trace: Option<Vec<(u64, f64)>>,
    /// The probes' requests one by one, by flow and host, where traces are kept.
    requests: RequestLog,
    /// One-way delays of voice packets; those not delivered count as longer than anything.
    pub voice: Distribution,
    /// Datagrams between the hosts' adapters.
    pub datagrams: FlowTally,
    /// TCP segments retransmitted by all hosts.
    pub retransmissions: Count,
    /// TCP connections aborted: reset, or after too many retransmissions.
    pub aborted: Count,
}

impl Metrics {
    /// Nothing observed yet; the observation begins at `from`.
    pub fn new(flows: usize, from: Time, traced: bool) -> Self {
        Metrics {
            from,
            flows: vec![FlowMetrics::default(); flows],
            responses: Distribution::new(),
            budget: Budget::new(&COMPONENTS),
            trace: traced.then(Vec::new),
            requests: RequestLog::new(traced),
            voice: Distribution::new(),
            datagrams: FlowTally::default(),
            retransmissions: Count::default(),
            aborted: Count::default(),
        }
    }

    /// When the warm-up ends.
    pub fn from(&self) -> Time {
        self.from
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self) {
        self.flows.iter_mut().for_each(|flow| flow.tally.end_warm_up());
        self.datagrams.end_warm_up();
        self.retransmissions.end_warm_up();
        self.aborted.end_warm_up();
    }

    /// A client makes a request.
    pub fn requested(&mut self, flow: u32) {
        self.flows[flow as usize].tally.offer();
    }

    /// A client has its response. The trace keeps those of the warm-up, from which its end is determined.
    pub fn responded(&mut self, now: Time, client: &Client, exchange: &Exchange) {
        let probed = client.echo.probed;
        let (response, latency) = (now - exchange.began, exchange.latency.components());
        debug_assert_eq!(latency.iter().copied().sum::<Duration>(), response, "the components add up");
        if let Some(trace) = self.trace.as_mut().filter(|_| probed) {
            trace.push((now.picoseconds(), response.seconds()));
        }
        let flow = &mut self.flows[client.flow as usize];
        flow.tally.deliver(0);
        if probed && now >= self.from {
            self.requests.responded(client.flow, client.host, exchange.began, response);
            flow.responses.record(response);
            self.responses.record(response);
            self.budget.record(latency);
        }
    }

    /// A request has timed out.
    pub fn timed_out(&mut self, now: Time, client: &Client) {
        let flow = &mut self.flows[client.flow as usize];
        flow.tally.lose(1);
        if client.echo.probed && now >= self.from {
            let sent = Time::from_picoseconds(now.picoseconds().saturating_sub(client.echo.timeout.picoseconds()));
            self.requests.failed(client.flow, client.host, sent);
            flow.responses.censor(1);
            self.responses.censor(1);
        }
    }

    /// The requests that probes wait for at the end, by flow and age, never came back if they are older than all that did.
    pub fn censor_open(&mut self, open: &[(u32, Duration)]) {
        for (index, flow) in (0..).zip(&mut self.flows) {
            let ages = open.iter().filter(|(of, _)| *of == index).map(|&(_, age)| age);
            let before = flow.responses.censored();
            flow.responses.censor_open(ages);
            self.responses.censor(flow.responses.censored() - before);
        }
    }

    /// The receiver of a bulk transfer has read `bytes` bytes.
    pub fn read(&mut self, flow: u32, bytes: u64) {
        self.flows[flow as usize].tally.bytes.add(bytes);
    }

    /// As many exchanges are in flight as clients wait, and no more datagrams than there are `packets`.
    pub(super) fn check_conservation(&self, waiting: u64, packets: u64) {
        let exchanges: u64 = self.flows.iter().map(|flow| flow.tally.in_flight()).sum();
        assert_eq!(exchanges, waiting, "requests = responses + timeouts + waiting clients");
        let in_flight = self.datagrams.in_flight();
        assert!(in_flight <= packets, "{in_flight} datagrams in flight of {packets} packets");
    }
}

/// Outputs; without a member the watched one.
pub(super) fn report_ports(site: &Site, tally: &Tally, metrics: &Metrics, end: Time, record: &mut Record) {
    let seconds = end.since(metrics.from()).seconds();
    let (mut dropped, mut marked) = (0, 0);
    for (port, (name, tally)) in site.ports.iter().zip(&tally.ports).enumerate() {
        let busy = share(tally.busy.seconds(), seconds);
        if Some(port as u32) == site.watched_port() {
            record.scalar("utilisation", busy);
            record.observe("queue_length", tally.queue.clone());
        }
        if site.is_used(port as u32) {
            record.scalar(format!("utilisation/{name}"), busy);
            record.observe(format!("queue_length/{name}"), tally.queue.clone());
            record.count(format!("drops/{name}"), tally.dropped);
            record.count(format!("marks/{name}"), tally.marked);
        }
        dropped += tally.dropped;
        marked += tally.marked;
    }
    record.count("drops", dropped);
    record.count("marks", marked);
}

/// Allowed cell rates of both directions of each flow; without a member that of the probe's requests.
pub(super) fn report_rates(site: &Site, tally: &Tally, record: &mut Record) {
    let rate = |connection: u32| tally.connections[connection as usize].allowed_cell_rate.clone();
    let watched = site.watched_connection().and_then(rate);
    record.observe("allowed_cell_rate", watched.unwrap_or(Observation::NotApplicable));
    for activity in &site.activities {
        for (suffix, connection) in [("", activity.connection), ("/back", activity.connection ^ 1)] {
            if let Some(rate) = rate(connection) {
                record.observe(format!("allowed_cell_rate/{}{suffix}", activity.name), rate);
            }
        }
    }
}

pub(super) fn report_bulk(site: &Site, metrics: &Metrics, end: Time, record: &mut Record) {
    let seconds = end.since(metrics.from()).seconds();
    let rate = |flow: &FlowMetrics| share(flow.tally.bytes.observed() as f64 * 8.0, seconds);
    record.scalar("throughput", metrics.flows.iter().map(rate).sum());
    for (flow, (name, metrics)) in (0..).zip(site.flows.iter().zip(&metrics.flows)) {
        if site.serves(flow, |service| matches!(service, Service::Bulk(_))) {
            record.scalar(format!("throughput/{name}"), rate(metrics));
        }
    }
    record.count("retransmissions", metrics.retransmissions.observed());
    record.count("transaction_failures", metrics.aborted.observed());
}

pub(super) fn report_echoes(site: &Site, metrics: Metrics, record: &mut Record) {
    let probed = |flow| site.serves(flow, |service| matches!(service, Service::Echo(echo) if echo.probed));
    let flows: Vec<_> = (0..).zip(site.flows.iter().zip(metrics.flows)).filter(|(flow, _)| probed(*flow)).collect();
    if flows.is_empty() {
        for name in ["response_time", "delay_budget", "loss"] {
            record.observe(name, Observation::NotApplicable);
        }
        return;
    }
    let several = flows.len() > 1;
    let (mut delivered, mut lost) = (0, 0);
    for (_, (name, flow)) in flows {
        delivered += flow.tally.delivered.observed();
        lost += flow.tally.lost.observed();
        if several {
            let (lost, delivered) = (flow.tally.lost.observed(), flow.tally.delivered.observed());
            record.share(format!("loss/{name}"), lost, lost + delivered);
            record.observe(format!("response_time/{name}"), Observation::Distribution(flow.responses));
        }
    }
    record.share("loss", lost, lost + delivered);
    record.observe("response_time", Observation::Distribution(metrics.responses));
    record.observe("delay_budget", Observation::Budget(metrics.budget));
    if let Some(trace) = metrics.trace {
        record.traces.insert("response_time".to_owned(), trace);
    }
    let names = |flow: u32, host: u32| (site.flows[flow as usize].clone(), site.stations[host as usize].clone());
    metrics.requests.store(record, names);
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
