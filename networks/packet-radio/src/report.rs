//! The record of a replication.

use sojourn_core::Time;
use sojourn_metrics::load::Load;
use sojourn_metrics::record::{Observation, Record};

use super::no_route;
use super::round_trip::RoundTrips;
use super::sessions::Sessions;
use super::site::{SessionSettings, Site, StationSettings};
use super::station::Station;
use super::world::Simulation;
use sojourn_model::flow_tally::{Count, FlowTally};

/// The record of a simulation that ended at `end`.
pub fn record(mut simulation: Simulation<'_, '_>, end: Time) -> Record {
    simulation.metrics.check_conservation(simulation.frames_in_flight.len() as u64);
    let mut record = Record::default();
    if let Some(changes) = simulation.changes.take() {
        changes.finish(end, &mut record);
    }
    report_media(&simulation, end, &mut record);
    report_processors(&simulation, end, &mut record);
    report_flows(&simulation, end, &mut record);
    report_probe(simulation, end, &mut record);
    record
}

fn report_probe(simulation: Simulation<'_, '_>, end: Time, record: &mut Record) {
    let Simulation { site, stations, sessions, mut round_trips, metrics, .. } = simulation;
    note_missing_routes(site, &stations, &sessions, &round_trips, record);
    let ages = sessions.open_exchanges(&round_trips, site, end);
    // UI frames are neither repeated nor asked for
    let has_links = site.stations.iter().any(|station| station.has_links);
    record.count_if(has_links, "polls", metrics.polls.observed());
    if site.probe.is_none() {
        record.count_if(has_links, "retries", metrics.retries.observed());
    }
    if let Some(probe) = &site.probe {
        round_trips.end(end);
        record.count("retries", metrics.probe_retries.observed());
        let station = &site.stations[probe.from as usize].name;
        round_trips.requests.store(record, |_, _| ("probe".to_owned(), station.clone()));
    } else if !site.sessions.is_empty() {
        round_trips.responses.censor_open(ages.iter().map(|(_, age)| *age));
        let flow = |flow: u32| site.sessions.iter().find(|session| session.number == flow).map(|found| &found.flow);
        round_trips.requests.store(record, |number, station| {
            (flow(number).cloned().unwrap_or_default(), site.stations[station as usize].name.clone())
        });
    } else {
        for name in ["response_time", "delay_budget", "failures"] {
            record.observe(name, Observation::NotApplicable);
        }
        return;
    }
    sessions.store(site, &ages, record);
    record.count("failures", round_trips.failures);
    record.observe("response_time", Observation::Distribution(round_trips.responses));
    record.observe("delay_budget", Observation::Budget(round_trips.budget));
    if !round_trips.trace.is_empty() {
        record.traces.insert("response_time".into(), round_trips.trace);
    }
}

/// Says of the probe and of each flow of sessions without a single answer that its nodes have no route.
fn note_missing_routes(
    site: &Site,
    stations: &[Station],
    sessions: &Sessions,
    round_trips: &RoundTrips,
    record: &mut Record,
) {
    let unanswered = |session: &&SessionSettings| sessions.tallies[session.number as usize].responses.count() == 0;
    let probe = site.probe.iter().filter(|_| round_trips.responses.count() == 0).map(|probe| &probe.path);
    let users = site.sessions.iter().filter(unanswered).map(|session| &session.path);
    for reason in no_route::reasons(site, stations, probe.chain(users)) {
        record.note(reason);
    }
}

fn report_media(simulation: &Simulation<'_, '_>, end: Time, record: &mut Record) {
    let seconds = end.since(simulation.metrics.from()).seconds();
    let tallies: Vec<_> = simulation.media.iter().map(|medium| medium.channel.tally(end)).collect();
    let several = tallies.len() > 1;
    for (medium, tally) in simulation.site.media.iter().zip(&tallies).filter(|_| several) {
        record.scalar(format!("utilisation/{}", medium.name), share(tally.busy.seconds(), seconds));
    }
    for (medium, tally) in simulation.site.media.iter().zip(&tallies) {
        record.load(&medium.name, load(tally, seconds));
    }
    let busy: f64 = tallies.iter().map(|tally| share(tally.busy.seconds(), seconds)).sum();
    record.scalar("utilisation", busy / tallies.len() as f64);
    let sum = |count: fn(&super::medium::Tally) -> u64| tallies.iter().map(count).sum::<u64>();
    let (good, overlapped) = (sum(|tally| tally.good), sum(|tally| tally.collided + tally.while_transmitting));
    record.count("packets", good);
    record.scalar("throughput_l3", share(good as f64, seconds));
    let received = good + overlapped + sum(|tally| tally.corrupted);
    record.share("collision_rate", overlapped, received);
    if simulation.media.iter().any(|medium| medium.channel.corrects()) {
        record.count("corrected_octets", sum(|tally| tally.corrected_octets));
        record.share("corrected_frames", sum(|tally| tally.repaired), good);
    }
}

/// What a medium carried of the frames that were transmitted. Stations wait for a free channel, and their queues for them.
fn load(tally: &super::medium::Tally, seconds: f64) -> Load {
    let utilisation = share(tally.busy.seconds(), seconds);
    let lost = tally.collided + tally.while_transmitting + tally.corrupted;
    Load::of_jobs("packets/s", [tally.good, lost], 0.0, utilisation, seconds).closed()
}

fn report_processors(simulation: &Simulation<'_, '_>, end: Time, record: &mut Record) {
    let seconds = end.since(simulation.metrics.from()).seconds();
    let forwards = |site: &StationSettings| site.ports.len() > 1 || site.digipeats;
    for (site, station) in simulation.site.stations.iter().zip(&simulation.stations).filter(|(site, _)| forwards(site))
    {
        let busy = share(station.cpu.busy(end).seconds(), seconds);
        record.scalar(format!("processor_utilisation/{}", site.name), busy);
        let load = Load { unit: "1".to_owned(), offered: busy, carried: busy, utilisation: Some(busy), demand: None };
        record.load(format!("processor of {}", site.name), load);
    }
}

fn report_flows(simulation: &Simulation<'_, '_>, end: Time, record: &mut Record) {
    let seconds = end.since(simulation.metrics.from()).seconds();
    let flows = &simulation.metrics.flows;
    let sum = |count: fn(&FlowTally) -> Count| flows.iter().map(|flow| count(flow).observed()).sum::<u64>();
    let probe = simulation.site.probe.as_ref().map_or(0, |probe| u64::from(probe.size));
    let octets = sum(|flow| flow.bytes) + 2 * probe * simulation.round_trips.responses.count();
    record.scalar("throughput", share(octets as f64 * 8.0, seconds));
    match flows.is_empty() {
        true => record.observe("buffer_overflows", Observation::NotApplicable),
        false => record.count("buffer_overflows", sum(|flow| flow.lost)),
    }
    report_delivery(simulation, seconds, record);
}

/// Broadcasts have no receiver that could miss them.
fn report_delivery(simulation: &Simulation<'_, '_>, seconds: f64, record: &mut Record) {
    let is_broadcast =
        |flow: u32| simulation.site.sources.iter().any(|source| source.number == flow && source.is_broadcast);
    let addressed = (0..).zip(&simulation.metrics.flows).filter(|(flow, _)| !is_broadcast(*flow));
    let flows: Vec<&FlowTally> = addressed.map(|(_, tally)| tally).collect();
    if flows.is_empty() {
        for name in ["packet_rate", "loss"] {
            record.observe(name, Observation::NotApplicable);
        }
        return;
    }
    let sum = |count: fn(&FlowTally) -> Count| flows.iter().map(|flow| count(flow).observed()).sum::<u64>();
    let (offered, delivered) = (sum(|flow| flow.offered), sum(|flow| flow.delivered));
    record.scalar("packet_rate", share(delivered as f64, seconds));
    record.share("loss", offered.saturating_sub(delivered), offered);
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
