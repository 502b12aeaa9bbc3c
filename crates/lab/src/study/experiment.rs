//! The experiments of a study and their variants.

use serde::{Serialize, Serializer};
use sojourn_metrics::registry;
use sojourn_scenario::hint::suggestion;
use sojourn_scenario::problem::{Problem, Problems};
use sojourn_scenario::source::Place;
use sojourn_scenario::tree::{Entry, Node};

use super::fields::Fields;
use super::testbed::{self, Testbed};

const EXPERIMENT_KEYS: &[&str] = &["id", "title", "scenario", "set", "over", "quick", "metrics", "live", "variant"];
const VARIANT_KEYS: &[&str] = &["id", "title", "scenario", "set", "over"];

/// One experiment: a scenario, its overrides and its axes.
#[derive(Clone, Debug, Serialize)]
pub struct Experiment {
    /// `D`, or `D+queued` for a variant.
    pub id: String,
    /// One line; the id when the file gives none.
    pub title: String,
    /// The experiment this is a variant of.
    pub variant_of: Option<String>,
    /// File of the scenario, relative to the study.
    pub scenario: String,
    /// Place of the scenario's name in the file.
    #[serde(skip)]
    pub scenario_place: Option<Place>,
    /// Overrides, applied in order.
    pub set: Vec<Setting>,
    /// Axes, the first the slowest.
    pub over: Vec<Axis>,
    /// Settings of a quick run.
    pub quick: Quick,
    /// Metrics reported at every point, whether they apply or not.
    pub metrics: Vec<String>,
    /// The testbed on which it can be measured.
    pub live: Option<Testbed>,
}

/// One override of a scenario key.
#[derive(Clone, Debug, Serialize)]
pub struct Setting {
    /// Path of the key.
    pub key: String,
    /// Place of the key in the file.
    #[serde(skip)]
    pub key_place: Option<Place>,
    /// Value as written, with its place.
    #[serde(serialize_with = "as_written")]
    pub value: Node,
}

/// A key and the values it takes.
#[derive(Clone, Debug, Serialize)]
pub struct Axis {
    /// Path of the key.
    pub key: String,
    /// Place of the key in the file.
    #[serde(skip)]
    pub key_place: Option<Place>,
    /// As written: a list of values, a range as `50:500:50 /s`, or one value.
    #[serde(serialize_with = "as_written")]
    pub values: Node,
}

/// Lower duration and replications of a quick run.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Quick {
    /// Duration of a replication, as written.
    #[serde(serialize_with = "as_text")]
    pub duration: Option<Node>,
    /// Number of replications, at least 1.
    pub replications: Option<u32>,
}

fn as_written<S: Serializer>(node: &Node, serializer: S) -> Result<S::Ok, S::Error> {
    node.to_json().serialize(serializer)
}

fn as_text<S: Serializer>(node: &Option<Node>, serializer: S) -> Result<S::Ok, S::Error> {
    node.as_ref().and_then(Node::as_text).serialize(serializer)
}

/// Reads every `[[experiment]]` and, after each, its variants.
pub fn read_all(root: &Fields<'_>, problems: &mut Problems) -> Vec<Experiment> {
    let mut experiments: Vec<Experiment> = Vec::new();
    for fields in root.tables("experiment", problems) {
        let base = read(&fields, problems);
        add(&mut experiments, base.clone(), fields.place("id"), problems);
        for fields in fields.tables("variant", problems) {
            let variant = read_variant(&base, &fields, problems);
            add(&mut experiments, variant, fields.place("id"), problems);
        }
    }
    if experiments.is_empty() && problems.is_empty() {
        problems.push(Problem::plain("a study has at least one `[[experiment]]`"));
    }
    experiments
}

fn add(experiments: &mut Vec<Experiment>, experiment: Experiment, place: Option<Place>, problems: &mut Problems) {
    if experiments.iter().any(|other| other.id == experiment.id) {
        problems.push(Problem::at(place, format!("there are two experiments `{}`", experiment.id)));
    }
    experiments.push(experiment);
}

fn read(fields: &Fields<'_>, problems: &mut Problems) -> Experiment {
    fields.refuse_unknown(EXPERIMENT_KEYS, problems);
    let id = fields.needed_text("id", problems);
    if id.contains('+') {
        let problem = Problem::at(fields.place("id"), "the id of an experiment holds no `+`");
        problems.push(problem.help("a variant is written `[[experiment.variant]]`"));
    }
    let metrics = fields.texts("metrics", problems);
    for node in &metrics {
        refuse_unknown_metric(node, problems);
    }
    Experiment {
        title: fields.text("title", problems).unwrap_or(&id).to_owned(),
        id,
        variant_of: None,
        scenario: fields.needed_text("scenario", problems),
        scenario_place: fields.place("scenario"),
        set: read_settings(fields, problems),
        over: read_axes(fields, problems),
        quick: read_quick(fields, problems),
        metrics: metrics.into_iter().filter_map(Node::as_text).map(str::to_owned).collect(),
        live: testbed::read(fields, problems),
    }
}

/// A metric that is not in the registry is a problem that names the nearest.
pub fn refuse_unknown_metric(node: &Node, problems: &mut Problems) {
    let name = node.as_text().unwrap_or_default();
    if registry::find(name).is_none() {
        let known = registry::all().iter().map(|information| information.name);
        let problem = Problem::at(node.place.clone(), format!("there is no metric `{name}`"));
        problems.push(problem.maybe_help(suggestion(name, known)));
    }
}

/// A variant adds settings to its base and replaces axes of the same key; with its own scenario it has only its own
/// settings and axes.
fn read_variant(base: &Experiment, fields: &Fields<'_>, problems: &mut Problems) -> Experiment {
    fields.refuse_unknown(VARIANT_KEYS, problems);
    let id = format!("{}+{}", base.id, fields.needed_text("id", problems));
    let title = fields.text("title", problems).unwrap_or(&id).to_owned();
    let mut variant = Experiment { variant_of: Some(base.id.clone()), title, id, live: None, ..base.clone() };
    if let Some(scenario) = fields.text("scenario", problems) {
        (variant.scenario, variant.scenario_place) = (scenario.to_owned(), fields.place("scenario"));
        (variant.set, variant.over) = (Vec::new(), Vec::new());
    }
    variant.set.extend(read_settings(fields, problems));
    for axis in read_axes(fields, problems) {
        match variant.over.iter_mut().find(|old| old.key == axis.key) {
            Some(old) => *old = axis,
            None => variant.over.push(axis),
        }
    }
    variant
}

fn read_settings(fields: &Fields<'_>, problems: &mut Problems) -> Vec<Setting> {
    let Some(set) = fields.table("set", problems) else { return Vec::new() };
    let setting = |entry: &Entry| Setting {
        key: entry.key.clone(),
        key_place: entry.key_place.clone(),
        value: entry.node.clone(),
    };
    set.entries().iter().map(setting).collect()
}

fn read_axes(fields: &Fields<'_>, problems: &mut Problems) -> Vec<Axis> {
    let Some(over) = fields.table("over", problems) else { return Vec::new() };
    let axis =
        |entry: &Entry| Axis { key: entry.key.clone(), key_place: entry.key_place.clone(), values: entry.node.clone() };
    over.entries().iter().map(axis).collect()
}

fn read_quick(fields: &Fields<'_>, problems: &mut Problems) -> Quick {
    let Some(quick) = fields.table("quick", problems) else { return Quick::default() };
    quick.refuse_unknown(&["duration", "replications"], problems);
    let duration = quick.text("duration", problems);
    Quick {
        duration: duration.map(|text| Node::text(text, quick.place("duration"))),
        replications: quick.count("replications", problems),
    }
}
