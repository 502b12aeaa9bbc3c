//! The record of a replication, from its runs.
//!
//! | run | metrics |
//! |---|---|
//! | exchanges (or, with one-way delay, the stream) | response time, its spread and budget, retries, failures, token rotation |
//! | the stream | throughput, packet rate, channels, utilisation of ring and processors, frames per token |
//! | voice in real time | under- and overflow of FIFOs |
//!
//! Where no voice is probed there is one run, and all comes from it.

use std::collections::BTreeMap;

use sojourn_core::Time;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};

use super::metrics::{FlowMetrics, Metrics};
use super::site::{Site, Traffic};
use super::stream::User;
use super::world::{Mode, Simulation};

/// One voice channel.
const CHANNEL_BITS_PER_SECOND: f64 = 64_000.0;

/// What a run has observed.
#[derive(Debug)]
pub struct Run {
    mode: Mode,
    end: Time,
    metrics: Metrics,
    rotations: Distribution,
    rings: Vec<RingTally>,
    processors: Vec<f64>,
    frames_per_token: f64,
    underflows: u64,
    overflows: u64,
}

#[derive(Debug)]
struct RingTally {
    utilisation: f64,
    frames: u64,
    claims: u64,
    tokens_lost: u64,
}

impl Run {
    /// What a run has observed when the clock stands at `end`.
    pub fn of(mode: Mode, mut simulation: Simulation<'_, '_>, end: Time) -> Run {
        let unsettled =
            |stream: &super::stream::Stream| stream.messages.iter().filter(|message| !message.settled).count() as u64;
        simulation.metrics.check_conservation(simulation.streams.iter().map(unsettled).sum());
        let seconds = end.since(simulation.metrics.from()).seconds();
        let mut rotations = Distribution::new();
        let mut rings = Vec::new();
        let probe = simulation.site.probe.map(|probe| simulation.site.flows[usize::from(probe.flow)].from);
        let port = probe.map(|host| simulation.site.hosts[host as usize].ports[0]);
        for (index, state) in simulation.rings.iter_mut().enumerate() {
            state.ring.settle(end);
            let mac = port.filter(|port| usize::from(port.ring) == index).map_or(0, |port| port.mac);
            if port.is_none_or(|port| usize::from(port.ring) == index)
                && let Some(observed) = state.ring.rotations(mac)
            {
                rotations.merge(observed);
            }
            let tally = state.ring.tally();
            rings.push(RingTally {
                utilisation: share(tally.busy.seconds(), seconds),
                frames: tally.frames,
                claims: tally.claims,
                tokens_lost: tally.tokens_lost,
            });
        }
        let port = port.unwrap_or(super::port::Port { ring: 0, mac: 0 });
        let tally = simulation.rings[usize::from(port.ring)].ring.mac_tally(port.mac, end);
        let frames = tally.synchronous_frames + tally.asynchronous_frames;
        let frames_per_token = share(frames as f64, tally.tokens_captured as f64);
        let busy = |host: &super::world::HostState<'_>| share(host.cpu.busy(end).seconds(), seconds);
        let processors = simulation.hosts.iter().map(busy).collect();
        let (underflows, overflows) = fifos(&mut simulation, end);
        Run {
            mode,
            end,
            metrics: simulation.metrics,
            rotations,
            rings,
            processors,
            frames_per_token,
            underflows,
            overflows,
        }
    }
}

/// Under- and overflows of all voice FIFOs.
fn fifos(simulation: &mut Simulation<'_, '_>, end: Time) -> (u64, u64) {
    let (mut underflows, mut overflows) = (0, 0);
    for stream in &mut simulation.streams {
        let User::Voice { source, sinks, .. } = &mut stream.user else { continue };
        overflows += source.lost(end);
        for (_, sink) in sinks {
            let (empty, lost) = sink.counts(end);
            underflows += empty;
            overflows += lost;
        }
    }
    (underflows, overflows)
}

/// The record of a replication.
pub fn record(site: &Site, runs: Vec<Run>, traced: bool) -> Record {
    let of = |mode: Mode| runs.iter().find(|run| run.mode == mode || run.mode == Mode::Steady);
    let one_way = site.probe.is_some_and(|probe| probe.one_way);
    let mut record = Record::default();
    let responses = of(if one_way { Mode::Stream } else { Mode::Exchange });
    report_responses(site, responses, traced, &mut record);
    report_stream(site, of(Mode::Stream), &mut record);
    report_fifos(site, of(Mode::Paced), &mut record);
    report_rings(site, &runs, of(Mode::Stream), &mut record);
    record
}

fn report_responses(site: &Site, run: Option<&Run>, traced: bool, record: &mut Record) {
    let Some(run) = run else {
        for name in ["response_time", "jitter_p95_p50", "delay_budget", "token_rotation", "failures", "retries"] {
            record.observe(name, Observation::NotApplicable);
        }
        return;
    };
    let mut pooled = Distribution::new();
    let mut by_name: BTreeMap<&str, Distribution> = BTreeMap::new();
    let (mut retries, mut losses) = (0, 0);
    for (flow, metrics) in site.flows.iter().zip(&run.metrics.flows).filter(|(flow, _)| flow.probe) {
        pooled.merge(&metrics.response);
        by_name.entry(&flow.name).or_default().merge(&metrics.response);
        retries += metrics.retries.observed();
        losses += metrics.tally.lost.observed();
    }
    if by_name.len() > 1 {
        for (name, response) in by_name {
            record.observe(format!("response_time/{name}"), Observation::Distribution(response));
        }
    }
    let spread = pooled.quantiles(&[0.5, 0.95]).map(|found| found[1] - found[0]);
    record.scalar("jitter_p95_p50", spread.map_or(0.0, |spread| spread.seconds()));
    record.observe("response_time", Observation::Distribution(pooled));
    record.observe("delay_budget", Observation::Budget(run.metrics.budget.clone()));
    record.observe("token_rotation", Observation::Distribution(run.rotations.clone()));
    record.count("failures", run.metrics.failures + if run.mode == Mode::Exchange { 0 } else { losses });
    record.count("retries", retries);
    record.count("handshakes", run.metrics.handshakes.observed());
    if traced {
        record.traces.insert("response_time".into(), run.metrics.trace.clone());
    }
}

fn report_stream(site: &Site, run: Option<&Run>, record: &mut Record) {
    let Some(run) = run else {
        for name in ["throughput", "packet_rate", "voice_channels"] {
            record.observe(name, Observation::NotApplicable);
        }
        return;
    };
    let (bytes, packets, seconds) = match (&site.probe, run.mode) {
        (Some(probe), Mode::Stream) => {
            let streamed = run.metrics.streamed;
            (streamed.bytes, streamed.packets, streamed.seconds(run.end, probe.transfer))
        }
        _ => {
            let sum = |count: fn(&FlowMetrics) -> u64| run.metrics.flows.iter().map(count).sum::<u64>();
            (
                sum(|flow| flow.tally.bytes.observed()),
                sum(|flow| flow.tally.delivered.observed()),
                run.end.since(run.metrics.from()).seconds(),
            )
        }
    };
    let throughput = share(bytes as f64 * 8.0, seconds);
    record.scalar("throughput", throughput);
    record.scalar("packet_rate", share(packets as f64, seconds));
    match run.mode {
        Mode::Steady => record.observe("voice_channels", Observation::NotApplicable),
        _ => record.scalar("voice_channels", libm::floor(throughput / CHANNEL_BITS_PER_SECOND)),
    }
    for (host, busy) in site.hosts.iter().zip(&run.processors) {
        record.scalar(format!("processor_utilisation/{}", host.name), *busy);
    }
    record.scalar("frames_per_token", run.frames_per_token);
}

fn report_fifos(site: &Site, run: Option<&Run>, record: &mut Record) {
    let has_voice = site.flows.iter().any(|flow| matches!(flow.traffic, Traffic::Voice(_)));
    match run.filter(|_| has_voice) {
        Some(run) => {
            record.count("fifo_underflow", run.underflows);
            record.count("fifo_overflow", run.overflows);
        }
        None => {
            record.observe("fifo_underflow", Observation::NotApplicable);
            record.observe("fifo_overflow", Observation::NotApplicable);
        }
    }
}

fn report_rings(site: &Site, runs: &[Run], loaded: Option<&Run>, record: &mut Record) {
    let Some(run) = loaded.or(runs.first()) else { return };
    let several = site.rings.len() > 1;
    for (ring, tally) in site.rings.iter().zip(&run.rings).filter(|_| several) {
        record.scalar(format!("utilisation/{}", ring.name), tally.utilisation);
    }
    let mean = run.rings.iter().map(|ring| ring.utilisation).sum::<f64>() / run.rings.len() as f64;
    record.scalar("utilisation", mean);
    let sum = |count: fn(&RingTally) -> u64| runs.iter().flat_map(|run| &run.rings).map(count).sum::<u64>();
    record.count("packets", run.rings.iter().map(|ring| ring.frames).sum());
    record.count("claims", sum(|ring| ring.claims));
    record.count("tokens_lost", sum(|ring| ring.tokens_lost));
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
