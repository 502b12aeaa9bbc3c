//! The server behind the command line. It opens its sockets at once, so that every user error is reported before it
//! serves.

use std::sync::Arc;
use std::thread::JoinHandle;

use sojourn_lab::request::{Agent, Listen};
use sojourn_lab::serving::ServingTask;
use sojourn_live::{Report, Watch};
use sojourn_scenario::{Problem, Problems};

use crate::arguments::Arguments;

/// Schemes that a reflector serves.
const REFLECTORS: [&str; 3] = ["stamp", "udp-echo", "tcp-echo"];

/// A server that runs on a thread of its own.
#[derive(Debug)]
pub struct Service {
    watch: Arc<Watch>,
    thread: JoinHandle<()>,
}

/// Opens the sockets and serves.
pub fn serve(arguments: &Arguments) -> Result<Service, Problems> {
    let task = open(arguments)?;
    let watch = Arc::new(Watch::new());
    let shared = watch.clone();
    Ok(Service { watch, thread: std::thread::spawn(move || task.serve(&shared)) })
}

impl Service {
    /// What reports on the sessions and ends them.
    pub fn watch(&self) -> Arc<Watch> {
        self.watch.clone()
    }

    /// The reports from number `from` on.
    pub fn reports(&self, from: usize) -> Vec<Report> {
        self.watch.reports(from)
    }

    /// Whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for its end; false where it ended by a bug.
    pub fn join(self) -> bool {
        self.thread.join().is_ok()
    }
}

fn open(arguments: &Arguments) -> Result<ServingTask, Problems> {
    match arguments.url.split_once("://") {
        Some((scheme, _)) if REFLECTORS.contains(&scheme) => {
            refuse_rules(arguments, scheme)?;
            ServingTask::listen(&listen(arguments))
        }
        Some((scheme, _)) if scheme != "sojourn" && sojourn_live::find(&arguments.url).is_ok() => {
            let message = format!("sojourn-agent does not serve {scheme}");
            let help = format!("it serves sojourn, {}; the Python package serves the others", REFLECTORS.join(", "));
            Err(Problem::argument(&arguments.url, 0..scheme.len(), message).help(help).into())
        }
        _ => ServingTask::agent(&agent(arguments)),
    }
}

/// Rules of the measurement server, which reflectors have none of.
fn refuse_rules(arguments: &Arguments, scheme: &str) -> Result<(), Problems> {
    let given = [
        ("--open", arguments.open),
        ("--no-cpu-idle", arguments.no_cpu_idle),
        ("--limit", !arguments.limit.is_empty()),
        ("--measures", !arguments.measures.is_empty()),
    ];
    let mut problems = Problems::new();
    for (option, _) in given.iter().filter(|(_, given)| *given) {
        problems.push(Problem::plain(format!("{option} is for sojourn://, not for {scheme}")));
    }
    problems.or(())
}

fn agent(arguments: &Arguments) -> Agent {
    let Arguments { url, key_file, open, limit, measures, no_cpu_idle, count, duration, inject_loss, seed, .. } =
        arguments.clone();
    Agent { url, key_file, open, measures, no_cpu_idle, limit, count, duration, inject_loss, seed, ..Agent::default() }
}

fn listen(arguments: &Arguments) -> Listen {
    let Arguments { url, key_file, count, duration, inject_loss, seed, .. } = arguments.clone();
    Listen { url, key_file, count, duration, inject_loss, seed, ..Listen::default() }
}
