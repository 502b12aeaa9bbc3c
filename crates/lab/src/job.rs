//! A job on a thread of its own: started, watched, told to stop, and asked for what it gave.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

use sojourn_live::Report;
use sojourn_live::transport::NoFrames;
use sojourn_metrics::frames::{FrameSink, LinkType};
use sojourn_networks::Information;
use sojourn_scenario::{Problem, Problems, Setting};

use crate::answer::{Limit, Tried};
use crate::base::Point;
use crate::cache::Cache;
use crate::execute::{Finished, Settings, Work, execute};
use crate::fault;
use crate::files::prepare_folder;
use crate::limit::Search;
use crate::live::LiveTask;
use crate::outcome::{Outcome, result_of};
use crate::pcap::Capture;
use crate::plan::{Plan, plan};
use crate::progress::{Progress, Tracker};
use crate::provenance::Provenance;
use crate::relaying::RelayTask;
use crate::request::{Build, Command, Request};

/// A job under way or ended.
#[derive(Debug)]
pub struct Job {
    tracker: Arc<Tracker>,
    outcome: Arc<OnceLock<Outcome>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Job {
    /// Checks the request, its scenarios and its folder, then begins; every mistake of the user's is told here.
    pub fn start(request: Request, build: Build) -> Result<Job, Problems> {
        let provenance = Provenance::new(&request, &build);
        let task = Task::new(&request)?;
        if let Some(folder) = &request.out {
            let refused = |fault| Problem::plain(format!("cannot write to {}: {fault}", folder.display()));
            prepare_folder(folder).map_err(refused)?;
        }
        let capture = match &request.pcap {
            Some(path) => {
                let refused = |fault| Problem::plain(format!("cannot write {}: {fault}", path.display()));
                Some(Mutex::new(Capture::create(path, task.link_type()?).map_err(refused)?))
            }
            None => None,
        };
        let (tracker, outcome) = (Arc::new(Tracker::new()), Arc::new(OnceLock::new()));
        let cache = Cache::open(request.cache.as_deref());
        let laboratory = Laboratory { request, build, cache, tracker: tracker.clone(), capture, provenance };
        let place = outcome.clone();
        let thread = std::thread::spawn(move || {
            let ended = laboratory.work(task);
            // nobody else sets it
            let _ = place.set(ended);
        });
        Ok(Job { tracker, outcome, thread: Mutex::new(Some(thread)) })
    }

    /// How far it is.
    pub fn progress(&self) -> Progress {
        self.tracker.look()
    }

    /// Tells it to stop; it does within a moment.
    pub fn cancel(&self) {
        self.tracker.cancelled.store(true, Ordering::Relaxed);
        self.tracker.live().cancel();
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
    /// A job that nobody watches stops.
    fn drop(&mut self) {
        self.cancel();
    }
}

enum Task {
    Points(Plan),
    Search(Box<Search>),
    Live(LiveTask),
    Relay(RelayTask),
}

impl Task {
    fn new(request: &Request) -> Result<Task, Problems> {
        if request.command == Command::Find {
            request.validate()?;
            return Ok(Task::Search(Box::new(Search::new(request)?)));
        }
        if request.command == Command::Relay {
            return RelayTask::open(request).map(Task::Relay);
        }
        if request.command.is_live() {
            request.validate()?;
            return LiveTask::open(request).map(Task::Live);
        }
        plan(request).map(Task::Points)
    }

    /// What the frames of a capture begin with.
    fn link_type(&self) -> Result<LinkType, Problems> {
        match self {
            Task::Points(Plan { network, points, .. }) => {
                let link_type = points.first().and_then(|point| point.work.model.link_type());
                let none = || Problem::plain(format!("a network of kind {} has no frames to capture", network.kind));
                link_type.ok_or_else(|| none().into())
            }
            Task::Live(task) => {
                task.link_type().ok_or_else(|| Problem::plain("this transport has no frames to capture").into())
            }
            Task::Search(_) => Err(Problem::plain("only a single run can be captured").into()),
            Task::Relay(_) => Err(Problem::plain("a relay captures nothing: capture at either end of it").into()),
        }
    }
}

struct Laboratory {
    request: Request,
    build: Build,
    cache: Cache,
    tracker: Arc<Tracker>,
    capture: Option<Mutex<Capture>>,
    provenance: Provenance,
}

impl Laboratory {
    /// The whole job; a panic here is a bug of ours that must not leave a watcher waiting.
    fn work(mut self, task: Task) -> Outcome {
        let mut outcome = match fault::catch(|| self.compute(task)) {
            Ok(outcome) => outcome,
            Err(message) => {
                let mut outcome = Outcome::cancelled(self.provenance.clone(), Vec::new());
                outcome.error = Some(format!("a bug in Sojourn: {message}"));
                outcome
            }
        };
        outcome.warnings.extend(self.cache.warning());
        let look = self.tracker.look();
        outcome.provenance.elapsed_s = look.elapsed_s;
        outcome.provenance.replications = look.replications_done;
        outcome.provenance.from_cache = look.from_cache;
        // what went over a real network went, whether it came to results or not
        if outcome.results_json.is_some() || self.request.command.is_live() {
            self.keep(&mut outcome);
        }
        self.cache.prune();
        outcome
    }

    fn compute(&self, task: Task) -> Outcome {
        match task {
            Task::Points(plan) => self.run_points(&plan),
            Task::Search(search) => self.run_search(&search),
            Task::Live(task) => self.run_live(task),
            Task::Relay(task) => task.run(self.provenance.clone(), self.tracker.live()),
        }
    }

    fn run_live(&self, task: LiveTask) -> Outcome {
        let mut capture = self.capture.as_ref().map(|capture| capture.lock().expect("only this thread captures"));
        let mut nowhere = NoFrames;
        let frames: &mut dyn FrameSink = match &mut capture {
            Some(capture) => &mut **capture,
            None => &mut nowhere,
        };
        task.run(&self.request, &self.build, self.provenance.clone(), self.tracker.live(), frames)
    }

    fn run_points(&self, plan: &Plan) -> Outcome {
        let work: Vec<Work> = plan.points.iter().map(|point| point.work.clone()).collect();
        self.tracker.note(format!("{} points", work.len()));
        let finished: Option<Vec<Finished>> = self.execute(&work).into_iter().collect();
        match finished {
            Some(finished) => Outcome::done(plan, finished, &self.build, self.provenance.clone()),
            None => Outcome::cancelled(self.provenance.clone(), Vec::new()),
        }
    }

    fn run_search(&self, search: &Search) -> Outcome {
        let mut tried: Vec<(Tried, Point, Finished)> = Vec::new();
        let mut error = None;
        let limit = search.run(|setting| match self.attempt(search, setting, &mut tried) {
            Ok(result) => result,
            Err(problems) => {
                error = Some(problems.to_string());
                None
            }
        });
        if self.tracker.is_cancelled() {
            return Outcome::cancelled(self.provenance.clone(), Vec::new());
        }
        self.searched(search, tried, limit, error)
    }

    /// Runs one value of a search; `None` when it was cancelled or failed.
    fn attempt(
        &self,
        search: &Search,
        setting: &Setting,
        tried: &mut Vec<(Tried, Point, Finished)>,
    ) -> Result<Option<Tried>, Problems> {
        let point = search.point(setting)?;
        self.tracker.note(format!("{} = {}", search.axis().path, serde_json::json!(point.set[&search.axis().path])));
        let Some(finished) = self.execute(std::slice::from_ref(&point.work)).remove(0) else { return Ok(None) };
        let result = search.judge(setting, &result_of(&point, &finished).metrics);
        let failed = finished.failure.is_some();
        tried.push((result.clone(), point, finished));
        Ok((!failed).then_some(result))
    }

    /// The points tried in the order of their values, and the answer.
    fn searched(
        &self,
        search: &Search,
        mut tried: Vec<(Tried, Point, Finished)>,
        limit: Option<Limit>,
        error: Option<String>,
    ) -> Outcome {
        tried
            .sort_by(|(one, ..), (other, ..)| one.value.partial_cmp(&other.value).unwrap_or(std::cmp::Ordering::Equal));
        let (points, finished): (Vec<Point>, Vec<Finished>) =
            tried.into_iter().map(|(_, point, finished)| (point, finished)).unzip();
        let Some(first) = points.first() else {
            let mut outcome = Outcome::cancelled(self.provenance.clone(), Vec::new());
            outcome.error = error;
            return outcome;
        };
        let unit = search.axis().unit.map(str::to_owned);
        let plan = Plan {
            study: search.name().to_owned(),
            network: network_of(first),
            axes: [(search.axis().path.clone(), sojourn_metrics::results::Axis { unit })].into(),
            seed: first.work.seed,
            points,
        };
        let mut outcome = Outcome::done(&plan, finished, &self.build, self.provenance.clone());
        (outcome.find, outcome.error) = (limit, error);
        outcome
    }

    fn execute(&self, work: &[Work]) -> Vec<Option<Finished>> {
        let settings = Settings {
            identity: &self.build.identity,
            jobs: self.request.jobs,
            traces: self.request.out.is_some(),
            capture: self.capture.as_ref(),
            cache: &self.cache,
            tracker: &self.tracker,
        };
        execute(work, &settings)
    }

    /// Writes what was asked for; the first fault is the outcome's error.
    fn keep(&mut self, outcome: &mut Outcome) {
        let mut errors: Vec<String> = outcome.error.take().into_iter().collect();
        if let (Some(capture), Some(path)) = (self.capture.take(), &self.request.pcap) {
            let capture = capture.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
            match capture.finish() {
                Ok(0) => {
                    outcome.warnings.push(format!("{} holds no frame: this network has none to show", path.display()))
                }
                Ok(_) => {}
                Err(fault) => errors.push(format!("cannot write {}: {fault}", path.display())),
            }
        }
        if let Some(folder) = &self.request.out
            && let Err(fault) = outcome.write(folder)
        {
            errors.push(format!("cannot write the results to {}: {fault}", folder.display()));
        }
        outcome.error = (!errors.is_empty()).then(|| errors.join("; "));
    }
}

fn network_of(point: &Point) -> &'static Information {
    sojourn_networks::find(point.scenario.kind).expect("a planned point has a network").information()
}
