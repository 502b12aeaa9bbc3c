//! The record of a replication.

use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::load::Load;
use sojourn_metrics::record::{Observation, Record};

use super::metrics::FlowMetrics;
use super::site::{Arrivals, Flow};
use super::world::Simulation;

/// By how much a round is longer than was asked for before that is noted.
const SLOWER: f64 = 1.01;

/// The record of a replication that ended at `end`.
pub fn record(mut simulation: Simulation<'_, '_>, end: Time) -> Record {
    simulation.buses.iter_mut().flatten().for_each(|bus| bus.settle(end));
    simulation.metrics.check_conservation(simulation.polls.len() as u64);
    let (timed, changes) = (simulation.metrics.timed.take(), simulation.changes.take());
    let simulation = &simulation;
    let mut record = Record::default();
    if let (Some(timed), Some(changes)) = (timed, changes) {
        timed.finish(&mut record);
        if simulation.site.lines().next().is_some() {
            record.observe("utilisation/timeline", Observation::Timeline(changes.busy.finish(end)));
        }
    }
    flows(simulation, end, &mut record);
    media(simulation, end, &mut record);
    record
}

fn flows(simulation: &Simulation<'_, '_>, end: Time, record: &mut Record) {
    let metrics = &simulation.metrics;
    let seconds = end.since(metrics.from).seconds();
    let mut probes = FlowMetrics::default();
    let (mut reads, mut polls) = (false, false);
    let mut trace = Vec::new();
    for (number, (flow, settings)) in metrics.flows.iter().zip(&simulation.site.flows).enumerate() {
        let mut seen = flow.clone();
        seen.ages.censor_open(ages(simulation, number, end));
        seen.rounds.censor_open(open_rounds(simulation, number, end));
        seen.response.censor(flow.failures);
        seen.response.censor_open(open(simulation, number, end));
        let name = &settings.name;
        record_flow(&seen, settings, &format!("/{name}"), seconds, record);
        if !flow.probe {
            continue;
        }
        if settings.function.is_read() {
            reads = true;
            probes.ages.merge(&seen.ages);
        }
        if matches!(settings.arrivals, Arrivals::Poll { .. }) {
            polls = true;
            probes.rounds.merge(&seen.rounds);
        }
        probes.response.merge(&seen.response);
        probes.failures += flow.failures;
        probes.completed += flow.completed;
        probes.retries += flow.retries;
        probes.timeouts += flow.timeouts;
        trace.extend_from_slice(&flow.trace);
    }
    totals(&probes, (reads, polls), seconds, record);
    record.observe("delay_budget", Observation::Budget(metrics.budget.clone()));
    if metrics.traces {
        record.trace("response_time".to_owned(), trace);
        metrics.log.store(record, |flow, station| {
            let station = simulation.site.stations[station as usize].name.clone();
            (simulation.site.flows[flow as usize].name.clone(), station)
        });
    }
}

/// One flow, a member of each metric.
fn record_flow(flow: &FlowMetrics, settings: &Flow, member: &str, seconds: f64, record: &mut Record) {
    record.scalar(format!("transaction_rate{member}"), flow.completed as f64 / seconds);
    record.share(format!("loss{member}"), flow.failures, flow.failures + flow.completed);
    record.count(format!("failures{member}"), flow.failures);
    record.count(format!("retries{member}"), flow.retries);
    record.count(format!("timeouts{member}"), flow.timeouts);
    if flow.probe {
        record.observe(format!("response_time{member}"), Observation::Distribution(flow.response.clone()));
    }
    if settings.function.is_read() {
        record.observe(format!("freshness{member}"), Observation::Distribution(flow.ages.clone()));
    }
    if let Arrivals::Poll { cycle, .. } = settings.arrivals {
        record.observe(format!("poll_cycle{member}"), Observation::Distribution(flow.rounds.clone()));
        let is_slow = |mean: &f64| cycle > Duration::ZERO && *mean > SLOWER * cycle.seconds();
        if flow.rounds.mean().is_some_and(|mean| is_slow(&mean)) {
            let name = &settings.name;
            record
                .note(format!("polls of {name}: a round takes longer on average than the {cycle} that were asked for"));
        }
    }
}

/// The probes together; of reads and of polls, where there are such.
fn totals(probes: &FlowMetrics, (reads, polls): (bool, bool), seconds: f64, record: &mut Record) {
    record.scalar("transaction_rate", probes.completed as f64 / seconds);
    record.share("loss", probes.failures, probes.failures + probes.completed);
    record.count("failures", probes.failures);
    record.count("retries", probes.retries);
    record.count("timeouts", probes.timeouts);
    record.observe("response_time", Observation::Distribution(probes.response.clone()));
    let or_none = |applies: bool, samples: &Distribution| match applies {
        true => Observation::Distribution(samples.clone()),
        false => Observation::NotApplicable,
    };
    record.observe("freshness", or_none(reads, &probes.ages));
    record.observe("poll_cycle", or_none(polls, &probes.rounds));
}

/// The sources of a flow, with their numbers.
fn sources_of(simulation: &Simulation<'_, '_>, flow: usize) -> impl Iterator<Item = usize> {
    let sources = simulation.site.sources.iter().enumerate();
    sources.filter(move |(_, source)| source.flow == flow).map(|(number, _)| number)
}

/// Ages of the values that a flow's clients have at the end; of one that never came, the time since the start.
fn ages(simulation: &Simulation<'_, '_>, flow: usize, end: Time) -> Vec<Duration> {
    let age = |read: &Time| end.since(if *read == Time::NEVER { Time::ZERO } else { *read });
    sources_of(simulation, flow).flat_map(|source| simulation.sources[source].read.iter().map(age)).collect()
}

/// How long rounds have lasted that have not ended.
fn open_rounds(simulation: &Simulation<'_, '_>, flow: usize, end: Time) -> Vec<Duration> {
    let begun = sources_of(simulation, flow).map(|source| simulation.sources[source].begun);
    let observed = begun.filter(|begun| *begun != Time::NEVER && *begun >= simulation.metrics.from);
    observed.map(|begun| end.since(begun)).collect()
}

/// Ages of a flow's requests in flight.
fn open(simulation: &Simulation<'_, '_>, flow: usize, end: Time) -> Vec<Duration> {
    let counted = simulation.polls.iter().filter(|state| state.counted);
    let of_flow = counted.filter(|state| simulation.site.sources[state.source as usize].flow == flow);
    of_flow.map(|state| end.since(state.due)).collect()
}

fn media(simulation: &Simulation<'_, '_>, end: Time, record: &mut Record) {
    let site = simulation.site;
    let seconds = end.since(simulation.metrics.from).seconds();
    let several = site.media.len() > 1;
    let (mut busy, mut damaged, mut frames, mut has_errors) = (0.0, 0, 0, false);
    for (medium, settings) in site.media.iter().enumerate() {
        let name = &settings.name;
        let utilisation = match &simulation.buses[medium] {
            Some(bus) => {
                let counters = bus.counters;
                let utilisation = counters.busy.seconds() / seconds;
                let jobs = [counters.correct, counters.damaged];
                record.load(name, Load::of_jobs("frames/s", jobs, 0.0, utilisation, seconds).closed());
                let all = counters.correct + counters.damaged;
                if site.line(medium).is_some_and(|line| line.bit_error_rate > 0.0) || site.timeline.is_some() {
                    has_errors = true;
                    (damaged, frames) = (damaged + counters.damaged, frames + all);
                    record.share(format!("crc_error_rate/{name}"), counters.damaged, all);
                }
                utilisation
            }
            None => {
                let here =
                    site.stations.iter().zip(&simulation.ports).filter(|(station, _)| station.on.contains(&medium));
                let busiest = here.map(|(_, port)| port.busy).max().unwrap_or_default();
                (busiest.seconds() / seconds).min(1.0)
            }
        };
        busy += utilisation;
        if several {
            record.scalar(format!("utilisation/{name}"), utilisation);
        }
    }
    record.scalar("utilisation", busy / site.media.len() as f64);
    if has_errors {
        record.share("crc_error_rate", damaged, frames);
    }
}
