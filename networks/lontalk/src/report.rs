//! The record of a replication.

use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::load::Load;
use sojourn_metrics::record::{Observation, Record};
use sojourn_model::traffic::{FlowRounds, record_rounds};
use sojourn_protocols::lontalk::machine::Counter;

use super::ip852::Counters;
use super::message::Message;
use super::metrics::FlowMetrics;
use super::site::{FlowSettings, ServiceKind, Target};
use super::sources::Source;
use super::station::Counts;
use super::world::Simulation;

/// The record of a replication that ended at `end`.
pub fn record(mut simulation: Simulation<'_, '_>, end: Time) -> Record {
    simulation.access.segments.iter_mut().for_each(|segment| segment.medium.settle_all(end));
    if let Some(ip) = &mut simulation.access.ip {
        ip.settle(end);
    }
    simulation.metrics.check_conservation(simulation.in_flight.messages.len() as u64);
    let (timed, changes) = (simulation.metrics.timed.take(), simulation.changes.take());
    let simulation = &simulation;
    let mut record = Record::default();
    if let (Some(timed), Some(changes)) = (timed, &changes) {
        timed.finish(&mut record);
        record.observe("utilisation/timeline", Observation::Timeline(changes.busy.clone().finish(end)));
    }
    let seconds = end.since(simulation.metrics.from).seconds();
    record_flows(simulation, end, &mut record);
    record_media(simulation, seconds, &mut record);
    record_stations(simulation, &mut record);
    record
}

fn record_flows(simulation: &Simulation<'_, '_>, end: Time, record: &mut Record) {
    let seconds = end.since(simulation.metrics.from).seconds();
    let metrics = &simulation.metrics;
    let (mut response, mut transaction) = (Distribution::new(), Distribution::new());
    let mut trace = Vec::new();
    let probes = || metrics.flows.iter().zip(&simulation.site.flows).enumerate().filter(|(_, (flow, _))| flow.probe);
    for (index, (flow, settings)) in probes() {
        let mut responses = flow.response.clone();
        responses.censor(flow.unreached);
        responses.censor_open(open(simulation, index, end));
        response.merge(&responses);
        record.share(format!("loss/{}", settings.name), flow.unreached, flow.unreached + responses.count());
        transaction.merge(&flow.transaction);
        let name = &settings.name;
        record.observe(format!("response_time/{name}"), Observation::Distribution(responses));
        record.count(format!("failures/{name}"), flow.failures);
        trace.extend_from_slice(&flow.trace);
    }
    record_rounds(rounds(simulation), end, record);
    let probed =
        |count: fn(&FlowMetrics) -> u64| metrics.flows.iter().filter(|flow| flow.probe).map(count).sum::<u64>();
    let all = |count: fn(&FlowMetrics) -> u64| metrics.flows.iter().map(count).sum::<u64>() as f64;
    let is_probed = probes().next().is_some();
    match is_probed {
        true => {
            let unreached = probed(|flow| flow.unreached);
            record.share("loss", unreached, unreached + response.count());
            record.observe("response_time", Observation::Distribution(response));
            record.observe("transaction_time", Observation::Distribution(transaction));
            record.observe("delay_budget", Observation::Budget(metrics.budget.clone()));
            record.scalar("transaction_rate", probed(|flow| flow.completed) as f64 / seconds);
        }
        false => {
            for name in ["loss", "response_time", "transaction_time", "delay_budget", "transaction_rate"] {
                record.observe(name, Observation::NotApplicable);
            }
        }
    }
    // copies of unacknowledged messages are not retries
    let has_transactions =
        probes().any(|(_, (_, settings))| matches!(settings.service, ServiceKind::Acknowledged | ServiceKind::Request));
    record.count_if(is_probed, "failures", probed(|flow| flow.failures));
    record.count_if(has_transactions, "transaction_failures", probed(|flow| flow.transaction_failures));
    record.count_if(has_transactions, "retries", probed(|flow| flow.retries));
    record.count_if(is_probed, "missed", probed(|flow| flow.missed.observed()));
    record.count("duplicates", all(|flow| flow.duplicates.observed()) as u64);
    record.scalar("throughput", all(|flow| flow.messages.bytes.observed()) * 8.0 / seconds);
    record.scalar("throughput_l4", all(|flow| flow.distinct_packets.observed()) / seconds);
    if metrics.traces {
        record.trace("response_time".into(), trace);
        metrics.requests.store(record, |flow, station| {
            let station = simulation.site.stations[station as usize].name();
            (simulation.site.flows[flow as usize].name.clone(), station)
        });
    }
}

/// Polls with their rounds.
fn rounds<'s>(simulation: &'s Simulation<'_, '_>) -> impl Iterator<Item = FlowRounds<'s>> {
    let flows = simulation.metrics.flows.iter().zip(&simulation.site.flows).enumerate();
    flows.filter_map(|(index, (flow, settings))| {
        let Target::Polled(points) = &settings.to else { return None };
        let of_flow = simulation.sources.iter().filter(|source| usize::from(source.flow) == index);
        let open = of_flow.filter_map(Source::round).filter(|begun| *begun >= simulation.metrics.from).collect();
        let FlowSettings { name, arrivals, .. } = settings;
        Some(FlowRounds { name, arrivals, points: points.len(), complete: &flow.rounds, open })
    })
}

/// Ages of a flow's messages in flight, once for each receiver that has not handled its.
fn open(simulation: &Simulation<'_, '_>, flow: usize, end: Time) -> impl Iterator<Item = Duration> {
    let of_flow = move |message: &&Message| usize::from(simulation.sources[message.source as usize].flow) == flow;
    let messages = simulation.in_flight.messages.iter().filter(|message| message.counted).filter(of_flow);
    messages.flat_map(move |message| {
        let unreached = message.receivers.saturating_sub(message.handled);
        // one that has failed is handled no more
        let age = if message.failed { Duration::MAX } else { end.since(message.started) };
        std::iter::repeat_n(age, unreached.into())
    })
}

fn record_media(simulation: &Simulation<'_, '_>, seconds: f64, record: &mut Record) {
    let (mut correct, mut damaged, mut busy, mut backlog) = (0u64, 0u64, 0.0, 0.0);
    let (mut highest, mut collisions, mut has_bit_errors) = (0, 0, false);
    let (mut frames, mut overlapped) = (0, 0);
    let several = simulation.access.segments.len() > 1;
    let (mut ip_packets, mut ip_ports) = (0, 0);
    for (medium, (segment, settings)) in simulation.access.segments.iter().zip(&simulation.site.media).enumerate() {
        if let Some(ip) = &simulation.access.ip
            && let Some(counters) = ip.counters(medium)
        {
            let utilisation = ip.busiest(&segment.ports).seconds() / seconds;
            ip_packets += counters.received;
            record_ip(&settings.name, counters, (segment.answers, utilisation, seconds), record);
            ip_ports += segment.ports.len();
            busy += utilisation;
            continue;
        }
        let counters = segment.medium.counters();
        let errors = counters.collisions + counters.corrupted;
        let utilisation = counters.busy.seconds() / seconds;
        let name = &settings.name;
        if counters.correct > 0 {
            let length = counters.bytes as f64 / counters.correct as f64;
            record.scalar(format!("packet_length/{name}"), length);
            record.scalar(format!("packet_rate_limit/{name}"), settings.channel.saturation_rate(length));
            record.share(format!("answers/{name}"), segment.answers, counters.correct);
        }
        if several {
            record.scalar(format!("throughput_l3/{name}"), counters.correct as f64 / seconds);
            record.scalar(format!("utilisation/{name}"), utilisation);
            record.share(format!("collision_rate/{name}"), counters.collisions, counters.correct + errors);
            record.share(format!("collision_loss/{name}"), counters.overlapped, counters.frames);
        }
        let packets = [counters.correct, errors];
        record.load(name, Load::of_jobs("packets/s", packets, 0.0, utilisation, seconds).closed());
        if settings.channel.bit_error_rate > 0.0 || simulation.site.timeline.is_some() {
            has_bit_errors = true;
            record.share(format!("crc_error_rate/{name}"), errors, counters.correct + errors);
        }
        correct += counters.correct;
        damaged += errors;
        collisions += counters.collisions;
        frames += counters.frames;
        overlapped += counters.overlapped;
        busy += utilisation;
        backlog += counters.backlog as f64 * 1e-12;
        highest = highest.max(counters.backlog_max);
    }
    let ports = (simulation.access.ports.len() - ip_ports) as f64;
    record.scalar("throughput_l3", (correct + ip_packets) as f64 / seconds);
    record.share("collision_rate", collisions, correct + damaged);
    record.share("collision_loss", overlapped, frames);
    if has_bit_errors {
        record.share("crc_error_rate", damaged, correct + damaged);
    }
    record.scalar("utilisation", busy / simulation.access.segments.len() as f64);
    record.count("packets", correct + ip_packets);
    record.count("collisions", collisions);
    if ports > 0.0 {
        let (mean, max) = (backlog / ports / seconds, f64::from(highest));
        record.observe("backlog", Observation::TimeWeighted { mean, max });
    }
}

/// What a channel over an IP network carried, with the answers among its packets, its utilisation and the seconds observed.
fn record_ip(name: &str, counters: Counters, on_it: (u64, f64, f64), record: &mut Record) {
    let (Counters { received, bytes, lost, late }, (answers, utilisation, seconds)) = (counters, on_it);
    if received > 0 {
        record.scalar(format!("packet_length/{name}"), bytes as f64 / received as f64);
        record.share(format!("answers/{name}"), answers, received);
    }
    record.scalar(format!("throughput_l3/{name}"), received as f64 / seconds);
    record.scalar(format!("utilisation/{name}"), utilisation);
    record.load(name, Load::of_jobs("packets/s", [received, lost + late], 0.0, utilisation, seconds).closed());
    record.share(format!("loss/{name}"), lost, received + lost + late);
    record.share(format!("late_packets/{name}"), late, received + lost + late);
}

fn record_stations(simulation: &Simulation<'_, '_>, record: &mut Record) {
    let (mut late, mut overflows) = (0, simulation.metrics.buffer_overflows.observed());
    for (station, settings) in simulation.nodes.iter().zip(&simulation.site.stations) {
        let Some(active) = &station.active else { continue };
        let counters = active.node.counters();
        let Counts { sent, .. } = active.counts;
        if sent > 0 {
            record.count(format!("packets/{}", settings.name()), sent);
        }
        late += u64::from(counters.get(Counter::LateAcknowledgements));
        overflows += u64::from(counters.get(Counter::LostMessages)) + active.counts.refused;
    }
    let are_acknowledged =
        |flow: &FlowSettings| matches!(flow.service, ServiceKind::Acknowledged | ServiceKind::Request);
    record.count_if(simulation.site.flows.iter().any(are_acknowledged), "late_acknowledgements", late);
    record.count("buffer_overflows", overflows);
}
