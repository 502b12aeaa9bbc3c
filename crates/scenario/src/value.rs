//! Checks a single value, without tables, against its declaration.

use std::sync::Arc;

use sojourn_core::Duration;

use crate::folder::Folder;
use crate::hint;
use crate::keys::{Bounds, Codes, Key, Kind, Word};
use crate::problem::{Problem, Problems};
use crate::quantity::{Dimension, Quantity, Refusal};
use crate::scenario::Resolved;
use crate::tree::{Entries, Node, Value};

/// Reads a value that holds no table.
pub(crate) fn plain(key: &'static Key, node: &Node, folder: &Folder) -> Result<Resolved, Problem> {
    match key.kind {
        Kind::Quantity(dimension, bounds) => quantity(key, node, dimension, bounds),
        Kind::QuantityOr(dimension, bounds, words) => match node.as_text() {
            Some(text) if words.iter().any(|word| word.word == text) => Ok(Resolved::Word(text.to_owned())),
            _ => quantity(key, node, dimension, bounds).map_err(|problem| or_word(problem, words)),
        },
        Kind::TimeOrLaw(bounds, _) => time_or_law(key, node, bounds),
        Kind::Code(codes) => code(key, node, codes),
        Kind::Integer(low, high) => integer(key, node, |n| (low..=high).contains(&n), &format!("{low} to {high}")),
        Kind::Choice(choices) => {
            let list = choices.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
            integer(key, node, |n| choices.contains(&n), &format!("one of {list}"))
        }
        Kind::Number(bounds) => number(key, node, bounds),
        Kind::Word(words) => word(key, node, words),
        Kind::Name => name(key, node).map(Resolved::Word),
        Kind::Names(_, words) => names(key, node, words),
        Kind::Texts => texts(key, node).map(Resolved::Words),
        Kind::Times(bounds) => times(key, node, bounds).map(Resolved::Durations),
        Kind::Settings => settings(key, node).map(Resolved::Settings),
        Kind::Text => text(key, node).map(|text| Resolved::Word(text.to_owned())),
        Kind::File => file(key, node, folder),
        Kind::Flag => match node.value {
            Value::Flag(flag) => Ok(Resolved::Flag(flag)),
            _ => Err(wrong(key, node, "true or false")),
        },
        Kind::Table(_) | Kind::Variants(_) => unreachable!("`resolve` reads inline tables"),
    }
}

fn wrong(key: &Key, node: &Node, wanted: &str) -> Problem {
    Problem::at(node.place.clone(), format!("`{}` takes {wanted}, not {}", key.name, node.value.noun()))
}

fn or_word(problem: Problem, words: &[Word]) -> Problem {
    let words = words.iter().map(|word| format!("\"{}\"", word.word)).collect::<Vec<_>>().join(", ");
    let help = problem.help.clone().map_or_else(|| format!("or {words}"), |help| format!("{help}; or {words}"));
    problem.help(help)
}

fn quantity(key: &Key, node: &Node, dimension: Dimension, bounds: Bounds) -> Result<Resolved, Problem> {
    let written = match &node.value {
        Value::Text(text) | Value::Integer(text) | Value::Float(text) => text.as_str(),
        _ => return Err(wrong(key, node, &in_words(dimension))),
    };
    let quantity =
        Quantity::parse(written, dimension).map_err(|refusal| refuse(key, node, written, dimension, refusal))?;
    within(key, node, written, quantity, dimension, bounds)?;
    if dimension != Dimension::Time {
        return Ok(Resolved::Number(quantity.number()));
    }
    let span = quantity.duration().ok_or_else(|| outside(key, node, written, bounds))?;
    Ok(Resolved::Duration(span))
}

/// A time where a table could stand as well.
fn time_or_law(key: &Key, node: &Node, bounds: Bounds) -> Result<Resolved, Problem> {
    match &node.value {
        Value::Text(_) | Value::Integer(_) | Value::Float(_) => quantity(key, node, Dimension::Time, bounds),
        _ => {
            let problem = wrong(key, node, &format!("{}, or a table", in_words(Dimension::Time)));
            Err(problem.help(format!("write {} = {{ kind = \"...\", ... }} for a distribution", key.name)))
        }
    }
}

fn in_words(dimension: Dimension) -> String {
    format!("{} in quotes, such as \"1 {}\"", dimension.noun(), dimension.units().first().map_or("", |unit| unit.name))
}

fn refuse(key: &Key, node: &Node, written: &str, dimension: Dimension, refusal: Refusal) -> Problem {
    let units = dimension.units_in_words();
    let accepted =
        if dimension.bare() { format!("a number without unit, or {units}") } else { format!("units: {units}") };
    let place = node.place.clone();
    match refusal {
        Refusal::UnitMissing => {
            let unit = dimension.units().iter().find(|unit| unit.name == dimension.si() || unit.name == "/s");
            let example = unit.or(dimension.units().first()).map_or("", |unit| unit.name);
            Problem::at(place, format!("`{}` needs a unit", key.name))
                .help(format!("write \"{written} {example}\"; {accepted}"))
        }
        Refusal::UnitUnknown(unit) => {
            let near = hint::nearest(&unit, dimension.units().iter().map(|unit| unit.name));
            let near = near.map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
            let message = format!("`{unit}` is not a unit of `{}`, which is {}", key.name, dimension.noun());
            Problem::at(place, message).help(format!("{near}{accepted}"))
        }
        Refusal::TooLong => Problem::at(place, format!("`{}` has more digits than it can mean", key.name))
            .help("at most 24 digits, and exponents up to 40"),
        Refusal::NotANumber => Problem::at(
            place,
            format!("`{}` takes {}, and \"{written}\" does not begin with a number", key.name, dimension.noun()),
        )
        .help(accepted),
    }
}

fn within(
    key: &Key,
    node: &Node,
    written: &str,
    quantity: Quantity,
    dimension: Dimension,
    bounds: Bounds,
) -> Result<(), Problem> {
    let bound = |text: &str| Quantity::parse(text, dimension).ok();
    let low = bound(bounds.low).is_some_and(|low| {
        let order = quantity.compare(low);
        order.is_lt() || bounds.above && order.is_eq()
    });
    let high = bound(bounds.high).is_some_and(|high| quantity.compare(high).is_gt());
    if low || high { Err(outside(key, node, written, bounds)) } else { Ok(()) }
}

fn outside(key: &Key, node: &Node, written: &str, bounds: Bounds) -> Problem {
    let beyond = if key.beyond.is_empty() { String::new() } else { format!("; {}", key.beyond) };
    Problem::at(node.place.clone(), format!("`{}` is {written}, outside its range", key.name))
        .help(format!("{}{beyond}", range_in_words(bounds)))
}

/// `above 0 s, up to 200 day`.
pub(crate) fn range_in_words(bounds: Bounds) -> String {
    let Bounds { low, above, high } = bounds;
    if above { format!("above {low}, up to {high}") } else { format!("{low} to {high}") }
}

fn code(key: &Key, node: &Node, codes: &Codes) -> Result<Resolved, Problem> {
    let Resolved::Duration(span) = quantity(key, node, Dimension::Time, crate::keys::common::SPAN)? else {
        return Err(wrong(key, node, "a time"));
    };
    let milliseconds = span.picoseconds() / 1_000_000_000;
    if span.picoseconds() % 1_000_000_000 == 0 && codes.milliseconds.contains(&milliseconds) {
        return Ok(Resolved::Duration(span));
    }
    let list = codes.milliseconds.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
    let message = format!(
        "`{}` is {}, which is not a LonTalk code of {}",
        key.name,
        node.as_text().unwrap_or_default(),
        codes.noun
    );
    Err(Problem::at(node.place.clone(), message).help(format!("the codes are {list} ms")))
}

fn integer(key: &Key, node: &Node, allowed: impl Fn(u64) -> bool, range: &str) -> Result<Resolved, Problem> {
    let written = match &node.value {
        Value::Integer(text) => text.as_str(),
        Value::Text(text) if text.trim().parse::<u64>().is_ok() => {
            let message = format!("`{}` takes a whole number without quotes", key.name);
            return Err(Problem::at(node.place.clone(), message).help(format!("write {} = {}", key.name, text.trim())));
        }
        _ => return Err(wrong(key, node, "a whole number").help(range.to_owned())),
    };
    match written.replace('_', "").parse::<i128>().ok().and_then(|n| u64::try_from(n).ok()) {
        Some(n) if allowed(n) => Ok(Resolved::Integer(n)),
        _ => Err(Problem::at(node.place.clone(), format!("`{}` is {written}, outside its range", key.name))
            .help(range.to_owned())),
    }
}

fn number(key: &Key, node: &Node, bounds: Bounds) -> Result<Resolved, Problem> {
    let (Value::Integer(written) | Value::Float(written)) = &node.value else {
        return Err(wrong(key, node, "a number without unit"));
    };
    let quantity = Quantity::parse(written, Dimension::None)
        .map_err(|refusal| refuse(key, node, written, Dimension::None, refusal))?;
    within(key, node, written, quantity, Dimension::None, bounds)?;
    Ok(Resolved::Number(quantity.number()))
}

fn word(key: &Key, node: &Node, words: &[Word]) -> Result<Resolved, Problem> {
    let known = words.iter().map(|word| word.word);
    let Some(text) = node.as_text() else {
        let list = known.collect::<Vec<_>>().join(", ");
        return Err(wrong(key, node, "a word in quotes").help(format!("known: {list}")));
    };
    if words.iter().any(|word| word.word == text) {
        return Ok(Resolved::Word(text.to_owned()));
    }
    let message = format!("`{}` is \"{text}\", which is not one of its values", key.name);
    let list = known.clone().collect::<Vec<_>>().join(", ");
    let near = hint::nearest(text, known).map(|near| format!("did you mean \"{near}\"? ")).unwrap_or_default();
    Err(Problem::at(node.place.clone(), message).help(format!("{near}known: {list}")))
}

/// Words that stand for receivers, so that no station may be called so.
const RESERVED: [&str; 2] = ["partner", "everyone"];

fn name(key: &Key, node: &Node) -> Result<String, Problem> {
    let text = text(key, node)?;
    let valid = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_');
    if !valid {
        let problem = Problem::at(node.place.clone(), format!("\"{text}\" is not a name"));
        return Err(problem.help("a name is made of letters, digits, - and _"));
    }
    if RESERVED.contains(&text) {
        return Err(Problem::at(
            node.place.clone(),
            format!("`{text}` cannot be a name: it stands for receivers of a flow"),
        ));
    }
    Ok(text.to_owned())
}

fn names(key: &Key, node: &Node, words: &[Word]) -> Result<Resolved, Problem> {
    let one = |node: &Node| match node.as_text() {
        Some(text) if words.iter().any(|word| word.word == text) => Ok(text.to_owned()),
        Some(_) => name(key, node),
        None => Err(wrong(key, node, "a name or a list of names")),
    };
    match node.as_list() {
        Some(nodes) => nodes.iter().map(one).collect::<Result<Vec<_>, _>>().map(Resolved::Words),
        None => one(node).map(|name| Resolved::Words(vec![name])),
    }
}

fn text<'a>(key: &Key, node: &'a Node) -> Result<&'a str, Problem> {
    node.as_text().ok_or_else(|| wrong(key, node, "text in quotes"))
}

fn texts(key: &Key, node: &Node) -> Result<Vec<String>, Problem> {
    match node.as_list() {
        Some(nodes) => nodes.iter().map(|node| text(key, node).map(str::to_owned)).collect(),
        None => text(key, node).map(|text| vec![text.to_owned()]),
    }
}

fn times(key: &Key, node: &Node, bounds: Bounds) -> Result<Vec<Duration>, Problem> {
    let one = |node: &Node| match quantity(key, node, Dimension::Time, bounds)? {
        Resolved::Duration(span) => Ok(span),
        _ => Err(wrong(key, node, "a time")),
    };
    match node.as_list() {
        Some([]) => {
            Err(Problem::at(node.place.clone(), format!("`{}` is an empty list", key.name))
                .help("write at least one time"))
        }
        Some(nodes) => nodes.iter().map(one).collect(),
        None => one(node).map(|span| vec![span]),
    }
}

/// The paths and values as written: what they name is known where the whole scenario is.
fn settings(key: &Key, node: &Node) -> Result<Entries, Problem> {
    match node.as_table() {
        Some(entries) if entries.0.is_empty() => {
            Err(Problem::at(node.place.clone(), format!("`{}` is empty", key.name))
                .help(format!("write {} = {{ \"PATH.OF.KEY\" = VALUE }}", key.name)))
        }
        Some(entries) => Ok(entries.clone()),
        None => Err(wrong(key, node, "a table of paths and values")),
    }
}

fn file(key: &Key, node: &Node, folder: &Folder) -> Result<Resolved, Problem> {
    let name = text(key, node)?;
    let source = folder.load(name).map_err(|problems| moved(problems, node))?;
    Ok(Resolved::File(folder.absolute(name), Arc::from(source.text.as_str())))
}

/// The first of some problems, its caret where the file is named.
pub(crate) fn moved(problems: Problems, node: &Node) -> Problem {
    let mut problem = problems.0.into_iter().next().unwrap_or_else(|| Problem::plain("cannot read the file"));
    problem.place = problem.place.or_else(|| node.place.clone());
    problem
}
