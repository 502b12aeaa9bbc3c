//! A measurement that a scenario describes: its probe, its background and its run, against a peer in the place of the
//! network. What the scenario says of the network itself is left out, and told.

use sojourn_core::Duration;
use sojourn_live::measuring::plan::{Direction, Load, LoadTransport, Phase, Plan};
use sojourn_live::measuring::schedule::Schedule;
use sojourn_live::transport::Information;
use sojourn_metrics::results::{self, Results};
use sojourn_scenario::{Document, Origin, Problem, Problems, Scenario, Table, WarmUp, check};

use super::LiveRequest;
use crate::base::{fingerprint, override_with, stem};
use crate::outcome::{Outcome, PointVerdict};
use crate::request::Request;
use crate::verdict::judge;

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
        describe(&scenario, &mut plan)?;
        Ok(Some(Described { experiment: stem(path), plan, scenario }))
    }

    /// Refuses a background that nobody at the other end carries.
    pub fn refuse_load_without(&self, information: &Information) -> Result<(), Problems> {
        if self.plan.loads.is_empty() || information.options.contains(&"--load") {
            return Ok(());
        }
        let problem = Problem::plain(format!("the other end of {} carries no background", information.scheme));
        Err(problem.help("measure against `sojourn agent`, or without: --set background.streams=0").into())
    }

    /// Makes a point that of the scenario, judges it, and tells what was left out.
    pub fn tell(&self, index: usize, point: &mut results::Point, outcome: &mut Outcome) {
        point.experiment.clone_from(&self.experiment);
        point.scenario_hash = Some(fingerprint(&self.scenario.canonical_json()));
        for expectation in self.scenario.expectations().iter().filter(|_| point.status == "ok") {
            outcome.verdicts.push(PointVerdict {
                point: index,
                experiment: point.experiment.clone(),
                set: point.set.clone(),
                text: expectation.text.clone(),
                judgement: judge(expectation, &point.metrics),
            });
        }
        let ignored = ignored(&self.scenario);
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
fn describe(scenario: &Scenario, plan: &mut Plan) -> Result<(), Problems> {
    let (probe, run) = (scenario.table("probe"), scenario.run());
    if !probe.has("from") {
        let problem = Problem::plain("the scenario has no [probe], whose requests are what is measured");
        return Err(problem.help("[probe] with from, to, size and think").into());
    }
    let WarmUp::Fixed(warm_up) = run.warm_up else {
        let problem = Problem::plain("warm_up = \"auto\" is found by simulating: say how long a measurement warms up");
        return Err(problem.help("--set 'run.warm_up=2 s'").into());
    };
    plan.schedule = Schedule::PingPong { think: probe.duration("think"), spread: probe.duration("think_spread") };
    plan.sizes = vec![probe.integer("size") as u32];
    plan.patience = probe.duration("time_out");
    plan.loads = background(scenario);
    let loaded = !plan.loads.is_empty();
    let phase = |name, duration, recorded| Phase { name, duration, loaded, recorded };
    plan.phases = vec![phase("warm-up", warm_up, false), phase(MEASURED, run.duration, true)];
    plan.phases.retain(|phase| phase.duration > Duration::ZERO);
    (plan.replications, plan.seed) = (run.replications, run.seed);
    Ok(())
}

/// The streams of the background, each way's together.
fn background(scenario: &Scenario) -> Vec<Load> {
    let table = scenario.table("background");
    if !table.has("from") {
        return Vec::new();
    }
    let streams = table.integer("streams") as u32;
    let ways = match table.word("direction") {
        "forward" => [(Direction::Up, streams), (Direction::Down, 0)],
        "backward" => [(Direction::Down, streams), (Direction::Up, 0)],
        _ => [(Direction::Up, streams.div_ceil(2)), (Direction::Down, streams / 2)],
    };
    let congestion = sender(scenario, table).map(|sender| sender.table("tcp").word("congestion").to_owned());
    let load = |(direction, streams): (Direction, u32)| Load {
        name: Some("background".to_owned()),
        transport: LoadTransport::Tcp { congestion: congestion.clone(), pace: None },
        direction,
        streams,
        start: table.duration("start"),
        stop: None,
    };
    ways.into_iter().filter(|(_, streams)| *streams > 0).map(load).collect()
}

/// The station that the background's first stream comes from.
fn sender<'s>(scenario: &'s Scenario, background: &Table) -> Option<&'s Table> {
    let first = *background.words("from").first()?;
    let members = scenario.members();
    let place = scenario.resolve(first).next()?;
    members.get(place).map(|member| member.station)
}

/// What was written of the network: here it is real.
fn ignored(scenario: &Scenario) -> String {
    let written = |table: &Table| {
        let keys = table.entries().into_iter().filter(|entry| entry.origin == Origin::Written);
        keys.map(|entry| entry.key.name).collect::<Vec<_>>().join(", ")
    };
    let mut parts: Vec<String> = Vec::new();
    for (list, kept) in [("medium", "name"), ("station", "name")] {
        for table in scenario.list(list) {
            let keys = written(table);
            if keys != kept && !keys.is_empty() {
                parts.push(format!("{list} {}: {keys}", table.name()));
            }
        }
    }
    for table in scenario.list("flow").iter().filter(|table| !table.name().is_empty()) {
        parts.push(format!("flow {}", table.name()));
    }
    parts.join("; ")
}
