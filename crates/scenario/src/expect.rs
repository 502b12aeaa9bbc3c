//! Expectations: `"response_time.p99" = "< 100 ms"`, and the one-line form for `--until`.

use crate::problem::{Problem, Problems};
use crate::quantity::{Dimension, Quantity};
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
    /// The value as written, with its unit: `100 ms`.
    pub quantity: String,
    /// Where the value was written.
    pub quantity_place: Option<Place>,
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

    /// Its sign: `<`, `<=`, `=`, `>=` or `>`.
    pub fn sign(self) -> &'static str {
        match self {
            Relation::Less => "<",
            Relation::LessOrEqual => "<=",
            Relation::Equal => "=",
            Relation::GreaterOrEqual => ">=",
            Relation::Greater => ">",
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
            let message = format!("a condition is text in quotes, not {}", entry.node.value.noun());
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
    let at = name.find(".p(").or_else(|| name.rfind('.'));
    let (metric, field) = at.map_or((name, "value"), |at| (&name[..at], &name[at + 1..]));
    if !is_metric(metric) || !is_word(field) {
        let message = format!("`{name}` is not METRIC.FIELD");
        let help = match percentile(field) {
            Some(field) if is_metric(metric) => format!("did you mean `{metric}.{field}`?"),
            _ => "write METRIC.FIELD, such as response_time.p99; `sojourn metrics` lists them".to_owned(),
        };
        return Err(Problem::at(name_place.clone(), message).help(help));
    }
    let Some((relation, rest)) = Relation::split(text.trim()) else {
        return Err(Problem::at(place.clone(), format!("`{text}` has no relation")).help(FORM));
    };
    let quantity = rest.trim().to_owned();
    let quantity_place = place.as_ref().map(|place| within(place, &quantity));
    let value = any_quantity(&quantity).ok_or_else(|| {
        Problem::at(quantity_place.clone(), format!("`{quantity}` is not a number with a unit")).help(FORM)
    })?;
    let (metric, field) = (metric.to_owned(), field.to_owned());
    let (text, place) = (format!("{name} {}", text.trim()), place.clone());
    Ok(Expectation { metric, field, relation, value, quantity, quantity_place, text, place })
}

/// Where a text ends a place; the place itself where it does not occur in it as written.
fn within(place: &Place, text: &str) -> Place {
    match place.text().rfind(text) {
        Some(at) if !text.is_empty() => {
            let start = place.span.start + at;
            Place::new(&place.source, start..start + text.len())
        }
        _ => place.clone(),
    }
}

/// What metrics count that a scenario has no unit for, and its size.
const COUNTED: [(&str, f64); 7] = [
    ("cells/s", 1.0),
    ("packets/s", 1.0),
    ("transactions/s", 1.0),
    ("1/s", 1.0),
    ("packets", 1.0),
    ("customers", 1.0),
    ("ppm", 1e-6),
];

/// A number in any unit there is, in SI units. Whether it is a unit of the metric is known where metrics are.
fn any_quantity(text: &str) -> Option<f64> {
    let number = |text: &str, dimension| Quantity::parse(text, dimension).ok().map(Quantity::number);
    let mut dimensions = Dimension::ALL.iter().chain([&Dimension::None]);
    dimensions.find_map(|dimension| number(text, *dimension)).or_else(|| {
        let counted = COUNTED.iter().find_map(|(unit, size)| Some((text.strip_suffix(unit)?, size)));
        counted.and_then(|(rest, size)| Some(number(rest, Dimension::None)? * size))
    })
}

/// The field that `p(95)`, `p(99.9)` of other tools stands for.
fn percentile(field: &str) -> Option<String> {
    let percent = field.strip_prefix("p(")?.strip_suffix(')')?;
    let digits: String = percent.chars().filter(|digit| *digit != '.').collect();
    (!digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())).then(|| format!("p{digits}"))
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
    fn percentiles_as_other_tools_write_them_lead_to_the_field() {
        for (written, meant) in [("p(95)", "p95"), ("p(99.9)", "p999"), ("p(50)", "p50")] {
            let found = Expectation::parse(&format!("response_time.{written} < 1 ms")).unwrap_err();
            assert_eq!(found.0[0].help.as_deref(), Some(&*format!("did you mean `response_time.{meant}`?")));
        }
        let found = Expectation::parse("response_time.p() < 1 ms").unwrap_err();
        assert!(found.0[0].help.as_ref().is_some_and(|help| help.starts_with("write METRIC.FIELD")));
    }

    #[test]
    fn a_condition_of_the_command_line_is_a_metric_a_field_a_relation_and_a_value_in_si() {
        let condition = Expectation::parse("response_time/alarm.p99 <= 20 ms").unwrap();
        assert_eq!((condition.metric.as_str(), condition.field.as_str()), ("response_time/alarm", "p99"));
        assert_eq!((condition.relation, condition.value), (Relation::LessOrEqual, 0.02));
        let condition = Expectation::parse("failures = 0").unwrap();
        assert_eq!((condition.field.as_str(), condition.relation, condition.value), ("value", Relation::Equal, 0.0));
    }

    #[test]
    fn the_value_of_a_condition_keeps_its_text_and_place_for_the_check_of_its_unit() {
        let condition = Expectation::parse("clock_skew < 20 ppm").unwrap();
        assert_eq!((condition.quantity.as_str(), condition.value), ("20 ppm", 20.0 * 1e-6));
        assert_eq!(condition.quantity_place.unwrap().text(), "20 ppm");
        assert_eq!(Expectation::parse("throughput_l3 > 20 packets/s").unwrap().value, 20.0);
    }

    #[test]
    fn half_conditions_are_refused_with_the_form_to_write() {
        for text in ["response_time.p99", "response_time.p99 < soon", "< 20 ms", "a..b < 1", "", "x <"] {
            let problems = Expectation::parse(text).unwrap_err();
            assert!(problems.0[0].help.is_some(), "{text}");
        }
    }
}
