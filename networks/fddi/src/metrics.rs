//! Observations of the runs of a replication, and the record of metrics made from them.
//!
//! | run | metrics |
//! |---|---|
//! | exchanges (or, with one-way delay, the stream) | response time, its spread and budget, retries, failures, token rotation |
//! | the stream | throughput, packet rate, channels, utilisation of ring and processors, frames per token |
//! | voice in real time | rating of each channel, one-way delay of all channels, under- and overflow of FIFOs, share of samples lost |
//!
//! Without probed voice there is a single run, from which all metrics come.

use std::collections::BTreeMap;

use sojourn_core::{Duration, Streams, Time};
use sojourn_metrics::RequestLog;
use sojourn_metrics::budget::Budget;
use sojourn_metrics::distribution::Distribution;
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::timeline::RateWindows;

use super::effect::{Effect, Timeline};
use super::latency_budget::{COMPONENTS, Components};
use super::loads;
use super::media::RingMetrics;
use super::ring::Tally;
use super::site::{Mode, Site, Traffic, Transport};
use super::stream::{Message, packet_time};
use sojourn_model::flow_tally::{Count, FlowTally};
use sojourn_model::timed::Timed;
use sojourn_model::voice::{self, Direction};

/// One voice channel.
const CHANNEL_BITS_PER_SECOND: f64 = 64_000.0;

/// Bits a second of user data of a channel of the probed voice.
fn channel_rate(site: &Site) -> f64 {
    let probed = site.probe.map(|probe| &site.flows[usize::from(probe.flow)].traffic);
    match probed {
        Some(Traffic::Voice(voice)) if voice.bytes != voice.samples => {
            f64::from(voice.bytes) * 8.0 / packet_time(voice).seconds()
        }
        _ => CHANNEL_BITS_PER_SECOND,
    }
}

/// What is observed of a flow.
#[derive(Clone, Debug, Default)]
struct FlowMetrics {
    /// Response times, where it is probed; what was not delivered counts as longer than anything.
    response: Distribution,
    /// Messages and their user data.
    tally: FlowTally,
    /// Packets retransmitted.
    retries: Count,
}

/// What a run observes of its streams.
#[derive(Clone, Debug)]
pub struct Metrics<'a> {
    from: Time,
    /// What happens during the run, and metrics over time, if anything does.
    pub timed: Option<Box<Observed<'a>>>,
    traced: bool,
    /// By flow.
    flows: Vec<FlowMetrics>,
    /// The latency budget of the probed messages.
    budget: Budget,
    /// Response times in order, where traces are kept.
    trace: Vec<(u64, f64)>,
    /// One-way delays of voice in real time likewise.
    voice_trace: Vec<(u64, f64)>,
    /// The probes' messages one by one, by flow, where traces are kept.
    requests: RequestLog,
    /// Response times to take.
    wanted: u64,
    /// Exchanges begun.
    pub begun: u64,
    /// Exchanges without a response.
    pub failures: u64,
    /// Synchronizing handshakes.
    handshakes: Count,
    /// The probed stream: bytes and packets delivered, from its first write to its last delivery.
    streamed: Streamed,
    /// One-way delays of voice in real time; packets that were not delivered count as longer than anything.
    voice: Distribution,
}

/// The events of a run, and what is observed over time.
#[derive(Clone, Debug)]
pub struct Observed<'a> {
    /// The events, and response times.
    pub events: Timed<'a, Effect>,
    /// Bits delivered.
    delivered: RateWindows,
}

impl Observed<'_> {
    /// Goes on as the scenario of this number.
    pub fn branch(&mut self, number: usize) {
        self.events.branch(number);
        self.delivered.set_edges(self.events.edges());
    }
}

/// What came of a stream.
#[derive(Clone, Copy, Debug, Default)]
struct Streamed {
    bytes: u64,
    packets: u64,
    first: Option<Time>,
    last: Time,
}

impl Streamed {
    /// Seconds from the first write to the last delivery, or to `end` where less was delivered than asked.
    fn seconds(&self, end: Time, asked: u64) -> f64 {
        let last = if self.bytes >= asked { self.last } else { end };
        self.first.map_or(0.0, |first| last.since(first).seconds())
    }
}

impl<'a> Metrics<'a> {
    /// Nothing observed yet; the observation begins at `from`, and takes as many response times as `wanted`.
    pub fn new(flows: usize, from: Time, traced: bool, wanted: u64) -> Self {
        Metrics {
            from,
            timed: None,
            traced,
            flows: vec![FlowMetrics::default(); flows],
            budget: Budget::new(&COMPONENTS),
            trace: Vec::new(),
            voice_trace: Vec::new(),
            requests: RequestLog::new(traced),
            wanted,
            begun: 0,
            failures: 0,
            handshakes: Count::default(),
            streamed: Streamed::default(),
            voice: Distribution::new(),
        }
    }

    /// Events are to happen until `to`.
    pub fn expect_events(&mut self, timeline: &'a Timeline, streams: &Streams, to: Time) {
        let events = Timed::new(&timeline.plan, streams, self.from, to);
        let delivered = RateWindows::new(events.edges());
        self.timed = Some(Box::new(Observed { events, delivered }));
    }

    /// When the warm-up ends.
    pub fn from(&self) -> Time {
        self.from
    }

    /// The warm-up is over.
    pub fn end_warm_up(&mut self) {
        self.handshakes.end_warm_up();
        for flow in &mut self.flows {
            flow.tally.end_warm_up();
            flow.retries.end_warm_up();
        }
    }

    /// A message is written.
    #[inline]
    pub fn offered(&mut self, flow: u16) {
        self.flows[usize::from(flow)].tally.offer();
    }

    /// A message is delivered.
    #[inline]
    pub fn delivered(&mut self, flow: u16, message: &Message) {
        self.flows[usize::from(flow)].tally.deliver(u64::from(message.length));
    }

    /// A message reached its user at `now`.
    #[inline]
    pub fn carried(&mut self, now: Time, message: &Message) {
        if let Some(timed) = &mut self.timed {
            timed.delivered.add(now, 8 * u64::from(message.length));
        }
    }

    /// A probed message, or an exchange, is sent.
    #[inline]
    pub fn sent(&mut self, now: Time) {
        if let Some(timed) = &mut self.timed {
            timed.events.sent(now);
        }
    }

    /// Counts `messages` messages of a flow that will not be delivered.
    pub fn lost(&mut self, flow: u16, messages: u64) {
        self.flows[usize::from(flow)].tally.lose(messages);
    }

    /// A probed message, or an exchange, that was sent at `sent` is not delivered: it has no response time.
    pub fn undelivered(&mut self, flow: u16, sent: Time) {
        if let Some(timed) = &mut self.timed {
            timed.events.ended(sent, None);
        }
        if self.samples() < self.wanted {
            self.flows[usize::from(flow)].response.censor(1);
            self.requests.failed(flow.into(), 0, sent);
        }
    }

    /// A packet of voice in real time is delivered.
    #[inline]
    pub fn spoken(&mut self, now: Time, message: &Message) {
        let delay = now.since(message.started);
        self.voice.record(delay);
        if self.traced {
            self.voice_trace.push((now.picoseconds(), delay.seconds()));
        }
    }

    /// Packets of voice in real time that are open at the end, by age.
    pub fn censor_voice(&mut self, ages: &[Duration]) {
        self.voice.censor_open(ages.iter().copied());
    }

    /// What is open at the end, by flow and age, has no response time if it is older than all that have one.
    pub fn censor_open(&mut self, open: &[(u16, Duration)]) {
        if self.samples() < self.wanted {
            for (flow, metrics) in (0..).zip(&mut self.flows) {
                let ages = open.iter().filter(|(of, _)| *of == flow).map(|&(_, age)| age);
                metrics.response.censor_open(ages);
            }
        }
    }

    /// A packet is retransmitted.
    pub fn retransmitted(&mut self, flow: u16) {
        self.flows[usize::from(flow)].retries.add(1);
    }

    /// A synchronizing handshake begins.
    pub fn handshake(&mut self) {
        self.handshakes.add(1);
    }

    /// A packet of the probed stream is delivered; returns the bytes delivered so far.
    #[inline]
    pub fn stream_delivered(&mut self, now: Time, message: &Message) -> u64 {
        let streamed = &mut self.streamed;
        streamed.first.get_or_insert(message.started);
        streamed.last = now;
        streamed.packets += 1;
        streamed.bytes += u64::from(message.length);
        streamed.bytes
    }

    /// A response time: what the clock reads, and its exact parts.
    pub fn response(&mut self, now: Time, flow: u16, sent: Time, reading: Duration, parts: Components) {
        let exact: Duration = parts.iter().copied().sum();
        self.flows[usize::from(flow)].response.record_reading(exact, reading);
        self.budget.record(&parts);
        if self.traced {
            self.trace.push((now.picoseconds(), reading.seconds()));
        }
        self.requests.responded(flow.into(), 0, sent, reading);
        if let Some(timed) = &mut self.timed {
            timed.events.ended(sent, Some(reading));
        }
    }

    /// Messages of a flow since the end of the warm-up: those offered, and those that came to an end.
    pub fn messages(&self, flow: usize) -> [u64; 2] {
        let tally = &self.flows[flow].tally;
        [tally.offered.observed(), tally.delivered.observed() + tally.lost.observed()]
    }

    /// Number of response times recorded in the latency budget.
    pub fn samples(&self) -> u64 {
        self.budget.count()
    }

    /// Every message offered is delivered, lost, or one of the `in_flight`.
    pub fn check_conservation(&self, in_flight: u64) {
        let found: u64 = self.flows.iter().map(|flow| flow.tally.in_flight()).sum();
        assert_eq!(found, in_flight, "offered = delivered + lost + in flight");
    }
}

/// What came of the voice FIFOs of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct FifoCounts {
    /// Times that FIFOs of receivers ran empty, or were never filled.
    pub underflows: u64,
    /// Samples that found no room.
    pub overflows: u64,
    /// Samples for all receivers.
    pub samples: u64,
    /// Those of them that were lost.
    pub lost: u64,
}

/// What a run has observed.
#[derive(Debug)]
pub struct Run<'a> {
    /// Kind of run: exchanges, stream or real-time voice.
    pub mode: Mode,
    /// The instant it ended.
    pub end: Time,
    /// Events it took.
    pub events: u64,
    /// What it observed of its streams.
    pub metrics: Metrics<'a>,
    /// What it observed of its rings.
    pub rings: RingMetrics,
    /// Busy time of each host's CPU.
    pub busy: Vec<Duration>,
    /// What came of the voice FIFOs.
    pub fifos: FifoCounts,
    /// What listeners hear of the voice that is rated, by channel.
    pub calls: Vec<(String, Vec<Direction>)>,
}

impl Run<'_> {
    /// Seconds from the end of the warm-up to the end.
    fn seconds(&self) -> f64 {
        self.end.since(self.metrics.from).seconds()
    }
}

/// The record of a replication.
pub fn record(site: &Site, mut runs: Vec<Run<'_>>, traced: bool) -> Record {
    // events are observed in the run of response times, which is the first
    let observed = runs.first_mut().and_then(|run| run.metrics.timed.take());
    let of = |mode: Mode| runs.iter().find(|run| run.mode == mode || run.mode == Mode::Steady);
    let one_way = site.probe.is_some_and(|probe| probe.one_way);
    let mut record = Record { events: runs.iter().map(|run| run.events).sum(), ..Record::default() };
    let responses = of(if one_way { Mode::Stream } else { Mode::Exchange });
    report_responses(site, responses, traced, &mut record);
    report_stream(site, of(Mode::Stream), &mut record);
    report_fifos(site, of(Mode::Paced), &mut record);
    report_rings(site, &runs, of(Mode::Stream), &mut record);
    if let Some(observed) = observed {
        observed.events.finish(&mut record);
        record.observe("throughput/timeline", Observation::Timeline(observed.delivered.finish()));
    }
    record
}

fn report_responses(site: &Site, run: Option<&Run<'_>>, traced: bool, record: &mut Record) {
    let Some(run) = run else {
        for name in ["response_time", "jitter_p95_p50", "delay_budget", "token_rotation", "failures", "retries"] {
            record.observe(name, Observation::NotApplicable);
        }
        return;
    };
    let mut pooled = Distribution::new();
    let mut by_name: BTreeMap<&str, Distribution> = BTreeMap::new();
    let (mut retries, mut losses, mut delivered) = (0, 0, 0);
    for (flow, metrics) in site.flows.iter().zip(&run.metrics.flows).filter(|(flow, _)| flow.probe) {
        pooled.merge(&metrics.response);
        by_name.entry(&flow.name).or_default().merge(&metrics.response);
        retries += metrics.retries.observed();
        losses += metrics.tally.lost.observed();
        delivered += metrics.tally.delivered.observed();
    }
    if by_name.len() > 1 {
        for (name, response) in by_name {
            record.observe(format!("response_time/{name}"), Observation::Distribution(response));
        }
    }
    match pooled.spread(0.5, 0.95) {
        Some(spread) => record.scalar("jitter_p95_p50", spread.seconds()),
        None => record.observe("jitter_p95_p50", Observation::NotApplicable),
    }
    record.observe("response_time", Observation::Distribution(pooled));
    record.observe("delay_budget", Observation::Budget(run.metrics.budget.clone()));
    record.observe("token_rotation", Observation::Distribution(run.rings.rotations.clone()));
    record.count("failures", run.metrics.failures + if run.mode == Mode::Exchange { 0 } else { losses });
    if !site.has_voice() {
        record.share("loss", losses, losses + delivered);
    }
    let over_xtp = site.flows.iter().any(|flow| matches!(flow.transport, Transport::Xtp(_)));
    record.count_if(over_xtp, "retries", retries);
    record.count_if(over_xtp, "handshakes", run.metrics.handshakes.observed());
    if traced {
        record.traces.insert("response_time".into(), run.metrics.trace.clone());
        run.metrics.requests.store(record, |flow, _| {
            let flow = &site.flows[flow as usize];
            (flow.name.clone(), site.hosts[flow.from as usize].name.clone())
        });
    }
}

fn report_stream(site: &Site, run: Option<&Run<'_>>, record: &mut Record) {
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
            (sum(|flow| flow.tally.bytes.observed()), sum(|flow| flow.tally.delivered.observed()), run.seconds())
        }
    };
    let throughput = share(bytes as f64 * 8.0, seconds);
    record.scalar("throughput", throughput);
    record.scalar("packet_rate", share(packets as f64, seconds));
    match run.mode {
        Mode::Steady => record.observe("voice_channels", Observation::NotApplicable),
        _ => record.scalar("voice_channels", libm::floor(throughput / channel_rate(site))),
    }
    for (host, busy) in site.hosts.iter().zip(&run.busy) {
        record.scalar(format!("processor_utilisation/{}", host.name), share(busy.seconds(), run.seconds()));
    }
    let mac = run.rings.mac;
    let frames = mac.synchronous_frames + mac.asynchronous_frames;
    match mac.tokens_captured {
        0 => record.observe("frames_per_token", Observation::NotApplicable),
        tokens => record.scalar("frames_per_token", frames as f64 / tokens as f64),
    }
}

fn report_fifos(site: &Site, run: Option<&Run<'_>>, record: &mut Record) {
    match run.filter(|_| site.has_voice()) {
        Some(Run { fifos, metrics, calls, .. }) => {
            voice::report(calls, record);
            record.observe("one_way_delay", Observation::Distribution(metrics.voice.clone()));
            if !metrics.voice_trace.is_empty() {
                record.traces.insert("one_way_delay".to_owned(), metrics.voice_trace.clone());
            }
            record.count("fifo_underflow", fifos.underflows);
            record.count("fifo_overflow", fifos.overflows);
            record.share("loss", fifos.lost, fifos.samples);
        }
        None => {
            for name in ["one_way_delay", "fifo_underflow", "fifo_overflow"] {
                record.observe(name, Observation::NotApplicable);
            }
            record.metrics.entry("loss".to_owned()).or_insert(Observation::NotApplicable);
        }
    }
}

fn report_rings(site: &Site, runs: &[Run<'_>], loaded: Option<&Run<'_>>, record: &mut Record) {
    let Some(run) = loaded.or(runs.first()) else { return };
    let observed = loads::Observed {
        mode: run.mode,
        seconds: run.seconds(),
        rings: &run.rings.tallies,
        busy: &run.busy,
        messages: (0..site.flows.len()).map(|flow| run.metrics.messages(flow)).collect(),
    };
    loads::report(site, &observed, record);
    let utilisation = |tally: &Tally| share(tally.busy.seconds(), run.seconds());
    let tallies = &run.rings.tallies;
    if tallies.len() > 1 {
        for (ring, tally) in site.rings.iter().zip(tallies) {
            record.scalar(format!("utilisation/{}", ring.name), utilisation(tally));
        }
    }
    record.scalar("utilisation", tallies.iter().map(utilisation).sum::<f64>() / tallies.len() as f64);
    let sum = |count: fn(&Tally) -> u64| runs.iter().flat_map(|run| &run.rings.tallies).map(count).sum::<u64>();
    record.count("packets", tallies.iter().map(|ring| ring.frames).sum());
    record.count("claims", sum(|ring| ring.claims));
    record.count("tokens_lost", sum(|ring| ring.tokens_lost));
}

fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}
