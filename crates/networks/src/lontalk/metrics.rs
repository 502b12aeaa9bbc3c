//! What is observed: response times with their budgets, rates, counts, levels.

use std::hint::cold_path;

use sojourn_core::{Duration, Time};
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};
use sojourn_protocols::lontalk::machine::Counter;

use super::budget::COMPONENTS;
use super::site::Site;
use super::slab::NONE;
use super::station::Counts;
use super::world::Simulation;

/// What is kept of a flow: first, on a line of memory, what every message of every flow moves.
#[derive(Debug)]
#[repr(C, align(64))]
struct FlowTally {
    probe: bool,
    /// Messages begun, delivered and lost since time 0, for conservation.
    begun: u64,
    delivered: u64,
    lost: u64,
    /// Of messages begun after the warm-up.
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

/// All that a replication observes.
#[derive(Debug)]
pub struct Measure {
    flows: Vec<FlowTally>,
    budget: Budget,
    from: Time,
    begun: bool,
    traces: bool,
    buffer_overflows: u64,
}

impl Measure {
    /// Nothing observed yet; the mean values begin at `warm_up`.
    pub fn new(site: &Site, warm_up: Time, traces: bool) -> Self {
        let flows = site.flows.iter().map(|flow| FlowTally {
            probe: flow.probe,
            begun: 0,
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
        Measure {
            flows: flows.collect(),
            budget: Budget::new(&COMPONENTS),
            from: warm_up,
            begun: warm_up == Time::ZERO,
            traces,
            buffer_overflows: 0,
        }
    }

    /// The warm-up is over.
    pub fn begin(&mut self, _now: Time) {
        self.begun = true;
    }

    /// A message of a flow begins, to cause so many packets; tells whether it counts.
    pub fn offered(&mut self, _now: Time, flow: u16, packets: u64) -> bool {
        let tally = &mut self.flows[usize::from(flow)];
        tally.begun += 1;
        if self.begun {
            tally.offered_packets += packets;
        }
        self.begun
    }

    /// A source could not begin a message since its last was open.
    pub fn missed(&mut self, _now: Time, flow: u16) {
        self.flows[usize::from(flow)].missed += u64::from(self.begun);
    }

    /// A packet was lost for lack of a buffer.
    pub fn missed_packet(&mut self, _now: Time) {
        self.buffer_overflows += u64::from(self.begun);
    }

    /// A counted message came to its end at its sender. Of flows that are no probes nobody is told.
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

    /// Nothing is left of a message.
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
    /// An application has acted on a message.
    pub(super) fn observe_response(&mut self, now: Time, message: u32, trip: u32) {
        let state = &mut self.messages[message];
        if state.failed {
            return;
        }
        // a late copy that comes after the receiver has forgotten the message is delivered once more
        if state.acted == state.receivers {
            cold_path();
            let tally = &mut self.measure.flows[usize::from(self.sources[state.source as usize].flow)];
            tally.duplicates += u64::from(self.measure.begun);
            return;
        }
        state.acted += 1;
        let (span, bytes, counted) = (now - state.started, u64::from(state.data), state.counted);
        let flow = self.sources[state.source as usize].flow;
        let measure = &mut self.measure;
        let tally = &mut measure.flows[usize::from(flow)];
        if measure.begun {
            tally.bytes += bytes;
        }
        if counted && tally.probe {
            self.observe_probe(now, flow, span, trip);
        }
    }

    /// An application has acted on a probe.
    #[cold]
    #[inline(never)]
    fn observe_probe(&mut self, now: Time, flow: u16, span: Duration, trip: u32) {
        let measure = &mut self.measure;
        let tally = &mut measure.flows[usize::from(flow)];
        tally.response.record(span);
        if measure.traces {
            tally.trace.push((now.picoseconds(), span.seconds()));
        }
        if trip != NONE {
            let spent = self.trips[trip].components();
            assert_eq!(spent.iter().copied().sum::<Duration>(), span, "the delay budget adds up to the response time");
            measure.budget.record(spent);
        }
    }

    /// Every message begun was delivered, was lost, or is under way.
    pub(super) fn check_conservation(&self) {
        let sum = |count: fn(&FlowTally) -> u64| self.measure.flows.iter().map(count).sum::<u64>();
        let under_way = self.messages.len() as u64;
        let accounted = sum(|flow| flow.delivered) + sum(|flow| flow.lost) + under_way;
        assert_eq!(sum(|flow| flow.begun), accounted, "offered = delivered + failed + in flight");
    }
}

/// The record of a replication that ended at `end`.
pub fn record(simulation: &Simulation<'_, '_>, end: Time) -> Record {
    let mut record = Record::default();
    let seconds = end.since(simulation.measure.from).seconds();
    record_flows(simulation, seconds, &mut record);
    record_media(simulation, seconds, &mut record);
    record_stations(simulation, &mut record);
    record
}

fn record_flows(simulation: &Simulation<'_, '_>, seconds: f64, record: &mut Record) {
    let measure = &simulation.measure;
    let (mut response, mut transaction) = (Distribution::new(), Distribution::new());
    let mut trace = Vec::new();
    for (flow, settings) in measure.flows.iter().zip(&simulation.site.flows).filter(|(flow, _)| flow.probe) {
        response.merge(&flow.response);
        transaction.merge(&flow.transaction);
        let name = &settings.name;
        record.observe(format!("response_time/{name}"), Observation::Distribution(flow.response.clone()));
        record.count(format!("failures/{name}"), flow.failures);
        trace.extend_from_slice(&flow.trace);
    }
    let probed = |count: fn(&FlowTally) -> u64| measure.flows.iter().filter(|flow| flow.probe).map(count).sum::<u64>();
    let all = |count: fn(&FlowTally) -> u64| measure.flows.iter().map(count).sum::<u64>() as f64;
    record.observe("response_time", Observation::Distribution(response));
    record.observe("transaction_time", Observation::Distribution(transaction));
    record.observe("delay_budget", Observation::Budget(measure.budget.clone()));
    record.scalar("transaction_rate", probed(|flow| flow.completed) as f64 / seconds);
    record.count("failures", probed(|flow| flow.failures));
    record.count("transaction_failures", probed(|flow| flow.transaction_failures));
    record.count("retries", probed(|flow| flow.retries));
    record.count("missed", probed(|flow| flow.missed));
    record.count("duplicates", all(|flow| flow.duplicates) as u64);
    record.scalar("throughput", all(|flow| flow.bytes) * 8.0 / seconds);
    record.scalar("throughput_l4", all(|flow| flow.offered_packets) / seconds);
    if measure.traces {
        trace.sort_by_key(|&(at, _)| at);
        record.traces.insert("response_time".into(), trace);
    }
}

fn record_media(simulation: &Simulation<'_, '_>, seconds: f64, record: &mut Record) {
    let (mut correct, mut errors, mut busy, mut backlog) = (0u64, 0u64, 0.0, 0.0);
    let (mut highest, mut collisions) = (0, 0);
    let several = simulation.segments.len() > 1;
    for (segment, settings) in simulation.segments.iter().zip(&simulation.site.media) {
        let tally = segment.medium.tally();
        let here_errors = tally.collisions + tally.corrupted;
        let utilisation = tally.busy.seconds() / seconds;
        let name = &settings.name;
        if tally.correct > 0 {
            let length = tally.bytes as f64 / tally.correct as f64;
            record.scalar(format!("packet_length/{name}"), length);
            record.scalar(format!("packet_rate_limit/{name}"), settings.channel.saturation_rate(length));
            record.scalar(format!("answers/{name}"), share(segment.answers, tally.correct));
        }
        if several {
            record.scalar(format!("throughput_l3/{name}"), tally.correct as f64 / seconds);
            record.scalar(format!("utilisation/{name}"), utilisation);
            record.scalar(format!("collision_rate/{name}"), share(here_errors, tally.correct + here_errors));
        }
        correct += tally.correct;
        errors += here_errors;
        collisions += tally.collisions;
        busy += utilisation;
        backlog += tally.backlog as f64 * 1e-12;
        highest = highest.max(tally.backlog_max);
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
    let (mut late, mut overflows) = (0, simulation.measure.buffer_overflows);
    for (station, settings) in simulation.stations.iter().zip(&simulation.site.stations) {
        let Some(work) = &station.work else { continue };
        let counters = work.node.counters();
        let Counts { sent, .. } = work.counts;
        if sent > 0 {
            record.count(format!("packets/{}", settings.name()), sent);
        }
        late += u64::from(counters.get(Counter::LateAcknowledgements));
        overflows += u64::from(counters.get(Counter::LostMessages)) + work.counts.refused;
    }
    record.count("late_acknowledgements", late);
    record.count("buffer_overflows", overflows);
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
