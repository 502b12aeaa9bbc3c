//! Converts a request to the targets, validated as far as is possible without contacting them.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::path::PathBuf;

use sojourn_catalogue::NETWORKS;
use sojourn_core::Duration;
use sojourn_experiment::condition::{refuse_wrong_condition, refuse_wrong_expectations};
use sojourn_experiment::points::override_keys;
use sojourn_live::io::datagrams::Marking;
use sojourn_live::prober::plan::{Phase, RequestTransport, TimedTest};
use sojourn_live::prober::schedule::Schedule;
use sojourn_live::prober::windows::event::{LoadTimes, MONITORED};
use sojourn_live::{Target, Transport, find, key};
use sojourn_scenario::keys::live::monitor::{TABLE, TARGETS};
use sojourn_scenario::problem::ARGUMENT;
use sojourn_scenario::quantity::{Dimension, Quantity};
use sojourn_scenario::rules::monitor::conditions;
use sojourn_scenario::tree::{self, Entries};
use sojourn_scenario::{Document, Expectation, Place, Problem, Problems, Scenario, Source, Table};

use super::alert::Hysteresis;
use crate::measurement::{expected, timed};
use crate::request::Monitor;

/// A document without targets.
const EMPTY: &str = "[network]\nkind = \"ip\"\n";
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
}

/// A target.
#[derive(Clone)]
pub struct TargetPlan {
    /// Its name.
    pub name: String,
    /// URL of the peer.
    pub url: String,
    /// How it is measured.
    pub transport: &'static dyn Transport,
    /// Where it is.
    pub target: Target,
    /// The requests; one phase as long as a window.
    pub timed: TimedTest,
    /// When the path is loaded, if it is.
    pub load: Option<LoadTimes>,
    /// File of the key, read for each session.
    pub key_file: Option<PathBuf>,
    /// The conditions of its windows.
    pub conditions: Vec<Expectation>,
}

/// Checks the targets of a document, if it has any.
pub fn check(scenario: &Scenario) -> Result<(), Problems> {
    if scenario.kind != "ip" || scenario.list(TARGETS).is_empty() {
        return Ok(());
    }
    MonitorPlan::of(scenario, &[], None).map(drop)
}

impl MonitorPlan {
    /// What a request asks for.
    pub fn new(request: &Monitor) -> Result<MonitorPlan, Problems> {
        let mut document = match &request.file {
            Some(path) => NETWORKS.kinds().read(path)?,
            None => NETWORKS.kinds().parse("the defaults", EMPTY)?,
        };
        if document.key("monitor.window").is_err() {
            let problem = Problem::plain(format!("a network of kind {} cannot be monitored", document.kind()));
            return Err(problem.help("kind = \"ip\"; `sojourn new monitor` shows a document").into());
        }
        add_urls(&mut document, &request.urls);
        if document.key("target.rate").is_err() {
            let problem = Problem::plain("there is no target to monitor");
            return Err(problem.help("sojourn monitor URL ..., or [[target]] in a document").into());
        }
        let mut problems = Problems::new();
        for change in &request.options {
            let outcome = document.set(&change.key, &change.value, &change.argument);
            problems.0.extend(outcome.err().into_iter().flat_map(|found| found.0));
        }
        problems.or(())?;
        override_keys(&mut document, &request.set)?;
        let scenario = sojourn_scenario::check(&document)?;
        refuse_wrong_expectations(&scenario, crate::network_of(&scenario).information())?;
        let conditions = expected::read(&request.expect)?;
        let duration = request.duration.as_deref().map(duration).transpose()?;
        let plan = MonitorPlan::of(&scenario, &conditions, duration)?;
        for target in &plan.targets {
            key::find(target.key_file.as_deref())?;
        }
        Ok(plan)
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
        problems.or(MonitorPlan { window, hysteresis, metrics, disk: table.number("disk") as u64, duration, targets })
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
        let host = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
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
    let load = table.optional_duration("load_every").map(|every| {
        let duration = table.duration("load_duration");
        // one target after the other
        LoadTimes { every, offset: (duration + window).times(index), duration }
    });
    problems.or(TargetPlan {
        name: table.name().to_owned(),
        url: url.to_owned(),
        transport,
        target,
        timed,
        load,
        key_file: table.optional_word("key_file").map(PathBuf::from),
        conditions: all.iter().cloned().chain(own).collect(),
    })
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
    let loads = if table.has("load_every") { scenario.list("load") } else { &[] };
    TimedTest {
        transport: if table.word_is("transport", "tcp") { RequestTransport::Tcp } else { RequestTransport::Udp },
        timeout: table.duration("timeout"),
        marking: Marking { dscp: u8::try_from(table.integer("dscp")).unwrap_or(0), bind, ..Marking::default() },
        loads: loads.iter().map(timed::load).collect(),
        seed: scenario.run().seed,
        ..TimedTest::new(schedule, table.number("size") as u32, vec![phase])
    }
}
