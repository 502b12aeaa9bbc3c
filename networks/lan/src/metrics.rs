//! Observations of a replication at the hosts, and its record.

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::{Budget, Distribution, RequestLog};

use super::fabric::Tally;
use super::latency_budget::{COMPONENTS, LatencyBudget, is_of_tcp, is_shared};
use super::segment::{ATTEMPTS, NodeTally, SegmentTally};
use super::site::{Service, Site};
use super::topology::StationKind;
use sojourn_model::flow_tally::{Count, FlowTally};
use sojourn_model::timed::Sampled;

/// The directions of a call: to the called host, and back.
const DIRECTIONS: [&str; 2] = ["forward", "return"];

/// What is observed of a flow.
#[derive(Clone, Debug, Default)]
pub struct FlowMetrics {
    /// Exchanges of an echo, each from request to response; bytes that a bulk transfer's receiver has read.
    pub tally: FlowTally,
    /// Response times, or one-way delays of a stream, if it is probed.
    pub responses: Distribution,
    /// One-way delays of the voice packets of calls, by direction: to the called, and back.
    pub directions: [Distribution; 2],
}

/// Which program a sample is of.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The flow that it is reported under.
    pub flow: u32,
    /// The host that it is on.
    pub host: u32,
    /// Whether the flow's response times are samples.
    pub probed: bool,
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
    /// Which components it has.
    components: Vec<usize>,
    /// Response times in order, (picoseconds, seconds), where traces are kept.
    pub trace: Option<Vec<(u64, f64)>>,
    /// The one-way delays of probed streams and of calls likewise.
    one_way_trace: Option<Vec<(u64, f64)>>,
    /// The probes' requests one by one, by flow and host, where traces are kept.
    requests: RequestLog,
    /// One-way delays of the datagrams of probed streams and of the packets of calls; lost ones count as longer than anything.
    pub one_way: Distribution,
    /// Those in flight.
    one_way_in_flight: u64,
    /// Datagrams between the hosts' adapters.
    pub datagrams: FlowTally,
    /// TCP segments retransmitted by all hosts.
    pub retransmissions: Count,
    /// TCP connections aborted: reset, or after too many retransmissions.
    pub aborted: Count,
}

impl Metrics {
    /// Nothing observed yet; the observation begins at `from`.
    pub fn new(site: &Site, from: Time, traced: bool) -> Self {
        let over_tcp = site.activities.iter().any(|activity| matches!(activity.service, Service::Request(_)));
        let shared = site.topology.stations.contains(&StationKind::Segment);
        let components: Vec<usize> =
            (0..COMPONENTS.len()).filter(|at| (over_tcp || !is_of_tcp(*at)) && (shared || !is_shared(*at))).collect();
        let names: Vec<&str> = components.iter().map(|at| COMPONENTS[*at]).collect();
        Metrics {
            from,
            flows: vec![FlowMetrics::default(); site.flows.len()],
            responses: Distribution::new(),
            budget: Budget::new(&names),
            components,
            trace: traced.then(Vec::new),
            one_way_trace: traced.then(Vec::new),
            requests: RequestLog::new(traced),
            one_way: Distribution::new(),
            one_way_in_flight: 0,
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

    /// A client has the response to a request made at `began`. The trace keeps those of the warm-up, from which its end is
    /// determined.
    pub fn responded(&mut self, now: Time, program: Program, began: Time, latency: &LatencyBudget) {
        let Program { flow: number, host, probed } = program;
        let (response, latency) = (now - began, latency.components());
        debug_assert_eq!(latency.iter().copied().sum::<Duration>(), response, "the components add up");
        if let Some(trace) = self.trace.as_mut().filter(|_| probed) {
            trace.push((now.picoseconds(), response.seconds()));
        }
        let flow = &mut self.flows[number as usize];
        flow.tally.deliver(0);
        if probed && now >= self.from {
            self.requests.responded(number, host, began, response);
            flow.responses.record(response);
            self.responses.record(response);
            let mut parts = [Duration::ZERO; COMPONENTS.len()];
            self.components.iter().zip(&mut parts).for_each(|(at, part)| *part = latency[*at]);
            self.budget.record(&parts[..self.components.len()]);
        }
    }

    /// A request made at `began` has failed: it timed out, or TCP gave up its connection.
    pub fn failed(&mut self, now: Time, program: Program, began: Time) {
        let Program { flow: number, host, probed } = program;
        let flow = &mut self.flows[number as usize];
        flow.tally.lose(1);
        if probed && now >= self.from {
            self.requests.failed(number, host, began);
            flow.responses.censor(1);
            self.responses.censor(1);
        }
    }

    /// A source sends a datagram, a talker a packet.
    pub fn sent(&mut self, flow: u32) {
        self.one_way_in_flight += 1;
        self.flows[flow as usize].tally.offer();
    }

    /// What a flow, `probed` or not, sent at `sent` has arrived, with this many octets, or is lost. The trace keeps those of the
    /// warm-up, from which its end is determined.
    pub fn one_way_ended(&mut self, now: Time, flow: u32, probed: bool, sent: Time, arrived: Option<u32>) {
        self.one_way_in_flight -= 1;
        if let Some(trace) = self.one_way_trace.as_mut().filter(|_| probed && arrived.is_some()) {
            trace.push((now.picoseconds(), (now - sent).seconds()));
        }
        let flow = &mut self.flows[flow as usize];
        match arrived {
            Some(octets) => flow.tally.deliver(octets.into()),
            None => flow.tally.lose(1),
        }
        if !probed || sent < self.from {
            return;
        }
        for delays in [&mut flow.responses, &mut self.one_way] {
            match arrived {
                Some(_) => delays.record(now - sent),
                None => delays.censor(1),
            }
        }
    }

    /// A packet of a call in one of its directions, 0 to the called host, has arrived or is lost.
    pub fn called(&mut self, now: Time, flow: u32, direction: usize, sent: Time, has_arrived: bool) {
        if sent >= self.from {
            let delays = &mut self.flows[flow as usize].directions[direction];
            if has_arrived { delays.record(now - sent) } else { delays.censor(1) }
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
        let expected = waiting + self.one_way_in_flight;
        assert_eq!(
            exchanges, expected,
            "requests = responses + timeouts + waiting clients, and so datagrams of streams and packets of calls"
        );
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
            if !site.topology.is_shared(port as u32) {
                record.scalar("utilisation", busy);
            }
            record.observe("queue_length", tally.queue.clone());
        }
        if site.is_used(port as u32) {
            record.scalar(format!("utilisation/{name}"), busy);
            record.observe(format!("queue_length/{name}"), tally.queue.clone());
            record.count(format!("drops/{name}"), tally.dropped);
            if site.has_marks() {
                record.count(format!("marks/{name}"), tally.marked);
            }
        }
        dropped += tally.dropped;
        marked += tally.marked;
    }
    dropped += tally.conditioners.iter().map(|(_, conditioner)| conditioner.dropped).sum::<u64>();
    record.count("drops", dropped);
    record.count_if(site.has_marks(), "marks", marked);
}

/// Wires that stations share; nothing without.
pub(super) fn report_segments(site: &Site, tally: &Tally, metrics: &Metrics, end: Time, record: &mut Record) {
    let seconds = end.since(metrics.from()).seconds();
    let watched = site.watched_port().map(|port| &site.ports[port as usize]);
    for segment in &tally.segments {
        let name = &segment.name;
        let busy = share(segment.busy.seconds(), seconds);
        record.scalar(format!("utilisation/{name}"), busy);
        if watched.and_then(|port| port.rsplit_once('/')).is_some_and(|(_, wire)| wire == name) {
            record.scalar("utilisation", busy);
        }
        for node in segment.nodes.iter().filter(|node| node.sends) {
            record.observe(format!("access_delay/{}", node.name), Observation::Distribution(node.access.clone()));
            record.observe(format!("queue_access_delay/{}", node.name), Observation::Distribution(node.waits.clone()));
            record.count(format!("deferrals/{}", node.name), node.deferrals);
            record.count(format!("excessive_collisions/{}", node.name), node.excessive);
            record.count(format!("frames_sent/{}", node.name), node.frames);
        }
        if segment.has_turns {
            record.observe(format!("cycle_length/{name}"), Observation::Distribution(segment.cycles.clone()));
        }
    }
    let segments = &tally.segments;
    if segments.is_empty() {
        return;
    }
    let sum = |count: fn(&SegmentTally) -> u64| segments.iter().map(count).sum::<u64>();
    let nodes =
        |count: fn(&NodeTally) -> u64| segments.iter().flat_map(|segment| &segment.nodes).map(count).sum::<u64>();
    let mut access = Distribution::new();
    segments.iter().flat_map(|segment| &segment.nodes).for_each(|node| access.merge(&node.access));
    record.observe("access_delay", Observation::Distribution(access));
    let mut waits = Distribution::new();
    segments.iter().flat_map(|segment| &segment.nodes).for_each(|node| waits.merge(&node.waits));
    record.observe("queue_access_delay", Observation::Distribution(waits));
    record.count("collisions", sum(|segment| segment.collisions));
    record.count("deferrals", nodes(|node| node.deferrals));
    record.count("excessive_collisions", nodes(|node| node.excessive));
    record.count("late_collisions", nodes(|node| node.late));
    record.count("frames_sent", nodes(|node| node.frames));
    let frames: u64 = segments.iter().map(|segment| segment.attempts.iter().sum::<u64>()).sum();
    for attempts in 1..=ATTEMPTS {
        let so_many = segments.iter().map(|segment| segment.attempts[attempts]).sum();
        record.share(format!("attempts/{attempts}"), so_many, frames);
    }
    // the least fair of several
    let jain = segments.iter().filter_map(SegmentTally::jain).reduce(f64::min);
    jain.into_iter().for_each(|index| record.scalar("fairness", index));
    record.count("capture_run", segments.iter().map(|segment| segment.longest_run).max().unwrap_or_default());
    if segments.iter().any(|segment| segment.has_turns) {
        let mut cycles = Distribution::new();
        segments.iter().for_each(|segment| cycles.merge(&segment.cycles));
        record.observe("cycle_length", Observation::Distribution(cycles));
        record.count("logical_collisions", nodes(|node| node.logical));
        record.count("plca_changes", sum(|segment| segment.fallbacks));
        let [used, all] = [0, 1].map(|at| segments.iter().map(|segment| segment.opportunities[at]).sum::<u64>());
        record.share("opportunities_used", used, all);
    }
}

/// Shapers and meters, each by its flow and sender; nothing without.
pub(super) fn report_conditioners(tally: &Tally, record: &mut Record) {
    for (name, conditioner) in &tally.conditioners {
        record.count(format!("drops/{name}"), conditioner.dropped);
        if let Some(waits) = &conditioner.waits {
            record.observe(format!("shaping_delay/{name}"), Observation::Distribution(waits.clone()));
        }
        if !conditioner.is_meter {
            continue;
        }
        let all = conditioner.offered.iter().sum();
        for (place, color) in ["green", "yellow", "red"].into_iter().enumerate() {
            let (offered, lost) = (conditioner.offered[place], conditioner.lost[place]);
            let policed = if color == "red" { conditioner.policed } else { 0 };
            record.share(format!("conformance/{name}/{color}"), offered, all);
            record.share(format!("precedence_loss/{name}/{color}"), lost, offered - policed);
        }
    }
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
    let has = |kind: fn(&Service) -> bool| site.activities.iter().any(|activity| kind(&activity.service));
    // requests count exchanges, not their bytes
    match has(|service| !service.is_loop()) {
        true => record.scalar("throughput", metrics.flows.iter().map(rate).sum()),
        false => record.observe("throughput", Observation::NotApplicable),
    }
    for (flow, (name, metrics)) in (0..).zip(site.flows.iter().zip(&metrics.flows)) {
        if site.serves(flow, |service| matches!(service, Service::Bulk(_))) {
            record.scalar(format!("throughput/{name}"), rate(metrics));
        }
    }
    let over_tcp = has(|service| matches!(service, Service::Bulk(_) | Service::Request(_)));
    record.count_if(over_tcp, "retransmissions", metrics.retransmissions.observed());
    record.count_if(over_tcp, "transaction_failures", metrics.aborted.observed());
}

/// Throughput of streams, and one-way delays of the probed ones and of calls; nothing without.
pub(super) fn report_one_way(site: &Site, metrics: &mut Metrics, end: Time, record: &mut Record) {
    let seconds = end.since(metrics.from()).seconds();
    for (flow, (name, found)) in (0..).zip(site.flows.iter().zip(&metrics.flows)) {
        if site.serves(flow, |service| matches!(service, Service::Stream(_))) {
            let bits = found.tally.bytes.observed() as f64 * 8.0;
            record.scalar(format!("throughput/{name}"), share(bits, seconds));
        }
        if site.serves(flow, Service::is_probed_one_way) {
            record.observe(format!("one_way_delay/{name}"), Observation::Distribution(found.responses.clone()));
        }
        if site.serves(flow, |service| matches!(service, Service::Voice(_))) {
            for (direction, delays) in DIRECTIONS.into_iter().zip(&found.directions) {
                let delays = Observation::Distribution(delays.clone());
                record.observe(format!("one_way_delay/{name}/{direction}"), delays);
            }
        }
    }
    if !site.sampled().contains(&Sampled::OneWay) {
        return;
    }
    record.observe("one_way_delay", Observation::Distribution(metrics.one_way.clone()));
    if let Some(trace) = metrics.one_way_trace.take() {
        record.traces.insert("one_way_delay".to_owned(), trace);
    }
}

/// The loss of each probed flow, and of all of them together.
pub(super) fn report_loss(site: &Site, metrics: &Metrics, record: &mut Record) {
    let probed = |service: &Service| service.is_probed_loop() || service.is_probed_one_way();
    let (mut all_lost, mut all_ended) = (0, 0);
    for (flow, (name, found)) in (0..).zip(site.flows.iter().zip(&metrics.flows)) {
        if !site.serves(flow, probed) {
            continue;
        }
        let lost = found.tally.lost.observed();
        let ended = lost + found.tally.delivered.observed();
        record.share(format!("loss/{name}"), lost, ended);
        (all_lost, all_ended) = (all_lost + lost, all_ended + ended);
    }
    // a share of nothing does not apply
    record.share("loss", all_lost, all_ended);
}

/// Response times of the probed requests, where there are some.
pub(super) fn report_loops(site: &Site, metrics: Metrics, record: &mut Record) {
    let probed = |flow| site.serves(flow, Service::is_probed_loop);
    let flows: Vec<_> = (0..).zip(site.flows.iter().zip(metrics.flows)).filter(|(flow, _)| probed(*flow)).collect();
    if flows.is_empty() {
        for name in ["response_time", "delay_budget"] {
            record.observe(name, Observation::NotApplicable);
        }
        return;
    }
    if flows.len() > 1 {
        for (_, (name, flow)) in flows {
            record.observe(format!("response_time/{name}"), Observation::Distribution(flow.responses));
        }
    }
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
