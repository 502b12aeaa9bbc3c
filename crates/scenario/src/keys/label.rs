//! Labels of keys in figures, tables and sentences.

use serde::Serialize;

use super::{Key, Kind, NetworkKeys};
use crate::quantity::Dimension;

/// How a key is labelled, and the units of its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct KeyLabel {
    /// Title of axes and columns: `"Offered load"`.
    pub label: String,
    /// SI unit of its values in results; none for words and flags.
    pub unit: Option<&'static str>,
    /// Unit to show beside values in SI units: `"packets/s"`, `"bytes"`, `"%"`; empty for counts, words and flags.
    pub shown_unit: &'static str,
}

/// The label of the key that `path` names in scenarios of a network: `TABLE.KEY`, `TABLE.MEMBER.KEY`, or either with a key
/// of an inline table behind it.
pub(crate) fn label(network: &NetworkKeys, path: &str) -> Option<KeyLabel> {
    let steps: Vec<&str> = path.split('.').collect();
    let (table, steps) = steps.split_first()?;
    let table = network.table(table)?;
    let named = |steps: &[&str]| innermost(table.find(steps.first()?)?, &steps[1..]);
    let key = named(steps).or_else(|| named(steps.get(1..)?))?;
    Some(KeyLabel { label: text(key), unit: key.unit(), shown_unit: shown_unit(key) })
}

fn innermost(key: &'static Key, steps: &[&str]) -> Option<&'static Key> {
    steps.iter().try_fold(key, |key, name| key.inner().into_iter().find(|inner| inner.name == *name))
}

fn text(key: &Key) -> String {
    if !key.label.is_empty() {
        return key.label.to_owned();
    }
    let mut text = key.name.replace('_', " ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

fn shown_unit(key: &Key) -> &'static str {
    match key.kind {
        Kind::Quantity(Dimension::Fraction, _) | Kind::QuantityOr(Dimension::Fraction, ..) => "%",
        Kind::Quantity(Dimension::Size, _) | Kind::QuantityOr(Dimension::Size, ..) => "bytes",
        Kind::Quantity(Dimension::Rate, _) | Kind::QuantityOr(Dimension::Rate, ..) if key.counted.is_empty() => "/s",
        Kind::Quantity(Dimension::Rate, _) | Kind::QuantityOr(Dimension::Rate, ..) => key.counted,
        _ => key.unit().filter(|unit| *unit != Dimension::None.si()).unwrap_or_default(),
    }
}
