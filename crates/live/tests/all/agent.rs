//! An agent on a thread.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;

use sojourn_live::agent_settings::{AgentSettings, rules};
use sojourn_live::key::NamedKey;
use sojourn_live::transport::NoFrames;
use sojourn_live::{Listening, Measured, Report, Watch, find};
use sojourn_protocols::authentication::Key;

pub struct Agent {
    pub address: SocketAddr,
    pub watch: Arc<Watch>,
    thread: JoinHandle<Measured>,
}

pub const KEY: &[u8] = b"a key that both ends share";

/// With a key and the limits of one.
pub fn keyed() -> AgentSettings {
    AgentSettings { keys: vec![named("shared", KEY)], ..AgentSettings::default() }
}

/// A key with a name.
pub fn named(name: &str, key: &[u8]) -> NamedKey {
    NamedKey { name: name.to_owned(), key: Key::new(key) }
}

/// Open to all, within the limits of that.
pub fn open() -> AgentSettings {
    AgentSettings { open: true, rules: rules(true), ..AgentSettings::default() }
}

impl Agent {
    pub fn start(settings: AgentSettings) -> Agent {
        Agent::listen(Listening { agent: Some(settings), ..Listening::default() })
    }

    pub fn listen(listening: Listening) -> Agent {
        Agent::at("sojourn://127.0.0.1:0", listening)
    }

    pub fn at(url: &str, listening: Listening) -> Agent {
        let (transport, target) = find(url).unwrap();
        let serve = transport.answer(&target, listening).unwrap();
        let watch = Arc::new(Watch::new());
        let shared = watch.clone();
        let thread = std::thread::spawn(move || serve(&shared, &mut NoFrames));
        let address = loop {
            if let Some(listening) = watch.reports(0).first() {
                break listening.peer.parse().unwrap();
            }
            std::thread::yield_now();
        };
        Agent { address, watch, thread }
    }

    /// Ends it as Ctrl-C does; its reports since it began.
    pub fn stop(self) -> Vec<Report> {
        self.watch.cancel();
        self.join()
    }

    /// Waits for its end; its reports since it began.
    pub fn join(self) -> Vec<Report> {
        self.thread.join().expect("an agent does not panic");
        self.watch.reports(1)
    }
}

/// The sessions among the reports.
pub fn sessions(reports: &[Report]) -> Vec<&Report> {
    reports.iter().filter(|report| report.kind == "session").collect()
}

/// The lines of the log that begin with an event.
pub fn lines<'a>(reports: &'a [Report], event: &str) -> Vec<&'a str> {
    let begin = format!("event={event} ");
    let logged = reports.iter().filter(|report| report.kind == "log").map(|report| report.ended.as_str());
    logged.filter(|line| line.starts_with(&begin)).collect()
}
