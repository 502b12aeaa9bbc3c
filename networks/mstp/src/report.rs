//! The record of a replication.

use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::load::Load;
use sojourn_metrics::record::{Observation, Record};
use sojourn_model::traffic::{Arrivals, FlowRounds, record_rounds};

use super::metrics::FlowMetrics;
use super::site::Flow;
use super::sources::Source;
use super::trunk::KINDS;
use super::world::Simulation;

/// The record of a replication that ended at `end`.
pub fn record(mut simulation: Simulation<'_, '_>, end: Time) -> Record {
    simulation.metrics.check_conservation(simulation.in_flight());
    let (timed, changes) = (simulation.metrics.timed.take(), simulation.changes.take());
    let simulation = &simulation;
    let mut record = Record::default();
    if let (Some(timed), Some(changes)) = (timed, changes) {
        timed.finish(&mut record);
        record.observe("utilisation/timeline", Observation::Timeline(changes.busy.finish(end)));
    }
    let seconds = end.since(simulation.metrics.from).seconds();
    flows(simulation, end, seconds, &mut record);
    record_rounds(rounds(simulation), end, &mut record);
    trunks(simulation, seconds, &mut record);
    tokens(simulation, &mut record);
    record
}

fn flows(simulation: &Simulation<'_, '_>, end: Time, seconds: f64, record: &mut Record) {
    let metrics = &simulation.metrics;
    let mut response = Distribution::new();
    let mut trace = Vec::new();
    let probes = || metrics.flows.iter().zip(&simulation.site.flows).enumerate().filter(|(_, (flow, _))| flow.probe);
    for (index, (flow, settings)) in probes() {
        let mut responses = flow.response.clone();
        responses.censor(flow.failures);
        responses.censor_open(open(simulation, index, end));
        response.merge(&responses);
        let name = &settings.name;
        record.share(format!("loss/{name}"), flow.failures, flow.failures + flow.response.count());
        record.observe(format!("response_time/{name}"), Observation::Distribution(responses));
        record.count(format!("failures/{name}"), flow.failures);
        trace.extend_from_slice(&flow.trace);
    }
    let probed =
        |count: fn(&FlowMetrics) -> u64| metrics.flows.iter().filter(|flow| flow.probe).map(count).sum::<u64>();
    let is_probed = probes().next().is_some();
    if is_probed {
        let failures = probed(|flow| flow.failures);
        record.share("loss", failures, failures + probed(|flow| flow.response.count()));
        record.observe("response_time", Observation::Distribution(response));
        record.observe("delay_budget", Observation::Budget(metrics.budget.clone()));
    } else {
        for name in ["loss", "response_time", "delay_budget"] {
            record.observe(name, Observation::NotApplicable);
        }
    }
    let is_retried = probes().any(|(_, (_, settings))| settings.service.is_confirmed());
    record.count_if(is_probed, "failures", probed(|flow| flow.failures));
    record.count_if(is_retried, "retries", probed(|flow| flow.retries));
    let octets = metrics.flows.iter().map(|flow| flow.messages.bytes.observed()).sum::<u64>();
    record.scalar("throughput", octets as f64 * 8.0 / seconds);
    let [replies, postponed] = metrics.replies;
    if replies > 0 {
        record.share("postponed", postponed, replies);
    }
    if metrics.traces {
        record.trace("response_time".into(), trace);
        metrics.requests.store(record, |flow, station| {
            let station = simulation.site.stations[station as usize].name.clone();
            (simulation.site.flows[flow as usize].name.clone(), station)
        });
    }
}

/// Ages of the messages of a flow that are in flight.
fn open(simulation: &Simulation<'_, '_>, flow: usize, end: Time) -> impl Iterator<Item = Duration> {
    let from = simulation.metrics.from;
    let sources = &simulation.sources;
    let sent = simulation.requests.iter().filter(move |open| usize::from(sources[open.source as usize].flow) == flow);
    let waiting = sources.iter().filter(move |source| usize::from(source.flow) == flow);
    let waiting = waiting.flat_map(|source| source.waiting.iter().map(|(started, _)| *started));
    let started = sent.map(|open| open.started).chain(waiting);
    started.filter(move |started| *started >= from).map(move |started| end.since(started))
}

/// Polls with their rounds.
fn rounds<'s>(simulation: &'s Simulation<'_, '_>) -> impl Iterator<Item = FlowRounds<'s>> {
    let flows = simulation.metrics.flows.iter().zip(&simulation.site.flows).enumerate();
    let polls = flows.filter(|(_, (_, flow))| matches!(flow.arrivals, Arrivals::Poll { .. }));
    polls.map(|(index, (flow, settings))| {
        let of_flow = simulation.sources.iter().filter(|source| usize::from(source.flow) == index);
        let open = of_flow.filter_map(Source::round).filter(|begun| *begun >= simulation.metrics.from).collect();
        let Flow { name, arrivals, to, .. } = settings;
        FlowRounds { name, arrivals, points: to.first().map_or(0, Vec::len), complete: &flow.rounds, open }
    })
}

fn trunks(simulation: &Simulation<'_, '_>, seconds: f64, record: &mut Record) {
    let trunks = || {
        simulation
            .trunks
            .iter()
            .zip(&simulation.site.media)
            .filter_map(|(trunk, medium)| Some((trunk.as_ref()?, medium)))
    };
    let several = trunks().count() > 1;
    let (mut busy, mut tokens, mut polls, mut frames, mut damaged, mut count) = (0.0, 0, 0, 0, 0, 0.0);
    let mut rotation = Distribution::new();
    let mut has_errors = simulation.site.timeline.is_some();
    for (trunk, medium) in trunks() {
        let (tally, name) = (&trunk.tally, &medium.name);
        let utilisation = tally.time.iter().map(|time| time.seconds()).sum::<f64>() / seconds;
        let of_medium = tally.frames.iter().sum::<u64>();
        for (kind, time) in KINDS.iter().zip(tally.time) {
            let member = if several { format!("frame_time/{name}/{kind}") } else { format!("frame_time/{kind}") };
            record.scalar(member, time.seconds() / seconds);
        }
        if several {
            record.scalar(format!("utilisation/{name}"), utilisation);
            record.scalar(format!("token_rate/{name}"), tally.frames[0] as f64 / seconds);
            record.share(format!("poll_share/{name}"), tally.polls, of_medium);
            record.observe(format!("token_rotation/{name}"), Observation::Distribution(tally.rotation.clone()));
        }
        let packets = [of_medium - tally.damaged, tally.damaged];
        record.load(name, Load::of_jobs("frames/s", packets, 0.0, utilisation.min(1.0), seconds).closed());
        has_errors |= simulation.site.trunk_errors(name);
        rotation.merge(&tally.rotation);
        busy += utilisation;
        count += 1.0;
        tokens += tally.frames[0];
        polls += tally.polls;
        frames += of_medium;
        damaged += tally.damaged;
    }
    if count == 0.0 {
        return;
    }
    record.scalar("utilisation", busy / count);
    record.scalar("token_rate", tokens as f64 / seconds);
    record.share("poll_share", polls, frames);
    record.observe("token_rotation", Observation::Distribution(rotation));
    if has_errors {
        record.share("crc_error_rate", damaged, frames);
    }
}

/// Polls and failures of tokens since the end of the warm-up.
fn tokens(simulation: &Simulation<'_, '_>, record: &mut Record) {
    let nodes = || simulation.ports.iter().filter(|port| port.node.is_some());
    if nodes().next().is_none() {
        return;
    }
    for (port, settings) in nodes().zip(simulation.site.ports.iter().filter(|port| port.node.is_some())) {
        let is_master = settings.node.is_some_and(|node| !node.is_slave);
        if is_master && port.polls > 0 {
            let station = &simulation.site.stations[port.station as usize];
            let name = match station.is_router() {
                true => format!("{}/{}", station.name, simulation.site.media[usize::from(port.medium)].name),
                false => station.name.clone(),
            };
            record.count(format!("polls_for_master/{name}"), port.polls);
        }
    }
    record.count("polls_for_master", nodes().map(|port| port.polls).sum());
    let counts = simulation.token_failures().into_iter().zip(simulation.counted);
    for (name, (count, before)) in ["tokens_lost", "token_retries", "successors_lost"].into_iter().zip(counts) {
        record.count(name, count - before);
    }
}
