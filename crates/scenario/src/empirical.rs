//! The values of an empirical distribution or of a recorded sequence: a list in the scenario, or a column of a CSV file.

use sojourn_core::Duration;

use crate::hint;
use crate::problem::Problem;
use crate::scenario::{Resolved, Table};

/// The values of a table of kind `empirical` or `recorded`; a mistake stands where it was written.
pub fn values(table: &Table) -> Result<Vec<Duration>, Problem> {
    let is_recorded = table.word_is("kind", "recorded");
    let what = if is_recorded { "a recorded sequence" } else { "an empirical distribution" };
    let wrong = |key: &str, message: String| Problem::at(table.place_of(key), message);
    let written = table.get("values").map(|entry| &entry.value);
    let values = match (written, table.get("file").map(|entry| &entry.value)) {
        (Some(_), Some(_)) => {
            let problem = wrong("values", "both `values` and `file` are given".to_owned());
            return Err(problem.help("write one of them"));
        }
        (Some(Resolved::Durations(values)), None) => values.clone(),
        (None, Some(Resolved::File(_, text))) => column(table, text)?,
        _ => {
            let problem = wrong("kind", format!("{what} needs its values"));
            return Err(problem.help("write values = [\"1 ms\", ...], or file = \"FILE.csv\" and column = \"TITLE\""));
        }
    };
    // a mean of zero has no shape; a sequence has no mean
    match values.iter().any(|value| *value > Duration::ZERO) || is_recorded && !values.is_empty() {
        true => Ok(values),
        false if is_recorded => Err(wrong("file", "the column has no values".to_owned())),
        false => Err(wrong("values", "an empirical distribution needs a value above zero".to_owned())),
    }
}

/// The numbers below a title; empty fields, at the end of a shorter column, are left out.
fn column(table: &Table, text: &str) -> Result<Vec<Duration>, Problem> {
    let mut lines = text.lines().enumerate();
    let fields =
        |line: &'_ str| line.split(',').map(|field| field.trim().trim_matches('"').to_owned()).collect::<Vec<_>>();
    let titles = lines.next().map_or_else(Vec::new, |(_, line)| fields(line));
    let titles = || titles.iter().map(String::as_str);
    let at = match table.optional_word("column") {
        Some(name) => titles().position(|title| title == name).ok_or_else(|| {
            let message = format!("the file has no column `{name}`");
            Problem::at(table.place_of("column"), message).maybe_help(hint::suggestion(name, titles()))
        })?,
        None if titles().count() == 1 => 0,
        None => {
            let problem = Problem::at(table.place_of("file"), "the file has more than one column");
            return Err(problem.help(format!("write column = \"...\": {}", titles().collect::<Vec<_>>().join(", "))));
        }
    };
    let mut values = Vec::new();
    for (number, line) in lines {
        let Some(field) = fields(line).into_iter().nth(at).filter(|field| !field.is_empty()) else { continue };
        let value = field.parse().ok().filter(|seconds: &f64| *seconds >= 0.0).and_then(Duration::from_seconds);
        values.push(value.ok_or_else(|| {
            let message = format!("line {} of the file: \"{field}\" is not a time in seconds", number + 1);
            Problem::at(table.place_of("file"), message).help("a title in the first line, then numbers from 0 on")
        })?);
    }
    Ok(values)
}
