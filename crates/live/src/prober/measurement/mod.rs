//! A complete timed test: calibration, then all phases for every request size and replication, and their metrics.

mod outcome;

use std::num::NonZeroU64;
use std::ops::Range;

use sojourn_core::random::Streams;
use sojourn_core::{Duration, Time};

use super::calibration::Calibration;
use super::host_pauses::Pause;
use super::last_residences;
use super::loader::{LoadResult, LoadWindow, Loader};
use super::measured::{Measured, TestConditions};
use super::outages::NetworkErrors;
use super::pacer::Pacer;
use super::packets::Packets;
use super::peer::{Peer, PeerCounts, Socket};
use super::plan::{Phase, TimedTest};
use super::probing::{ProbePhase, Probed, Prober, Timing};
use super::request_log::run::RunLog;
use super::schedule::Departures;
use super::silence::{EndReason, SilenceLimits};
use super::synchronized::Clocks;
use super::synchronized::{self, SynchronizedClocks, WallClocks};
use super::windows::session;
use crate::io::alarm::Alarm;
use crate::io::clock::Clock;
use crate::io::wall_clock::Pair;
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
    pub plan: &'a TimedTest,
    /// Reports progress, and whether the user cancels.
    pub watch: &'a Watch,
}

/// A phase that has ended.
#[derive(Clone, Debug)]
struct FinishedPhase {
    packets: Range<usize>,
    began: Time,
    lasted: Duration,
    loaded: bool,
    /// What the peer counted of its requests.
    counts: Option<PeerCounts>,
}

/// One pass through all phases, as far as it got.
#[derive(Debug)]
struct Run {
    /// When the first phase began.
    began: Time,
    octets: u32,
    replication: u32,
    packets: Packets,
    errors: NetworkErrors,
    done: Vec<FinishedPhase>,
    ending: Option<EndReason>,
    carried: Option<LoadResult>,
    /// Pauses of this host.
    pauses: Vec<Pause>,
    /// The offset of the peer's clock where it is read; why it could not be.
    clocks: Result<Option<SynchronizedClocks>, String>,
}

/// What one run passes on to the next.
#[derive(Debug)]
struct Continuation {
    timing: Timing,
    /// Sequence number of the next request.
    next: u64,
    /// Whether the peer has responded.
    has_responded: bool,
}

impl<P: Peer, L: Loader> Measurement<'_, P, L> {
    /// Runs the test, or as much of it as possible; partial results are kept.
    pub fn run(mut self) -> Measured {
        if let Some(windows) = &self.plan.windows {
            let Measurement { peer, loader, clock, plan, watch, .. } = self;
            return session::run(peer, loader, clock, (plan, windows), watch);
        }
        // the default timer slack of 50 µs would delay every wake-up
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let wall_clocks = self.wall_clocks();
        if let Err(reason) = synchronized::check(self.plan.clocks, wall_clocks.peer) {
            return Measured::failed(self.plan.phases[0].name, reason);
        }
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
        let timing = Timing { clock: self.clock, alarm, pacer };
        let mut state = Continuation { timing, next: 0, has_responded: false };
        'all: for &octets in &self.plan.sizes {
            for replication in 0..self.plan.replications {
                let (following, ended) = self.once(octets, replication, state, &calibration, &mut measured);
                state = following;
                if ended {
                    break 'all;
                }
            }
        }
        let timing = state.timing;
        self.add_warnings(&calibration, &timing.pacer, &mut measured);
        measured.circumstances = Some(TestConditions {
            calibration,
            pacing,
            margin_us: timing.pacer.margin().seconds() * 1e6,
            steps: self.peer.socket().steps(),
        });
        measured
    }

    /// One pass through all phases; returns what the next one continues from, and whether it ended early.
    fn once(
        &mut self,
        octets: u32,
        replication: u32,
        state: Continuation,
        calibration: &Calibration,
        measured: &mut Measured,
    ) -> (Continuation, bool) {
        let TimedTest { schedule, phases, timeout, outage_limit, seed, .. } = self.plan;
        let requests = schedule.rate().map_or(0.0, |rate| rate * self.plan.duration().seconds());
        self.watch.begin("requests", "1", requests as u64);
        let clocks_before = self.wall_clocks();
        let began = self.clock.now() + LEAD;
        let mut at = began;
        self.watch.gauge().begin(self.clock, &self.spans(at));
        let load = self.window(at).map(|window| self.loader.begin(window, self.clock, self.watch.gauge().carried()));
        if let Some(Err(reason)) = load {
            self.fail(measured, octets, phases[0].name, reason);
            return (state, true);
        }
        let Continuation { timing, next, has_responded } = state;
        let limits = SilenceLimits { timeout: *timeout, outage: *outage_limit, has_responded };
        let ends = self.spans(began).iter().map(|span| span.ends).collect();
        let log = self.plan.log.clone().map(|log| RunLog::new(log, octets, replication, began, ends));
        let log = match load {
            Some(_) => log.map(|log| log.with_load(self.watch.gauge().carried())),
            None => log,
        };
        let mut prober = Prober::new(self.peer, timing, next, limits, self.watch);
        prober.log_to(log);
        let (mut done, mut ending) = (Vec::new(), None);
        for phase in phases {
            let name = format!("departures/{}/{octets}", phase.name);
            let stream = Streams::new(*seed, replication).stream(&name);
            let (begin, from) = (prober.packets().all().len(), at);
            at += phase.duration;
            let departures = Departures::new(*schedule, from, stream);
            let outcome = prober.probe(&mut ProbePhase { departures, until: at, octets });
            prober.phase_over();
            let mut lasted = phase.duration;
            let mut end = prober.packets().all().len();
            if let Err(early) = outcome {
                let until = early.until().unwrap_or(self.clock.now());
                lasted = until.since(from);
                end = end.min(begin + prober.packets().all()[begin..].partition_point(|packet| packet.sent <= until));
                ending = Some(early);
            }
            done.push(FinishedPhase { packets: begin..end, began: from, lasted, loaded: phase.loaded, counts: None });
            if ending.is_some() {
                break;
            }
        }
        if !matches!(ending, Some(EndReason::PeerLost { .. } | EndReason::Ended { .. })) {
            prober.drain();
            prober.phase_over();
        }
        // a measurement may end before the silence of an absent peer is long enough to end it
        let is_absent = ending.is_none() && !has_responded && !prober.packets().has_response();
        if is_absent && !prober.packets().all().is_empty() {
            let error = prober.errors().last_within(began, self.clock.now());
            ending = Some(EndReason::PeerLost { since: began, error });
            done.truncate(1);
        }
        let Probed { mut packets, errors, mut timing, log, pauses } = prober.finish();
        let mut next = packets.next_sequence();
        if ending.is_none() {
            next = last_residences::fetch(self.peer, &mut packets, &mut timing, *timeout, octets);
            self.peer.phase_over(next);
            let first = packets.next_sequence() - packets.all().len() as u64;
            for phase in &mut done {
                let [begin, end] = [phase.packets.start, phase.packets.end].map(|index| first + index as u64);
                phase.counts = self.peer.counts(begin..end);
            }
        }
        let clocks_after = if ending.is_none() { self.wall_clocks() } else { clocks_before };
        let clocks = synchronized::offset(self.plan.clocks, clocks_before, clocks_after);
        if let Some(log) = log {
            log.finish(&packets, &self.clock, done.iter().map(|phase| phase.counts));
        }
        let has_responded = has_responded || packets.has_response();
        let carried = if self.plan.phases.iter().any(|phase| phase.loaded) { Some(self.loader.end()) } else { None };
        let course = Run { began, octets, replication, packets, errors, done, ending, carried, pauses, clocks };
        self.record_metrics(&course, calibration, measured);
        let ended = course.ending.is_some_and(|ending| ending != EndReason::Full);
        (Continuation { timing, next, has_responded }, ended)
    }

    /// The wall clocks of both hosts; the peer is asked only where its answer is used.
    fn wall_clocks(&mut self) -> WallClocks {
        let is_used = self.plan.clocks != Clocks::Estimated;
        let peer = if is_used { self.peer.wall_clock() } else { None };
        WallClocks { own: Pair::read(&self.clock), peer }
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
