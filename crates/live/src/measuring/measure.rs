//! A whole measurement: calibrate, then for every size and replication all phases, and what came of them.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::ops::Range;

use sojourn_core::random::Streams;
use sojourn_core::{Duration, Time};
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::results::Setting;

use super::calibration::Calibration;
use super::estimate::Estimate;
use super::loader::{Carried, Loader, Window};
use super::measures;
use super::pacer::Pacer;
use super::packets::Packets;
use super::peer::Peer;
use super::plan::{Phase, Plan};
use super::probing::{Ending, MOST_PACKETS, Prober, Stretch};
use super::schedule::Departures;
use crate::clock::Clock;
use crate::gauge::Span;
use crate::report::Report;
use crate::transport::{Circumstances, Experiment, Measured};
use crate::watch::Watch;

/// From the plan's start to the first request: what is set up then does not disturb it.
const LEAD: Duration = Duration::from_millis(20);

/// Who measures whom.
pub struct Measurement<'a, P, L> {
    /// The other end as a user writes it.
    pub name: String,
    /// The other end.
    pub peer: &'a mut P,
    /// What loads the way there.
    pub loader: &'a mut L,
    /// The clock of all times.
    pub clock: Clock,
    /// What is to be measured.
    pub plan: &'a Plan,
    /// Who watches.
    pub watch: &'a Watch,
}

/// A phase that is over.
#[derive(Clone, Debug)]
struct Done {
    packets: Range<usize>,
    lasted: Duration,
    loaded: bool,
}

/// All phases once, as far as they got.
#[derive(Debug)]
struct Course {
    octets: u32,
    packets: Packets,
    done: Vec<Done>,
    ending: Option<Ending>,
    carried: Option<Carried>,
}

impl<P: Peer, L: Loader> Measurement<'_, P, L> {
    /// Measures all of it, or until it cannot go on; what was measured until then is kept.
    pub fn run(mut self) -> Measured {
        // 50 µs otherwise: a sleep would end so much later to save power
        let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
        let mut measured = Measured::default();
        self.watch.begin("calibration", "1", 0);
        let calibration = match Calibration::run(&self.clock) {
            Ok(calibration) => calibration,
            Err(fault) => {
                measured.warnings.push(format!("this host could not be calibrated: {fault}"));
                return measured;
            }
        };
        self.watch.report(Report::note(calibration.words()));
        self.watch.gauge().noise_floor(calibration.noise_floor());
        let pacing = self.plan.pacing.unwrap_or(calibration.pacing());
        let spacing = self.plan.schedule.spacing();
        let mut pacer = Pacer::new(self.clock, pacing, spacing, &calibration.lateness);
        let mut next = 0;
        'all: for &octets in &self.plan.sizes {
            for replication in 0..self.plan.replications {
                let (packets, used, ended) = self.once(octets, replication, pacer, next, &calibration, &mut measured);
                (next, pacer) = (packets, used);
                if ended {
                    break 'all;
                }
            }
        }
        self.caution(&calibration, &pacer, &mut measured);
        measured.circumstances = Some(Circumstances {
            calibration,
            pacing,
            margin_us: pacer.margin().seconds() * 1e6,
            steps: self.peer.steps(),
        });
        measured
    }

    /// All phases once. What comes back: the next sequence number, the pacer, and whether it ended early.
    fn once(
        &mut self,
        octets: u32,
        replication: u32,
        pacer: Pacer,
        first: u64,
        calibration: &Calibration,
        measured: &mut Measured,
    ) -> (u64, Pacer, bool) {
        let Plan { schedule, phases, patience, seed, .. } = self.plan;
        let requests = schedule.rate().map_or(0.0, |rate| rate * self.plan.duration().seconds());
        self.watch.begin("requests", "1", requests as u64);
        let mut at = self.clock.now() + LEAD;
        self.watch.gauge().begin(self.clock, &self.spans(at));
        let load = self.window(at).map(|window| self.loader.begin(window, self.clock, self.watch.gauge().carried()));
        if let Some(Err(reason)) = load {
            self.fail(measured, octets, phases[0].name, reason);
            return (first, pacer, true);
        }
        let mut prober = Prober::new(self.peer, self.clock, pacer, first, *patience, self.watch);
        let (mut done, mut ending) = (Vec::new(), None);
        for phase in phases {
            let name = format!("departures/{}/{octets}", phase.name);
            let stream = Streams::new(*seed, replication).stream(&name);
            let (begin, from) = (prober.packets().all().len(), at);
            at += phase.duration;
            let departures = Departures::new(*schedule, from, stream);
            let outcome = prober.probe(Stretch { departures, until: at, octets });
            let mut lasted = phase.duration;
            let mut end = prober.packets().all().len();
            if let Err(early) = outcome {
                let until = if let Ending::Gone { since, .. } = early { since } else { self.clock.now() };
                lasted = until.since(from);
                end = end.min(begin + prober.packets().all()[begin..].partition_point(|packet| packet.sent <= until));
                ending = Some(early);
            }
            done.push(Done { packets: begin..end, lasted, loaded: phase.loaded });
            if ending.is_some() {
                break;
            }
        }
        if !matches!(ending, Some(Ending::Gone { .. })) {
            prober.settle();
        }
        let (packets, pacer) = prober.into_packets();
        let carried = if self.plan.phases.iter().any(|phase| phase.loaded) { Some(self.loader.end()) } else { None };
        let course = Course { octets, packets, done, ending, carried };
        self.tell(&course, calibration, measured);
        (course.packets.next_sequence(), pacer, ending.is_some_and(|ending| ending != Ending::Full))
    }

    /// When each phase is, if the first begins at `start`.
    fn spans(&self, start: Time) -> Vec<Span> {
        let mut begins = start;
        let span = |phase: &Phase| {
            let span = Span { name: phase.name, begins, ends: begins + phase.duration };
            begins = span.ends;
            span
        };
        self.plan.phases.iter().map(span).collect()
    }

    /// When the network is loaded, if the first phase begins at `start`.
    fn window(&self, start: Time) -> Option<Window> {
        let mut at = start;
        let mut window: Option<Window> = None;
        for phase in &self.plan.phases {
            if phase.loaded {
                let start = window.map_or(at, |window| window.start);
                window = Some(Window { start, end: at + phase.duration });
            }
            at += phase.duration;
        }
        window
    }

    /// Adds the phases that are over to their experiments.
    fn tell(&self, course: &Course, calibration: &Calibration, measured: &mut Measured) {
        let Course { octets, packets, done, ending, carried } = course;
        let Plan { phases, patience, voice, .. } = self.plan;
        let estimate = Estimate::of(packets.all());
        for (index, phase) in done.iter().enumerate() {
            let within = &packets.all()[phase.packets.clone()];
            let gone =
                ending.as_ref().filter(|_| index + 1 == done.len()).and_then(|ending| self.words(*ending, packets));
            let unloaded = carried.as_ref().filter(|_| phase.loaded).and_then(|carried| carried.failure.clone());
            let failure = gone.or(unloaded);
            let Phase { name, recorded, .. } = phases[index];
            if !recorded && failure.is_none() {
                continue;
            }
            let answered = within.iter().filter(|packet| packet.received.is_some()).count() as u64;
            self.watch.report(self.report(name, *octets, answered, phase, failure.as_deref()));
            let experiment = experiment(measured, name, *octets, self.plan.sizes.len() > 1);
            if answered > 0 {
                let mut record =
                    measures::record(packets, phase.packets.clone(), *patience, estimate.as_ref(), phase.lasted);
                if let Some(voice) = voice {
                    voice.report(within, estimate.as_ref(), &mut record);
                }
                let first = packets.next_sequence() - packets.all().len() as u64;
                let [begin, end] = [phase.packets.start, phase.packets.end].map(|index| first + index as u64);
                self.peer.tell(begin..end, *patience, &mut record);
                record.scalar("noise_floor", calibration.noise_floor());
                match carried.as_ref().filter(|_| phase.loaded) {
                    Some(carried) => carried.record(&mut record),
                    None => record.observe("throughput", Observation::NotApplicable),
                }
                add(experiment, record, phase.lasted);
            }
            experiment.failure = experiment.failure.take().or(failure);
        }
        if packets.strangers() > 0 {
            measured.warnings.push(format!("{} datagrams came that were no answers", packets.strangers()));
        }
        if *ending == Some(Ending::Full) {
            measured.warnings.push(format!("a phase ended after {MOST_PACKETS} requests: more are not kept"));
        }
    }

    /// Why a phase failed; being told to stop is no failure.
    fn words(&self, ending: Ending, packets: &Packets) -> Option<String> {
        let Ending::Gone { since, refusal } = ending else { return None };
        let name = &self.name;
        let why = refusal.map_or("nothing came back any more".to_owned(), |refusal| refusal.to_string());
        Some(match packets.last_answer() {
            None => format!("no answer from {name}: {}", refusal.map_or("nothing came back".to_owned(), |_| why)),
            Some(_) => {
                let first = packets.all().first().map_or(since, |packet| packet.sent);
                format!(
                    "{name} went away after {:.1} s: {why}; what came until then is kept",
                    since.since(first).seconds()
                )
            }
        })
    }

    fn fail(&self, measured: &mut Measured, octets: u32, name: &'static str, reason: String) {
        experiment(measured, name, octets, self.plan.sizes.len() > 1).failure = Some(reason);
    }

    fn report(&self, name: &'static str, octets: u32, answered: u64, phase: &Done, failure: Option<&str>) -> Report {
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

    /// What a reader should know of how the numbers came about.
    fn caution(&self, calibration: &Calibration, pacer: &Pacer, measured: &mut Measured) {
        for step in self.peer.steps() {
            measured.warnings.push(format!(
                "the clock of this host was set by {:+.3} s after {:.1} s: kernel stamps of packets under way then are \
                 left out",
                step.by_s, step.at_s
            ));
        }
        if self.plan.pacing.is_none() && pacer.pacing() == super::pacer::Pacing::Sleep {
            measured.warnings.push(format!(
                "only {:.1} of {} processors are free: departures are met by sleeping alone, {:.0} µs late at the median",
                calibration.regime.free_processors,
                calibration.regime.online,
                calibration.sleep_lateness_s[0] * 1e6
            ));
        }
        if !self.plan.loads.is_empty() && calibration.regime.processors <= 2 {
            measured.warnings.push(
                "load and requests share two processors or fewer at this end: the load delays the requests themselves"
                    .to_owned(),
            );
        }
    }
}

/// The experiment of a phase and a size, made if there is none yet.
fn experiment<'m>(measured: &'m mut Measured, name: &'static str, octets: u32, several: bool) -> &'m mut Experiment {
    let size = ("probe.size".to_owned(), Setting::Integer(octets.into()));
    let set: BTreeMap<String, Setting> = if several { [size].into() } else { BTreeMap::new() };
    let found = measured.experiments.iter().position(|known| known.name == name && known.set == set);
    let index = found.unwrap_or_else(|| {
        let (records, duration, failure) = (Vec::new(), Duration::ZERO, None);
        measured.experiments.push(Experiment { name, set, records, duration, failure });
        measured.experiments.len() - 1
    });
    &mut measured.experiments[index]
}

/// Adds a replication; the duration is the mean over them.
fn add(experiment: &mut Experiment, record: Record, lasted: Duration) {
    let before = experiment.records.len() as u64;
    let total = experiment.duration.times(before) + lasted;
    experiment.duration = total.divided(before + 1);
    experiment.records.push(record);
}
