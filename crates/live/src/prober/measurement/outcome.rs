//! Completed phases as experiments, reports and warnings.

use std::collections::BTreeMap;

use sojourn_core::Duration;
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::results::{OutageSummary, Setting};

use super::{FinishedPhase, Measurement, Run};
use crate::io::wall_clock::Pair;
use crate::prober::calibration::Calibration;
use crate::prober::clock_estimate::ClockEstimate;
use crate::prober::loader::Loader;
use crate::prober::measured::{Experiment, Measured};
use crate::prober::outages::Outage;
use crate::prober::pacer::{Pacer, Pacing};
use crate::prober::packets::Packets;
use crate::prober::peer::{Peer, Socket};
use crate::prober::phase_metrics;
use crate::prober::plan::{Phase, Plan};
use crate::prober::probing::MAX_PACKETS;
use crate::prober::silence::EndReason;
use crate::prober::time_series;
use crate::progress::report::Report;

impl<P: Peer, L: Loader> Measurement<'_, P, L> {
    /// Adds completed phases to their experiments.
    pub(super) fn record_metrics(&self, course: &Run, calibration: &Calibration, measured: &mut Measured) {
        let Run { began, octets, packets, has_responded, done, ending, carried, .. } = course;
        let Plan { phases, timeout, voice, .. } = self.plan;
        let restarted = self.peer.has_restarted();
        let estimate = ClockEstimate::of(packets.all()).filter(|_| !restarted);
        if restarted && packets.all().iter().any(|packet| packet.far_received.is_some()) {
            measured.warnings.push(format!(
                "the session with {} was opened again, as after a restart: its clock may have begun anew, and one-way delays \
                 are left out",
                self.name
            ));
        }
        for (index, phase) in done.iter().enumerate() {
            let within = &packets.all()[phase.packets.clone()];
            let gone =
                ending.as_ref().filter(|_| index + 1 == done.len()).and_then(|ending| self.describe(ending, packets));
            let unloaded = carried.as_ref().filter(|_| phase.loaded).and_then(|carried| carried.failure.clone());
            let failure = gone.or(unloaded);
            let Phase { name, recorded, .. } = phases[index];
            if !recorded && failure.is_none() {
                continue;
            }
            let answered = within.iter().filter(|packet| packet.received.is_some()).count() as u64;
            self.watch.report(self.report(name, *octets, answered, phase, failure.as_deref()));
            let experiment = experiment(measured, name, *octets, self.plan.sizes.len() > 1);
            // a phase in an outage has losses alone
            if *has_responded && !within.is_empty() {
                let mut record = phase_metrics::record(
                    packets,
                    phase.packets.clone(),
                    *timeout,
                    estimate.as_ref(),
                    phase.lasted,
                    phase.counts.as_ref(),
                );
                experiment.outages.extend(course.outages(phase, *timeout, &mut record));
                if let Some(estimate) = estimate.filter(|_| self.peer.has_wall_clock()) {
                    record.scalar("clock_offset", estimate.ahead_of_wall_s(Pair::read(&self.clock)));
                }
                time_series::of_requests(&mut record, within, *timeout, *began);
                if let Some(voice) = voice {
                    voice.report(within, estimate.as_ref(), &mut record);
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
        Some(match packets.last_answer() {
            None => format!("no response from {name}: {}", error.map_or("no response".to_owned(), |_| why)),
            Some(_) => {
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

    /// Records why a phase could not run.
    pub(super) fn fail(&self, measured: &mut Measured, octets: u32, name: &'static str, reason: String) {
        experiment(measured, name, octets, self.plan.sizes.len() > 1).failure = Some(reason);
    }

    fn report(
        &self,
        name: &'static str,
        octets: u32,
        answered: u64,
        phase: &FinishedPhase,
        failure: Option<&str>,
    ) -> Report {
        let sent = phase.packets.len() as u64;
        let lost =
            if failure.is_none() && answered < sent { format!(", {} lost", sent - answered) } else { String::new() };
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

impl Run {
    /// The outages within a phase, recorded as its metrics. One that lasts beyond a phase is listed with each, as far as it
    /// is within.
    fn outages(&self, phase: &FinishedPhase, timeout: Duration, record: &mut Record) -> Vec<OutageSummary> {
        let end = self.done.last().map_or(self.began, |last| last.began + last.lasted);
        let (begins, ends) = (phase.began, phase.began + phase.lasted);
        let mut listed = Vec::new();
        for outage in Outage::among(self.packets.all(), timeout, end) {
            let (begin, until) = (outage.begin.max(begins), outage.until(end).min(ends));
            let within = &self.packets.all()[phase.packets.clone()];
            let requests = within.iter().filter(|packet| (begin..until).contains(&packet.sent)).count();
            if begin < until && requests > 0 {
                let cause = self.errors.last_within(outage.begin, outage.until(end));
                listed.push(OutageSummary {
                    replication: self.replication,
                    begin: begin.since(self.began).seconds(),
                    end: (outage.end.is_some() || until < end).then(|| until.since(self.began).seconds()),
                    duration: until.since(begin).seconds(),
                    requests: requests as u64,
                    cause: cause.map(|cause| cause.to_string()),
                });
            }
        }
        record.count("outages", listed.len() as u64);
        record.scalar("outage_time", listed.iter().map(|outage| outage.duration).sum());
        listed
    }
}

/// The experiment of a phase and a request size, added if absent.
fn experiment<'m>(measured: &'m mut Measured, name: &'static str, octets: u32, several: bool) -> &'m mut Experiment {
    let size = ("probe.size".to_owned(), Setting::Integer(octets.into()));
    let set: BTreeMap<String, Setting> = if several { [size].into() } else { BTreeMap::new() };
    let found = measured.experiments.iter().position(|known| known.name == name && known.set == set);
    let index = found.unwrap_or_else(|| {
        let (records, duration, failure, outages) = (Vec::new(), Duration::ZERO, None, Vec::new());
        measured.experiments.push(Experiment { name, set, records, duration, failure, outages });
        measured.experiments.len() - 1
    });
    &mut measured.experiments[index]
}

/// Adds a replication; the duration is the mean over all.
fn add(experiment: &mut Experiment, record: Record, lasted: Duration) {
    let before = experiment.records.len() as u64;
    let total = experiment.duration.times(before) + lasted;
    experiment.duration = total.divided(before + 1);
    experiment.records.push(record);
}
