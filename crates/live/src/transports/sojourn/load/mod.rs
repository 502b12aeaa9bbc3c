//! Load between this host and an agent: bulk TCP, and UDP at a constant bit rate.
//!
//! Each stream has a thread, which sleeps until its start. TCP streams belong to the session of the requests, and
//! fail if their connection breaks. A UDP stream has its own session and socket, so that none of it passes through
//! the socket that is timed; it survives an outage, since the session is reopened after a restart of the agent.

mod arrivals;
mod datagrams;
mod receiver;
mod sampler;
mod session;
mod stream;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread::JoinHandle;

use sojourn_core::Time;
use sojourn_protocols::authentication::Key;
use sojourn_protocols::probe::client::Session;

use crate::io::clock::Clock;
use crate::io::datagrams::Marking;
use crate::prober::loader::{LoadResult, LoadWindow, Loader};
use crate::prober::plan::{Direction, Load, LoadTransport, TimedTest};

/// All streams of a measurement.
#[derive(Debug)]
pub struct AgentLoad {
    peer: SocketAddr,
    key: Key,
    loads: Vec<Load>,
    /// Source address of streams.
    bind: Option<IpAddr>,
    session: Session,
    threads: Vec<JoinHandle<Outcome>>,
    /// The bit rates at which streams are paced, by name.
    paces: Vec<(String, f64)>,
    /// Samples what all streams carry.
    course: Option<JoinHandle<Vec<(Time, u64)>>>,
    over: Arc<AtomicBool>,
}

/// What all threads of streams share.
#[derive(Clone, Debug)]
struct LoadContext {
    name: String,
    peer: SocketAddr,
    marking: Marking,
    clock: Clock,
    start: Time,
    stop: Time,
    /// Set to end all streams.
    over: Arc<AtomicBool>,
    delivered: Arc<AtomicU64>,
}

/// What a stream carried, or why it failed.
type Outcome = (String, Result<Flow, String>);

/// The data of a stream that arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Flow {
    bit_rate: f64,
    /// Datagrams sent and received.
    datagrams: Option<(u64, u64)>,
    /// How often its session was opened again.
    renewals: u32,
    /// Whether the agent did not report what it received at the end.
    unreported: bool,
}

impl Flow {
    /// What a reader of its figures should know.
    fn warning(&self, name: &str) -> Option<String> {
        let lost = "what was sent to it and not reported by it counts as lost";
        let times = if self.renewals == 1 { "once".to_owned() } else { format!("{} times", self.renewals) };
        match (self.renewals, self.unreported) {
            (0, false) => None,
            (_, true) => Some(format!("load {name}: the agent was away at its end; {lost}")),
            (_, false) => {
                Some(format!("load {name}: its session was opened again {times}, as after a restart; {lost}"))
            }
        }
    }
}

impl AgentLoad {
    /// The loads of a plan, towards or from an agent.
    pub fn new(peer: SocketAddr, key: Key, plan: &TimedTest, session: Session) -> AgentLoad {
        let bind = plan.marking.bind;
        let (loads, threads, over) = (plan.loads.clone(), Vec::new(), Arc::default());
        AgentLoad { peer, key, loads, bind, session, threads, paces: Vec::new(), course: None, over }
    }
}

impl Loader for AgentLoad {
    fn begin(&mut self, loaded: LoadWindow, clock: Clock, delivered: Arc<AtomicU64>) -> Result<(), String> {
        self.over = Arc::default();
        for load in self.loads.clone() {
            let start = loaded.start + load.start;
            let stop = load.stop.map_or(loaded.end, |stop| (loaded.start + stop).min(loaded.end));
            if start >= stop {
                return Err("a load starts after the end of the loaded phase".to_owned());
            }
            for number in 1..=load.streams {
                let context = LoadContext {
                    name: name(&load, number, self.threads.len() + 1),
                    peer: self.peer,
                    marking: Marking { dscp: load.dscp, bind: self.bind, ..Marking::default() },
                    clock,
                    start,
                    stop,
                    over: self.over.clone(),
                    delivered: delivered.clone(),
                };
                let pace = load.transport.pace().map(|bit_rate| (context.name.clone(), bit_rate as f64));
                self.paces.extend(pace);
                let thread = match &load.transport {
                    LoadTransport::Tcp { congestion, pace } => {
                        let frame =
                            stream::frame(&mut self.session, load.direction, congestion.as_deref(), *pace, load.dscp)?;
                        let (key, direction) = (self.key.clone(), load.direction);
                        let (congestion, pace) = (congestion.clone(), *pace);
                        spawn(move || stream::carry(context, direction, &key, &frame, congestion.as_deref(), pace))
                    }
                    &LoadTransport::Udp { rate, octets } => {
                        let (key, direction) = (self.key.clone(), load.direction);
                        spawn(move || datagrams::carry(context, direction, &key, rate, octets))
                    }
                };
                self.threads.push(thread.map_err(|fault| format!("cannot start a thread for a stream: {fault}"))?);
            }
        }
        let (counter, over) = (delivered, self.over.clone());
        let looking = spawn(move || sampler::watch(loaded, clock, &counter, &over));
        self.course = Some(looking.map_err(|fault| format!("cannot start a thread for the load: {fault}"))?);
        Ok(())
    }

    fn end(&mut self) -> LoadResult {
        self.over.store(true, std::sync::atomic::Ordering::Relaxed);
        let course = self.course.take().and_then(|looking| looking.join().ok()).unwrap_or_default();
        let paces = std::mem::take(&mut self.paces);
        let mut carried = LoadResult { course, paces, ..LoadResult::default() };
        let (mut sent, mut received, mut failures) = (0, 0, Vec::new());
        for thread in self.threads.drain(..) {
            match thread.join() {
                Ok((name, Ok(flow))) => {
                    carried.warnings.extend(flow.warning(&name));
                    carried.streams.push((name, flow.bit_rate));
                    let (out, came) = flow.datagrams.unwrap_or_default();
                    (sent, received) = (sent + out, received + came);
                }
                Ok((name, Err(reason))) => failures.push(format!("load {name} failed: {reason}")),
                Err(_) => failures.push("a thread of the load panicked".to_owned()),
            }
        }
        carried.failure = (!failures.is_empty()).then(|| failures.join("; "));
        carried.loss = (sent > 0).then(|| 1.0 - received as f64 / sent as f64);
        carried
    }
}

impl LoadContext {
    /// Whether it must end.
    fn is_over(&self) -> bool {
        self.over.load(std::sync::atomic::Ordering::Relaxed) || self.clock.now() >= self.stop
    }

    /// Sleeps until its start; false if it was ended before.
    fn await_start(&self) -> bool {
        self.await_time(self.start)
    }

    /// Sleeps until a time; false if it was ended before.
    fn await_time(&self, at: Time) -> bool {
        const POLL_INTERVAL: sojourn_core::Duration = sojourn_core::Duration::from_millis(50);
        while !self.is_over() {
            let left = at.since(self.clock.now());
            if left == sojourn_core::Duration::ZERO {
                return true;
            }
            std::thread::sleep(crate::io::clock::to_system(left.min(POLL_INTERVAL)));
        }
        false
    }

    /// Counts octets that arrived.
    fn deliver(&self, octets: u64) {
        self.delivered.fetch_add(octets, std::sync::atomic::Ordering::Relaxed);
    }
}

/// A stream's name: its load's, with a number if it has several; or its transport and direction, with its number.
fn name(load: &Load, number: u32, among_all: usize) -> String {
    if let Some(name) = &load.name {
        return if load.streams == 1 { name.clone() } else { format!("{name}-{number}") };
    }
    let transport = match load.transport {
        LoadTransport::Tcp { .. } => "tcp",
        LoadTransport::Udp { .. } => "udp",
    };
    let direction = match load.direction {
        Direction::Up => "up",
        Direction::Down => "down",
    };
    format!("{transport}-{direction}-{among_all}")
}

fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> std::io::Result<JoinHandle<T>> {
    std::thread::Builder::new().name("sojourn-load".to_owned()).spawn(work)
}
