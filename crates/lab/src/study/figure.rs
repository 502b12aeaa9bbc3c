//! Figures and answers of a study: which keys they may have. What they mean is the business of who draws.

use serde_json::Value as Json;
use sojourn_scenario::hint::suggestion;
use sojourn_scenario::problem::{Problem, Problems};

use super::fields::Fields;

/// Keys of `[[figure]]`.
const FIGURE_KEYS: &[&str] = &[
    "id",
    "kind",
    "title",
    "caption",
    "x",
    "y",
    "by",
    "experiments",
    "reference",
    "log",
    "at",
    "bin",
    "saturation",
    "scale",
    "unit",
    "until",
    "where",
];
/// Keys of `[[answer]]`.
const ANSWER_KEYS: &[&str] =
    &["id", "kind", "title", "x", "y", "by", "experiments", "reference", "unit", "at", "where"];

/// Reads each `[[figure]]`, whose experiments must be among `known`.
pub fn read_figures(root: &Fields<'_>, known: &[&str], problems: &mut Problems) -> Vec<Json> {
    read(root, "figure", FIGURE_KEYS, known, problems)
}

/// Reads each `[[answer]]`, whose experiments must be among `known`.
pub fn read_answers(root: &Fields<'_>, known: &[&str], problems: &mut Problems) -> Vec<Json> {
    read(root, "answer", ANSWER_KEYS, known, problems)
}

fn read(root: &Fields<'_>, name: &str, keys: &[&str], known: &[&str], problems: &mut Problems) -> Vec<Json> {
    let tables = root.tables(name, problems);
    for fields in &tables {
        fields.refuse_unknown(keys, problems);
        fields.needed_text("id", problems);
        fields.needed_text("kind", problems);
        refuse_unknown_experiments(fields, known, problems);
    }
    tables.iter().map(Fields::json).collect()
}

fn refuse_unknown_experiments(fields: &Fields<'_>, known: &[&str], problems: &mut Problems) {
    for node in fields.texts("experiments", problems) {
        let id = node.as_text().unwrap_or_default();
        if !known.contains(&id) {
            let problem = Problem::at(node.place.clone(), format!("there is no experiment `{id}`"));
            problems.push(problem.maybe_help(suggestion(id, known.iter().copied())));
        }
    }
}
