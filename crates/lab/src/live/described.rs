//! A measurement that a scenario describes: its probe, what loads the way beside it, and its run, against a peer in the
//! place of the network. What the scenario says of the network itself is left out, and told.

mod ignored;
mod traffic;

use sojourn_core::Duration;
use sojourn_live::prober::plan::{Phase, Plan, RequestTransport};
use sojourn_live::transport::Information;
use sojourn_metrics::results::{self, Results};
use sojourn_scenario::{Document, Problem, Problems, Scenario, WarmUp, check};

use self::ignored::ignored;
use self::traffic::Traffic;
use super::LiveRequest;
use crate::base::{fingerprint, override_with, stem};
use crate::outcome::Outcome;
use crate::request::Request;

/// The kind of network that can be reached.
const KIND: &str = "ip";
/// The phase whose metrics are those of a simulation's run.
const MEASURED: &str = "measured";
/// Options that say what the scenario says.
const SAID_BY_SCENARIO: [&str; 6] = ["--rate", "--schedule", "--load", "--idle", "--recovery", "--voice"];

/// A scenario that a peer is measured by.
#[derive(Debug)]
pub struct Described {
    /// The checked scenario.
    pub scenario: Scenario,
    /// What its one point is called: the name of its file, as in a simulation.
    pub experiment: String,
    /// What is to be done.
    pub plan: Plan,
    /// What it says that real hosts do not heed.
    ignored: String,
}

impl Described {
    /// Reads the scenario of a request, if it has one.
    pub fn read(live: &LiveRequest, request: &Request) -> Result<Option<Described>, Problems> {
        let Some(path) = request.file.as_deref() else { return Ok(None) };
        let mut document = Document::read(path)?;
        override_with(&mut document, request)?;
        let scenario = check(&document)?;
        if scenario.kind != KIND {
            let message = format!("a network of kind {} cannot be measured over a peer", scenario.kind);
            return Err(Problem::plain(message).help(format!("kind = \"{KIND}\"")).into());
        }
        let given = live.plan.given().into_iter().find(|option| SAID_BY_SCENARIO.contains(option));
        if let Some(option) = given.or(live.duration.as_ref().map(|_| "--duration")) {
            let problem = Problem::plain(format!("{option} contradicts the scenario, which says the same in its way"));
            return Err(problem.help("change the scenario for this once: --set 'run.duration=30 s'").into());
        }
        let mut plan = live.plan.plan(None, 0, None, 1, 1)?;
        let traffic = Traffic::of(&scenario)?;
        describe(&scenario, &traffic, &mut plan)?;
        let ignored = ignored(&scenario, &traffic);
        Ok(Some(Described { experiment: stem(path), plan, ignored, scenario }))
    }

    /// Refuses a background that nobody at the other end carries.
    pub fn refuse_load_without(&self, information: &Information) -> Result<(), Problems> {
        if self.plan.loads.is_empty() || information.options.contains(&"--load") {
            return Ok(());
        }
        let problem = Problem::plain(format!("the other end of {} carries no background", information.scheme));
        Err(problem.help("measure against `sojourn agent`, or without: --set background.streams=0").into())
    }

    /// Makes a point that of the scenario, and tells what was left out.
    pub fn tell(&self, point: &mut results::Point, outcome: &mut Outcome) {
        point.experiment.clone_from(&self.experiment);
        point.scenario_hash = Some(fingerprint(&self.scenario.canonical_json()));
        if self.plan.transport == RequestTransport::Tcp {
            outcome
                .warnings
                .push("requests went over TCP, and a simulation of this scenario sends datagrams".to_owned());
        }
        let ignored = &self.ignored;
        if !ignored.is_empty() {
            outcome.warnings.push(format!("the network is what it is, whatever the scenario says of it: {ignored}"));
        }
    }

    /// Gives results the names of a simulation's.
    pub fn name(&self, results: &mut Results) {
        let hashes: Vec<&str> = results.points.iter().filter_map(|point| point.scenario_hash.as_deref()).collect();
        results.scenario_hash = fingerprint(&hashes.join("\n"));
        results.study.clone_from(&self.experiment);
        results.network = KIND.to_owned();
        results.seed = self.plan.seed;
    }
}

/// Fills a plan with what the scenario says.
fn describe(scenario: &Scenario, traffic: &Traffic<'_>, plan: &mut Plan) -> Result<(), Problems> {
    let run = scenario.run();
    let WarmUp::Fixed(warm_up) = run.warm_up else {
        let problem = Problem::plain("warm_up = \"auto\" is found by simulating: say how long a measurement warms up");
        return Err(problem.help("--set 'run.warm_up=2 s'").into());
    };
    traffic.describe(plan);
    let loaded = !plan.loads.is_empty();
    let phase = |name, duration, recorded| Phase { name, duration, loaded, recorded };
    plan.phases = vec![phase("warm-up", warm_up, false), phase(MEASURED, run.duration, true)];
    plan.phases.retain(|phase| phase.duration > Duration::ZERO);
    (plan.replications, plan.seed) = (run.replications, run.seed);
    Ok(())
}
