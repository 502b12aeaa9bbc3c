//! Checks that figures and answers refer only to values at which their experiments run.

use std::collections::{BTreeMap, BTreeSet};

use sojourn_metrics::results::Setting;
use sojourn_scenario::problem::{Problem, Problems};
use sojourn_scenario::tree::Node;

/// A value of a key in `at` or `where`.
#[derive(Clone, Debug)]
pub struct AxisValue {
    /// Path of the key.
    pub key: String,
    /// The value as written, in SI units or a word, with its place.
    pub value: Node,
    /// Ids of the experiments shown.
    pub experiments: Vec<String>,
}

/// Reports every value at which none of its experiments is run. `points` are experiments and settings; a value is
/// checked if all of its experiments are among them.
pub fn refuse_unrun<'a>(
    values: &[AxisValue],
    points: impl Iterator<Item = (&'a str, &'a BTreeMap<String, Setting>)> + Clone,
) -> Result<(), Problems> {
    let mut problems = Problems::new();
    let planned: BTreeSet<&str> = points.clone().map(|(id, _)| id).collect();
    for AxisValue { key, value, experiments } in values {
        if !experiments.iter().all(|id| planned.contains(id.as_str())) {
            continue;
        }
        let mut run: Vec<&Setting> = Vec::new();
        for (_, set) in points.clone().filter(|(id, _)| experiments.iter().any(|known| known == id)) {
            run.extend(set.get(key).filter(|setting| !run.contains(setting)));
        }
        if !run.is_empty() && !run.iter().any(|setting| equals(setting, value)) {
            let known: Vec<String> = run.iter().map(|setting| text(setting)).collect();
            let message = format!("`{key}` is not run at {}", value.to_json());
            problems.push(Problem::at(value.place.clone(), message).help(format!("it is run at {}", known.join(", "))));
        }
    }
    problems.or(())
}

fn equals(setting: &Setting, value: &Node) -> bool {
    let written = value.to_json();
    match setting {
        Setting::Flag(flag) => written.as_bool() == Some(*flag),
        Setting::Word(word) => written.as_str() == Some(word),
        Setting::Integer(number) => close(*number as f64, written.as_f64()),
        Setting::Number(number) => close(*number, written.as_f64()),
    }
}

fn close(number: f64, written: Option<f64>) -> bool {
    written.is_some_and(|written| (number - written).abs() <= 1e-9 * number.abs())
}

fn text(setting: &Setting) -> String {
    match setting {
        Setting::Flag(flag) => flag.to_string(),
        Setting::Word(word) => format!("\"{word}\""),
        Setting::Integer(number) => number.to_string(),
        Setting::Number(number) => number.to_string(),
    }
}
