//! What every network must do: random valid scenarios, made from the declarations of its keys, run to their end
//! with every invariant of the model asserted (what is offered is delivered, failed or in flight), give the
//! same record twice, observe registered metrics only, have no zero that nothing recorded, and account for every
//! probed response time to the last picosecond; and every misspelt key is refused with the right one.

use sojourn_catalogue::NETWORKS;
use sojourn_core::random::Stream;
use sojourn_core::{Duration, Streams};
use sojourn_metrics::record::{Observation, Record};
use sojourn_metrics::registry::{self, Shape};
use sojourn_model::{Model, Network, Replication};
use sojourn_scenario::keys::{self, Kind};
use sojourn_scenario::{Document, Key, Scenario, Table, check};

/// Random scenarios of each network.
const SCENARIOS: u32 = 60;

#[test]
fn a_network_documents_what_it_models_and_leaves_out_its_sources_and_the_metric_of_its_probe() {
    for network in NETWORKS.networks() {
        let information = network.information();
        assert!(!information.summary.is_empty() && !information.sources.is_empty(), "{}", network.kind());
        assert!(!information.models.is_empty() && !information.leaves_out.is_empty(), "{}", network.kind());
        let probe = information.probe_metric.split('.').next().unwrap_or_default();
        let record = replicate(&*model(network, &scenario(template(network))), 0);
        assert!(record.metrics.contains_key(probe), "{} does not fill {probe}", network.kind());
        assert!(record.events > 0, "{} counts no events", network.kind());
    }
}

#[test]
fn random_valid_scenarios_keep_their_invariants_and_repeat_to_the_bit() {
    for network in NETWORKS.networks() {
        let kind = network.kind();
        let mut ran = 0;
        for number in 0..SCENARIOS {
            let mut draws = Streams::new(u64::from(number), 0).stream("conformance");
            let (document, edits) = random_document(network, &mut draws);
            let Ok(scenario) = check(&document) else { continue };
            let Ok(model) = network.model(&scenario) else { continue };
            ran += 1;
            let record = replicate(&*model, number);
            let context = || format!("{kind} with {edits:?}");
            zeros_were_counted(&record, &context());
            assert_eq!(record, replicate(&*model, number), "{} gave two records", context());
            metrics_are_registered(&record, &context());
            metrics_are_declared(network, &record, &context());
            budget_adds_up(&record, &context());
        }
        assert!(ran > SCENARIOS / 4, "only {ran} of {SCENARIOS} random scenarios of {kind} were valid");
    }
}

#[test]
fn the_full_form_of_a_scenario_has_the_same_hash_and_gives_the_same_record() {
    for network in NETWORKS.networks() {
        let written = scenario(template(network));
        let full =
            scenario(NETWORKS.kinds().parse("full form", &written.expanded_toml()).expect("the full form reads"));
        assert_eq!(written.canonical_json(), full.canonical_json(), "{}", network.kind());
        assert_eq!(replicate(&*model(network, &written), 0), replicate(&*model(network, &full), 0));
    }
}

#[test]
fn a_misspelt_key_is_refused_with_the_right_one() {
    for network in NETWORKS.networks() {
        let document = full_form(network);
        for (path, key) in settable(network, &scenario(document.clone())) {
            let misspelt = format!("{path}q");
            let problems = match document.clone().set(&misspelt, "1", &format!("{misspelt}=1")) {
                Err(problems) => problems,
                Ok(()) => panic!("{misspelt} was taken"),
            };
            let text = problems.to_string();
            assert!(text.contains(key.name), "{misspelt} does not suggest {}:\n{text}", key.name);
        }
    }
}

fn template(network: &dyn Network) -> Document {
    let kind = network.kind();
    let text = NETWORKS.kinds().template(kind).unwrap_or_else(|| panic!("{kind} has no template"));
    let mut document = NETWORKS.kinds().parse("template", &text).unwrap_or_else(|problems| panic!("{problems}"));
    for (key, value) in [("run.duration", "1 s"), ("run.warm_up", "100 ms")] {
        document.set(key, value, value).unwrap_or_else(|problems| panic!("{problems}"));
    }
    document
}

pub fn full_form(network: &dyn Network) -> Document {
    let text = scenario(template(network)).expanded_toml();
    NETWORKS.kinds().parse("full form", &text).unwrap_or_else(|problems| panic!("{problems}"))
}

pub fn scenario(document: Document) -> Scenario {
    check(&document).unwrap_or_else(|problems| panic!("{problems}"))
}

pub fn model(network: &dyn Network, scenario: &Scenario) -> Box<dyn Model> {
    network.model(scenario).unwrap_or_else(|problems| panic!("{problems}"))
}

pub fn replicate(model: &dyn Model, index: u32) -> Record {
    model.replicate(Replication {
        seed: 3,
        index,
        warm_up: Duration::from_millis(100),
        traces: index.is_multiple_of(2),
        ..Replication::alone(Duration::from_secs(1))
    })
}

/// The full forms that random scenarios begin with: that of the template, and of a network with channels of several kinds one with all.
pub fn full_forms(network: &dyn Network) -> Vec<Document> {
    let further = match network.kind() {
        "lontalk" => Some(include_str!("../../../../networks/lontalk/tests/all/lontalk_ip852.toml")),
        "modbus" => Some(include_str!("../../../../networks/modbus/tests/all/gateway.toml")),
        _ => None,
    };
    let read = |text: &str| NETWORKS.kinds().parse("full form", text).unwrap_or_else(|problems| panic!("{problems}"));
    let full = |text| read(&scenario(read(text)).expanded_toml());
    std::iter::once(full_form(network)).chain(further.map(full)).collect()
}

/// One of them.
pub fn random_form(network: &dyn Network, draws: &mut Stream) -> Document {
    let mut forms = full_forms(network);
    let place = if forms.len() > 1 { draws.below(forms.len() as u32) } else { 0 };
    forms.swap_remove(place as usize)
}

/// Writes some of the random scenarios of each network as files, for tests that run them elsewhere.
#[test]
#[ignore = "writes SOJOURN_SCENARIOS=NUMBER of each network to the folder SOJOURN_FOLDER, for tests/report/test_numbers.py"]
fn random_scenarios_are_written_to_a_folder() {
    let variable = |name: &str| std::env::var(name).unwrap_or_else(|_| panic!("set {name}"));
    let (folder, wanted) = (variable("SOJOURN_FOLDER"), variable("SOJOURN_SCENARIOS").parse().expect("a number"));
    for network in NETWORKS.networks() {
        let valid = (0..10 * SCENARIOS).filter_map(|number| {
            let mut draws = Streams::new(u64::from(number), 0).stream("conformance");
            let (document, _) = random_document(network, &mut draws);
            let scenario = check(&document).ok()?;
            network.model(&scenario).ok().map(|_| (number, scenario))
        });
        let mut written = 0;
        for (number, scenario) in valid.take(wanted) {
            let file = format!("{folder}/{}-{number}.toml", network.kind());
            std::fs::write(file, scenario.expanded_toml()).unwrap_or_else(|fault| panic!("{fault}"));
            written += 1;
        }
        assert_eq!(written, wanted, "{}", network.kind());
    }
}

/// A full form with one to five keys changed at random, and what was changed.
fn random_document(network: &dyn Network, draws: &mut Stream) -> (Document, Vec<String>) {
    let mut document = random_form(network, draws);
    let settable = settable(network, &scenario(document.clone()));
    let mut edits = Vec::new();
    for _ in 0..1 + draws.below(5) {
        let (path, key) = &settable[draws.below(settable.len() as u32) as usize];
        let Some(value) = random_value(key, draws) else { continue };
        if document.set(path, &value, &format!("{path}={value}")).is_ok() {
            edits.push(format!("{path}={value}"));
        }
    }
    (document, edits)
}

/// Every key that the scenario's tables can have, with its path.
fn settable(network: &dyn Network, scenario: &Scenario) -> Vec<(String, &'static Key)> {
    let declared = network.keys();
    let mut paths = Vec::new();
    for table in declared.tables {
        let owners: Vec<String> = match table.shape {
            keys::Shape::One => vec![table.name.to_owned()],
            keys::Shape::Many => {
                let named = |member: &Table| format!("{}.{}", table.name, member.name());
                scenario.list(table.name).iter().map(named).collect()
            }
            keys::Shape::Shorthand => continue,
        };
        let own = |key: &&Key| !matches!(key.name, "kind" | "name" | "duration" | "warm_up" | "replications");
        for owner in owners {
            paths.extend(table.all().filter(own).map(|key| (format!("{owner}.{}", key.name), key)));
        }
    }
    paths
}

/// A value the declaration allows; quantities stay near the default, where runs stay short. `None` for keys
/// whose values are names, files or tables.
pub fn random_value(key: &Key, draws: &mut Stream) -> Option<String> {
    let mut pick = |count: usize| draws.below(count as u32) as usize;
    match key.kind {
        Kind::Word(words) => Some(words[pick(words.len())].word.to_owned()),
        Kind::QuantityOr(_, _, words) => Some(words[pick(words.len())].word.to_owned()),
        Kind::Flag => Some(["true", "false"][pick(2)].to_owned()),
        Kind::Choice(values) => Some(values[pick(values.len())].to_string()),
        Kind::Code(codes) => Some(format!("{} ms", codes.milliseconds[pick(codes.milliseconds.len())])),
        Kind::Integer(low, high) => Some((low + pick((high - low).min(16) as usize + 1) as u64).to_string()),
        Kind::Quantity(..) | Kind::TimeOrLaw(..) | Kind::Number(_) => {
            scaled(default_of(key)?, [1, 2, 3, 5][pick(4)], [1, 2, 4][pick(3)])
        }
        Kind::Name
        | Kind::Names(..)
        | Kind::Text
        | Kind::Texts
        | Kind::File
        | Kind::Table(_)
        | Kind::Variants(_)
        | Kind::Times(_)
        | Kind::Settings => None,
    }
}

fn default_of(key: &Key) -> Option<&'static str> {
    match key.preset {
        keys::Preset::Value(value) => Some(value.trim_matches('"')),
        keys::Preset::By(_, values) => values.first().map(|(_, value)| value.trim_matches('"')),
        _ => None,
    }
}

/// `"10 ms"` times `factor / divisor`.
fn scaled(text: &str, factor: u32, divisor: u32) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: f64 = number.parse().ok()?;
    Some(format!("{}{unit}", number * f64::from(factor) / f64::from(divisor)))
}

/// A condition on a metric that a network does not declare is refused: so it must declare all it can have.
fn metrics_are_declared(network: &dyn Network, record: &Record, context: &str) {
    let declared = network.information().metrics;
    for name in record.metrics.keys().filter_map(|name| name.split('/').next()) {
        assert!(declared.contains(&name), "{context}: {name} is not declared");
    }
    assert!(declared.iter().all(|name| registry::find(name).is_some_and(|known| known.name == *name)), "{declared:?}");
}

pub fn metrics_are_registered(record: &Record, context: &str) {
    for (name, observation) in &record.metrics {
        let registered = registry::find(name).unwrap_or_else(|| panic!("{context}: {name} is not registered"));
        let fits = match observation {
            Observation::Distribution(_) => registered.shape == Shape::Distribution,
            Observation::Scalar(value) => registered.shape == Shape::Scalar && value.is_finite(),
            Observation::Estimate { value, interval } => {
                registered.shape == Shape::Scalar && value.is_finite() && interval[0] <= interval[1]
            }
            Observation::Count(_) => registered.shape == Shape::Scalar,
            Observation::Share { part, of } => registered.shape == Shape::Scalar && part <= of,
            Observation::TimeWeighted { mean, max } => {
                registered.shape == Shape::TimeWeighted && mean.is_finite() && max.is_finite()
            }
            Observation::Budget(_) => registered.shape == Shape::Budget,
            Observation::Timeline(timeline) => timeline.edges.is_sorted(),
            Observation::NotApplicable => true,
        };
        assert!(fits, "{context}: {name} is {observation:?}");
    }
}

/// Scalars that may be 0 though they are neither counts nor shares: of the time that was observed, where nothing came, the
/// speech that was lost of what was spoken, and the spread of delays that are the same.
const OVER_TIME: [&str; 13] = [
    "frame_time",
    "interference",
    "jitter_p95_p50",
    "packet_rate",
    "play_out_loss",
    "processor_utilisation",
    "throughput",
    "throughput_l3",
    "throughput_l4",
    "token_rate",
    "transaction_rate",
    "utilisation",
    "voice_channels",
];

/// A mean of nothing and a rating of nothing do not apply, and are not 0; a share knows of how many it is.
fn zeros_were_counted(record: &Record, context: &str) {
    for (name, observation) in &record.metrics {
        let metric = name.split('/').next().unwrap_or_default();
        let is_zero = matches!(observation, Observation::Scalar(value) if *value == 0.0);
        assert!(!is_zero || OVER_TIME.contains(&metric), "{context}: {name} is 0, and nothing was counted");
    }
}

/// The components' means add up to the mean response time.
pub fn budget_adds_up(record: &Record, context: &str) {
    let Some(Observation::Budget(budget)) = record.metrics.get("delay_budget") else { return };
    let Some(Observation::Distribution(response_time)) = record.metrics.get("response_time") else {
        panic!("{context}: a delay budget without a response time")
    };
    assert_eq!(budget.count(), response_time.count(), "{context}");
    if let (Some(parts), Some(mean)) = (budget.means(), response_time.mean()) {
        let sum: f64 = parts.iter().sum();
        assert!((sum - mean).abs() <= 1e-12 * mean.max(1e-6), "{context}: {parts:?} do not add up to {mean}");
    }
}
