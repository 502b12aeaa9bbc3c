//! Checks every `[[figure]]` and `[[answer]]` against the declared kinds, before anything runs.

use serde_json::Value as Json;
use sojourn_metrics::registry;
use sojourn_scenario::hint::suggestion;
use sojourn_scenario::problem::{Problem, Problems};
use sojourn_scenario::quantity::{Dimension, Quantity};
use sojourn_scenario::tree::{Entry, Node, Value as Written};

use super::experiment::{Experiment, refuse_unknown_metric};
use super::fields::Fields;
use super::options::{Kind, Opt, Value};
use super::values::AxisValue;
use super::{answer_kinds, figure_kinds};

/// Reads every `[[figure]]`; mistakes go to `problems`.
pub fn read_figures(
    root: &Fields<'_>,
    experiments: &[Experiment],
    values: &mut Vec<AxisValue>,
    problems: &mut Problems,
) -> Vec<Json> {
    let table = Table { name: "figure", kinds: figure_kinds::KINDS, common: figure_kinds::COMMON };
    table.read(root, experiments, values, problems)
}

/// Reads every `[[answer]]`; mistakes go to `problems`.
pub fn read_answers(
    root: &Fields<'_>,
    experiments: &[Experiment],
    values: &mut Vec<AxisValue>,
    problems: &mut Problems,
) -> Vec<Json> {
    let table = Table { name: "answer", kinds: answer_kinds::KINDS, common: answer_kinds::COMMON };
    table.read(root, experiments, values, problems)
}

/// `[[figure]]` or `[[answer]]`, and its declarations.
struct Table {
    name: &'static str,
    kinds: &'static [Kind],
    common: &'static [Opt],
}

impl Table {
    fn read(
        &self,
        root: &Fields<'_>,
        experiments: &[Experiment],
        values: &mut Vec<AxisValue>,
        problems: &mut Problems,
    ) -> Vec<Json> {
        let tables = root.tables(self.name, problems);
        let mut ids: Vec<&str> = Vec::new();
        for fields in &tables {
            self.check(fields, experiments, problems);
            values.extend(axis_values(fields, experiments));
            let Some(id) = fields.node("id").and_then(Node::as_text) else { continue };
            if ids.contains(&id) {
                problems.push(Problem::at(fields.place("id"), format!("there are two {}s `{id}`", self.name)));
            }
            ids.push(id);
        }
        tables.iter().map(Fields::json).collect()
    }

    fn check(&self, fields: &Fields<'_>, experiments: &[Experiment], problems: &mut Problems) {
        let kind = self.kind(fields, problems);
        let options = self.options(kind);
        let mut known: Vec<&str> = options.iter().map(|option| option.name).collect();
        known.push("kind");
        for entry in fields.entries().iter().filter(|entry| !known.contains(&entry.key.as_str())) {
            let of = kind.map(|kind| format!(" of {} kind `{}`", self.name, kind.name)).unwrap_or_default();
            let problem = Problem::at(entry.key_place.clone(), format!("unknown key `{}`{of}", entry.key));
            problems.push(problem.maybe_help(suggestion(&entry.key, known.iter().copied())));
        }
        let check = Check { fields, shown: shown(fields, experiments), experiments };
        for option in options {
            match fields.node(option.name) {
                Some(node) => check.value(option, node, problems),
                None if option.required && kind.is_some() => {
                    fields.needed(option.name, problems);
                }
                None => {}
            }
        }
    }

    /// The declared kind; a kind that is not declared is a problem.
    fn kind(&self, fields: &Fields<'_>, problems: &mut Problems) -> Option<&'static Kind> {
        let name = fields.needed_text("kind", problems);
        let found = self.kinds.iter().find(|kind| kind.name == name);
        if found.is_none() && !name.is_empty() {
            let problem = Problem::at(fields.place("kind"), format!("there is no {} kind `{name}`", self.name));
            problems.push(problem.maybe_help(suggestion(&name, self.kinds.iter().map(|kind| kind.name))));
        }
        found
    }

    /// The options of a kind, or of all kinds where it is not known; a kind's own declaration precedes the common one.
    fn options(&self, kind: Option<&'static Kind>) -> Vec<&'static Opt> {
        let declared: Vec<&Opt> = match kind {
            Some(kind) => kind.options.iter().chain(self.common).collect(),
            None => self.common.iter().chain(self.kinds.iter().flat_map(|kind| kind.options)).collect(),
        };
        let mut options: Vec<&Opt> = Vec::new();
        for option in declared {
            if !options.iter().any(|known| known.name == option.name) {
                options.push(option);
            }
        }
        options
    }
}

/// The experiments that a table names, or all of them.
fn shown<'a>(fields: &Fields<'_>, experiments: &'a [Experiment]) -> Vec<&'a Experiment> {
    let named: Vec<&str> = match fields.node("experiments") {
        Some(node) => items(node).iter().filter_map(Node::as_text).collect(),
        None => Vec::new(),
    };
    let found: Vec<&Experiment> = experiments.iter().filter(|known| named.contains(&known.id.as_str())).collect();
    if found.is_empty() { experiments.iter().collect() } else { found }
}

/// The values of keys in `at` and `where`.
fn axis_values(fields: &Fields<'_>, experiments: &[Experiment]) -> Vec<AxisValue> {
    let ids: Vec<String> = shown(fields, experiments).into_iter().map(|experiment| experiment.id.clone()).collect();
    let of =
        |key: &str, value: &Node| AxisValue { key: key.to_owned(), value: value.clone(), experiments: ids.clone() };
    let key = fields.node("x").and_then(Node::as_text);
    let at = fields.node("at").map(items).unwrap_or_default();
    let settings = fields.node("where").and_then(Node::as_table).map(|table| table.0.as_slice()).unwrap_or_default();
    let values = key.into_iter().flat_map(|key| at.iter().map(move |value| (key, value)));
    values
        .chain(settings.iter().map(|entry| (entry.key.as_str(), &entry.node)))
        .map(|(key, value)| of(key, value))
        .collect()
}

/// One table and what its values refer to.
struct Check<'a> {
    fields: &'a Fields<'a>,
    shown: Vec<&'a Experiment>,
    experiments: &'a [Experiment],
}

impl Check<'_> {
    fn value(&self, option: &Opt, node: &Node, problems: &mut Problems) {
        let name = option.name;
        match option.value {
            Value::Text => _ = self.fields.text(name, problems),
            Value::Flag => expect(matches!(node.value, Written::Flag(_)), node, name, "true or false", problems),
            Value::Number => expect(number(node), node, name, "a number", problems),
            Value::Time => time(node, name, problems),
            Value::Word(words) => word(node, name, words, problems),
            Value::Words(words) => items(node).iter().for_each(|item| word(item, name, words, problems)),
            Value::Scales(axes, scales) => self.scales(node, name, axes, scales, problems),
            Value::Axis => {
                if let Some(key) = self.fields.text(name, problems) {
                    self.axis(key, node, true, problems);
                }
            }
            Value::Settings => self.settings(node, name, problems),
            Value::Values => {
                for item in items(node) {
                    expect(number(item) || item.as_text().is_some(), item, name, "a number or a word", problems);
                }
            }
            Value::Metric(shapes) => self.metrics(node, name, shapes, 1, problems),
            Value::Metrics(shapes) => self.metrics(node, name, shapes, usize::MAX, problems),
            Value::Experiment => self.experiment(node, name, problems),
            Value::Experiments(least) => {
                items(node).iter().for_each(|item| self.experiment(item, name, problems));
                if items(node).len() < least {
                    let message = format!("`{name}` needs at least {least} experiments");
                    problems.push(Problem::at(node.place.clone(), message));
                }
            }
        }
    }

    /// A key that the experiments vary: all of them, or one at least.
    fn axis(&self, key: &str, node: &Node, all: bool, problems: &mut Problems) {
        let varies = |experiment: &&&Experiment| experiment.over.iter().any(|axis| axis.key == key);
        if self.shown.iter().any(|experiment| varies(&experiment)) {
            for experiment in self.shown.iter().filter(|experiment| all && !varies(experiment)) {
                let message = format!("experiment `{}` does not vary `{key}`", experiment.id);
                problems.push(Problem::at(node.place.clone(), message));
            }
            return;
        }
        let mut axes: Vec<&str> = Vec::new();
        for axis in self.shown.iter().flat_map(|experiment| &experiment.over) {
            if !axes.contains(&axis.key.as_str()) {
                axes.push(&axis.key);
            }
        }
        let problem = Problem::at(node.place.clone(), format!("none of these experiments varies `{key}`"));
        let help = suggestion(key, axes.iter().copied());
        let list = (!axes.is_empty()).then(|| format!("they vary {}", axes.join(", ")));
        problems.push(problem.maybe_help(help.or(list)));
    }

    fn settings(&self, node: &Node, name: &str, problems: &mut Problems) {
        let Some(table) = node.as_table() else {
            return expect(false, node, name, "a table of keys and values", problems);
        };
        for Entry { key, node, key_place, .. } in &table.0 {
            self.axis(key, &Node::text(key, key_place.clone()), false, problems);
            let is_plain = number(node) || node.as_text().is_some() || matches!(node.value, Written::Flag(_));
            expect(is_plain, node, key, "one value", problems);
        }
    }

    fn scales(&self, node: &Node, name: &str, axes: &[&str], scales: &[&str], problems: &mut Problems) {
        let Some(table) = node.as_table() else {
            return expect(false, node, name, "a table, such as { x = \"log\" }", problems);
        };
        for Entry { key, node, key_place, .. } in &table.0 {
            word(&Node::text(key, key_place.clone()), name, axes, problems);
            word(node, key, scales, problems);
        }
    }

    fn metrics(&self, node: &Node, name: &str, shapes: &[registry::Shape], most: usize, problems: &mut Problems) {
        let nodes = self.fields.texts(name, problems);
        if nodes.len() > most {
            problems.push(Problem::at(node.place.clone(), format!("`{name}` is one metric here")));
        }
        for node in nodes {
            let text = node.as_text().unwrap_or_default();
            match registry::find(text) {
                None => refuse_unknown_metric(node, problems),
                Some(metric) if !shapes.contains(&metric.shape) => {
                    let fitting = registry::all().iter().filter(|metric| shapes.contains(&metric.shape));
                    let help = fitting.map(|metric| metric.name).collect::<Vec<_>>().join(", ");
                    let problem = Problem::at(node.place.clone(), format!("`{text}` has no {}", needed(shapes)));
                    problems.push(problem.help(format!("these do: {help}")));
                }
                Some(_) => {}
            }
        }
    }

    fn experiment(&self, node: &Node, name: &str, problems: &mut Problems) {
        let Some(id) = node.as_text() else {
            return expect(false, node, name, "a string in quotes, or a list of strings", problems);
        };
        let known = self.experiments.iter().map(|experiment| experiment.id.as_str());
        if !known.clone().any(|known| known == id) {
            let problem = Problem::at(node.place.clone(), format!("there is no experiment `{id}`"));
            problems.push(problem.maybe_help(suggestion(id, known)));
        }
    }
}

/// What a metric outside these shapes lacks.
fn needed(shapes: &[registry::Shape]) -> &'static str {
    if shapes.contains(&registry::Shape::Distribution) { "samples" } else { "level over time" }
}

fn items(node: &Node) -> &[Node] {
    node.as_list().unwrap_or(std::slice::from_ref(node))
}

fn number(node: &Node) -> bool {
    matches!(node.value, Written::Integer(_) | Written::Float(_))
}

fn expect(holds: bool, node: &Node, name: &str, expected: &str, problems: &mut Problems) {
    if !holds {
        problems.push(Problem::at(node.place.clone(), format!("`{name}` is {expected}")));
    }
}

fn time(node: &Node, name: &str, problems: &mut Problems) {
    let parsed = node.as_text().map(|text| Quantity::parse(text, Dimension::Time));
    expect(matches!(parsed, Some(Ok(_))), node, name, "a time with its unit, such as \"15 ms\"", problems);
}

fn word(node: &Node, name: &str, words: &[&str], problems: &mut Problems) {
    let Some(text) = node.as_text() else { return expect(false, node, name, "a word in quotes", problems) };
    if !words.contains(&text) {
        let message = format!("`{text}` is not one of {}", words.join(", "));
        let problem = Problem::at(node.place.clone(), message);
        problems.push(problem.maybe_help(suggestion(text, words.iter().copied())));
    }
}
