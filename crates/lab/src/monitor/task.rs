//! The running monitor: takes the events of all sessions, writes lines, serves metrics.

use std::net::TcpListener;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sojourn_live::io::clock::to_system;
use sojourn_live::prober::windows::event::WindowEvent;
use sojourn_live::{Report, Watch};
use sojourn_scenario::{Problem, Problems};

use super::endpoint::{self, Endpoint};
use super::exposition::Collected;
use super::hook::Hook;
use super::host::HostEvents;
use super::journal::{Journal, Trouble};
use super::line::{Line, day, now_ns, rfc3339};
use super::links;
use super::mesh::AgentPlan;
use super::names::{self, Name};
use super::plan::MonitorPlan;
use super::sessions;
use super::state::TargetState;
use super::target_plan::TargetPlan;
use crate::outcome::{Outcome, Status};
use crate::provenance::Provenance;
use crate::request::{Build, Monitor};

/// How often cancellation is looked for.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Interval between looks at outages that last and at the files.
const TICK: Duration = Duration::from_secs(1);
/// How long sessions may take to end: as long as an agent may leave a request unanswered.
const LONGEST_END: Duration = Duration::from_secs(6);

/// How the line of an alert begins.
const ALERT: &str = r#"{"type":"alert""#;

/// A monitor whose files and endpoint are open.
pub struct MonitorTask {
    plan: MonitorPlan,
    journal: Option<Journal>,
    listener: Option<TcpListener>,
    hook: Option<Hook>,
    /// What the user should know of the files.
    note: Option<String>,
}

impl MonitorTask {
    /// Checks a request, continues its files and opens its endpoint; no target needs to be there.
    pub fn open(request: &Monitor) -> Result<MonitorTask, Problems> {
        let mut plan = MonitorPlan::new(request)?;
        plan.expand();
        MonitorTask::of(plan, request)
    }

    /// The same of agents that measure each other.
    pub fn mesh(request: &Monitor) -> Result<MonitorTask, Problems> {
        MonitorTask::of(MonitorPlan::mesh(request)?, request)
    }

    fn of(plan: MonitorPlan, request: &Monitor) -> Result<MonitorTask, Problems> {
        let listener = plan.metrics.as_deref().map(|address| {
            endpoint::listen(address).map_err(|fault| {
                let problem = Problem::plain(format!("no OpenMetrics endpoint at {address}: {fault}"));
                problem.help("--metrics 127.0.0.1:0 for any port, --metrics off for none")
            })
        });
        let listener = listener.transpose()?;
        let open = |folder: &PathBuf| {
            let today = day(now_ns());
            Journal::open(folder, plan.disk, &today)
                .map_err(|fault| Problem::plain(format!("cannot write to {}: {fault}", folder.display())))
        };
        let opened = request.folder.as_ref().map(open).transpose()?;
        let (journal, cut) = opened.map_or((None, 0), |(journal, cut)| (Some(journal), cut));
        let note = (cut > 0).then(|| format!("an unfinished line of {cut} B was cut off the last file"));
        let hook = request.on_alert.as_deref().map(Hook::start).transpose();
        let hook = hook.map_err(|fault| Problem::plain(format!("this host starts no thread: {fault}")))?;
        Ok(MonitorTask { plan, journal, listener, hook, note })
    }

    /// Monitors, on this thread, until it is stopped.
    pub fn run(self, build: &Build, provenance: Provenance, watch: &Arc<Watch>) -> Outcome {
        let mut outcome = Outcome::cancelled(provenance, Vec::new());
        let MonitorTask { plan, journal, listener, hook, note } = self;
        let collected = Collected::new(&build.version, &build.commit);
        let now = now_ns();
        let states: Vec<TargetState> = plan
            .targets
            .iter()
            .map(|target| {
                let series = collected.target(target.from.as_deref(), &target.name);
                TargetState::new(target.clone(), plan.window, plan.hysteresis, series, now)
            })
            .collect();
        let endpoint = listener.map(|listener| Endpoint::serve(listener, collected.finish())).transpose();
        let endpoint = match endpoint {
            Ok(endpoint) => endpoint,
            Err(fault) => {
                outcome.error = Some(format!("cannot start the OpenMetrics endpoint: {fault}"));
                return outcome;
            }
        };
        let url = endpoint.as_ref().map(Endpoint::url);
        let name =
            |target: &TargetPlan| target.from.as_ref().map_or_else(|| Name::of(&target.target), |_| Name::none());
        let names: Vec<Arc<Name>> = plan.targets.iter().map(|target| Arc::new(name(target))).collect();
        let mut running = Running { watch, journal, states, names: names.clone(), host: HostEvents::start(), hook };
        running.lines(vec![whole(&plan, build, "begin", url.as_deref())]);
        running.lines(note.map(|text| message(None, text)).into_iter().collect());
        let (sender, events) = channel();
        let threads = start(&plan, &names, &sender);
        let following = Following::start(names);
        drop(sender);
        running.until_stopped(&events, plan.duration.map(to_system), &threads);
        drop(following);
        running.end(&events, &threads);
        running.lines(vec![whole(&plan, build, "end", url.as_deref())]);
        outcome.status = Status::Done;
        outcome
    }
}

/// The line of the begin or the end.
fn whole(plan: &MonitorPlan, build: &Build, event: &'static str, metrics: Option<&str>) -> String {
    let is_mesh = !plan.agents.is_empty();
    let targets = match is_mesh {
        true => plan.agents.iter().map(|agent| (agent.name.as_str(), agent.target.to_string())).collect(),
        false => plan.targets.iter().map(|target| (target.name.as_str(), target.target.to_string())).collect(),
    };
    Line::Monitor { time: rfc3339(now_ns()), event, version: &build.version, metrics, targets, mesh: is_mesh }.text()
}

fn message(target: Option<&str>, text: String) -> String {
    Line::Note { time: rfc3339(now_ns()), target, text }.text()
}

/// A thread of a target, and how to stop it.
struct TargetThread {
    watch: Arc<Watch>,
    handle: Option<JoinHandle<()>>,
}

/// What a thread does until its watch is cancelled.
type Work = Box<dyn FnOnce(&Arc<Watch>) + Send>;

/// Starts a thread for each target, or for each agent that measures its targets.
fn start(plan: &MonitorPlan, names: &[Arc<Name>], events: &Sender<(usize, WindowEvent)>) -> Vec<TargetThread> {
    let of_agent = |agent: &AgentPlan| {
        let (own, events) = (agent.clone(), events.clone());
        let work: Work = Box::new(move |watch| links::run(&own, &events, watch));
        (agent.pairs(), "sojourn-link", work)
    };
    let of_target = |(index, target): (usize, &TargetPlan)| {
        let (target, name, window, events) = (target.clone(), names[index].clone(), plan.window, events.clone());
        let work: Work = Box::new(move |watch| sessions::run((&target, &name), index, window, &events, watch));
        (index..index + 1, "sojourn-target", work)
    };
    let work: Vec<(Range<usize>, &str, Work)> = match plan.agents.is_empty() {
        true => plan.targets.iter().enumerate().map(of_target).collect(),
        false => plan.agents.iter().map(of_agent).collect(),
    };
    work.into_iter().map(|(targets, name, work)| thread(targets, name, work, events)).collect()
}

/// A thread for some targets, which are in an outage where the host starts none.
fn thread(targets: Range<usize>, name: &str, work: Work, events: &Sender<(usize, WindowEvent)>) -> TargetThread {
    let watch = Arc::new(Watch::new());
    let cancelled = watch.clone();
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(move || work(&cancelled));
    if let Err(fault) = &spawned {
        for target in targets {
            let _ = events.send((target, WindowEvent::Ended(Some(format!("this host starts no thread: {fault}")))));
        }
    }
    TargetThread { watch, handle: spawned.ok() }
}

/// The thread that resolves names; it ends by itself once this is dropped, as a resolver cannot be interrupted.
struct Following(Arc<Watch>);

impl Following {
    fn start(names: Vec<Arc<Name>>) -> Following {
        let watch = Arc::new(Watch::new());
        let cancelled = watch.clone();
        let run = move || names::follow(&names, &cancelled);
        // without it names are resolved as sessions open
        let _ = std::thread::Builder::new().name("sojourn-names".to_owned()).spawn(run);
        Following(watch)
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The state of all targets and where their lines go.
struct Running<'a> {
    watch: &'a Watch,
    journal: Option<Journal>,
    states: Vec<TargetState>,
    names: Vec<Arc<Name>>,
    host: HostEvents,
    hook: Option<Hook>,
}

impl Running<'_> {
    /// Takes events until the user stops the monitor or its duration has passed.
    fn until_stopped(
        &mut self,
        events: &Receiver<(usize, WindowEvent)>,
        duration: Option<Duration>,
        threads: &[TargetThread],
    ) {
        let began = Instant::now();
        let mut ticked = began;
        while !self.watch.is_cancelled() && duration.is_none_or(|duration| began.elapsed() < duration) {
            match events.recv_timeout(LOOK_EVERY) {
                Ok((target, event)) => self.event(target, event),
                Err(RecvTimeoutError::Timeout) => {}
                // no thread could be started: the outage of every target goes on
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(LOOK_EVERY),
            }
            if ticked.elapsed() >= TICK {
                ticked = Instant::now();
                self.tick();
                // what sessions report to a user is in their events already
                threads.iter().for_each(|thread| drop(thread.watch.reports(usize::MAX)));
            }
        }
    }

    /// Ends all sessions, and takes their last events.
    fn end(&mut self, events: &Receiver<(usize, WindowEvent)>, threads: &[TargetThread]) {
        threads.iter().for_each(|thread| thread.watch.cancel());
        let until = Instant::now() + LONGEST_END;
        let is_running = |thread: &TargetThread| thread.handle.as_ref().is_some_and(|handle| !handle.is_finished());
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match events.recv_timeout(left.min(LOOK_EVERY)) {
                // a session that was stopped ends for no reason of its target
                Ok((_, WindowEvent::Ended(_) | WindowEvent::Away(_))) => {}
                Ok((target, event)) => self.event(target, event),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if left.is_zero() || !threads.iter().any(is_running) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        let now = now_ns();
        let lines = self.states.iter_mut().flat_map(|state| state.end(now)).collect();
        self.lines(lines);
    }

    fn event(&mut self, target: usize, event: WindowEvent) {
        match &event {
            WindowEvent::HostPaused { begin_ns, end_ns } => {
                let line = self.host.paused(self.states[target].from(), *begin_ns, *end_ns);
                self.lines(line.into_iter().collect());
            }
            WindowEvent::OutageBegan { .. } | WindowEvent::Ended(Some(_)) | WindowEvent::Away(_) => {
                self.names[target].outage(true)
            }
            WindowEvent::OutageEnded { .. } | WindowEvent::Responding { .. } => self.names[target].outage(false),
            _ => {}
        }
        let lines = self.states[target].handle(event);
        self.pass_on(&lines);
        self.lines(lines);
    }

    /// Gives lines of alerts to the command that is run for them.
    fn pass_on(&mut self, lines: &[String]) {
        let Some(hook) = &mut self.hook else { return };
        lines.iter().filter(|line| line.starts_with(ALERT)).for_each(|line| hook.alert(line));
    }

    fn tick(&mut self) {
        let now = now_ns();
        let lines: Vec<String> = self.states.iter_mut().flat_map(|state| state.tick(now)).collect();
        self.pass_on(&lines);
        self.lines(lines);
        let host = self.host.look();
        self.lines(host);
        let faults = self.hook.as_mut().map(Hook::faults).unwrap_or_default();
        self.lines(faults.into_iter().map(|fault| message(None, fault)).collect());
        self.journal.iter_mut().for_each(Journal::sync);
    }

    /// Writes lines to the files and for the user.
    fn lines(&mut self, lines: Vec<String>) {
        for line in lines {
            let trouble = self.journal.as_mut().and_then(|journal| journal.append(&line, &day(now_ns())));
            self.show(line);
            match trouble {
                Some(Trouble::Fails(fault)) => {
                    self.show(message(None, format!("lines are lost, the monitor goes on: cannot write: {fault}")));
                }
                Some(Trouble::WorksAgain(lost)) => {
                    let note = message(None, format!("lines are written again; {lost} were lost"));
                    // a reader of the file is to know of the gap
                    self.journal.as_mut().and_then(|journal| journal.append(&note, &day(now_ns())));
                    self.show(note);
                }
                None => {}
            }
        }
    }

    fn show(&self, line: String) {
        self.watch.report(Report { kind: "monitor", ended: line, well: true, ..Report::default() });
    }
}
