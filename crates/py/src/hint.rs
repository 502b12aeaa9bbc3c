//! Names that are meant by a word, for Python: `sojourn.synonyms` calls these.

use pyo3::prelude::*;
use sojourn_scenario::hint;

/// The name that a word of another tool stands for.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python passes")]
pub fn meant(word: &str, known: Vec<String>) -> Option<String> {
    hint::meant(word, &known.iter().map(String::as_str).collect::<Vec<_>>()).map(str::to_owned)
}

/// The name that a word stands for, else the nearest.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "what Python passes")]
pub fn nearest(word: &str, known: Vec<String>) -> Option<String> {
    hint::nearest(word, known.iter().map(String::as_str)).map(str::to_owned)
}
