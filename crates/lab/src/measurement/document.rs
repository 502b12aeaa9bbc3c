//! Converts a request to the checked documents of its points. A bare URL is measured by a document with the defaults
//! of its transport; command-line options set keys of that document.

use std::collections::BTreeMap;
use std::path::Path;

use sojourn_catalogue::NETWORKS;
use sojourn_experiment::condition::refuse_wrong_expectations;
use sojourn_experiment::points::{axes, combinations, override_keys, override_runs, settings, stem, with_values};
use sojourn_live::find;
use sojourn_metrics::results;
use sojourn_scenario::redaction::shown;
use sojourn_scenario::{Axis, Document, Expectation, Problem, Problems, Scenario, Setting, check};

use super::load_option::add_load;
use crate::expected;
use crate::plan::{base_of, experiment_axes};
use crate::request::{self, Change};
use crate::study::Study;

/// The document of a URL whose transport is not a radio channel.
const HOSTS: &str = "[network]\nkind = \"ip\"\n[measure]\n";
/// How long a URL is measured: enough for 1000 requests at the default rate.
const DURATION: &str = "10 s";
/// The same under load, whose slow starts are over by then.
const LOADED: &str = "20 s";

/// One point of a measurement.
#[derive(Clone, Debug)]
pub struct MeasuredPoint {
    /// Id of a study's experiment, name of the document's file, or the URL.
    pub experiment: String,
    /// The values of the keys that vary.
    pub set: BTreeMap<String, results::Setting>,
    /// The document, checked, with the values of the keys that vary.
    pub scenario: Scenario,
}

/// What is measured, point by point.
#[derive(Debug)]
pub struct Points {
    /// Name of the study, of the document's file, or the URL.
    pub name: String,
    /// The kind of network, or the scheme of a URL without a document.
    pub network: String,
    /// The keys that vary.
    pub axes: BTreeMap<String, results::Axis>,
    /// In the order of results.
    pub points: Vec<MeasuredPoint>,
    /// Conditions besides those of the documents.
    pub expectations: Vec<Expectation>,
}

impl Points {
    /// What `sojourn measure` asks for.
    pub fn of_measure(request: &request::Measure) -> Result<Points, Problems> {
        let mut document = match (&request.file, &request.peer) {
            (Some(path), _) => measurable(NETWORKS.kinds().read(path)?)?,
            (None, Some(peer)) => defaults(peer, request)?,
            (None, None) => return Err(Problem::plain("no peer was named").help("sojourn measure URL").into()),
        };
        let mut problems = Problems::new();
        let mut collect =
            |outcome: Result<(), Problems>| problems.0.extend(outcome.err().into_iter().flat_map(|p| p.0));
        for change in &request.options {
            collect(apply(&mut document, change));
        }
        for text in &request.load {
            collect(add_load(&mut document, text));
        }
        collect(override_keys(&mut document, &request.set));
        problems.or(())?;
        if request.file.is_none() {
            named_channel(&document)?;
        }
        override_runs(&mut document, request.seed, request.replications)?;
        if let Some(peer) = request.peer.as_deref().filter(|_| request.file.is_some()) {
            document.set("measure.peer", peer, &format!("--peer {peer}"))?;
        }
        let (name, network) = match (&request.file, &request.peer) {
            (None, Some(peer)) => (shown(peer), peer.split("://").next().unwrap_or_default().to_owned()),
            (file, _) => (file.as_deref().map(stem).unwrap_or_default(), document.kind().to_owned()),
        };
        let axes = axes(&document, &request.over)?;
        let points = points(&name, &document, &axes)?;
        Ok(Points { name, network, axes: described(&axes), points, expectations: expected::read(&request.expect)? })
    }

    /// A sweep over a document that describes a measurement; `None` where it has stations to simulate.
    pub fn of_sweep(request: &request::Sweep) -> Result<Option<Points>, Problems> {
        let document = NETWORKS.kinds().read(&request.file)?;
        if !document.is_measurement() {
            return Ok(None);
        }
        let measure = request::Measure {
            file: Some(request.file.clone()),
            set: request.set.clone(),
            over: request.over.clone(),
            seed: request.runs.seed,
            replications: request.runs.replications,
            ..request::Measure::default()
        };
        Points::of_measure(&measure).map(Some)
    }

    /// A study whose experiments describe measurements; `None` where the first has stations to simulate.
    pub fn of_study(study: &Study, request: &request::Study) -> Result<Option<Points>, Problems> {
        let selected = study.select(&request.experiments, request.all)?;
        let Some(first) = selected.first() else { return Ok(None) };
        let path = study.folder.join(&first.scenario);
        if !path.is_file() || !NETWORKS.kinds().read(&path)?.is_measurement() {
            return Ok(None);
        }
        let mut found = Points {
            name: study.name.clone(),
            network: String::new(),
            axes: BTreeMap::new(),
            points: Vec::new(),
            expectations: Vec::new(),
        };
        let mut problems = Problems::new();
        for experiment in selected {
            let base = base_of(study, experiment, request)?;
            let axes = experiment_axes(&base.document, experiment)?;
            match points(&base.experiment, &base.document, &axes) {
                Ok(points) => found.points.extend(points),
                Err(mistakes) => problems.0.extend(mistakes.0),
            }
            found.axes.extend(described(&axes));
            found.network = base.document.kind().to_owned();
        }
        problems.or(Some(found))
    }
}

/// The station of a radio channel, or the channel alone, as options and overrides change it.
pub fn on_air(text: &str, options: &[Change], set: &[String]) -> Result<Scenario, Problems> {
    let mut document = NETWORKS.kinds().parse("the station on the air", text)?;
    let mut problems = Problems::new();
    for change in options {
        problems.0.extend(apply(&mut document, change).err().into_iter().flat_map(|found| found.0));
    }
    problems.or(())?;
    override_keys(&mut document, set)?;
    named_channel(&document)?;
    check(&document)
}

/// A document whose kind of network can be measured.
fn measurable(document: Document) -> Result<Document, Problems> {
    if document.key("measure.peer").is_ok() {
        return Ok(document);
    }
    let problem = Problem::plain(format!("a network of kind {} cannot be measured", document.kind()));
    Err(problem.help("kinds: ip, packet-radio").into())
}

/// The document of a URL.
fn defaults(peer: &str, request: &request::Measure) -> Result<Document, Problems> {
    let (transport, _) = find(peer)?;
    let information = transport.information();
    let mut document = NETWORKS.kinds().parse("the defaults", information.scenario.unwrap_or(HOSTS))?;
    let mut set = |key: &str, value: &str| document.set(key, value, value);
    set("measure.peer", peer)?;
    if let Some(rate) = transport.usual_rate() {
        set("measure.rate", rate)?;
    }
    set("run.warm_up", "0 s")?;
    set("run.replications", "1")?;
    set("run.duration", if request.load.is_empty() { DURATION } else { LOADED })?;
    // with one of the two options only that measurement is made
    let asks = |key: &str| request.options.iter().any(|change| change.key == key);
    if information.obeys("xtp.transfer") && asks("probe.round_trips") && !asks("xtp.transfer") {
        set("xtp.transfer", "0 B")?;
    }
    if information.obeys("xtp.transfer") && asks("xtp.transfer") && !asks("probe.round_trips") {
        set("probe.round_trips", "0")?;
    }
    Ok(document)
}

/// A channel's profile decides its bit rate, for which any default would be wrong for most.
fn named_channel(document: &Document) -> Result<(), Problems> {
    if document.kind() != "packet-radio" || document.written("network.profile")?.is_some() {
        return Ok(());
    }
    let problem = Problem::plain("the channel's parameters are missing");
    Err(problem.help("name a profile: --profile afsk-1200; --set changes single keys of it").into())
}

fn apply(document: &mut Document, change: &Change) -> Result<(), Problems> {
    document.set(&change.key, &change.value, &change.argument)
}

fn points(experiment: &str, document: &Document, axes: &[Axis]) -> Result<Vec<MeasuredPoint>, Problems> {
    let mut problems = Problems::new();
    let mut points = Vec::new();
    for combination in combinations(axes) {
        match point(experiment, document, &combination) {
            Ok(point) => points.push(point),
            Err(found) => problems.0.extend(found.0),
        }
    }
    problems.or(points)
}

fn point(experiment: &str, document: &Document, values: &[(&Axis, &Setting)]) -> Result<MeasuredPoint, Problems> {
    let document = with_values(document, values)?;
    let scenario = check(&document)?;
    refuse_wrong_expectations(&scenario, crate::network_of(&scenario).information())?;
    Ok(MeasuredPoint { experiment: experiment.to_owned(), set: settings(values)?, scenario })
}

fn described(axes: &[Axis]) -> BTreeMap<String, results::Axis> {
    axes.iter().map(|axis| (axis.path.clone(), results::Axis { unit: axis.unit.map(str::to_owned) })).collect()
}

/// Checks a document that describes a measurement, as far as it can be checked without its peer.
pub fn of_file(path: &Path, scenario: Scenario) -> MeasuredPoint {
    MeasuredPoint { experiment: stem(path), set: BTreeMap::new(), scenario }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(options: &[(&str, &str)], load: &[&str]) -> request::Measure {
        let change = |(key, value): &(&str, &str)| Change {
            key: (*key).to_owned(),
            value: (*value).to_owned(),
            argument: format!("--option {value}"),
        };
        request::Measure {
            peer: Some("sojourn://127.0.0.1:1".to_owned()),
            options: options.iter().map(change).collect(),
            load: load.iter().map(|text| (*text).to_owned()).collect(),
            ..request::Measure::default()
        }
    }

    fn refusal(options: &[(&str, &str)], load: &[&str]) -> String {
        Points::of_measure(&request(options, load)).unwrap_err().render(false, 120)
    }

    #[test]
    fn an_option_sets_a_key_of_the_document() {
        let found = Points::of_measure(&request(&[("measure.rate", "50 /s"), ("measure.voice.codec", "g729a")], &[]));
        let text = found.unwrap_err().render(false, 120);
        assert!(text.contains("contradicts [measure.voice]"), "{text}");
        let found = Points::of_measure(&request(&[("measure.rate", "50 /s")], &[])).unwrap();
        let scenario = &found.points[0].scenario;
        assert_eq!(scenario.table("measure").number("rate"), 50.0);
        assert_eq!((found.name.as_str(), found.network.as_str()), ("sojourn://127.0.0.1:1", "sojourn"));
    }

    #[test]
    fn a_serial_line_is_asked_slowly_unless_a_rate_is_given() {
        let rate = |peer: &str, options: &[(&str, &str)]| {
            let request = request::Measure { peer: Some(peer.to_owned()), ..request(options, &[]) };
            Points::of_measure(&request).unwrap().points[0].scenario.table("measure").number("rate")
        };
        assert_eq!(rate("modbus-rtu:///dev/ttyUSB0", &[]), 10.0);
        assert_eq!(rate("modbus-rtu:///dev/ttyUSB0", &[("measure.rate", "2 /s")]), 2.0);
        assert_eq!((rate("mstp:///dev/ttyUSB0?mac=1&to=2", &[]), rate("modbus://127.0.0.1", &[])), (1.0, 100.0));
    }

    #[test]
    fn the_short_form_of_a_load_sets_its_keys() {
        let found = Points::of_measure(&request(&[], &["tcp:3,down,congestion=reno,pace=5 Mbit/s,start=1 s,stop=3 s"]));
        let found = found.unwrap();
        let load = &found.points[0].scenario.list("load")[0];
        assert_eq!((load.integer("streams"), load.word("direction"), load.word("congestion")), (3, "down", "reno"));
        assert_eq!((load.number("pace"), load.number("start"), load.number("stop")), (5e6, 1.0, 3.0));
        assert_eq!(found.points[0].scenario.run().duration, sojourn_core::Duration::from_secs(20));
    }

    #[test]
    fn mistakes_of_a_load_have_a_caret_and_the_nearest_name() {
        assert!(refusal(&[], &["tpc:4"]).contains("did you mean \"tcp\"?"));
        assert!(refusal(&[], &["tcp:0"]).contains("outside its range"));
        assert!(refusal(&[], &["tcp:1,congestoin=reno"]).contains("did you mean `congestion`?"));
        assert!(refusal(&[], &["tcp:1,size=500 B"]).contains("`size` is for loads over udp"));
        assert!(refusal(&[], &["udp:5"]).contains("needs a unit"));
        assert!(refusal(&[], &["udp"]).contains("needs `rate`"));
        assert!(refusal(&[], &["tcp:1,sideways"]).contains("neither a direction nor KEY=VALUE"));
        assert!(refusal(&[], &["tcp:1,start=3 s,stop=2 s"]).contains("stops before it starts"));
    }

    #[test]
    fn an_axis_makes_a_point_for_each_of_its_values() {
        let request = request::Measure { over: vec!["measure.rate=50,100 /s".to_owned()], ..request(&[], &[]) };
        let found = Points::of_measure(&request).unwrap();
        let rates: Vec<f64> = found.points.iter().map(|point| point.scenario.table("measure").number("rate")).collect();
        assert_eq!(rates, [50.0, 100.0]);
        assert_eq!(found.axes["measure.rate"].unit.as_deref(), Some("1/s"));
    }

    #[test]
    fn a_study_of_measurement_documents_is_measured_point_by_point() {
        let folder = crate::testing::folder("measured-study");
        let document = "[network]\nkind = \"ip\"\n[measure]\npeer = \"sojourn://127.0.0.1:1\"\n";
        std::fs::write(folder.join("m.toml"), document).unwrap();
        let text = "[study]\ntitle = \"Rates\"\n[[experiment]]\nid = \"A\"\nscenario = \"m.toml\"\n\
                    over = { \"measure.rate\" = [\"50 /s\", \"100 /s\"] }\n";
        std::fs::write(folder.join("study.toml"), text).unwrap();
        let study = Study::read(&folder).unwrap_or_else(|problems| panic!("{problems}"));

        let points = Points::of_study(&study, &request::Study::default()).unwrap().unwrap();

        let rates: Vec<f64> =
            points.points.iter().map(|point| point.scenario.table("measure").number("rate")).collect();
        assert_eq!((rates, points.network.as_str()), (vec![50.0, 100.0], "ip"));
        assert!(points.points.iter().all(|point| point.experiment == "A"));
    }
}
