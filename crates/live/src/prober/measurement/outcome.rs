//! Converts completed phases to experiments, reports and warnings.

use sojourn_core::{Duration, Time};
use sojourn_metrics::record::{Observation, Record};

use super::{FinishedPhase, Measurement, Run};
use crate::io::wall_clock::Pair;
use crate::prober::calibration::Calibration;
use crate::prober::clock_estimate::{ClockEstimate, ClockStep, PathChange};
use crate::prober::host_pauses::Pause;
use crate::prober::loader::Loader;
use crate::prober::measured::{Experiment, Measured};
use crate::prober::outages::{RunOutages, late_answers};
use crate::prober::pacer::{Pacer, Pacing};
use crate::prober::packets::{Packet, Packets, Verdict};
use crate::prober::path::{self, Known};
use crate::prober::peer::{Peer, Socket};
use crate::prober::phase_metrics;
use crate::prober::plan::{Phase, TimedTest};
use crate::prober::probing::MAX_PACKETS;
use crate::prober::silence::EndReason;
use crate::prober::synchronized::Clocks;
use crate::prober::synchronized::SynchronizedClocks;
use crate::prober::time_series;
use crate::prober::verdicts::Verdicts;
use crate::progress::report::Report;

/// Changes of the path listed one by one; more are a path or a host that never is at rest.
const MOST_CHANGES: usize = 4;

impl<P: Peer, L: Loader> Measurement<'_, P, L> {
    /// Adds completed phases to their experiments.
    pub(super) fn record_metrics(&self, course: &Run, calibration: &Calibration, measured: &mut Measured) {
        let Run { began, octets, replication, packets, errors, done, ending, carried, .. } = course;
        let (clocks, pauses) = (&course.clocks, &course.pauses);
        let end = done.last().map_or(*began, |last| last.began + last.lasted);
        let outages = RunOutages::of(packets.all(), self.plan.timeout, (*began, end), *replication, errors);
        let TimedTest { phases, timeout, voice, .. } = self.plan;
        let restarted = self.peer.has_restarted();
        let estimate = match clocks {
            Ok(None) => ClockEstimate::of(packets.all()),
            Ok(Some(clocks)) => ClockEstimate::synchronized(packets.all(), *clocks),
            Err(_) => None,
        };
        let estimate = estimate.filter(|_| !restarted);
        let refused = self.clocks_refused(clocks, estimate.as_ref());
        if restarted && packets.all().iter().any(|packet| packet.far_received.is_some()) {
            measured.warnings.push(format!(
                "the session with {} was opened again, as after a restart: its clock may have begun anew, and one-way delays \
                 are left out",
                self.name
            ));
        }
        if let Some(estimate) = &estimate {
            self.warn_of_clock(estimate, *began, measured);
        }
        self.warn_of_host(pauses, *began, measured);
        self.warn_of_late_answers(packets.all(), measured);
        let has_several = done.iter().zip(phases).filter(|(_, phase)| phase.recorded).count() > 1;
        let known = Known {
            phase: None,
            began: *began,
            timeout: *timeout,
            estimate: estimate.as_ref(),
            has_restarted: restarted,
            responds_in_order: self.peer.responds_in_order(),
            is_loaded: !self.plan.loads.is_empty(),
        };
        path::add(measured.path.get_or_insert_default(), path::of_run(packets, self.peer.rebindings(), &known));
        measured.warnings.extend(carried.iter().flat_map(|carried| carried.warnings.clone()));
        for (index, phase) in done.iter().enumerate() {
            let within = &packets.all()[phase.packets.clone()];
            let gone =
                ending.as_ref().filter(|_| index + 1 == done.len()).and_then(|ending| self.describe(ending, packets));
            let unloaded = carried.as_ref().filter(|_| phase.loaded).and_then(|carried| carried.failure.clone());
            let failure = gone.or(unloaded).or_else(|| refused.clone());
            let Phase { name, recorded, .. } = phases[index];
            if !recorded && failure.is_none() {
                continue;
            }
            self.watch.report(self.report(name, *octets, Verdicts::of(within, *timeout), phase, failure.as_deref()));
            let experiment = Experiment::of(&mut measured.experiments, name, *octets, self.plan.sizes.len() > 1);
            // a phase in an outage, or of a peer that is absent, has losses and failures alone
            if !within.is_empty() {
                let mut record = phase_metrics::record(
                    packets,
                    phase.packets.clone(),
                    *timeout,
                    estimate.as_ref(),
                    phase.lasted,
                    phase.counts.as_ref(),
                );
                let within_phase = (phase.began, phase.began + phase.lasted);
                let is_within = |pause: &&Pause| pause.begin < within_phase.1 && pause.end >= within_phase.0;
                record.count("host_paused", pauses.iter().filter(is_within).count() as u64);
                experiment.outages.extend(outages.of_phase(within, within_phase, &mut record));
                let is_estimated = self.plan.clocks == Clocks::Estimated;
                if let Some(estimate) = estimate.as_ref().filter(|_| is_estimated && self.peer.has_wall_clock()) {
                    let (value, error) =
                        (estimate.ahead_of_wall_s(Pair::read(&self.clock)), estimate.error_ns() * 1e-9);
                    let interval = [value - error, value + error];
                    record.observe("clock_offset", Observation::Estimate { value, interval });
                }
                let known = Known { phase: Some(name).filter(|_| has_several), ..known };
                let findings = path::of_phase(packets, phase.packets.clone(), &known);
                path::add(measured.path.get_or_insert_default(), findings);
                time_series::of_requests(&mut record, within, *timeout, *began);
                let usable = estimate.as_ref().filter(|estimate| estimate.unusable.is_none());
                if let Some(estimate) = usable {
                    time_series::of_one_way(&mut record, within, estimate, *timeout, *began);
                }
                if let Some(voice) = voice {
                    voice.report(packets, phase.packets.clone(), usable, phase.counts.as_ref(), &mut record);
                }
                let first = packets.next_sequence() - packets.all().len() as u64;
                let [begin, end] = [phase.packets.start, phase.packets.end].map(|index| first + index as u64);
                self.peer.record_metrics(begin..end, *timeout, &mut record);
                record.scalar("noise_floor", calibration.noise_floor());
                match carried.as_ref().filter(|_| phase.loaded) {
                    Some(carried) => carried.record(*began, &mut record),
                    None => record.observe("throughput", Observation::NotApplicable),
                }
                add(experiment, record, phase.lasted);
            }
            experiment.failure = experiment.failure.take().or(failure);
        }
        if packets.unrelated() > 0 {
            measured.warnings.push(format!("{} datagrams received were not responses", packets.unrelated()));
        }
        if matches!(ending, Some(EndReason::Full)) {
            measured.warnings.push(format!("a phase ended at its limit of {MAX_PACKETS} requests"));
        }
    }

    /// Why a phase failed; cancellation is not a failure.
    fn describe(&self, ending: &EndReason, packets: &Packets) -> Option<String> {
        let name = &self.name;
        let (since, why, error) = match ending {
            EndReason::PeerLost { since, error } => {
                let why = error.map_or("no more responses".to_owned(), |error| error.to_string());
                (*since, why, *error)
            }
            EndReason::Ended { since, reason } => (*since, reason.clone(), None),
            EndReason::Cancelled | EndReason::Full => return None,
        };
        Some(match packets.has_response() {
            false => {
                error.map_or(format!("no response from {name}"), |error| format!("no response from {name}: {error}"))
            }
            true => {
                let first = packets.all().first().map_or(since, |packet| packet.sent);
                let limit = match (ending, self.plan.outage_limit) {
                    (EndReason::PeerLost { .. }, Some(limit)) => {
                        format!(", and the outage exceeded its limit of {:.0} s", limit.seconds())
                    }
                    _ => String::new(),
                };
                format!(
                    "{name} became unreachable after {:.1} s: {why}{limit}; partial results are kept",
                    since.since(first).seconds()
                )
            }
        })
    }

    /// Why there are no one-way delays by synchronized clocks, if they were asked for.
    fn clocks_refused(
        &self,
        clocks: &Result<Option<SynchronizedClocks>, String>,
        estimate: Option<&ClockEstimate>,
    ) -> Option<String> {
        let why = match clocks {
            Ok(None) => return None,
            Ok(Some(_)) => estimate?.unusable?,
            Err(why) => why,
        };
        Some(format!("one-way delays by synchronised clocks are left out: {why}"))
    }

    /// Adds warnings about steps of a clock, changes of the path, and one-way delays that are left out.
    fn warn_of_clock(&self, estimate: &ClockEstimate, began: Time, measured: &mut Measured) {
        let seconds = |at: Time| at.since(began).seconds();
        for ClockStep { at, by_ns } in &estimate.clock_steps {
            measured.warnings.push(format!(
                "after {:.1} s the clock of {} moved by {:+.3} ms against that of this host: one-way delays before and after \
                 have an offset each",
                seconds(*at),
                self.name,
                by_ns * 1e-6
            ));
        }
        // a queue that a load fills changes the minimum delay as well
        let is_idle = self.plan.loads.is_empty();
        let changes = &estimate.path_changes;
        if is_idle && changes.len() > MOST_CHANGES {
            let text = format!("the minimum delay changed {} times: queues on the path, or a busy host", changes.len());
            measured.warnings.push(text);
        }
        let is_listed = is_idle && changes.len() <= MOST_CHANGES;
        for PathChange { at, is_forward, by_ns } in changes.iter().filter(|_| is_listed) {
            let direction = if *is_forward { "forward" } else { "return" };
            measured.warnings.push(format!(
                "after {:.1} s the minimum delay of the {direction} path changed by {:+.3} ms",
                seconds(*at),
                by_ns * 1e-6
            ));
        }
        if let Some(why) = estimate.unusable.filter(|_| self.plan.clocks == Clocks::Estimated) {
            measured
                .warnings
                .push(format!("one-way delays are left out: {why}, as after steps of a clock or of the path"));
        }
    }

    /// Adds a warning for each pause of this host.
    fn warn_of_host(&self, pauses: &[Pause], began: Time, measured: &mut Measured) {
        for pause in pauses {
            measured.warnings.push(format!(
                "this host was paused for {:.1} s after {:.1} s: nothing is known of requests whose responses were due then",
                pause.lasted().seconds(),
                pause.begin.since(began).seconds()
            ));
        }
    }

    /// Adds a warning of answers after the timeout.
    fn warn_of_late_answers(&self, packets: &[Packet], measured: &mut Measured) {
        let is_late = |packet: &&Packet| packet.verdict(self.plan.timeout) == Verdict::Late;
        if let Some(advice) = late_answers(packets.iter().filter(is_late)) {
            let count = packets.iter().filter(is_late).count();
            measured.warnings.push(format!("{count} of {} {advice}", packets.len()));
        }
    }

    /// Records why a phase could not run.
    pub(super) fn fail(&self, measured: &mut Measured, octets: u32, name: &'static str, reason: String) {
        Experiment::of(&mut measured.experiments, name, octets, self.plan.sizes.len() > 1).failure = Some(reason);
    }

    fn report(
        &self,
        name: &'static str,
        octets: u32,
        verdicts: Verdicts,
        phase: &FinishedPhase,
        failure: Option<&str>,
    ) -> Report {
        let answered = verdicts.answered;
        let counted = [
            (verdicts.lost, "lost"),
            (verdicts.failed, "failed"),
            (verdicts.late, "late"),
            (verdicts.unknown, "unknown, as this host was paused"),
        ];
        let others = counted.iter().filter(|(number, _)| failure.is_none() && *number > 0);
        let lost: String = others.map(|(number, word)| format!(", {number} {word}")).collect();
        Report {
            kind: name,
            peer: self.name.clone(),
            bytes: u64::from(octets) * answered,
            messages: answered,
            seconds: phase.lasted.seconds(),
            ended: failure.map_or(format!("answered{lost}"), str::to_owned),
            well: failure.is_none(),
            ..Report::default()
        }
    }

    /// Adds warnings about the conditions of the test.
    pub(super) fn add_warnings(&mut self, calibration: &Calibration, pacer: &Pacer, measured: &mut Measured) {
        for step in self.peer.socket().steps() {
            measured.warnings.push(format!(
                "the clock of this host was stepped by {:+.3} s after {:.1} s: kernel timestamps of packets in flight then \
                 are discarded",
                step.by_s, step.at_s
            ));
        }
        if self.plan.pacing.is_none() && pacer.pacing() == Pacing::Sleep {
            measured.warnings.push(format!(
                "only {:.1} of {} CPUs are free: requests are paced by sleeping only, {:.0} µs late at the median",
                calibration.regime.free_processors,
                calibration.regime.online,
                calibration.sleep_lateness_s[0] * 1e6
            ));
        }
        if !self.plan.loads.is_empty() && calibration.regime.processors <= 2 {
            measured.warnings.push(
                "load and requests share two CPUs or fewer on this host: the load delays the requests themselves"
                    .to_owned(),
            );
        }
    }
}

/// Adds a replication; the duration is the mean over all.
fn add(experiment: &mut Experiment, record: Record, lasted: Duration) {
    let before = experiment.records.len() as u64;
    let total = experiment.duration.times(before) + lasted;
    experiment.duration = total.divided(before + 1);
    experiment.records.push(record);
}
