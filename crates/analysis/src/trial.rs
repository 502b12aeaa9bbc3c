//! Simulates a twin and analyses its traffic exactly as the capture was analysed.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_capture::ip::media::{Format, MediaStream};
use sojourn_capture::{Findings, LinkType, Network, Packet, Sink, Trackers};
use sojourn_core::{Duration, Time};
use sojourn_metrics::Distribution;
use sojourn_metrics::frames::FrameSink;
use sojourn_model::{Catalogue, Replication};
use sojourn_scenario::{WarmUp, check};
use sojourn_twin::behaviour::{Behaviour, BusTraffic, Speech};
use sojourn_twin::trial::{Comparison, RUNS};
use sojourn_twin::{Survey, Twin};

use super::verdict::Refusal;
use super::watch::Watch;

/// Packets of a capture that are simulated; of a longer one, a part.
const MOST_PACKETS: u64 = 1_000_000;
/// A simulation with this many times the packets of the capture cannot be a twin of its network.
const FAR_MORE: u64 = 8;
/// A run may be so much longer than the capture: the length of a scenario is rounded up.
const ROUNDED_UP: f64 = 1.01;

/// Octets of a packet on a link: hosts hand longer ones to their interfaces, which capture them whole.
const PACKET: u64 = 1500;

/// The simulation of twins of one capture.
pub(crate) struct Trial<'a> {
    comparison: Comparison,
    /// Whether the twin is the capture as it was recorded.
    is_recorded: bool,
    network: Option<Network>,
    /// Longest run, s, and most packets of it.
    seconds: f64,
    packets: u64,
    /// What the streams of speech carry, in the order of the scenario.
    formats: Vec<Option<Format>>,
    networks: Catalogue,
    watch: &'a dyn Watch,
    /// Why the last run that did not end was refused.
    refusal: Cell<Refusal>,
}

/// A capture of a simulation, as it runs.
struct Simulated<'a> {
    link_type: LinkType,
    trackers: Trackers,
    survey: Survey,
    sink: Sink,
    packets: u64,
    /// Packets of the warm-up, which is as long as the capture.
    before: u64,
    begin: Time,
    last: Time,
    most: u64,
    watch: &'a dyn Watch,
    stop: &'a AtomicBool,
    is_beside_clients: bool,
}

impl FrameSink for Simulated<'_> {
    fn is_beside_clients(&self) -> bool {
        self.is_beside_clients
    }

    fn frame(&mut self, at: Time, bytes: &[u8]) {
        let is_observed = at >= self.begin;
        let counted = if is_observed { &mut self.packets } else { &mut self.before };
        *counted += 1;
        if *counted > self.most || self.watch.is_cancelled() {
            self.stop.store(true, Ordering::Relaxed);
            return;
        }
        if !is_observed {
            return;
        }
        // the resolution of capture files
        let nanosecond = Duration::from_nanos(1).picoseconds();
        self.last = Time::from_picoseconds(at.picoseconds() / nanosecond * nanosecond);
        let packet = Packet::whole(self.packets, self.last, self.link_type, bytes);
        self.trackers.packet(&packet, &mut self.sink);
        self.survey.packet(&packet);
    }
}

/// What twins are compared by: response times, of packet radio those up to the last frame of the answer, which the airtime of
/// all its frames is part of.
pub(crate) fn times(sink: &Sink, network: Option<Network>) -> Option<Distribution> {
    let whole = sink.whole();
    let times = if network == Some(Network::PacketRadio) { &whole.complete } else { &whole.response };
    times.distribution.clone()
}

impl<'a> Trial<'a> {
    /// The simulation of twins of a capture.
    pub fn new(
        (comparison, is_recorded): (Comparison, bool),
        found: &Findings,
        formats: Vec<Option<Format>>,
        networks: Catalogue,
        watch: &'a dyn Watch,
    ) -> Trial<'a> {
        let share = (MOST_PACKETS as f64 / found.packets.max(1) as f64).min(1.0);
        let captured = found.packets.max(found.sink.whole().l3_bytes.iter().sum::<u64>() / PACKET);
        let packets = FAR_MORE * (share * captured as f64) as u64;
        Trial {
            comparison,
            is_recorded,
            network: found.network,
            seconds: share * found.seconds(),
            packets,
            formats,
            networks,
            watch,
            refusal: Cell::new(Refusal::Invalid),
        }
    }

    /// Why the last run that gave nothing was refused.
    pub fn refusal(&self) -> Refusal {
        if self.watch.is_cancelled() { Refusal::Stopped } else { self.refusal.get() }
    }

    /// How a twin behaves in a run with a seed; `None` if it cannot be simulated, or sends far more than the capture holds.
    pub fn run(&self, twin: &Twin, seed: u64) -> Option<Behaviour> {
        if self.watch.is_cancelled() {
            return None;
        }
        self.refusal.set(Refusal::Invalid);
        self.watch.note(format!("simulating what the capture allows, {RUNS} runs each"));
        let files = twin.traces.iter().map(|trace| (trace.file.clone(), trace.text.clone())).collect();
        let document = self.networks.kinds().parse_with("twin.toml", &twin.scenario, files).ok()?;
        let scenario = check(&document).ok()?;
        let model = self.networks.find(scenario.kind)?.model(&scenario).ok()?;
        let run = scenario.run();
        let WarmUp::Fixed(warm_up) = run.warm_up else { return None };
        let stop = AtomicBool::new(false);
        let mut survey = Survey::default();
        if self.is_recorded {
            survey.simulates_recorded();
        }
        let mut simulated = Simulated {
            link_type: LinkType(model.link_type()? as u32),
            trackers: Trackers::of(self.network),
            survey,
            sink: Sink::default(),
            packets: 0,
            before: 0,
            begin: Time::ZERO + warm_up,
            last: Time::ZERO,
            most: self.packets,
            watch: self.watch,
            stop: &stop,
            is_beside_clients: self.comparison == Comparison::AtClients,
        };
        let duration = run.duration.min(Duration::from_seconds(self.seconds * ROUNDED_UP)?);
        let replication = Replication { seed, warm_up, cancelled: &stop, ..Replication::alone(duration) };
        model.replicate(Replication { capture: Some(&mut simulated), ..replication });
        if stop.load(Ordering::Relaxed) {
            self.refusal.set(Refusal::FarMore);
            return None;
        }
        let Simulated { mut trackers, survey, mut sink, last, .. } = simulated;
        trackers.finish(last, &mut sink);
        let responses = times(&sink, self.network)?;
        let calls = self.calls(sink.streams());
        let seconds = duration.seconds();
        let buses = BusTraffic::of(sink.can_buses(), seconds);
        Some(Behaviour { responses, seconds, transfers: survey.transfers(), calls, buses })
    }

    /// What is heard of the streams of a simulation, in the order of the scenario: their sources are numbered, two for each flow.
    fn calls(&self, streams: &[MediaStream]) -> Vec<Speech> {
        let mut calls = vec![Speech::silent(); self.formats.len()];
        for stream in streams {
            let place = usize::from(stream.source as u16) / 2;
            if let (Some(call), Some(format)) = (calls.get_mut(place), self.formats.get(place)) {
                *call = Speech::of(stream, format.as_ref());
            }
        }
        calls
    }
}
