//! The record of a replication.

use sojourn_core::{Duration, Time};
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::load::Load;
use sojourn_metrics::record::{Observation, Record};
use sojourn_model::traffic::{Arrivals, FlowRounds, record_rounds};

use crate::bus::Counters;
use crate::metrics::FlowMetrics;
use crate::site::{FlowSettings, Service};
use crate::sources::Source;
use crate::world::Simulation;

/// The record of a replication that ended at `end`.
pub fn record(mut simulation: Simulation<'_, '_>, end: Time) -> Record {
    simulation.metrics.check_conservation(simulation.in_flight.messages.len() as u64);
    let (timed, changes) = (simulation.metrics.timed.take(), simulation.changes.take());
    let mut record = Record::default();
    if let (Some(timed), Some(changes)) = (timed, changes) {
        timed.finish(&mut record);
        record.observe("utilisation/timeline", Observation::Timeline(changes.busy.finish(end)));
    }
    record.units.insert("queue_length".to_owned(), "frames".to_owned());
    let observed = end.since(simulation.metrics.from.min(end));
    record_flows(&simulation, end, observed, &mut record);
    record_rounds(rounds(&simulation), end, &mut record);
    record_buses(&mut simulation, end, observed, &mut record);
    record_states(&mut simulation, end, observed, &mut record);
    record
}

fn record_flows(simulation: &Simulation<'_, '_>, end: Time, observed: Duration, record: &mut Record) {
    let metrics = &simulation.metrics;
    let flows = || metrics.flows.iter().zip(&simulation.site.flows);
    let (mut response, mut trace, mut unreached) = (Distribution::new(), Vec::new(), 0);
    for (index, (flow, settings)) in flows().enumerate() {
        let name = &settings.name;
        if settings.probe {
            let mut responses = flow.response.clone();
            responses.censor(flow.unreached);
            responses.censor_open(open(simulation, index, end));
            response.merge(&responses);
            unreached += flow.unreached;
            record.observe(format!("response_time/{name}"), Observation::Distribution(responses));
            record.share(format!("loss/{name}"), flow.unreached, flow.unreached + flow.reached);
            record.count(format!("failures/{name}"), flow.failures);
            trace.extend_from_slice(&flow.trace);
        }
        if settings.deadline.is_some() {
            let [late, of] = deadline(flow);
            record.share(format!("deadline_misses/{name}"), late, of);
        }
    }
    let is_probed = flows().any(|(_, settings)| settings.probe);
    let probed = |count: fn(&FlowMetrics) -> u64| -> u64 {
        flows().filter(|(_, settings)| settings.probe).map(|(flow, _)| count(flow)).sum()
    };
    match is_probed {
        true => {
            let rate = response.count() as f64 / observed.seconds();
            record.share("loss", unreached, unreached + response.count());
            record.observe("response_time", Observation::Distribution(response));
            record.observe("delay_budget", Observation::Budget(metrics.budget.clone()));
            record.scalar("transaction_rate", rate);
        }
        false => {
            for name in ["loss", "response_time", "delay_budget", "transaction_rate"] {
                record.observe(name, Observation::NotApplicable);
            }
        }
    }
    let judged = flows().filter(|(_, settings)| settings.deadline.is_some()).map(|(flow, _)| deadline(flow));
    match judged.reduce(|[late, of], [more, all]| [late + more, of + all]) {
        Some([late, of]) => record.share("deadline_misses", late, of),
        None => record.observe("deadline_misses", Observation::NotApplicable),
    }
    let is_session = |flow: &FlowSettings| flow.service != Service::Broadcast;
    let has_sessions = flows().any(|(_, settings)| settings.probe && is_session(settings));
    record.count_if(is_probed, "failures", probed(|flow| flow.failures));
    record.count_if(has_sessions, "retries", probed(|flow| flow.retries.observed()));
    let bytes: u64 = metrics.flows.iter().map(|flow| flow.messages.bytes.observed()).sum();
    record.scalar("throughput", bytes as f64 * 8.0 / observed.seconds());
    record.count("buffer_overflows", metrics.overflows.observed());
    if metrics.traces {
        record.trace("response_time".into(), trace);
        metrics.requests.store(record, |flow, station| {
            let station = &simulation.site.stations[station as usize];
            (simulation.site.flows[flow as usize].name.clone(), station.name.clone())
        });
    }
}

/// Polls with their rounds.
fn rounds<'s>(simulation: &'s Simulation<'_, '_>) -> impl Iterator<Item = FlowRounds<'s>> {
    let flows = (0..).zip(simulation.metrics.flows.iter().zip(&simulation.site.flows));
    flows.filter(|(_, (_, settings))| settings.is_poll()).map(|(number, (flow, settings))| {
        let of_flow = simulation.sources.iter().filter(|source| source.flow == number);
        let open = of_flow.filter_map(Source::round).filter(|begun| *begun >= simulation.metrics.from).collect();
        let points = settings.senders.first().map_or(0, |sender| sender.receivers.len());
        FlowRounds { name: &settings.name, arrivals: &settings.arrivals, points, complete: &flow.rounds, open }
    })
}

/// Messages of a flow that missed their deadline, those that never arrived included, of all.
fn deadline(flow: &FlowMetrics) -> [u64; 2] {
    [flow.late + flow.unreached, flow.reached + flow.unreached]
}

/// Ages of a flow's messages in flight, once for each receiver that has not handled its.
fn open(simulation: &Simulation<'_, '_>, flow: usize, end: Time) -> impl Iterator<Item = Duration> {
    let of_flow = move |source: u32| simulation.sources[source as usize].flow as usize == flow;
    let messages =
        simulation.in_flight.messages.iter().filter(move |message| message.counted && of_flow(message.source));
    messages.flat_map(move |message| std::iter::repeat_n(end.since(message.started), message.left as usize))
}

fn record_buses(simulation: &mut Simulation<'_, '_>, end: Time, observed: Duration, record: &mut Record) {
    let seconds = observed.seconds();
    let buses = simulation.site.buses() as u64;
    let several = buses > 1;
    let mut all = Counters::default();
    let mut queue = [0.0, 0.0];
    let media = simulation.buses.iter_mut().zip(&simulation.site.media);
    for (bus, settings) in media.filter(|(_, settings)| settings.link.is_none()) {
        let waiting = bus.waiting as f64;
        let counters = bus.end(end);
        let name = &settings.name;
        let utilisation = (counters.busy.seconds() / seconds).min(1.0);
        let mean = counters.area as f64 * 1e-12 / seconds;
        let load = Load::of_jobs("frames/s", [counters.frames, 0], waiting, utilisation, seconds);
        record.load(name, if settings_close(simulation.site) { load.closed() } else { load });
        if several {
            record.scalar(format!("utilisation/{name}"), utilisation);
            record.scalar(format!("throughput_l3/{name}"), counters.frames as f64 / seconds);
            record_worst(counters, observed, &format!("/{name}"), record);
            record.count(format!("error_frames/{name}"), counters.errors);
            record.count(format!("arbitration_losses/{name}"), counters.losses);
            let level = Observation::TimeWeighted { mean, max: counters.most as f64 };
            record.observe(format!("queue_length/{name}"), level);
        }
        queue = [queue[0] + mean, f64::max(queue[1], counters.most as f64)];
        all.frames += counters.frames;
        all.errors += counters.errors;
        all.losses += counters.losses;
        all.busy += counters.busy;
        all.worst += counters.worst;
    }
    record.scalar("utilisation", (all.busy.seconds() / seconds / buses.max(1) as f64).min(1.0));
    record.scalar("throughput_l3", all.frames as f64 / seconds);
    record_worst(Counters { worst: all.worst.divided(buses.max(1)), ..all }, observed, "", record);
    record.count("packets", all.frames);
    record.count("error_frames", all.errors);
    record.count("arbitration_losses", all.losses);
    record.observe("queue_length", Observation::TimeWeighted { mean: queue[0] / buses.max(1) as f64, max: queue[1] });
}

/// The load with as many stuff bits as there can be; none of a bus without a frame.
fn record_worst(counters: Counters, observed: Duration, member: &str, record: &mut Record) {
    if counters.frames > 0 {
        record.scalar(format!("utilisation_worst{member}"), counters.worst.seconds() / observed.seconds());
    }
}

/// Whether messages wait for others to be settled: then a bus takes what it gets.
fn settings_close(site: &crate::site::Site) -> bool {
    site.flows.iter().any(|flow| {
        let closed = matches!(&flow.arrivals, Arrivals::Process(process) if process.is_closed());
        closed || flow.is_poll() || flow.service != Service::Broadcast
    })
}

fn record_states(simulation: &mut Simulation<'_, '_>, end: Time, observed: Duration, record: &mut Record) {
    let (mut off, mut passive, ports) = (0, 0, simulation.ports.len() as u64);
    for (port, settings) in simulation.ports.iter_mut().zip(&simulation.site.ports) {
        let time = port.end(end).picoseconds().min(observed.picoseconds());
        off += port.times_off;
        passive += time / ports;
        if time > 0 {
            let station = &simulation.site.stations[settings.station as usize];
            let bus = &simulation.site.media[usize::from(settings.medium)].name;
            let member = if station.ports.len() > 1 { format!("{}/{bus}", station.name) } else { station.name.clone() };
            record.share(format!("error_passive/{member}"), time, observed.picoseconds());
            record.count(format!("bus_offs/{member}"), port.times_off);
        }
    }
    record.share("error_passive", passive, observed.picoseconds());
    record.count("bus_offs", off);
}
