//! Expectations: `"response_time.p99" = "< 100 ms"`, and the same in one text for `--until`.

use crate::problem::{Problem, Problems};
use crate::quantity::{Dimension, Quantity, Refusal};
use crate::source::{Place, Source};
use crate::tree::{Entries, Value};

/// What a metric's field should be.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The metric, with `/member` if it has one: `response_time/alarm`.
    pub metric: String,
    /// The field: `p99`; `value` where the metric is a single number.
    pub field: String,
    /// How the field relates to the value.
    pub relation: Relation,
    /// The value in SI units.
    pub value: f64,
    /// As written: `response_time.p99 < 100 ms`.
    pub text: String,
    /// Where it was written.
    pub place: Option<Place>,
}

/// How two numbers relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// `<`: below the value.
    Less,
    /// `<=` or `≤`: at most the value.
    LessOrEqual,
    /// `=` or `==`: exactly the value.
    Equal,
    /// `>=` or `≥`: at least the value.
    GreaterOrEqual,
    /// `>`: above the value.
    Greater,
}

impl Relation {
    /// Whether the relation holds between `value` and `limit`.
    pub fn holds(self, value: f64, limit: f64) -> bool {
        match self {
            Relation::Less => value < limit,
            Relation::LessOrEqual => value <= limit,
            Relation::Equal => value == limit,
            Relation::GreaterOrEqual => value >= limit,
            Relation::Greater => value > limit,
        }
    }

    /// The relation a text begins with, and the rest; two-character signs first.
    fn split(text: &str) -> Option<(Relation, &str)> {
        let signs = [
            ("<=", Relation::LessOrEqual),
            ("≤", Relation::LessOrEqual),
            (">=", Relation::GreaterOrEqual),
            ("≥", Relation::GreaterOrEqual),
            ("==", Relation::Equal),
            ("<", Relation::Less),
            (">", Relation::Greater),
            ("=", Relation::Equal),
        ];
        signs.iter().find_map(|(sign, relation)| text.strip_prefix(sign).map(|rest| (*relation, rest)))
    }
}

const FORM: &str = "write a relation (<, <=, =, >=, >), a number and its unit: \"< 100 ms\", \"= 0\"";

impl Expectation {
    /// Reads `response_time.p99 < 20 ms`, an argument of the command line.
    pub fn parse(argument: &str) -> Result<Expectation, Problems> {
        let source = Source::new(crate::problem::ARGUMENT, argument);
        let place = Some(Place::new(&source, 0..argument.len()));
        let Some(at) = argument.find(['<', '>', '=', '≤', '≥']) else {
            return Err(Problem::at(place, "this is not a condition")
                .help("write it as \"response_time.p99 < 20 ms\"")
                .into());
        };
        read(argument[..at].trim(), &place, argument[at..].trim(), &place).map_err(Problems::from)
    }
}

/// Reads `[expect]`; mistakes go to `problems`.
pub(crate) fn table(entries: &Entries, problems: &mut Problems) -> Vec<Expectation> {
    let mut expectations = Vec::new();
    for entry in &entries.0 {
        let Value::Text(text) = &entry.node.value else {
            let message = format!("an expectation is a text, not {}", entry.node.value.noun());
            problems.push(Problem::at(entry.node.place.clone(), message).help(quote_hint(&entry.node.value)));
            continue;
        };
        match read(&entry.key, &entry.key_place, text, &entry.node.place) {
            Ok(expectation) => expectations.push(expectation),
            Err(problem) => problems.push(problem),
        }
    }
    expectations
}

/// `response_time.p99 = ...` without quotes is a table in TOML: the hint names that.
fn quote_hint(value: &Value) -> &'static str {
    match value {
        Value::Table(_) => "quote the metric: \"response_time.p99\" = \"< 100 ms\"",
        _ => FORM,
    }
}

fn read(name: &str, name_place: &Option<Place>, text: &str, place: &Option<Place>) -> Result<Expectation, Problem> {
    let (metric, field) = name.rsplit_once('.').unwrap_or((name, "value"));
    if !is_metric(metric) || !is_word(field) {
        let message = format!("`{name}` is not METRIC.FIELD");
        return Err(Problem::at(name_place.clone(), message)
            .help("write METRIC.FIELD, such as response_time.p99; `sojourn metrics` lists them"));
    }
    let Some((relation, rest)) = Relation::split(text.trim()) else {
        return Err(Problem::at(place.clone(), format!("`{text}` has no relation")).help(FORM));
    };
    let value = any_quantity(rest.trim()).ok_or_else(|| {
        Problem::at(place.clone(), format!("`{}` is not a number with a unit", rest.trim())).help(FORM)
    })?;
    let text = format!("{name} {}", text.trim());
    Ok(Expectation { metric: metric.to_owned(), field: field.to_owned(), relation, value, text, place: place.clone() })
}

/// A number in any unit there is, in SI units.
fn any_quantity(text: &str) -> Option<f64> {
    let dimensions = Dimension::ALL.iter().chain([&Dimension::None]);
    dimensions.filter_map(|dimension| Quantity::parse(text, *dimension).ok()).map(Quantity::number).next().or_else(
        || {
            // a metric may count things the scenario has no unit for: "< 100 cells"
            match Quantity::parse(text, Dimension::None) {
                Err(Refusal::UnitUnknown(unit))
                    if matches!(unit.as_str(), "cells" | "cells/s" | "1/s" | "packets/s") =>
                {
                    Quantity::parse(text.strip_suffix(unit.as_str())?, Dimension::None).ok().map(Quantity::number)
                }
                _ => None,
            }
        },
    )
}

fn is_metric(name: &str) -> bool {
    !name.is_empty() && name.split('/').all(is_word)
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_of_the_command_line_is_a_metric_a_field_a_relation_and_a_value_in_si() {
        let condition = Expectation::parse("response_time/alarm.p99 <= 20 ms").unwrap();
        assert_eq!((condition.metric.as_str(), condition.field.as_str()), ("response_time/alarm", "p99"));
        assert_eq!((condition.relation, condition.value), (Relation::LessOrEqual, 0.02));
        let condition = Expectation::parse("failures = 0").unwrap();
        assert_eq!((condition.field.as_str(), condition.relation, condition.value), ("value", Relation::Equal, 0.0));
    }

    #[test]
    fn half_conditions_are_refused_with_the_form_to_write() {
        for text in ["response_time.p99", "response_time.p99 < soon", "< 20 ms", "a..b < 1", "", "x <"] {
            let problems = Expectation::parse(text).unwrap_err();
            assert!(problems.0[0].help.is_some(), "{text}");
        }
    }
}
