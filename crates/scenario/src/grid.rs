//! Values along an axis: `--over KEY=50:500:50 /s`, `--over KEY=a,b`.

use std::ops::Range;
use std::sync::Arc;

use crate::document::Document;
use crate::keys::{Key, Kind};
use crate::path;
use crate::problem::{ARGUMENT, Problem, Problems};
use crate::quantity::{Decimal, Dimension};
use crate::resolve;
use crate::setting::Setting;
use crate::source::{Place, Source};
use crate::tree::{self, Node};

/// A key and the values it takes in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Path of the key, as `background.rate`.
    pub path: String,
    /// The SI unit; none for words.
    pub unit: Option<&'static str>,
    /// Its values in turn, at least one.
    pub values: Vec<Setting>,
}

/// Longest axis a grid may have.
const MOST_VALUES: usize = 10_000;

/// `KEY=...` and where its halves stand in the argument.
pub(crate) struct Argument<'a> {
    pub source: Arc<Source>,
    pub path: &'a str,
    pub path_place: Option<Place>,
    pub values: &'a str,
    pub at: usize,
}

pub(crate) fn split(argument: &str) -> Result<Argument<'_>, Problems> {
    let source = Source::new(ARGUMENT, argument);
    let Some(equals) = argument.find('=') else {
        let problem = Problem::at(Place::of_text(&source, argument, Some(0)), "an axis is KEY=VALUES");
        return Err(problem
            .help("such as background.rate=50:500:50 /s or probe.service=acknowledged,unacknowledged")
            .into());
    };
    // an option's name may stand before the path
    let start = argument[..equals].trim_end().rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let path = argument[start..equals].trim();
    let path_place = Place::of_text(&source, path, Some(start));
    Ok(Argument { source, path, path_place, values: &argument[equals + 1..], at: equals + 1 })
}

impl Argument<'_> {
    /// A mistake in a part of the values.
    pub fn problem(&self, part: &str, message: impl Into<String>) -> Problem {
        let at = part.as_ptr() as usize - self.values.as_ptr() as usize + self.at;
        Problem::at(Some(Place::new(&self.source, at..at + part.len())), message)
    }
}

/// One value of the key that a path names; `argument` is the text an error shows.
pub(crate) fn setting_of(
    document: &Document,
    key_path: &str,
    value: &str,
    argument: &str,
) -> Result<Setting, Problems> {
    let source = Source::new(ARGUMENT, argument);
    let place = Place::of_text(&source, key_path, argument.find(key_path));
    let target = path::locate(document, key_path, &place).map_err(Problems::from)?;
    setting(document, target.key(), value, &source, argument.rfind(value).unwrap_or(0))
}

pub(crate) fn setting(
    document: &Document,
    key: &'static Key,
    text: &str,
    source: &Arc<Source>,
    at: usize,
) -> Result<Setting, Problems> {
    let node = tree::value(text, source, at);
    let mut problems = Problems::new();
    match resolve::value(key, &node, &document.folder, &mut problems) {
        Some(value) if problems.is_empty() => Ok(Setting { text: text.trim().to_owned(), json: value.to_json() }),
        _ => Err(problems),
    }
}

pub(crate) fn axis(document: &Document, argument: &str) -> Result<Axis, Problems> {
    let argument = split(argument)?;
    let key = path::locate(document, argument.path, &argument.path_place).map_err(Problems::from)?.key();
    let texts = match argument.values.contains(':') && key.unit().is_some() {
        true => grid(&argument, key)?,
        false => list(&argument, key),
    };
    let mut values = Vec::new();
    let mut problems = Problems::new();
    for (text, at) in texts {
        match item(document, key, &text, &argument, at) {
            Ok(setting) => values.push(setting),
            Err(found) => problems.0.extend(found.0),
        }
    }
    problems.or(Axis { path: argument.path.to_owned(), unit: key.unit(), values })
}

pub(crate) fn axis_node(
    document: &Document,
    path: &str,
    key_place: &Option<Place>,
    node: &Node,
) -> Result<Axis, Problems> {
    let key = path::locate(document, path, key_place).map_err(Problems::from)?.key();
    let single = std::slice::from_ref(node);
    let nodes = match node.as_list() {
        Some(nodes) if !matches!(key.kind, Kind::Names(..) | Kind::Texts | Kind::Times(_)) => nodes,
        _ => single,
    };
    let mut axis = Axis { path: path.to_owned(), unit: key.unit(), values: Vec::new() };
    let mut problems = Problems::new();
    for node in nodes {
        let written = node.as_text().filter(|text| text.contains(':') && key.unit().is_some());
        let values = match written {
            Some(text) => self::axis(document, &format!("{path}={text}")).map(|axis| axis.values),
            None => one(document, key, node).map(|setting| vec![setting]),
        };
        match values {
            Ok(values) => axis.values.extend(values),
            Err(found) => {
                problems.0.extend(found.0.into_iter().map(|problem| Problem { place: node.place.clone(), ..problem }))
            }
        }
    }
    if axis.values.is_empty() && problems.is_empty() {
        problems.push(Problem::at(node.place.clone(), format!("`{path}` has no values")));
    }
    problems.or(axis)
}

pub(crate) fn one(document: &Document, key: &'static Key, node: &Node) -> Result<Setting, Problems> {
    let mut problems = Problems::new();
    let value = resolve::value(key, node, &document.folder, &mut problems);
    let text = node.as_text().map_or_else(|| node.to_toml(), str::to_owned);
    match value {
        Some(value) if problems.is_empty() => Ok(Setting { text, json: value.to_json() }),
        _ => Err(problems),
    }
}

/// A value that may not stand in the argument as it is (a step of a grid, a unit that stands at the end).
pub(crate) fn item(
    document: &Document,
    key: &'static Key,
    text: &str,
    argument: &Argument<'_>,
    span: Range<usize>,
) -> Result<Setting, Problems> {
    if argument.source.text.get(span.clone()) == Some(text) {
        return setting(document, key, text, &argument.source, span.start);
    }
    setting(document, key, text, &Source::new(ARGUMENT, text), 0).map_err(|problems| {
        let place = Some(Place::new(&argument.source, span.clone()));
        Problems(problems.0.into_iter().map(|problem| Problem { place: place.clone(), ..problem }).collect())
    })
}

type Texts = Vec<(String, Range<usize>)>;

/// The parts between commas; those within brackets and quotes belong to a part.
pub(crate) fn separated(text: &str) -> Vec<Range<usize>> {
    let mut parts = Vec::new();
    let (mut start, mut depth, mut quote) = (0, 0i32, None);
    for (at, c) in text.char_indices() {
        match c {
            '"' | '\'' if quote == Some(c) => quote = None,
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ if quote.is_some() => {}
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(start..text.len());
    parts
}

/// `a,b` and `1,8,16 B`.
fn list(argument: &Argument<'_>, key: &Key) -> Texts {
    let items = separated(argument.values);
    let unit = items.last().map(|span| unit_of(&argument.values[span.clone()])).unwrap_or_default();
    let shared = key.unit().is_some() && !key.is_integer();
    items
        .into_iter()
        .map(|span| {
            let part = &argument.values[span.clone()];
            let lead = part.len() - part.trim_start().len();
            let text = part.trim();
            let at = argument.at + span.start + lead;
            let bare = shared && !unit.is_empty() && Decimal::split(text).is_ok_and(|(_, rest)| rest.is_empty());
            let full = if bare { format!("{text} {unit}") } else { text.to_owned() };
            (full, at..at + text.len())
        })
        .collect()
}

fn unit_of(text: &str) -> String {
    Decimal::split(text.trim()).map_or_else(|_| String::new(), |(_, rest)| rest.trim().to_owned())
}

/// `LO:HI:STEP UNIT`.
fn grid(argument: &Argument<'_>, key: &Key) -> Result<Texts, Problems> {
    let parts: Vec<&str> = argument.values.split(':').collect();
    let [low, high, step] = parts.as_slice() else {
        let problem = argument.problem(argument.values, "a grid is LO:HI:STEP, with a unit at the end");
        return Err(problem.help("such as 50:500:50 /s").into());
    };
    let (decimals, unit) = numbers(argument, key, &[low, high, step])?;
    let steps = Decimal::steps(decimals[0], decimals[1], decimals[2], MOST_VALUES).ok_or_else(|| {
        let problem =
            argument.problem(argument.values, "the step does not lead from one end to the other in whole steps");
        Problems::from(problem.help(format!("both ends belong to the grid, and it has at most {MOST_VALUES} values")))
    })?;
    let span = argument.at..argument.at + argument.values.len();
    Ok(steps.iter().map(|value| (format!("{value} {unit}").trim_end().to_owned(), span.clone())).collect())
}

/// The numbers of a grid or range, all in the unit of the last.
pub(crate) fn numbers(argument: &Argument<'_>, key: &Key, parts: &[&str]) -> Result<(Vec<Decimal>, String), Problems> {
    let unit = parts.last().map(|part| unit_of(part)).unwrap_or_default();
    let mut decimals = Vec::new();
    for part in parts {
        let (decimal, own) = Decimal::split(part.trim())
            .map_err(|_| Problems::from(argument.problem(part, format!("\"{}\" is not a number", part.trim()))))?;
        let own = own.trim();
        if !own.is_empty() && own != unit {
            let problem = argument.problem(part, format!("`{own}` and `{unit}` in one range"));
            return Err(problem.help("write all numbers in one unit, at the end").into());
        }
        decimals.push(decimal);
    }
    if unit.is_empty() && dimension(key).is_some_and(|dimension| !dimension.bare()) {
        let units = dimension(key).map(Dimension::units_in_words).unwrap_or_default();
        let problem = argument.problem(argument.values, format!("`{}` needs a unit", key.name));
        return Err(problem.help(format!("units: {units}")).into());
    }
    Ok((decimals, unit))
}

pub(crate) fn dimension(key: &Key) -> Option<Dimension> {
    match key.kind {
        Kind::Quantity(dimension, _) | Kind::QuantityOr(dimension, ..) => Some(dimension),
        Kind::Code(_) | Kind::TimeOrLaw(..) => Some(Dimension::Time),
        Kind::Integer(..) | Kind::Choice(_) | Kind::Number(_) => Some(Dimension::None),
        _ => None,
    }
}
