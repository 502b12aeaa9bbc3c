//! User requests as they cross the border from Python: one struct per command, so that no option can be given to a
//! command that does not take it. Plain data, below the jobs that carry it out.

mod analyse;
mod live;
mod simulate;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sojourn_experiment::rate_condition::RateCondition;
use sojourn_scenario::redaction::shown_request;
use sojourn_scenario::{Problem, Problems};

pub use self::analyse::Analyse;
pub use self::live::{Agent, Change, Listen, Measure, Monitor, Recover, Relay};
use self::simulate::wrong;
pub use self::simulate::{Advise, Bound, Computing, Find, Risk, Run, Study, Sweep};
pub use sojourn_experiment::{Build, Runs};

/// One command with its options.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "lowercase")]
pub enum Request {
    /// Simulates one scenario (`sojourn run`).
    Run(Run),
    /// Bounds the worst cases of one scenario and simulates it.
    Bound(Bound),
    /// Simulates or measures the product of all axes.
    Sweep(Sweep),
    /// Searches the largest or smallest value of a key that meets a condition.
    Find(Find),
    /// Compares changes of one scenario.
    Advise(Advise),
    /// Simulates how often a rare event occurs.
    Risk(Risk),
    /// Simulates or measures all points of a study.
    Study(Study),
    /// Measures a real network.
    Measure(Measure),
    /// Monitors many targets until it is stopped.
    Monitor(Monitor),
    /// Has agents measure each other until it is stopped.
    Mesh(Monitor),
    /// Runs the measurement server, or the far station of a radio channel.
    Agent(Agent),
    /// Runs a reflector, or a monitor of a radio channel.
    Listen(Listen),
    /// Runs the network emulator.
    Relay(Relay),
    /// Analyses captures of a real network.
    Analyse(Analyse),
    /// Takes the results of a measurement that did not end from what it had written (`sojourn report`).
    Recover(Recover),
}

impl Request {
    /// Refuses what is a mistake whatever the scenario.
    pub fn validate(&self) -> Result<(), Problems> {
        let mut problems = Problems::new();
        for message in self.computing().iter().flat_map(|computing| computing.mistakes()) {
            problems.push(Problem::plain(message));
        }
        for message in self.runs().iter().flat_map(|runs| runs.mistakes()) {
            problems.push(Problem::plain(message));
        }
        if let Request::Advise(Advise { runs: Runs { precision: Some(_), .. }, .. }) = self {
            problems.push(Problem::plain("--precision is not for advice: give --indifference and --budget"));
        }
        if let Request::Run(run) = self {
            run.mistakes().into_iter().for_each(|message| problems.push(Problem::plain(message)));
        }
        for message in self.mistakes_elsewhere() {
            problems.push(Problem::plain(message));
        }
        problems.or(())
    }

    /// What is wrong with computing elsewhere than in one job on this host.
    fn mistakes_elsewhere(&self) -> Vec<&'static str> {
        let cluster = self.computing().is_some_and(|computing| computing.cluster.is_some());
        let shard = self.computing().is_some_and(|computing| computing.shard.is_some());
        let checks = [
            (
                (cluster || shard) && self.pcap().is_some(),
                "--pcap captures what this host simulates: leave out --cluster and --shard",
            ),
            (
                (cluster || shard) && self.asks_of_risk(),
                "the copies of a rare event are made on this host: leave out --cluster and --shard",
            ),
            (
                shard && matches!(self, Request::Find(_) | Request::Advise(_)),
                "a search decides by its results where to go on, so it has no shards: use --cluster",
            ),
            (
                shard && self.runs().is_some_and(|runs| runs.precision.is_some()),
                "--precision decides the number of replications by their results: a shard needs --replications",
            ),
        ];
        wrong(&checks)
    }

    /// Whether it estimates how often a rare event occurs.
    fn asks_of_risk(&self) -> bool {
        match self {
            Request::Risk(_) => true,
            Request::Find(find) => find.until.as_deref().and_then(RateCondition::read).is_some(),
            _ => false,
        }
    }

    /// The request without its secrets, as kept beside results.
    pub fn shown(&self) -> Request {
        let plain = serde_json::to_value(self).expect("a request is plain data");
        serde_json::from_value(shown_request(plain)).expect("texts stay texts")
    }

    /// Folder for results; nothing is written without one.
    pub fn out(&self) -> Option<&Path> {
        match self {
            Request::Measure(measure) => measure.out.as_deref(),
            Request::Listen(listen) => listen.out.as_deref(),
            Request::Analyse(analyse) => analyse.out.as_deref(),
            Request::Recover(recover) => Some(&recover.out),
            _ => self.computing()?.out.as_deref(),
        }
    }

    /// Capture file, if one is written.
    pub fn pcap(&self) -> Option<&Path> {
        let path: &Option<PathBuf> = match self {
            Request::Run(run) => &run.pcap,
            Request::Measure(measure) => &measure.pcap,
            Request::Agent(agent) => &agent.pcap,
            Request::Listen(listen) => &listen.pcap,
            Request::Bound(_)
            | Request::Sweep(_)
            | Request::Find(_)
            | Request::Advise(_)
            | Request::Risk(_)
            | Request::Study(_)
            | Request::Monitor(_)
            | Request::Mesh(_)
            | Request::Relay(_)
            | Request::Analyse(_)
            | Request::Recover(_) => &None,
        };
        path.as_deref()
    }

    /// How a command that simulates computes.
    pub fn computing(&self) -> Option<&Computing> {
        match self {
            Request::Run(run) => Some(&run.computing),
            Request::Bound(bound) => Some(&bound.computing),
            Request::Sweep(sweep) => Some(&sweep.computing),
            Request::Find(find) => Some(&find.computing),
            Request::Advise(advise) => Some(&advise.computing),
            Request::Risk(risk) => Some(&risk.computing),
            Request::Study(study) => Some(&study.computing),
            Request::Measure(_)
            | Request::Monitor(_)
            | Request::Mesh(_)
            | Request::Agent(_)
            | Request::Listen(_)
            | Request::Relay(_)
            | Request::Analyse(_)
            | Request::Recover(_) => None,
        }
    }

    fn runs(&self) -> Option<&Runs> {
        match self {
            Request::Run(run) => Some(&run.runs),
            Request::Bound(bound) => Some(&bound.runs),
            Request::Sweep(sweep) => Some(&sweep.runs),
            Request::Find(find) => Some(&find.runs),
            Request::Advise(advise) => Some(&advise.runs),
            Request::Risk(risk) => Some(&risk.runs),
            Request::Study(study) => Some(&study.runs),
            Request::Measure(_)
            | Request::Monitor(_)
            | Request::Mesh(_)
            | Request::Agent(_)
            | Request::Listen(_)
            | Request::Relay(_)
            | Request::Analyse(_)
            | Request::Recover(_) => None,
        }
    }
}

macro_rules! from {
    ($($command:ident),*) => { $(
        impl From<$command> for Request {
            fn from(request: $command) -> Request {
                Request::$command(request)
            }
        }
    )* };
}

from!(Run, Bound, Sweep, Find, Advise, Risk, Study, Measure, Monitor, Agent, Listen, Relay, Analyse);

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        serde_json::from_str::<Request>(text).unwrap_err().to_string()
    }

    #[test]
    fn a_command_takes_its_own_options_and_no_others() {
        let run = r#"{"command": "run", "file": "a.toml", "runs": {"seed": 3}}"#;
        assert!(matches!(serde_json::from_str(run), Ok(Request::Run(run)) if run.runs.seed == Some(3)));
        assert!(refusal(r#"{"command": "run", "file": "a.toml", "over": []}"#).contains("unknown field `over`"));
        assert!(refusal(r#"{"command": "relay", "to": "a:1", "pcap": "a"}"#).contains("unknown field `pcap`"));
        assert!(refusal(r#"{"command": "fly"}"#).contains("unknown variant `fly`"));
    }
}
