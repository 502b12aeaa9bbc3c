//! Converts a request to the targets, validated as far as is possible without contacting them.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::PathBuf;

use sojourn_catalogue::NETWORKS;
use sojourn_core::Duration;
use sojourn_experiment::condition::{refuse_wrong_condition, refuse_wrong_expectations};
use sojourn_experiment::points::override_keys;
use sojourn_live::find;
use sojourn_live::io::datagrams::Marking;
use sojourn_live::prober::plan::{Http, Phase, RequestTransport, TimedTest};
use sojourn_live::prober::schedule::Schedule;
use sojourn_live::prober::windows::event::{LoadTimes, MONITORED};
use sojourn_live::target::AGENT_SCHEME;
use sojourn_protocols::probe::wire::MIN_PACKET;
use sojourn_scenario::keys::live::mesh::AGENTS;
use sojourn_scenario::keys::live::monitor::{TABLE, TARGETS};
use sojourn_scenario::problem::ARGUMENT;
use sojourn_scenario::quantity::{Dimension, Quantity};
use sojourn_scenario::redaction::shown;
use sojourn_scenario::rules::monitor::conditions;
use sojourn_scenario::tree::{self, Entries};
use sojourn_scenario::{Document, Expectation, Place, Problem, Problems, Scenario, Source, Table};

use super::alert::Hysteresis;
use super::mesh::{self, AgentPlan};
use super::quiet::QuietHours;
use super::target_plan::TargetPlan;
use crate::expected;
use crate::measurement::timed;
use crate::request::{Change, Monitor};

/// A document without targets.
const EMPTY: &str = "[network]\nkind = \"ip\"\n";
/// The key that the option of the key's file sets.
const KEY_FILE: &str = "target.key_file";
/// The value of `monitor.metrics` for no endpoint.
const OFF: &str = "off";

/// What is monitored.
pub struct MonitorPlan {
    /// Length of a window.
    pub window: Duration,
    /// When alerts are raised and cleared.
    pub hysteresis: Hysteresis,
    /// Address of the OpenMetrics endpoint, if there is one.
    pub metrics: Option<String>,
    /// Largest size of all files, in octets.
    pub disk: u64,
    /// When the monitor ends; without it when it is stopped.
    pub duration: Option<Duration>,
    /// The targets, in the order of the document.
    pub targets: Vec<TargetPlan>,
    /// The agents that measure them, of a mesh.
    pub agents: Vec<AgentPlan>,
}

/// Checks the targets of a document, if it has any.
pub fn check(scenario: &Scenario) -> Result<(), Problems> {
    if scenario.kind != "ip" || [TARGETS, AGENTS].iter().all(|list| scenario.list(list).is_empty()) {
        return Ok(());
    }
    MonitorPlan::of(scenario, &[], None).map(drop)
}

impl MonitorPlan {
    /// The mesh that a request asks for.
    pub fn mesh(request: &Monitor) -> Result<MonitorPlan, Problems> {
        let plan = MonitorPlan::read(request, "agent.address")?;
        // refused now, not when the first connection opens
        plan.agents.first().map(AgentPlan::key).transpose()?;
        Ok(plan)
    }

    /// The monitor that a request asks for.
    pub fn new(request: &Monitor) -> Result<MonitorPlan, Problems> {
        let plan = MonitorPlan::read(request, "target.rate")?;
        for target in &plan.targets {
            target.key()?;
        }
        Ok(plan)
    }

    /// What a request asks for of a document with this key, once at least.
    fn read(request: &Monitor, needed: &str) -> Result<MonitorPlan, Problems> {
        let mut document = match &request.file {
            Some(path) => NETWORKS.kinds().read(path)?,
            None => NETWORKS.kinds().parse("the defaults", EMPTY)?,
        };
        if document.key("monitor.window").is_err() {
            let problem = Problem::plain(format!("a network of kind {} cannot be monitored", document.kind()));
            return Err(problem.help("kind = \"ip\"; `sojourn new monitor` shows a document").into());
        }
        add_urls(&mut document, &request.urls);
        if document.key(needed).is_err() {
            let (message, help) = match needed {
                "agent.address" => {
                    ("there are no agents that measure each other", "[[agent]] in a document: sojourn new mesh")
                }
                _ => ("no target to monitor is given", "sojourn monitor URL ..., or [[target]] in a document"),
            };
            return Err(Problem::plain(message).help(help).into());
        }
        let mut problems = Problems::new();
        let (key_files, options): (Vec<&Change>, Vec<&Change>) =
            request.options.iter().partition(|change| change.key == KEY_FILE);
        for change in options {
            let outcome = document.set(&change.key, &change.value, &change.argument);
            problems.0.extend(outcome.err().into_iter().flat_map(|found| found.0));
        }
        problems.or(())?;
        override_keys(&mut document, &request.set)?;
        let scenario = sojourn_scenario::check(&document)?;
        refuse_wrong_expectations(&scenario, crate::network_of(&scenario).information())?;
        let conditions = expected::read(&request.expect)?;
        let duration = request.duration.as_deref().map(duration).transpose()?;
        let mut plan = MonitorPlan::of(&scenario, &conditions, duration)?;
        if let Some(change) = key_files.last() {
            plan.give_key(change)?;
        }
        Ok(plan)
    }

    /// Gives the agents among the targets the key of a file.
    fn give_key(&mut self, change: &Change) -> Result<(), Problems> {
        let mut agents = self.targets.iter_mut().filter(|target| target.is_agent()).peekable();
        if agents.peek().is_none() {
            let span = change.argument.len() - change.value.len()..change.argument.len();
            let problem = Problem::argument(&change.argument, span, "no target is an agent, which the key is for");
            return Err(problem.help("of another protocol it is `key_file` of its [[target]]").into());
        }
        let file = text(&change.value);
        agents.for_each(|target| target.key_file = Some(PathBuf::from(&file)));
        Ok(())
    }

    /// Makes each address of the names whose targets ask for it a target of its own, as names resolve now. A name that has
    /// none yet stays one target.
    pub fn expand(&mut self) {
        let members = |target: TargetPlan| match target.target.addresses() {
            Ok(addresses) if target.is_every_address && target.target.is_name() => addresses
                .into_iter()
                .map(|address| TargetPlan {
                    name: format!("{}/{address}", target.name),
                    target: target.target.at(address),
                    ..target.clone()
                })
                .collect(),
            _ => vec![target],
        };
        self.targets = std::mem::take(&mut self.targets).into_iter().flat_map(members).collect();
    }

    fn of(
        scenario: &Scenario,
        conditions: &[Expectation],
        duration: Option<Duration>,
    ) -> Result<MonitorPlan, Problems> {
        let table = scenario.table(TABLE);
        let window = table.duration("window");
        let all: Vec<Expectation> = scenario.expectations().iter().chain(conditions).cloned().collect();
        let (mut targets, mut problems) = (Vec::new(), Problems::new());
        for (index, target) in (0..).zip(scenario.list(TARGETS)) {
            match of_target(scenario, target, window, index, &all) {
                Ok(target) => targets.push(target),
                Err(found) => problems.0.extend(found.0),
            }
        }
        let hysteresis =
            Hysteresis { raise_after: table.integer("raise_after"), clear_after: table.integer("clear_after") };
        let metrics = Some(table.word("metrics").to_owned()).filter(|address| address != OFF);
        let mut agents = Vec::new();
        if !scenario.list(AGENTS).is_empty() {
            let quiet = quiet(table, &mut problems);
            match mesh::pairs(scenario, (&quiet, &all)) {
                Ok(found) => (agents, targets) = found,
                Err(found) => problems.0.extend(found.0),
            }
        }
        let disk = table.number("disk") as u64;
        problems.or(MonitorPlan { window, hysteresis, metrics, disk, duration, targets, agents })
    }
}

/// A `[[target]]` for each URL, named after it.
fn add_urls(document: &mut Document, urls: &[String]) {
    let mut names = BTreeSet::new();
    for url in urls {
        let source = Source::new(ARGUMENT, url.as_str());
        let place = Some(Place::new(&source, 0..url.len()));
        let mut entries = Entries::default();
        let mut set = |key: &str, value: &str| {
            let node = tree::value(&format!("{value:?}"), &source, 0);
            entries.set(key, place.clone(), tree::Node { place: place.clone(), ..node });
        };
        let shown = shown(url);
        let host = shown.split_once("://").map_or(shown.as_str(), |(_, rest)| rest);
        let plain: String = host.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
        let plain = plain.trim_matches('-');
        let numbered = |number: u32| if number == 1 { plain.to_owned() } else { format!("{plain}-{number}") };
        let name = (1..).map(numbered).find(|name| names.insert(name.clone())).unwrap_or_default();
        set("name", &name);
        set("peer", url);
        document.push(TARGETS, entries, place);
    }
}

fn duration(text: &str) -> Result<Duration, Problems> {
    let argument = format!("--duration {text}");
    let read = Quantity::parse(text, Dimension::Time).ok().and_then(Quantity::duration);
    read.filter(|span| *span > Duration::ZERO).ok_or_else(|| {
        let message = format!("`{text}` is not a time above zero, in a unit");
        Problem::argument(&argument, argument.len() - text.len()..argument.len(), message)
            .help("--duration '1 h'")
            .into()
    })
}

fn of_target(
    scenario: &Scenario,
    table: &Table,
    window: Duration,
    index: u64,
    all: &[Expectation],
) -> Result<TargetPlan, Problems> {
    let url = table.word("peer");
    // a mistake of the URL is one of the document
    let placed = |mistakes: Problems| {
        let there = |problem: Problem| Problem::at(table.place_of("peer"), problem.message).maybe_help(problem.help);
        Problems(mistakes.0.into_iter().map(there).collect())
    };
    let (transport, target) = find(url).map_err(placed)?;
    target.check_form().map_err(placed)?;
    let information = transport.information();
    let mut problems = Problems::new();
    if !information.is_timed {
        let message = format!("{} cannot be monitored: it has no timed test", information.scheme);
        problems.push(scenario.problem(table, "peer", message, None));
    }
    let unfit = [
        ("transport", table.word_is("transport", "tcp"), "measure.transport"),
        ("key_file", table.has("key_file"), "measure.key_file"),
        ("load_every", table.has("load_every"), "load"),
    ];
    for (key, _, _) in unfit.iter().filter(|(_, is_written, path)| *is_written && !information.obeys(path)) {
        let message = format!("`{key}` has no meaning for {}", information.scheme);
        problems.push(scenario.problem(table, key, message, None));
    }
    let own: Vec<Expectation> = conditions(table).into_iter().flatten().collect();
    for condition in &own {
        problems.0.extend(refuse_wrong_condition(condition).err().into_iter().flat_map(|found| found.0));
    }
    let timed = timed(scenario, table, window, &mut problems);
    if information.scheme == AGENT_SCHEME && table.number("size") < f64::from(MIN_PACKET) {
        let message = format!("`size` is {MIN_PACKET} B at least: header and authentication of sojourn:// fill that");
        problems.push(scenario.problem(table, "size", message, None));
    }
    let quiet = [scenario.table(TABLE), table].map(|table| quiet(table, &mut problems)).concat();
    let is_every_address = table.word_is("addresses", "all");
    if is_every_address && matches!(information.scheme, "http" | "https") {
        let message = "each request to a service resolves its name: `addresses` has no meaning for it";
        problems.push(scenario.problem(table, "addresses", message, None));
    }
    let load = table.optional_duration("load_every").map(|every| {
        let duration = table.duration("load_duration");
        // one target after the other
        LoadTimes { every, offset: (duration + window).times(index), duration }
    });
    problems.or(TargetPlan {
        name: table.name().to_owned(),
        from: None,
        transport,
        target,
        timed,
        load,
        key_file: table.optional_word("key_file").map(PathBuf::from),
        quiet,
        is_every_address,
        conditions: all.iter().cloned().chain(own).collect(),
    })
}

/// The quiet hours of a table.
fn quiet(table: &Table, problems: &mut Problems) -> Vec<QuietHours> {
    let mut found = Vec::new();
    for text in table.words("quiet") {
        match QuietHours::parse(text) {
            Ok(hours) => found.push(hours),
            Err(mistakes) => problems.0.extend(
                mistakes
                    .0
                    .into_iter()
                    .map(|problem| Problem::at(table.place_of("quiet"), problem.message).maybe_help(problem.help)),
            ),
        }
    }
    found
}

/// The requests of a target.
fn timed(scenario: &Scenario, table: &Table, window: Duration, problems: &mut Problems) -> TimedTest {
    // the declared rates are above zero
    let interval = Duration::from_seconds(1.0 / table.number("rate")).unwrap_or(window);
    let schedule = match table.word("schedule") {
        "poisson" => Schedule::Poisson { mean: interval },
        _ => Schedule::Periodic { interval },
    };
    let bind = table.optional_word("bind").and_then(|text| {
        let address = text.parse::<IpAddr>().ok();
        if address.is_none() {
            problems.push(scenario.problem(table, "bind", "`bind` is not an IPv4 or IPv6 address", None));
        }
        address
    });
    let phase = Phase { name: MONITORED, duration: window, loaded: false, recorded: true };
    let http = timed::http(scenario, table).unwrap_or_else(|found| {
        problems.0.extend(found.0);
        Http::default()
    });
    let loads = if table.has("load_every") { scenario.list("load") } else { &[] };
    TimedTest {
        transport: if table.word_is("transport", "tcp") { RequestTransport::Tcp } else { RequestTransport::Udp },
        timeout: table.duration("timeout"),
        marking: Marking { dscp: u8::try_from(table.integer("dscp")).unwrap_or(0), bind, ..Marking::default() },
        loads: loads.iter().map(timed::load).collect(),
        seed: scenario.run().seed,
        http,
        ..TimedTest::new(schedule, table.number("size") as u32, vec![phase])
    }
}

/// The text that an option sets, in quotes or without.
fn text(value: &str) -> String {
    let read = toml::from_str::<BTreeMap<String, String>>(&format!("text = {value}"));
    read.ok().and_then(|mut found| found.remove("text")).unwrap_or_else(|| value.to_owned())
}
