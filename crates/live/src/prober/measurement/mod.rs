//! A complete timed test: calibration, then all phases for every request size and replication, and their metrics.

mod outcome;

use std::num::NonZeroU64;
use std::ops::Range;

use sojourn_core::random::Streams;
use sojourn_core::{Duration, Time};

use super::calibration::Calibration;
use super::last_residences;
use super::loader::{LoadResult, LoadWindow, Loader};
use super::measured::{Measured, TestConditions};
use super::pacer::Pacer;
use super::packets::Packets;
use super::peer::{Peer, Socket};
use super::plan::{Phase, Plan};
use super::probing::{ProbePhase, Prober, Timing};
use super::schedule::Departures;
use super::silence::EndReason;
use crate::io::alarm::Alarm;
use crate::io::clock::Clock;
use crate::progress::gauge::Span;
use crate::progress::report::Report;
use crate::progress::watch::Watch;

/// From the start to the first request, so that set-up does not disturb it.
const LEAD: Duration = Duration::from_millis(20);

/// A timed test against a peer.
pub struct Measurement<'a, P, L> {
    /// The peer's name in reports.
    pub name: String,
    /// The peer that responds to requests.
    pub peer: &'a mut P,
    /// Generates the load of loaded phases.
    pub loader: &'a mut L,
    /// The clock of the measurement.
    pub clock: Clock,
    /// Schedule, phases and load of the measurement.
    pub plan: &'a Plan,
    /// Reports progress, and whether the user cancels.
    pub watch: &'a Watch,
}

/// A phase that has ended.
#[derive(Clone, Debug)]
struct FinishedPhase {
    packets: Range<usize>,
    lasted: Duration,
    loaded: bool,
}

/// One pass through all phases, as far as it got.
#[derive(Debug)]
struct Run {
    /// When the first phase began.
    began: Time,
    octets: u32,
    packets: Packets,
    done: Vec<FinishedPhase>,
    ending: Option<EndReason>,
    carried: Option<LoadResult>,
}

impl<P: Peer, L: Loader> Measurement<'_, P, L> {
    /// Runs the test, or as much of it as possible; partial results are kept.
    pub fn run(mut self) -> Measured {
        // the default timer slack of 50 µs would delay every wake-up
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut measured = Measured::default();
        self.watch.begin("calibration", "1", 0);
        let calibrated = Alarm::new(self.clock).and_then(|mut alarm| {
            let calibration = Calibration::run(&self.clock, &mut alarm)?;
            Ok((calibration, alarm))
        });
        let (calibration, alarm) = match calibrated {
            Ok(calibrated) => calibrated,
            Err(fault) => {
                measured.warnings.push(format!("calibration of this host failed: {fault}"));
                return measured;
            }
        };
        self.watch.report(Report::note(calibration.describe()));
        self.watch.gauge().noise_floor(calibration.noise_floor());
        let pacing = self.plan.pacing.unwrap_or(calibration.pacing());
        let spacing = self.plan.schedule.spacing();
        let pacer = Pacer::new(self.clock, pacing, spacing, &calibration.lateness);
        let mut timing = Timing { clock: self.clock, alarm, pacer };
        let mut next = 0;
        'all: for &octets in &self.plan.sizes {
            for replication in 0..self.plan.replications {
                let (packets, used, ended) = self.once(octets, replication, timing, next, &calibration, &mut measured);
                (next, timing) = (packets, used);
                if ended {
                    break 'all;
                }
            }
        }
        self.add_warnings(&calibration, &timing.pacer, &mut measured);
        measured.circumstances = Some(TestConditions {
            calibration,
            pacing,
            margin_us: timing.pacer.margin().seconds() * 1e6,
            steps: self.peer.socket().steps(),
        });
        measured
    }

    /// One pass through all phases; returns the next sequence number, the timing state, and whether it ended early.
    fn once(
        &mut self,
        octets: u32,
        replication: u32,
        timing: Timing,
        first: u64,
        calibration: &Calibration,
        measured: &mut Measured,
    ) -> (u64, Timing, bool) {
        let Plan { schedule, phases, timeout, seed, .. } = self.plan;
        let requests = schedule.rate().map_or(0.0, |rate| rate * self.plan.duration().seconds());
        self.watch.begin("requests", "1", requests as u64);
        let began = self.clock.now() + LEAD;
        let mut at = began;
        self.watch.gauge().begin(self.clock, &self.spans(at));
        let load = self.window(at).map(|window| self.loader.begin(window, self.clock, self.watch.gauge().carried()));
        if let Some(Err(reason)) = load {
            self.fail(measured, octets, phases[0].name, reason);
            return (first, timing, true);
        }
        let mut prober = Prober::new(self.peer, timing, first, *timeout, self.watch);
        let (mut done, mut ending) = (Vec::new(), None);
        for phase in phases {
            let name = format!("departures/{}/{octets}", phase.name);
            let stream = Streams::new(*seed, replication).stream(&name);
            let (begin, from) = (prober.packets().all().len(), at);
            at += phase.duration;
            let departures = Departures::new(*schedule, from, stream);
            let outcome = prober.probe(ProbePhase { departures, until: at, octets });
            prober.phase_over();
            let mut lasted = phase.duration;
            let mut end = prober.packets().all().len();
            if let Err(early) = outcome {
                let until = if let EndReason::PeerLost { since, .. } = early { since } else { self.clock.now() };
                lasted = until.since(from);
                end = end.min(begin + prober.packets().all()[begin..].partition_point(|packet| packet.sent <= until));
                ending = Some(early);
            }
            done.push(FinishedPhase { packets: begin..end, lasted, loaded: phase.loaded });
            if ending.is_some() {
                break;
            }
        }
        if !matches!(ending, Some(EndReason::PeerLost { .. })) {
            prober.drain();
            prober.phase_over();
        }
        let (mut packets, mut timing) = prober.into_packets();
        let mut next = packets.next_sequence();
        if ending.is_none() {
            next = last_residences::fetch(self.peer, &mut packets, &mut timing, *timeout, octets);
        }
        let carried = if self.plan.phases.iter().any(|phase| phase.loaded) { Some(self.loader.end()) } else { None };
        let course = Run { began, octets, packets, done, ending, carried };
        self.record_metrics(&course, calibration, measured);
        (next, timing, ending.is_some_and(|ending| ending != EndReason::Full))
    }

    /// Begin and end of each phase if the first begins at `start`.
    fn spans(&self, start: Time) -> Vec<Span> {
        let mut begins = start;
        let span = |phase: &Phase| {
            let span = Span { name: phase.name, begins, ends: begins + phase.duration };
            begins = span.ends;
            span
        };
        self.plan.phases.iter().map(span).collect()
    }

    /// The time of load if the first phase begins at `start`.
    fn window(&self, start: Time) -> Option<LoadWindow> {
        let mut at = start;
        let mut window: Option<LoadWindow> = None;
        for phase in &self.plan.phases {
            if phase.loaded {
                let start = window.map_or(at, |window| window.start);
                window = Some(LoadWindow { start, end: at + phase.duration });
            }
            at += phase.duration;
        }
        window
    }
}
