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
        (None, Some(Resolved::File(_, text))) => {
            let fields = column(table, "column", text)?;
            fields.into_iter().map(|field| time(table, &field)).collect::<Result<_, _>>()?
        }
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

/// Which packets of a table of kind `recorded` are lost, in the order of its times; none without a column that says it.
pub fn lost(table: &Table) -> Result<Vec<bool>, Problem> {
    if !table.has("lost") {
        return Ok(Vec::new());
    }
    let Some(Resolved::File(_, text)) = table.get("file").map(|entry| &entry.value) else {
        let problem = Problem::at(table.place_of("lost"), "`lost` is a column of a file, and there is none");
        return Err(problem.help("write file = \"FILE.csv\" in place of values"));
    };
    let fields = column(table, "lost", text)?;
    let lost: Vec<bool> = fields.into_iter().map(|field| truth(table, &field)).collect::<Result<_, _>>()?;
    let times = column(table, "column", text)?.len();
    match lost.len() == times {
        true => Ok(lost),
        false => {
            let message = format!("`lost` has {} values, and there are {times} times", lost.len());
            Err(Problem::at(table.place_of("lost"), message).help("each packet has a time and 0 or 1"))
        }
    }
}

/// A field of a column, with the number of its line.
struct Field {
    line: usize,
    text: String,
}

/// The fields below the title that `key` names; empty ones, at the end of a shorter column, are left out.
fn column(table: &Table, key: &str, text: &str) -> Result<Vec<Field>, Problem> {
    let mut lines = text.lines().enumerate();
    let fields =
        |line: &'_ str| line.split(',').map(|field| field.trim().trim_matches('"').to_owned()).collect::<Vec<_>>();
    let titles = lines.next().map_or_else(Vec::new, |(_, line)| fields(line));
    let titles = || titles.iter().map(String::as_str);
    let at = match table.optional_word(key) {
        Some(name) => titles().position(|title| title == name).ok_or_else(|| {
            let message = format!("the file has no column `{name}`");
            Problem::at(table.place_of(key), message).maybe_help(hint::suggestion(name, titles()))
        })?,
        None if titles().count() == 1 => 0,
        None => {
            let problem = Problem::at(table.place_of("file"), "the file has more than one column");
            return Err(problem.help(format!("write column = \"...\": {}", titles().collect::<Vec<_>>().join(", "))));
        }
    };
    let below = lines.filter_map(|(number, line)| {
        let text = fields(line).into_iter().nth(at).filter(|field| !field.is_empty())?;
        Some(Field { line: number + 1, text })
    });
    Ok(below.collect())
}

fn time(table: &Table, field: &Field) -> Result<Duration, Problem> {
    let value = field.text.parse().ok().filter(|seconds: &f64| *seconds >= 0.0).and_then(Duration::from_seconds);
    let expected = ("a time in seconds", "a title in the first line, then numbers from 0 on");
    value.ok_or_else(|| unexpected(table, field, expected))
}

fn truth(table: &Table, field: &Field) -> Result<bool, Problem> {
    match field.text.as_str() {
        "0" => Ok(false),
        "1" => Ok(true),
        _ => Err(unexpected(table, field, ("0 or 1", "1 where the packet is lost, and 0 where it is not"))),
    }
}

fn unexpected(table: &Table, Field { line, text }: &Field, (expected, help): (&str, &str)) -> Problem {
    let message = format!("line {line} of the file: \"{text}\" is not {expected}");
    Problem::at(table.place_of("file"), message).help(help.to_owned())
}
