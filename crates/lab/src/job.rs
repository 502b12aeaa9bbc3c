//! A job on its own thread: start it, watch it, cancel it, and get its outcome.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

use sojourn_catalogue::NETWORKS;
use sojourn_experiment::advice::{AdviceRequest, Advising};
use sojourn_experiment::plan::Plan;
use sojourn_experiment::points::ScenarioBase;
use sojourn_experiment::risk::{self, Risk, RiskRequest};
use sojourn_experiment::rounds::{PointResult, PointSpec, Step};
use sojourn_experiment::search::{Search, SearchRequest};
use sojourn_experiment::searching::Searching;
use sojourn_metrics::frames::{FrameSink, LinkType, NoFrames};
use sojourn_scenario::{Problem, Problems};

use crate::analysis::AnalysisTask;
use crate::cache::{Cache, Checkpoint};
use crate::cluster::Exchange;
use crate::execute::{Cluster, Settings, execute};
use crate::fault;
use crate::files::prepare_folder;
use crate::live::LiveTask;
use crate::live::watch::Report;
use crate::measured::Measured;
use crate::outcome::Outcome;
use crate::pcap::Capture;
use crate::plan::plan_study;
use crate::progress::{Progress, Tracker};
use crate::provenance::Provenance;
use crate::request::{Advise, Bound, Build, Computing, Find, Request, Runs};
use crate::study::Study;

/// A job that runs or has ended.
#[derive(Debug)]
pub struct Job {
    tracker: Arc<Tracker>,
    exchange: Option<Arc<Exchange>>,
    outcome: Arc<OnceLock<Outcome>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Job {
    /// Checks the request, its scenarios and its folder, then starts; every mistake of the user's is reported here.
    pub fn start(request: impl Into<Request>, build: Build) -> Result<Job, Problems> {
        let request = request.into();
        let provenance = Provenance::new(&request, &build);
        let task = Task::new(&request)?;
        if let Some(folder) = request.out() {
            let refused = |fault| Problem::plain(format!("cannot write to {}: {fault}", folder.display()));
            prepare_folder(folder).map_err(refused)?;
        }
        let capture = match request.pcap() {
            Some(path) => {
                let refused = |fault| Problem::plain(format!("cannot write {}: {fault}", path.display()));
                Some(Mutex::new(Capture::create(path, task.link_type()?).map_err(refused)?))
            }
            None => None,
        };
        let (tracker, outcome) = (Arc::new(Tracker::new()), Arc::new(OnceLock::new()));
        let cache = opened_cache(&request, &build)?;
        let cluster = request.computing().is_some_and(|computing| computing.cluster.is_some());
        let exchange = cluster.then(|| Arc::new(Exchange::new(&build.identity)));
        let (watched, exchanged) = (tracker.clone(), exchange.clone());
        let laboratory =
            Laboratory { request, build, cache, tracker: watched, exchange: exchanged, capture, provenance };
        let place = outcome.clone();
        let thread = std::thread::spawn(move || {
            let ended = laboratory.work(task);
            // no other thread sets it
            let _ = place.set(ended);
        });
        Ok(Job { tracker, exchange, outcome, thread: Mutex::new(Some(thread)) })
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        self.tracker.look()
    }

    /// Cancels it; it ends within a moment.
    pub fn cancel(&self) {
        self.tracker.cancelled.store(true, Ordering::Relaxed);
        self.tracker.live().cancel();
    }

    /// What it exchanges with the cluster that computes for it.
    pub fn exchange(&self) -> Option<&Exchange> {
        self.exchange.as_deref()
    }

    /// What a live job has reported, from number `from` on.
    pub fn reports(&self, from: usize) -> Vec<Report> {
        self.tracker.live().reports(from)
    }

    /// What it gave, once it has ended.
    pub fn outcome(&self) -> Option<&Outcome> {
        self.outcome.get()
    }

    /// Waits for what it gives.
    pub fn wait(&self) -> &Outcome {
        let thread = self.thread.lock().expect("no thread panics while it holds a handle").take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
        self.outcome.wait()
    }
}

impl Drop for Job {
    /// A job that is dropped is cancelled.
    fn drop(&mut self) {
        self.cancel();
    }
}

enum Task {
    Points(Plan),
    Search(Box<Search>),
    Advice(Box<Advising>),
    Risk(Box<Risk>),
    Live(LiveTask),
    Analysis(Box<AnalysisTask>),
}

impl Task {
    fn new(request: &Request) -> Result<Task, Problems> {
        request.validate()?;
        if let Some(task) = LiveTask::open(request)? {
            return Ok(Task::Live(task));
        }
        match request {
            Request::Run(run) => {
                let plan =
                    Plan::of(ScenarioBase::from_file(NETWORKS, &run.file, &run.set, &run.runs)?, &[], &run.runs)?;
                Ok(Task::Points(Plan { tail: run.tail, ..plan }))
            }
            Request::Bound(bound) => bounded(bound),
            Request::Sweep(sweep) => planned(&sweep.file, &sweep.set, &sweep.over, &sweep.runs),
            Request::Find(find) => searched(find),
            Request::Advise(advise) => advised(advise),
            Request::Risk(risk) => {
                let base = ScenarioBase::from_file(
                    NETWORKS,
                    &risk.file,
                    &risk.set,
                    &Runs { seed: risk.runs.seed, ..Runs::default() },
                )?;
                let asked = RiskRequest { of: risk.of.clone(), within: risk.within.clone(), goal: None };
                Ok(Task::Risk(Box::new(Risk::new(base, &asked, &risk.runs)?)))
            }
            Request::Study(asked) => plan_study(&Study::read(&asked.study)?, asked).map(Task::Points),
            Request::Analyse(analyse) => AnalysisTask::open(analyse).map(Box::new).map(Task::Analysis),
            Request::Measure(_)
            | Request::Monitor(_)
            | Request::Mesh(_)
            | Request::Agent(_)
            | Request::Listen(_)
            | Request::Relay(_)
            | Request::Recover(_) => unreachable!("a live task is opened or refused"),
        }
    }

    /// What captured frames begin with.
    fn link_type(&self) -> Result<LinkType, Problems> {
        let none = || Problem::plain("this transport has no frames to capture").into();
        match self {
            Task::Points(Plan { network, points, .. }) => {
                let link_type = points.first().and_then(|point| point.spec.model.link_type());
                let none = || Problem::plain(format!("a network of kind {} has no frames to capture", network.kind()));
                link_type.ok_or_else(|| none().into())
            }
            Task::Live(task) => task.link_type().ok_or_else(none),
            Task::Search(_) | Task::Advice(_) | Task::Risk(_) | Task::Analysis(_) => Err(none()),
        }
    }

    /// Whether its provenance is worth keeping without results, too.
    fn is_kept(&self) -> bool {
        matches!(self, Task::Live(task) if task.is_kept())
    }
}

/// A run, or a sweep over the axes of `over`.
fn planned(file: &Path, set: &[String], over: &[String], runs: &Runs) -> Result<Task, Problems> {
    Plan::of(ScenarioBase::from_file(NETWORKS, file, set, runs)?, over, runs).map(Task::Points)
}

/// A run whose worst cases are worked out before it begins.
fn bounded(bound: &Bound) -> Result<Task, Problems> {
    let mut plan =
        Plan::of(ScenarioBase::from_file(NETWORKS, &bound.file, &bound.set, &bound.runs)?, &[], &bound.runs)?;
    let measured = bound.measured.as_deref().map(Measured::read).transpose()?;
    for point in &mut plan.points {
        point.bound()?;
        if let Some((bounds, measured)) = point.bounds.as_mut().zip(measured.as_ref()) {
            measured.beside(bounds)?;
        }
    }
    Ok(Task::Points(plan))
}

fn searched(find: &Find) -> Result<Task, Problems> {
    let Find { file, set, runs, vary, until, ask, .. } = find.clone();
    let asked = SearchRequest { vary, until, ask };
    Ok(Task::Search(Box::new(Search::new(ScenarioBase::from_file(NETWORKS, &file, &set, &runs)?, &asked, &runs)?)))
}

fn advised(advise: &Advise) -> Result<Task, Problems> {
    let Advise { file, set, options, by, until, indifference, combine, runs, .. } = advise.clone();
    let asked = AdviceRequest { options, by, until, indifference, combine };
    let base = ScenarioBase::from_file(NETWORKS, &file, &set, &runs)?;
    Ok(Task::Advice(Box::new(Advising::new(base, &asked, &runs)?)))
}

struct Laboratory {
    request: Request,
    build: Build,
    cache: Cache,
    tracker: Arc<Tracker>,
    exchange: Option<Arc<Exchange>>,
    capture: Option<Mutex<Capture>>,
    provenance: Provenance,
}

impl Laboratory {
    /// The whole job; a panic here is a bug of ours that must not leave a watcher waiting.
    fn work(mut self, task: Task) -> Outcome {
        let kept = task.is_kept();
        let mut outcome = match fault::catch(|| self.compute(task)) {
            Ok(outcome) => outcome,
            Err(message) => {
                let mut outcome = Outcome::cancelled(self.provenance.clone(), Vec::new());
                outcome.error = Some(format!("a bug in Sojourn: {message}"));
                outcome
            }
        };
        outcome.warnings.extend(self.cache.warnings());
        let look = self.tracker.look();
        outcome.provenance.elapsed_s = look.elapsed_s;
        outcome.provenance.replications = look.replications_done;
        outcome.provenance.from_cache = look.from_cache;
        outcome.provenance.begun_with_others = look.begun_with_others;
        if outcome.results_json.is_some() || kept {
            self.keep(&mut outcome);
        }
        self.cache.prune();
        outcome
    }

    fn compute(&self, task: Task) -> Outcome {
        match task {
            Task::Points(plan) => self.run_points(&plan),
            Task::Search(search) => self.run_search(*search),
            Task::Advice(advising) => self.run_advice(*advising),
            Task::Risk(risk) => self.run_risk(*risk),
            Task::Live(task) => {
                self.with_frames(|frames| task.run(&self.build, self.provenance.clone(), self.tracker.live(), frames))
            }
            Task::Analysis(task) => task.run(&self.build, self.provenance.clone(), &self.tracker),
        }
    }

    /// Runs with the capture as the sink of frames, or with none.
    fn with_frames(&self, run: impl FnOnce(&mut dyn FrameSink) -> Outcome) -> Outcome {
        match &self.capture {
            Some(capture) => run(&mut *capture.lock().expect("only this thread captures")),
            None => run(&mut NoFrames),
        }
    }

    fn run_points(&self, plan: &Plan) -> Outcome {
        let work: Vec<PointSpec> = plan.points.iter().map(|point| point.spec.clone()).collect();
        if let Some(shard) = self.request.computing().and_then(|computing| computing.shard) {
            return self.run_part(shard.share(&work));
        }
        let document = |position: usize| plan.points[position].scenario.expanded_toml();
        let finished: Option<Vec<PointResult>> = self.execute(&work, &document).into_iter().collect();
        match finished {
            Some(finished) => Outcome::done(plan, finished, None, &self.build, self.provenance.clone()),
            None => Outcome::cancelled(self.provenance.clone(), Vec::new()),
        }
    }

    /// Computes a shard's part of some points, each with its position among all.
    fn run_part(&self, part: Vec<(usize, PointSpec)>) -> Outcome {
        let (positions, work): (Vec<usize>, Vec<PointSpec>) = part.into_iter().unzip();
        // a shard is computed on this host alone
        let finished: Option<Vec<PointResult>> = self.execute(&work, &|_| String::new()).into_iter().collect();
        match finished {
            Some(finished) => Outcome::part(&positions, finished, self.provenance.clone()),
            None => Outcome::cancelled(self.provenance.clone(), Vec::new()),
        }
    }

    fn run_search(&self, search: Search) -> Outcome {
        let mut searching = Searching::new(search);
        let ended = self.follow(&mut searching);
        if self.tracker.is_cancelled() {
            return Outcome::cancelled(self.provenance.clone(), Vec::new());
        }
        self.searched(searching, ended.err().map(|problems| problems.to_string()))
    }

    /// Computes what a search wants, point by point, until it has ended or the job is cancelled.
    fn follow(&self, searching: &mut Searching) -> Result<(), Problems> {
        let mut next = searching.begin()?;
        while let Some(step) = next {
            let Some(finished) = self.compute_step(step, &|_| searching.document()) else { return Ok(()) };
            next = searching.ended(finished)?;
        }
        Ok(())
    }

    /// Computes what a comparison wants, the replications of all alternatives together, until it is answered.
    fn run_advice(&self, mut advising: Advising) -> Outcome {
        let mut steps = advising.begin();
        while !steps.is_empty() {
            self.tracker.note(format!("{} alternatives left", steps.len()));
            let work: Vec<PointSpec> = steps.into_iter().map(|step| step.spec).collect();
            let finished: Option<Vec<PointResult>> =
                self.execute(&work, &|position| advising.document(position)).into_iter().collect();
            let Some(finished) = finished.filter(|_| !self.tracker.is_cancelled()) else {
                return Outcome::cancelled(self.provenance.clone(), Vec::new());
            };
            steps = advising.ended(finished);
        }
        Outcome::advice(advising, &self.build, self.provenance.clone())
    }

    fn run_risk(&self, mut risk: Risk) -> Outcome {
        let mut step = risk.begin();
        // no cluster computes it
        while let Some(finished) = self.compute_step(step, &|_| String::new()) {
            match risk.ended(finished) {
                risk::Next::Compute(next) => step = *next,
                risk::Next::Found(found) => {
                    return Outcome::risk(risk.plan(), *found, &self.build, self.provenance.clone());
                }
            }
        }
        Outcome::cancelled(self.provenance.clone(), Vec::new())
    }

    /// Computes a point that decides what follows; `None` when it was cancelled.
    fn compute_step(&self, step: Step, document: &(dyn Fn(usize) -> String + Sync)) -> Option<PointResult> {
        self.tracker.note(step.note);
        let finished = self.execute(&[step.spec], document).remove(0);
        finished.filter(|_| !self.tracker.is_cancelled())
    }

    /// The points tried in the order of their values, and the answer.
    fn searched(&self, searching: Searching, error: Option<String>) -> Outcome {
        let (tried, limit) = searching.into_parts();
        let (plan, finished) = tried.into_parts();
        let mut outcome = match plan.points.is_empty() {
            true => Outcome::cancelled(self.provenance.clone(), Vec::new()),
            false => Outcome::done(&plan, finished, limit, &self.build, self.provenance.clone()),
        };
        outcome.error = error;
        outcome
    }

    /// Runs points; `document` gives the scenario of each as text.
    fn execute(&self, work: &[PointSpec], document: &(dyn Fn(usize) -> String + Sync)) -> Vec<Option<PointResult>> {
        let computing = self.request.computing();
        let is_shard = computing.is_some_and(|computing| computing.shard.is_some());
        let settings = Settings {
            identity: &self.build.identity,
            jobs: computing.and_then(|computing| computing.jobs),
            cluster: self.exchange.as_deref().map(|exchange| Cluster { exchange, document }),
            // records with traces serve results with and without them
            traces: is_shard || self.request.out().is_some() || computing.is_some_and(|computing| computing.traces),
            capture: self.capture.as_ref(),
            cache: &self.cache,
            tracker: &self.tracker,
        };
        execute(work, &settings)
    }

    /// Writes results and capture; faults become the outcome's error.
    fn keep(&mut self, outcome: &mut Outcome) {
        let mut errors: Vec<String> = outcome.error.take().into_iter().collect();
        if let (Some(capture), Some(path)) = (self.capture.take(), self.request.pcap()) {
            let capture = capture.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
            match capture.finish() {
                Ok(0) => {
                    outcome.warnings.push(format!("{} holds no frame: this network has none to show", path.display()))
                }
                Ok(_) => {}
                Err(fault) => errors.push(format!("cannot write {}: {fault}", path.display())),
            }
        }
        if let Some(folder) = self.request.out()
            && let Err(fault) = outcome.write(folder)
        {
            errors.push(format!("cannot write the results to {}: {fault}", folder.display()));
        }
        outcome.error = (!errors.is_empty()).then(|| errors.join("; "));
    }
}

/// The cache of a request, with its checkpoint; one in a folder of a shard's own keeps all.
fn opened_cache(request: &Request, build: &Build) -> Result<Cache, Problems> {
    let computing = request.computing();
    let cache = Cache::open(computing.and_then(|computing| computing.cache.as_deref()));
    let cache = match computing {
        Some(Computing { shard: Some(_), cache: Some(_), .. }) => cache.without_limit(),
        _ => cache,
    };
    match computing.and_then(|computing| computing.checkpoint.as_deref()) {
        Some(path) => Ok(cache.with_checkpoint(Checkpoint::open(path, &build.identity).map_err(Problem::plain)?)),
        None => Ok(cache),
    }
}
